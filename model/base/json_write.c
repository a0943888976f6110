#include <stdio.h> /* first: gmp.h declares mpz_out_str only if it knows FILE */

#include "base/json_write.h"

#include "base/err.h"
#include "base/exact.h"
#include "base/text_write.h"

#define DIGITS 17 /* of a decimal: as many as tell all doubles apart */

void json_write_begin(struct json_write *w, FILE *out)
{
    *w = (struct json_write){ .out = out };
}

/* A new line, two blanks further in for each open object or array of lines. */
static void start_line(struct json_write *w)
{
    putc('\n', w->out);
    for (unsigned i = 0; i < w->depth; i++)
        if (w->level[i].layout == JSON_LAYOUT_LINES)
            fputs("  ", w->out);
}

static void write_text(const char *s, FILE *out)
{
    putc('"', out);
    while (*s) {
        unsigned n = text_utf8_length(s);
        if (n == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*s);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    putc('"', out);
}

/* Write what separates a member from the one before it. */
static void separate_members(struct json_write *w, struct json_write_level *l)
{
    if (!l->empty)
        putc(',', w->out);
    if (l->layout == JSON_LAYOUT_LINES && !w->beside) {
        start_line(w);
    } else if (w->below) {
        start_line(w);
        if (l->layout == JSON_LAYOUT_LINE)
            putc(' ', w->out);
    } else if (!l->empty && l->layout != JSON_LAYOUT_COMPACT) {
        putc(' ', w->out);
    }
    l->empty = false;
    w->beside = w->below = false;
}

static void start_member(struct json_write *w, const char *key)
{
    if (w->depth == 0)
        return;
    struct json_write_level *l = &w->level[w->depth - 1];
    BUG_ON((key == NULL) != (l->close == ']'));
    separate_members(w, l);
    if (key) {
        write_text(key, w->out);
        fputs(l->layout == JSON_LAYOUT_COMPACT ? ":" : ": ", w->out);
    }
}

static void open_level(struct json_write *w, const char *key, enum json_write_layout layout,
                       const char *brackets)
{
    bool compact = w->depth > 0 && w->level[w->depth - 1].layout == JSON_LAYOUT_COMPACT;

    BUG_ON(w->depth == JSON_WRITE_MAX_DEPTH);
    start_member(w, key);
    putc(brackets[0], w->out);
    w->level[w->depth++] = (struct json_write_level){
        .layout = compact ? JSON_LAYOUT_COMPACT : layout, .close = brackets[1], .empty = true
    };
}

void json_write_object(struct json_write *w, const char *key, enum json_write_layout layout)
{
    open_level(w, key, layout, "{}");
}

void json_write_array(struct json_write *w, const char *key, enum json_write_layout layout)
{
    open_level(w, key, layout, "[]");
}

void json_write_close(struct json_write *w)
{
    BUG_ON(w->depth == 0);
    const struct json_write_level l = w->level[--w->depth];

    if (l.layout == JSON_LAYOUT_LINES && !l.empty)
        start_line(w);
    putc(l.close, w->out);
    w->beside = w->below = false;
}

void json_write_string(struct json_write *w, const char *key, const char *value)
{
    if (!value) {
        json_write_null(w, key);
        return;
    }
    start_member(w, key);
    write_text(value, w->out);
}

void json_write_integer(struct json_write *w, const char *key, uint64_t value)
{
    start_member(w, key);
    fprintf(w->out, "%llu", (unsigned long long)value);
}

FILE *json_write_value(struct json_write *w, const char *key)
{
    start_member(w, key);
    return w->out;
}

void json_write_bool(struct json_write *w, const char *key, bool value)
{
    fputs(value ? "true" : "false", json_write_value(w, key));
}

void json_write_null(struct json_write *w, const char *key)
{
    fputs("null", json_write_value(w, key));
}

void json_write_whole(struct json_write *w, const char *key, const mpz_t value)
{
    start_member(w, key);
    mpz_out_str(w->out, 10, value);
}

void json_write_decimal(struct json_write *w, const char *key, mpq_srcptr value, bool known)
{
    if (!known) {
        json_write_null(w, key);
        return;
    }
    start_member(w, key);
    text_decimal(value, DIGITS, w->out);
}

void json_write_ratio(struct json_write *w, const char *key, uint64_t num, uint64_t den)
{
    EXACT_Q(q);

    if (den > 0)
        exact_ratio(q, num, den);
    json_write_decimal(w, key, q, den > 0);
}

void json_write_checksum(struct json_write *w, const char *key, uint64_t value)
{
    start_member(w, key);
    fprintf(w->out, "\"%016llx\"", (unsigned long long)value);
}

void json_write_beside(struct json_write *w)
{
    w->beside = true;
}

void json_write_below(struct json_write *w)
{
    w->below = true;
}
