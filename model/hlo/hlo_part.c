/* Parts of an attribute's value by key, and its numbers. */
#include <stdio.h>
#include <string.h>

#include "hlo/hlo_parser.h"

static const struct hlo_text none = { NULL, 0 };

/* One value in braces: up to a ',' or blank that is not in brackets or quotes. */
static int read_part(struct hlo_lex *x, struct hlo_text *value)
{
    hlo_lex_blanks(x);
    const char *begin = x->at;
    while (x->at < x->end) {
        char c = *x->at;
        int rc = 0;
        if (c == '{' || c == '[' || c == '(')
            rc = hlo_lex_bracket(x);
        else if (c == '"')
            rc = hlo_lex_string(x);
        else if (c == ',' || c == '}' || c == ']' || c == ')' || (unsigned char)c <= ' ')
            break;
        else
            x->at++;
        if (rc != 0)
            return -1;
    }
    *value = (struct hlo_text){ begin, (uint32_t)(x->at - begin) };
    return 0;
}

/* A key with or without quotes, and the '=' or ':' behind it. */
static int read_key(struct hlo_lex *x, struct hlo_text *key)
{
    if (hlo_lex_peek(x) == '"') {
        const char *begin = x->at;
        if (hlo_lex_string(x) != 0)
            return -1;
        *key = hlo_unquoted((struct hlo_text){ begin, (uint32_t)(x->at - begin) });
    } else {
        *key = hlo_lex_word(x);
    }
    return hlo_lex_take(x, '=') || hlo_lex_take(x, ':') ? 0 : -1;
}

struct hlo_text hlo_part(struct hlo_text value, const char *key)
{
    struct hlo_lex x;
    struct hlo_text name, part;
    struct err err;

    if (!value.at)
        return none;
    hlo_lex_init(&x, "", value.at, value.size, &err);
    if (!hlo_lex_take(&x, '{'))
        return none;
    while (hlo_lex_peek(&x) != '}' && x.at < x.end) {
        const char *begin = x.at;
        int rc = read_key(&x, &name);
        if (rc == 0 && read_part(&x, &part) != 0)
            return none;
        if (rc == 0 && hlo_text_is(name, key))
            return part;
        if (rc != 0 && x.at == begin && read_part(&x, &part) != 0) /* no key: skip it */
            return none;
        hlo_lex_take(&x, ',');
        if (x.at == begin) /* a closing bracket that nothing opened */
            return none;
    }
    return none;
}

uint32_t hlo_numbers(struct hlo_text value, int64_t *number, uint32_t room)
{
    const char *at = value.at, *end = at ? at + value.size : at;
    uint32_t n = 0;

    while (at < end) {
        if (*at < '0' || *at > '9') {
            at++;
            continue;
        }
        bool negative = at > value.at && at[-1] == '-';
        int64_t v = 0;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            v = v > (INT64_MAX - (*at - '0')) / 10 ? INT64_MAX : 10 * v + (*at - '0');
        if (n < room)
            number[n] = negative ? -v : v;
        n++;
    }
    return n;
}
