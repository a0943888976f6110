/* hlo_lex.c - see hlo_lex.h.  One table says what each byte is; most of a compiled program is
 * inside strings and braces, which are skipped by it. */
#include "hlo/hlo_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "hlo/hlo_show.h"

enum {
    WORD = 1, /* of a name, a keyword or a number */
    STOP = 2, /* something to look at inside brackets */
    ENDS = 4, /* ends the value of an attribute, or may */
};

/* clang-format off */
static const uint8_t kind[256] = {
    ['0'] = WORD, ['1'] = WORD, ['2'] = WORD, ['3'] = WORD, ['4'] = WORD, ['5'] = WORD, ['6'] = WORD,
    ['7'] = WORD, ['8'] = WORD, ['9'] = WORD, ['a'] = WORD, ['b'] = WORD, ['c'] = WORD, ['d'] = WORD,
    ['e'] = WORD, ['f'] = WORD, ['g'] = WORD, ['h'] = WORD, ['i'] = WORD, ['j'] = WORD, ['k'] = WORD,
    ['l'] = WORD, ['m'] = WORD, ['n'] = WORD, ['o'] = WORD, ['p'] = WORD, ['q'] = WORD, ['r'] = WORD,
    ['s'] = WORD, ['t'] = WORD, ['u'] = WORD, ['v'] = WORD, ['w'] = WORD, ['x'] = WORD, ['y'] = WORD,
    ['z'] = WORD, ['A'] = WORD, ['B'] = WORD, ['C'] = WORD, ['D'] = WORD, ['E'] = WORD, ['F'] = WORD,
    ['G'] = WORD, ['H'] = WORD, ['I'] = WORD, ['J'] = WORD, ['K'] = WORD, ['L'] = WORD, ['M'] = WORD,
    ['N'] = WORD, ['O'] = WORD, ['P'] = WORD, ['Q'] = WORD, ['R'] = WORD, ['S'] = WORD, ['T'] = WORD,
    ['U'] = WORD, ['V'] = WORD, ['W'] = WORD, ['X'] = WORD, ['Y'] = WORD, ['Z'] = WORD, ['_'] = WORD,
    ['.'] = WORD, ['-'] = WORD,
    ['{'] = STOP | ENDS, ['}'] = STOP | ENDS, ['('] = STOP | ENDS, [')'] = STOP | ENDS,
    ['['] = STOP | ENDS, [']'] = STOP | ENDS, ['"'] = STOP | ENDS, ['/'] = STOP | ENDS,
    [0] = STOP | ENDS, [','] = ENDS, [' '] = ENDS, ['\t'] = ENDS, ['\r'] = ENDS, ['\n'] = ENDS,
};
/* clang-format on */

static bool is_kind(const struct hlo_lex *x, int k)
{
    return x->at < x->end && kind[(unsigned char)*x->at] & k;
}

void hlo_lex_init(struct hlo_lex *x, const char *file, const char *text, size_t size,
                  struct err *err)
{
    *x = (struct hlo_lex){ .file = file,
                           .text = text,
                           .end = text + size,
                           .at = text,
                           .counted = text,
                           .line_start = text,
                           .line = 1,
                           .err = err };
}

static bool starts_comment(const struct hlo_lex *x)
{
    return x->end - x->at >= 2 && x->at[0] == '/' && (x->at[1] == '*' || x->at[1] == '/');
}

static void skip_comment(struct hlo_lex *x)
{
    const char *begin = x->at;

    if (x->at[1] == '/') {
        const char *line_end = memchr(x->at, '\n', (size_t)(x->end - x->at));
        x->at = line_end ? line_end : x->end;
        return;
    }
    const char *close = memmem(x->at + 2, (size_t)(x->end - x->at - 2), "*/", 2);
    x->at = close ? close + 2 : x->end;
    if (!close && !x->unclosed)
        x->unclosed = begin;
}

void hlo_lex_blanks_slow(struct hlo_lex *x)
{
    while (x->at < x->end) {
        if (*x->at == ' ' || (*x->at >= '\t' && *x->at <= '\r'))
            x->at++;
        else if (starts_comment(x))
            skip_comment(x);
        else
            return;
    }
}

