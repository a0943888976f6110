/* lex.c - see lex.h. */
#include "trace/lex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

int lex_fail(const struct lex *x, size_t at, enum err_code code, const char *fmt, ...)
{
    char what[sizeof x->err->msg];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(what, sizeof what, fmt, ap);
    va_end(ap);
    err_set(x->err, code, "%.200s:%" PRIu32 ":%zu: %s", x->file, x->line, at + 1, what);
    /* an error is one line, but a file name may hold a newline */
    for (char *c = x->err->msg; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    return -1;
}

int lex_start(struct lex *x, const char *s, size_t n, uint32_t line, struct err *err)
{
    x->s = s;
    x->n = n;
    x->at = 0;
    x->line = line;
    x->used = 0;
    x->err = err;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c >= ' ' && c != 0x7f)
            continue;
        if (c == '\r')
            return lex_fail(x, i, ERR_FORMAT,
                            "carriage return inside a line, expected lines that end in a newline");
        if (c != '\t')
            return lex_fail(x, i, ERR_FORMAT, "control character 0x%02x, expected text", c);
    }
    /* Each byte of the line goes to one token at most, a token has at least one byte, and a value
     * of two bytes is joined with an index of up to ten. */
    if (x->cap < 8 * n + 8) {
        x->cap = 8 * n + 8;
        free(x->arena);
        x->arena = memory_resize(NULL, x->cap, 1);
    }
    return 0;
}

void lex_free(struct lex *x)
{
    free(x->arena);
}

