/* lex.h - one line of a trace, token by token, with columns.
 *
 * Tokens are copied to an arena that lasts as long as the line, so that they end in a NUL and
 * outlive the line's buffer.  Every function that fails describes the error once, as
 * "file:line:column: what, what was expected, what was found", and returns -1. */
#ifndef TRACE_LEX_H
#define TRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define LEX_NAME_MAX 255 /* bytes of a name, a key, a kind or a phase */

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
    size_t n, at; /* `at`: offset in the line, for messages */
};

/* Take a new line; `s` must last while it is read.  Errors: ERR_FORMAT control characters. */
int lex_start(struct lex *x, const char *s, size_t n, uint32_t line, struct err *err);
void lex_free(struct lex *x);

/* Fail at byte `at` of the line. */
int lex_fail(const struct lex *x, size_t at, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Skip blanks; true at the end of the line or a comment. */
bool lex_end(struct lex *x);
int lex_expect_end(struct lex *x);
/* Skip blanks, then `c` if it is next. */
bool lex_is(struct lex *x, char c);
bool lex_peek(struct lex *x, char c);
int lex_expect(struct lex *x, char c);

/* A word [A-Za-z0-9_.+:/-]+ of at most LEX_NAME_MAX bytes; `what` names it in the message. */
int lex_word(struct lex *x, struct lex_text *w, const char *what);
/* '%' and a word right after it; w->s is without the '%', w->at at it. */
int lex_value(struct lex *x, struct lex_text *w);
/* A string in quotes, with \" and \\ resolved, or a word. */
int lex_string(struct lex *x, struct lex_text *w, const char *what);
/* A decimal integer.  Errors: ERR_FORMAT, ERR_RANGE outside [min, max]. */
int lex_int(struct lex *x, uint64_t *v, uint64_t min, uint64_t max, const char *what);

#endif