int hlo_lex_expect(struct hlo_lex *x, char c, const char *what)
{
    if (hlo_lex_take(x, c))
        return 0;
    return hlo_lex_expected(x, what);
}

struct hlo_text hlo_lex_word(struct hlo_lex *x)
{
    hlo_lex_blanks(x);
    const char *begin = x->at;
    while (is_kind(x, WORD))
        x->at++;
    if (x->at > begin && x->at < x->end && x->at[-1] == '-' && *x->at == '>')
        x->at--;
    return (struct hlo_text){ begin, (uint32_t)(x->at - begin) };
}

int hlo_lex_name(struct hlo_lex *x, const char *what, struct hlo_text *name)
{
    const char *begin = (hlo_lex_blanks(x), x->at);

    if (x->at < x->end && *x->at == '%')
        x->at++;
    bool word = is_kind(x, WORD); /* no blanks between '%' and the word */
    if (word)
        *name = hlo_lex_word(x);
    if (word && name->size > 0)
        return 0;
    x->at = begin;
    return hlo_lex_expected(x, what);
}

int hlo_lex_number(struct hlo_lex *x, const char *what, uint64_t *number)
{
    uint64_t n = 0;
    const char *begin = (hlo_lex_blanks(x), x->at);

    while (x->at < x->end && *x->at >= '0' && *x->at <= '9') {
        unsigned digit = (unsigned)(*x->at++ - '0');
        if (n > ((uint64_t)INT64_MAX - digit) / 10)
            return hlo_lex_fail(x, begin, ERR_RANGE, "%s of more than 63 bits", what);
        n = 10 * n + digit;
    }
    if (x->at == begin)
        return hlo_lex_expected(x, what);
    *number = n;
    return 0;
}

int hlo_lex_string(struct hlo_lex *x)
{
    const char *begin = x->at++;

    while (x->at < x->end) {
        char c = *x->at++;
        if (c == '"')
            return 0;
        if (c == '\\' && x->at < x->end)
            x->at++;
    }
    return hlo_lex_fail(x, begin, ERR_FORMAT, "string without its closing quote");
}

/* The bracket that closes what `open` opens. */
static char closing_bracket(char open)
{
    return open == '{' ? '}' : open == '[' ? ']' : ')';
}

static int fail_unclosed(struct hlo_lex *x, const char *begin)
{
    return hlo_lex_fail(x, begin, ERR_FORMAT, "'%c' is never closed", *begin);
}

/* One character of kind STOP inside brackets.  `close` has the brackets that are to come. */
static int step_bracket(struct hlo_lex *x, const char *begin, char *close, unsigned *depth)
{
    char c = *x->at;

    switch (c) {
    case '"': return hlo_lex_string(x);
    case '{':
    case '[':
    case '(':
        if (*depth == HLO_LEX_MAX_DEPTH)
            return hlo_lex_fail(x, begin, ERR_RANGE, "brackets are nested deeper than %d",
                                HLO_LEX_MAX_DEPTH);
        close[(*depth)++] = closing_bracket(c);
        break;
    case '}':
    case ']':
    case ')':
        if (c != close[*depth - 1])
            return hlo_lex_fail(x, x->at, ERR_FORMAT, "expected '%c', found '%c'",
                                close[*depth - 1], c);
        (*depth)--;
        break;
    case '/':
        if (starts_comment(x)) {
            skip_comment(x);
            return 0;
        }
        break;
    default:
        break; /* a NUL is a character of a string at best, and outside of one an error later */
    }
    x->at++;
    return 0;
}

int hlo_lex_bracket(struct hlo_lex *x)
{
    const char *begin = x->at;
    char close[HLO_LEX_MAX_DEPTH];
    unsigned depth = 1;

    close[0] = closing_bracket(*x->at++);
    while (x->at < x->end) {
        if (!(kind[(unsigned char)*x->at] & STOP)) {
            x->at++;
            continue;
        }
        if (step_bracket(x, begin, close, &depth) != 0)
            return -1;
        if (depth == 0)
            return 0;
    }
    return fail_unclosed(x, begin);
}

