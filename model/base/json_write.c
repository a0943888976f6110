#include <stdio.h> /* first: gmp.h declares mpz_out_str only if it knows FILE */

#include "base/json_write.h"

#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/text_write.h"

#define DIGITS 17 /* of a decimal: as many as tell all doubles apart */
#define DECIMAL_ROOM 64

void json_write_begin(struct json_write *w, FILE *out)
{
    w->out = out;
    w->depth = 0;
    w->beside = w->below = false;
    w->n = 0;
}

static void empty_wait(struct json_write *w)
{
    fwrite(w->wait, 1, w->n, w->out);
    w->n = 0;
}

/* Bytes of a member or of a value; a call of the stream for each would cost more than all else. */
static void put_bytes(struct json_write *w, const char *s, size_t n)
{
    if (n > sizeof w->wait - w->n)
        empty_wait(w);
    if (n > sizeof w->wait) {
        fwrite(s, 1, n, w->out);
        return;
    }
    memcpy(w->wait + w->n, s, n);
    w->n += n;
}

static void put_text(struct json_write *w, const char *s)
{
    put_bytes(w, s, strlen(s));
}

static void put_char(struct json_write *w, char c)
{
    if (w->n == sizeof w->wait)
        empty_wait(w);
    w->wait[w->n++] = c;
}

/* Others write to the stream behind an outermost value. */
static void end_value(struct json_write *w)
{
    if (w->depth == 0)
        empty_wait(w);
}

/* A new line, two blanks further in for each open object or array of lines. */
static void start_line(struct json_write *w)
{
    put_char(w, '\n');
    for (unsigned i = 0; i < w->depth; i++)
        if (w->level[i].layout == JSON_LAYOUT_LINES)
            put_bytes(w, "  ", 2);
}

/* Bytes of `s` that stand in a string as they are. */
static size_t plain_length(const char *s)
{
    size_t n = 0;

    while ((unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x80 && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

/* Write the first character of `s`, which is not a plain one.  Returns its bytes. */
static unsigned write_other(struct json_write *w, const char *s)
{
    char code[8];
    unsigned n = text_utf8_length(s);

    if (n == 0) {
        put_text(w, "\xef\xbf\xbd");
        return 1;
    }
    if (*s == '"' || *s == '\\') {
        put_char(w, '\\');
        put_char(w, *s);
    } else if ((unsigned char)*s < 0x20) {
        snprintf(code, sizeof code, "\\u%04x", (unsigned)*s);
        put_text(w, code);
    } else {
        put_bytes(w, s, n);
    }
    return n;
}

static void write_text(struct json_write *w, const char *s)
{
    put_char(w, '"');
    for (;;) {
        size_t n = plain_length(s);
        put_bytes(w, s, n);
        s += n;
        if (!*s)
            break;
        s += write_other(w, s);
    }
    put_char(w, '"');
}

/* Write what separates a member from the one before it. */
static void separate_members(struct json_write *w, struct json_write_level *l)
{
    if (!l->empty)
        put_char(w, ',');
    if (l->layout == JSON_LAYOUT_LINES && !w->beside) {
        start_line(w);
    } else if (w->below) {
        start_line(w);
        if (l->layout == JSON_LAYOUT_LINE)
            put_char(w, ' ');
    } else if (!l->empty && l->layout != JSON_LAYOUT_COMPACT) {
        put_char(w, ' ');
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
        write_text(w, key);
        put_bytes(w, ": ", l->layout == JSON_LAYOUT_COMPACT ? 1 : 2);
    }
}

/* A member whose value is a word of JSON. */
static void write_member(struct json_write *w, const char *key, const char *value)
{
    start_member(w, key);
    put_text(w, value);
    end_value(w);
}

static void open_level(struct json_write *w, const char *key, enum json_write_layout layout,
                       const char *brackets)
{
    bool compact = w->depth > 0 && w->level[w->depth - 1].layout == JSON_LAYOUT_COMPACT;

    BUG_ON(w->depth == JSON_WRITE_MAX_DEPTH);
    start_member(w, key);
    put_char(w, brackets[0]);
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
    put_char(w, l.close);
    w->beside = w->below = false;
    end_value(w);
}

void json_write_string(struct json_write *w, const char *key, const char *value)
{
    if (!value) {
        json_write_null(w, key);
        return;
    }
    start_member(w, key);
    write_text(w, value);
    end_value(w);
}

void json_write_integer(struct json_write *w, const char *key, uint64_t value)
{
    char text[24];
    char *at = text + sizeof text;

    *--at = '\0';
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    write_member(w, key, at);
}

FILE *json_write_value(struct json_write *w, const char *key)
{
    start_member(w, key);
    empty_wait(w);
    return w->out;
}

void json_write_bool(struct json_write *w, const char *key, bool value)
{
    write_member(w, key, value ? "true" : "false");
}

void json_write_null(struct json_write *w, const char *key)
{
    write_member(w, key, "null");
}

void json_write_whole(struct json_write *w, const char *key, const mpz_t value)
{
    if (mpz_fits_ulong_p(value))
        json_write_integer(w, key, mpz_get_ui(value));
    else
        mpz_out_str(json_write_value(w, key), 10, value);
}

void json_write_decimal(struct json_write *w, const char *key, mpq_srcptr value, bool known)
{
    char text[DECIMAL_ROOM];

    write_member(w, key, known ? exact_decimal(text, sizeof text, value, DIGITS) : "null");
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
    char text[24];

    snprintf(text, sizeof text, "\"%016llx\"", (unsigned long long)value);
    write_member(w, key, text);
}

void json_write_beside(struct json_write *w)
{
    w->beside = true;
}

void json_write_below(struct json_write *w)
{
    w->below = true;
}
