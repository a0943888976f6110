/* hlo_ask.c - see hlo_module.h: texts, numbers, attributes and their parts, sources, errors. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "hlo/hlo_parser.h"
#include "hlo/hlo_show.h"

static const struct hlo_text none = { NULL, 0 };

bool hlo_text_is(struct hlo_text t, const char *s)
{
    return t.at && strlen(s) == t.size && memcmp(t.at, s, t.size) == 0;
}

struct hlo_text hlo_unquoted(struct hlo_text t)
{
    if (t.at && t.size >= 2 && t.at[0] == '"' && t.at[t.size - 1] == '"')
        return (struct hlo_text){ t.at + 1, t.size - 2 };
    return t;
}

struct hlo_text hlo_attribute(const struct hlo_module *m, const struct hlo_instruction *i,
                              const char *key)
{
    for (uint32_t a = 0; a < i->n_attributes; a++)
        if (hlo_text_is(m->attribute[i->first_attribute + a].key, key))
            return m->attribute[i->first_attribute + a].value;
    return none;
}

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

bool hlo_source(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_text *file,
                uint32_t *line)
{
    struct hlo_text metadata = hlo_attribute(m, i, "metadata");
    struct hlo_text name = hlo_unquoted(hlo_part(metadata, "source_file"));
    int64_t number;

    if (name.at) {
        if (hlo_numbers(hlo_part(metadata, "source_line"), &number, 1) != 1 || number < 0 ||
            number > UINT32_MAX)
            return false;
        *file = name;
        *line = (uint32_t)number;
        return true;
    }
    if (hlo_numbers(hlo_part(metadata, "stack_frame_id"), &number, 1) != 1 || number < 1 ||
        !hlo_frames_find(&m->store->frames, (uint64_t)number, &name, line))
        return false;
    *file = hlo_unquoted(name);
    return true;
}

const char *hlo_parser_place(const struct hlo_module *m, const struct hlo_instruction *i)
{
    const char *text = m->store->text, *end = text + m->store->size;

    if (i->name.at >= text && i->name.at < end)
        return i->name.at;
    return i->opcode_text.at >= text && i->opcode_text.at < end ? i->opcode_text.at : text;
}

int hlo_error(const struct hlo_module *m, const struct hlo_instruction *i, struct err *err,
              const char *fmt, ...)
{
    const char *text = m->store->text;
    struct hlo_show s = { m->file, text,     text + m->store->size, hlo_parser_place(m, i),
                          i->line, i->column };
    char what[sizeof err->msg];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(what, sizeof what, fmt, ap);
    va_end(ap);
    return hlo_show_error(&s, err, ERR_FORMAT, what);
}
