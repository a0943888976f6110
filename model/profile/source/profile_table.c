/* profile_table.c - see profile_table.h. */
#include "profile/source/profile_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

#define LOOK (UINT32_C(1) << 16) /* bytes that are looked at together */
#define EXPONENT_MAX 100

void profile_table_begin(struct profile_table *t, struct profile_source *s)
{
    *t = (struct profile_table){ .source = s, .line = 1 };
}

void profile_table_end(struct profile_table *t)
{
    free(t->text);
    free(t->cell);
}

int profile_table_wrong(const struct profile_table *t, struct err *err, const char *what, ...)
{
    char text[320];
    va_list args;

    va_start(args, what);
    plain_text_list(text, sizeof text, what, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%.160s:%u: %s", profile_source_name(t->source), t->row_line,
                   text);
}

const char *profile_table_cell(const struct profile_table *t, uint32_t column)
{
    return column < t->n_cells ? t->text + t->cell[column] : "";
}

static void put_byte(struct profile_table *t, char c)
{
    MEMORY_GROW(t->text, t->n_text + 1, t->cap_text);
    t->text[t->n_text++] = c;
}

static void begin_cell(struct profile_table *t)
{
    MEMORY_GROW(t->cell, t->n_cells + 1, t->cap_cells);
    t->cell[t->n_cells++] = t->n_text;
}

static void end_cell(struct profile_table *t)
{
    uint32_t begin = t->cell[t->n_cells - 1];

    while (t->n_text > begin && plain_is_blank(t->text[t->n_text - 1]))
        t->n_text--;
    put_byte(t, '\0');
}

struct row_state {
    bool quoted, after_quote, any, over;
};

static void read_plain(struct profile_table *t, struct row_state *s, char c)
{
    if (c == '\n') {
        end_cell(t);
        s->over = true;
    } else if (c == ',') {
        end_cell(t);
        begin_cell(t);
        s->after_quote = false;
        s->any = true;
    } else if (c == '"' && t->n_text == t->cell[t->n_cells - 1] && !s->after_quote) {
        s->quoted = s->any = true;
    } else if (!(plain_is_blank(c) && t->n_text == t->cell[t->n_cells - 1])) {
        put_byte(t, c);
        s->any = true;
    }
}

static void read_byte(struct profile_table *t, struct row_state *s, char c)
{
    if (s->quoted && c == '"') {
        s->quoted = false;
        s->after_quote = true;
    } else if (s->quoted) {
        put_byte(t, c);
    } else if (s->after_quote && c == '"') { /* two quotes are one in the text */
        put_byte(t, '"');
        s->quoted = true;
        s->after_quote = false;
    } else {
        read_plain(t, s, c);
    }
}

/* Read bytes up to the end of a row, or all of `bytes`.  Returns how many, or 0 after a NUL byte.
 */
static size_t read_bytes(struct profile_table *t, struct row_state *s, const unsigned char *bytes,
                         size_t n)
{
    size_t i = 0;

    while (i < n && !s->over && t->n_text < PROFILE_TABLE_ROW) {
        if (bytes[i] == '\0')
            return 0;
        t->line += bytes[i] == '\n';
        read_byte(t, s, (char)bytes[i++]);
    }
    return i;
}

/* A byte order mark stands before the first row alone. */
static int skip_mark(struct profile_table *t, struct err *err)
{
    const unsigned char *bytes;
    size_t n;

    if (profile_source_at(t->source) > 0)
        return 0;
    if (profile_source_peek(t->source, 3, &bytes, &n, err) != 0)
        return -1;
    if (n == 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        profile_source_take(t->source, 3);
    return 0;
}

static int read_row(struct profile_table *t, struct row_state *s, struct err *err)
{
    const unsigned char *bytes;
    size_t n, used;

    while (!s->over) {
        if (profile_source_peek(t->source, LOOK, &bytes, &n, err) != 0)
            return -1;
        if (n == 0 && s->quoted)
            return profile_table_wrong(t, err, "a quoted cell does not end");
        if (n == 0)
            break;
        used = read_bytes(t, s, bytes, n);
        if (used == 0)
            return profile_table_wrong(t, err, "a NUL byte: this is no text");
        profile_source_take(t->source, used);
        if (t->n_text >= PROFILE_TABLE_ROW)
            return profile_table_wrong(t, err, "a row of more than %u bytes", PROFILE_TABLE_ROW);
    }
    if (!s->over)
        end_cell(t);
    return s->over || s->any;
}

int profile_table_next(struct profile_table *t, struct err *err)
{
    if (skip_mark(t, err) != 0)
        return -1;
    for (;;) {
        struct row_state s = { 0 };
        t->row_line = t->line;
        t->n_text = t->n_cells = 0;
        begin_cell(t);
        int rc = read_row(t, &s, err);
        if (rc <= 0 || s.any)
            return rc;
    }
}

/* Add a digit unless that makes 2^62. */
static bool add_digit(uint64_t *v, unsigned digit)
{
    *v = *v * 10 + digit;
    return *v < UINT64_C(1) << 62;
}

static bool read_exponent(const char **p, int *shift)
{
    char *end;

    if (**p != 'e' && **p != 'E')
        return true;
    long e = strtol(*p + 1, &end, 10);
    if (end == *p + 1 || e < -EXPONENT_MAX || e > EXPONENT_MAX)
        return false;
    *p = end;
    *shift += (int)e;
    return true;
}

bool profile_table_number(const char *text, int shift, uint64_t *value)
{
    const char *p = text + (*text == '+');
    const char *whole = p, *fraction;
    uint64_t v = 0;

    p += strspn(p, "0123456789");
    size_t n_whole = (size_t)(p - whole), n_fraction = 0;
    fraction = p;
    if (*p == '.') {
        fraction = ++p;
        p += n_fraction = strspn(p, "0123456789");
    }
    if (n_whole + n_fraction == 0 || !read_exponent(&p, &shift) || *p != '\0')
        return false;
    /* digits up to the point that `shift` moves, then the one that rounds */
    int wanted = (int)n_whole + shift;
    for (int i = 0; i <= (wanted < 0 ? 0 : wanted); i++) {
        size_t at = (size_t)i;
        unsigned digit = at < n_whole                ? (unsigned)(whole[at] - '0')
                         : at < n_whole + n_fraction ? (unsigned)(fraction[at - n_whole] - '0')
                                                     : 0;
        if (i == wanted)
            v += digit >= 5;
        else if (i < wanted && !add_digit(&v, digit))
            return false;
    }
    *value = v;
    return true;
}
