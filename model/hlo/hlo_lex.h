/* hlo_lex.h - the characters of HLO text: blanks and comments, words, brackets, strings, places.
 *
 * The grammar has hardly any tokens of its own, so there is no token type: the parser asks for what
 * it expects.  Between tokens blanks, line ends, `// ...` and slash-star comments mean nothing.
 * Functions that can fail return -1 with an error that shows the place. */
#ifndef HLO_LEX_H
#define HLO_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "hlo/hlo_module.h"

#define HLO_LEX_MAX_DEPTH 250 /* brackets inside brackets */

struct hlo_lex {
    const char *file, *text, *end;
    const char *at;         /* next character to read */
    const char *counted;    /* the place asked for last, */
    const char *line_start; /* the start of its line */
    uint32_t line;          /* and the number of that, from 1 */
    const char *unclosed;   /* a comment without end, or NULL */
    struct err *err;
};

/* Begin at the first byte of `text`, which is borrowed; `file` is its name in messages. */
void hlo_lex_init(struct hlo_lex *x, const char *file, const char *text, size_t size,
                  struct err *err);

/* Skip blanks and comments. */
void hlo_lex_blanks_slow(struct hlo_lex *x);
static inline void hlo_lex_blanks(struct hlo_lex *x)
{
    while (x->at < x->end && (*x->at == ' ' || *x->at == '\n'))
        x->at++;
    if (x->at < x->end && ((unsigned char)*x->at < ' ' || *x->at == '/'))
        hlo_lex_blanks_slow(x);
}

/* The character after blanks, 0 at the end of the text. */
static inline char hlo_lex_peek(struct hlo_lex *x)
{
    hlo_lex_blanks(x);
    return x->at < x->end ? *x->at : '\0';
}

/* Skip `c` after blanks if it is there. */
static inline bool hlo_lex_take(struct hlo_lex *x, char c)
{
    if (hlo_lex_peek(x) != c || x->at == x->end)
        return false;
    x->at++;
    return true;
}

/* Skip `c` after blanks, else "expected WHAT, found ...". */
int hlo_lex_expect(struct hlo_lex *x, char c, const char *what);

/* Letters, digits, '_', '.' and '-' after blanks; may be empty.  A '-' that begins "->" ends it. */
struct hlo_text hlo_lex_word(struct hlo_lex *x);
/* A word that must be there and may have a '%' before it, which is not part of it. */
int hlo_lex_name(struct hlo_lex *x, const char *what, struct hlo_text *name);
/* A decimal number after blanks, at most 2^63 - 1. */
int hlo_lex_number(struct hlo_lex *x, const char *what, uint64_t *number);

/* At an opening bracket: skip to after the one that closes it, over strings and comments. */
int hlo_lex_bracket(struct hlo_lex *x);
/* At a quote: skip to after the one that ends the string. */
int hlo_lex_string(struct hlo_lex *x);
/* The value of an attribute: brackets, strings and whatever is not ',' or a closing bracket. Blanks
 * end it unless an opening bracket or "<=" follows. */
int hlo_lex_value(struct hlo_lex *x, struct hlo_text *value);
/* KEY=VALUE */
int hlo_lex_attribute(struct hlo_lex *x, struct hlo_attribute *a);

/* Line and column of a place, from 1.  Places asked for in the order of the text cost O(1) each. */
void hlo_lex_place(struct hlo_lex *x, const char *at, uint32_t *line, uint32_t *column);

/* "file:line:column: what", the line and a caret.  Return -1. */
int hlo_lex_fail(struct hlo_lex *x, const char *at, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* "expected WHAT, found ..." at the next character. */
int hlo_lex_expected(struct hlo_lex *x, const char *what);
#ifdef __clang_analyzer__ /* see err.h */
#define hlo_lex_fail(...) (hlo_lex_fail(__VA_ARGS__), -1)
#define hlo_lex_expected(...) (hlo_lex_expected(__VA_ARGS__), -1)
#endif

#endif