/* After a blank: does the value go on?  `mesh['a'=2] {'a'}`, `s32[2]{0} {1, 2}` */
static bool value_goes_on(struct hlo_lex *x)
{
    char c = hlo_lex_peek(x);

    return c == '{' || c == '[' || c == '(' || c == '<';
}

int hlo_lex_value(struct hlo_lex *x, struct hlo_text *value)
{
    hlo_lex_blanks(x);
    const char *begin = x->at, *end = x->at;
    while (x->at < x->end) {
        char c = *x->at;
        int rc = 0;
        if (!(kind[(unsigned char)c] & ENDS) || (c == '/' && !starts_comment(x)))
            x->at++;
        else if (c == '{' || c == '[' || c == '(')
            rc = hlo_lex_bracket(x);
        else if (c == '"')
            rc = hlo_lex_string(x);
        else if (c == ',' || c == '}' || c == ']' || c == ')' || c == '\0' || x->at == begin ||
                 !value_goes_on(x))
            break;
        else
            continue;
        if (rc != 0)
            return -1;
        end = x->at;
    }
    x->at = end;
    *value = (struct hlo_text){ begin, (uint32_t)(end - begin) };
    return end > begin ? 0 : hlo_lex_expected(x, "a value");
}

/* `literal=s32[] 1`: behind a shape of rank 0 a number or word follows */
static int read_scalar(struct hlo_lex *x, struct hlo_text *value)
{
    struct hlo_text scalar;
    char c = hlo_lex_peek(x);

    if (value->at[value->size - 1] != ']' || !is_kind(x, WORD) || c == '\0')
        return 0;
    if (hlo_lex_value(x, &scalar) != 0)
        return -1;
    value->size = (uint32_t)(scalar.at + scalar.size - value->at);
    return 0;
}

int hlo_lex_attribute(struct hlo_lex *x, struct hlo_attribute *a)
{
    a->key = hlo_lex_word(x);
    if (a->key.size == 0)
        return hlo_lex_expected(x, "the name of an attribute");
    if (hlo_lex_expect(x, '=', "'=' after the name of an attribute") != 0)
        return -1;
    if (hlo_lex_value(x, &a->value) != 0)
        return -1;
    return hlo_text_is(a->key, "literal") ? read_scalar(x, &a->value) : 0;
}

void hlo_lex_place(struct hlo_lex *x, const char *at, uint32_t *line, uint32_t *column)
{
    if (at < x->counted) {
        x->counted = x->line_start = x->text;
        x->line = 1;
    }
    for (;;) {
        const char *next = memchr(x->counted, '\n', (size_t)(at - x->counted));
        if (!next)
            break;
        x->counted = x->line_start = next + 1;
        x->line++;
    }
    x->counted = at;
    *line = x->line;
    *column = (uint32_t)(at - x->line_start) + 1;
}

int(hlo_lex_fail)(struct hlo_lex *x, const char *at, enum err_code code, const char *fmt, ...)
{
    char what[sizeof x->err->msg];
    struct hlo_show s = { x->file, x->text, x->end, at, 0, 0 };
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(what, sizeof what, fmt, ap);
    va_end(ap);
    hlo_lex_place(x, at, &s.line, &s.column);
    return hlo_show_error(&s, x->err, code, what);
}

int(hlo_lex_expected)(struct hlo_lex *x, const char *what)
{
    const char *begin = (hlo_lex_blanks(x), x->at);

    if (x->at == x->end)
        return hlo_lex_fail(x, begin, ERR_FORMAT, "expected %s, found the end of the text", what);
    struct hlo_text found = hlo_lex_word(x);
    if (found.size > 0)
        return hlo_lex_fail(x, begin, ERR_FORMAT, "expected %s, found '%.*s'", what,
                            found.size > 60 ? 60 : (int)found.size, found.at);
    if (plain_is_shown(*begin))
        return hlo_lex_fail(x, begin, ERR_FORMAT, "expected %s, found '%c'", what, *begin);
    return hlo_lex_fail(x, begin, ERR_FORMAT, "expected %s, found byte 0x%02x", what,
                        (unsigned char)*begin);
}
