/* lex.h - the lexer: one line of a trace, token by token, with columns for messages.
 *
 * Tokens end in a NUL and are kept until the next line.  A function that fails writes the error
 * "file:line:column: what, expected, found" and returns -1. */
#ifndef TRACE_LEX_H
#define TRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define LEX_NAME_MAX 1023 /* bytes of a name, a key, a kind or a phase */

struct lex {
    const char *file, *s; /* the line, without its newline */
    size_t n, at;
    uint32_t line;
    char *arena;
    size_t used, cap;
    struct err *err;
};

struct lex_text {
    const char *s;
    size_t n, at; /* length; offset in the line, for messages */
};

/* Start a new line of `n` bytes; `s` must outlive the reading of it.  Errors: ERR_FORMAT control
 * characters. */
int lex_start(struct lex *x, const char *s, size_t n, uint32_t line, struct err *err);
void lex_free(struct lex *x);

/* Write an error at byte `at` of the line and return -1. */
int lex_fail(const struct lex *x, size_t at, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* All of the following skip blanks first. */

/* True at the end of the line or at a comment. */
bool lex_end(struct lex *x);
/* Fail unless the line ends here. */
int lex_expect_end(struct lex *x);
/* If the next character is `c`, skip it and return true. */
bool lex_is(struct lex *x, char c);
/* ... without skipping blanks: "2x3", but not "2 x3". */
bool lex_next(struct lex *x, char c);
/* True if the next character is `c`. */
bool lex_peek(struct lex *x, char c);
/* Skip `c`, or fail. */
int lex_expect(struct lex *x, char c);

/* A word [A-Za-z0-9_.+:/-]+ of at most LEX_NAME_MAX bytes; `what` names it in the message. */
int lex_word(struct lex *x, struct lex_text *w, const char *what);
/* '%' and a word right after it; w->s is the word, w->at the offset of the '%'. */
int lex_value(struct lex *x, struct lex_text *w);
/* Make "word[index]tail" of w, a token of this line. */
void lex_join(struct lex *x, struct lex_text *w, uint32_t index, const char *tail);
/* A string in quotes, with the escapes \" and \\ replaced, or a word. */
int lex_string(struct lex *x, struct lex_text *w, const char *what);
/* A decimal integer.  Errors: ERR_FORMAT, ERR_RANGE outside [min, max]. */
int lex_int(struct lex *x, uint64_t *v, uint64_t min, uint64_t max, const char *what);

#endif