/* Lines are long and words many, so a byte is looked up. */
static bool is_word(char c)
{
    static const bool word[256] = {
        ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1,
        ['i'] = 1, ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1,
        ['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1,
        ['y'] = 1, ['z'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1,
        ['G'] = 1, ['H'] = 1, ['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1,
        ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1,
        ['W'] = 1, ['X'] = 1, ['Y'] = 1, ['Z'] = 1, ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1,
        ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1, ['_'] = 1, ['.'] = 1,
        ['+'] = 1, [':'] = 1, ['/'] = 1, ['-'] = 1,
    };

    return word[(unsigned char)c];
}

static void skip_blanks(struct lex *x)
{
    while (x->at < x->n && (x->s[x->at] == ' ' || x->s[x->at] == '\t'))
        x->at++;
}

bool lex_end(struct lex *x)
{
    skip_blanks(x);
    return x->at == x->n || x->s[x->at] == '#';
}

/* The text at the cursor, for messages. */
static const char *text_at_cursor(struct lex *x, char buf[48])
{
    size_t n = 0;

    if (lex_end(x))
        return "the end of the line";
    unsigned char c = (unsigned char)x->s[x->at];
    while (n < 40 && x->at + n < x->n && is_word(x->s[x->at + n]))
        n++;
    if (n > 0)
        snprintf(buf, 48, "'%.*s'", (int)n, x->s + x->at);
    else if (c < 0x80)
        snprintf(buf, 48, "'%c'", c);
    else
        snprintf(buf, 48, "byte 0x%02x", c);
    return buf;
}

int lex_expect_end(struct lex *x)
{
    char buf[48];

    if (lex_end(x))
        return 0;
    return lex_fail(x, x->at, ERR_FORMAT, "expected the end of the line, found %s",
                    text_at_cursor(x, buf));
}

bool lex_peek(struct lex *x, char c)
{
    return !lex_end(x) && x->s[x->at] == c;
}

bool lex_is(struct lex *x, char c)
{
    if (!lex_peek(x, c))
        return false;
    x->at++;
    return true;
}

bool lex_next(struct lex *x, char c)
{
    if (x->at == x->n || x->s[x->at] != c)
        return false;
    x->at++;
    return true;
}

int lex_expect(struct lex *x, char c)
{
    char buf[48];

    if (lex_is(x, c))
        return 0;
    return lex_fail(x, x->at, ERR_FORMAT, "expected '%c', found %s", c, text_at_cursor(x, buf));
}

static char *copy_token(struct lex *x, const char *s, size_t n)
{
    char *p = x->arena + x->used;

    BUG_ON(x->used + n + 1 > x->cap);
    memcpy(p, s, n);
    p[n] = '\0';
    x->used += n + 1;
    return p;
}

int lex_word(struct lex *x, struct lex_text *w, const char *what)
{
    char buf[48];

    skip_blanks(x);
    w->at = x->at;
    while (x->at < x->n && is_word(x->s[x->at]))
        x->at++;
    w->n = x->at - w->at;
    if (w->n == 0)
        return lex_fail(x, w->at, ERR_FORMAT, "expected %s, found %s", what,
                        text_at_cursor(x, buf));
    if (w->n > LEX_NAME_MAX)
        return lex_fail(x, w->at, ERR_RANGE, "%s of %zu bytes, expected at most %d", what, w->n,
                        LEX_NAME_MAX);
    w->s = copy_token(x, x->s + w->at, w->n);
    return 0;
}

int lex_value(struct lex *x, struct lex_text *w)
{
    char buf[48];

    if (!lex_peek(x, '%'))
        return lex_fail(x, x->at, ERR_FORMAT, "expected a value such as %%x, found %s",
                        text_at_cursor(x, buf));
    size_t at = x->at++;
    if (x->at == x->n || !is_word(x->s[x->at]))
        return lex_fail(x, at + 1, ERR_FORMAT, "expected a name after '%%', found %s",
                        text_at_cursor(x, buf));
    if (lex_word(x, w, "a name") != 0)
        return -1;
    w->at = at;
    return 0;
}

void lex_join(struct lex *x, struct lex_text *w, uint32_t index, const char *tail)
{
    char text[16];
    size_t n = (size_t)snprintf(text, sizeof text, "[%" PRIu32 "]", index), m = strlen(tail);
    char *p = x->arena + x->used;

    BUG_ON(x->used + w->n + n + m + 1 > x->cap);
    memcpy(p, w->s, w->n);
    memcpy(p + w->n, text, n);
    memcpy(p + w->n + n, tail, m + 1);
    x->used += w->n + n + m + 1;
    w->s = p;
    w->n += n + m;
}

int lex_string(struct lex *x, struct lex_text *w, const char *what)
{
    if (!lex_peek(x, '"'))
        return lex_word(x, w, what);
    char *p = x->arena + x->used;
    w->s = p;
    w->at = x->at++;
    while (x->at < x->n && x->s[x->at] != '"') {
        if (x->s[x->at] == '\\') {
            x->at++;
            if (x->at == x->n || (x->s[x->at] != '"' && x->s[x->at] != '\\'))
                return lex_fail(x, x->at - 1, ERR_FORMAT,
                                "unknown escape in a string, expected \\\" or \\\\");
        }
        *p++ = x->s[x->at++];
    }
    if (x->at == x->n)
        return lex_fail(x, w->at, ERR_FORMAT, "string without its closing quote");
    x->at++;
    *p++ = '\0';
    w->n = (size_t)(p - w->s) - 1;
    x->used = (size_t)(p - x->arena);
    return 0;
}

int lex_int(struct lex *x, uint64_t *v, uint64_t min, uint64_t max, const char *what)
{
    char buf[48];
    bool fits = true;

    skip_blanks(x);
    size_t at = x->at;
    *v = 0;
    for (; x->at < x->n && x->s[x->at] >= '0' && x->s[x->at] <= '9'; x->at++)
        fits = fits && !__builtin_mul_overflow(*v, 10u, v) &&
               !__builtin_add_overflow(*v, (uint64_t)(x->s[x->at] - '0'), v);
    if (x->at == at)
        return lex_fail(x, at, ERR_FORMAT, "expected %s, an integer, found %s", what,
                        text_at_cursor(x, buf));
    if (!fits || *v < min || *v > max)
        return lex_fail(x, at, ERR_RANGE, "%s = %.*s: outside [%" PRIu64 ", %" PRIu64 "]", what,
                        x->at - at > 40 ? 40 : (int)(x->at - at), x->s + at, min, max);
    return 0;
}
