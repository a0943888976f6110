#include "report/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "report/run_report.h"

#define U(id, text, doc) #text,
const char *const report_use_name[N_USES] = { USES(U) };
#define R(id, text, doc) #text,
const char *const report_role_name[N_MEMORY_ROLES] = { MEMORY_ROLES(R) };
#undef R
#undef U
const char *const report_cause_name[N_CAUSES] = {
#define C(id, text, doc) text,
    CAUSES(C)
#undef C
};

const char *report_limit_name(const struct run_result *r)
{
    return r->limited_by_server ? "server" : report_cause_name[r->limited_by];
}

const char *const report_cause_doc[N_CAUSES] = {
#define C(id, text, doc) doc,
    CAUSES(C)
#undef C
};

/* Length of the UTF-8 character at `s`, or 0 if there is none: overlong forms, surrogates and what
 * is beyond U+10FFFF are none. */
static unsigned utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned n = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    unsigned low = 0x80, high = 0xbf;

    if (n == 1)
        return 1;
    if (u[0] < 0xc2 || u[0] > 0xf4)
        return 0;
    if (u[0] == 0xe0)
        low = 0xa0;
    else if (u[0] == 0xed)
        high = 0x9f;
    else if (u[0] == 0xf0)
        low = 0x90;
    else if (u[0] == 0xf4)
        high = 0x8f;
    if (u[1] < low || u[1] > high)
        return 0;
    for (unsigned i = 2; i < n; i++) {
        if (u[i] < 0x80 || u[i] > 0xbf)
            return 0;
    }
    return n;
}

void write_json_string(const char *s, FILE *out)
{
    putc('"', out);
    while (*s) {
        unsigned n = utf8_length(s);
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

/* Room for any decimal of q: GMP numbers grow without limit. */
static char *decimal_buffer(const mpq_t q, size_t *size)
{
    *size = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 64;
    char *buf = malloc(*size);
    BUG_ON(!buf);
    return buf;
}

void write_decimal(const mpq_t q, FILE *out)
{
    size_t size;
    char *buf = decimal_buffer(q, &size);

    fputs(exact_decimal(buf, size, q, 17), out);
    free(buf);
}

void write_csv_string(const char *s, FILE *out)
{
    if (!strpbrk(s, ",\"\r\n")) {
        fputs(s, out);
        return;
    }
    putc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', out);
        putc(*s, out);
    }
    putc('"', out);
}

void write_column(const char *s, unsigned width, FILE *out)
{
    unsigned columns = 0, printed = 0;

    for (const char *p = s; *p; columns++) {
        unsigned n = utf8_length(p);
        p += n ? n : 1;
    }
    bool cut = columns > width;
    unsigned room = cut ? width - 1 : columns;
    for (; printed < room; printed++) {
        unsigned n = utf8_length(s);
        if (n == 0 || (unsigned char)*s < 0x20 || *s == 0x7f)
            putc('?', out);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    if (cut)
        putc('~', out);
    else
        fprintf(out, "%*s", (int)(width - columns), "");
}

void write_fixed(const mpq_t q, const mpq_t scale, unsigned places, int width, FILE *out)
{
    size_t size;

    EXACT_Q(scaled);
    mpq_mul(scaled, q, scale);
    char *buf = decimal_buffer(scaled, &size);
    fprintf(out, "%*s", width, exact_fixed(buf, size, scaled, places));
    free(buf);
}

void write_percent(const mpq_t num, const mpq_t den, int width, FILE *out)
{
    if (mpq_sgn(den) == 0) {
        fprintf(out, "%*s", width, "-");
        return;
    }
    EXACT_Q(ratio);
    EXACT_Q(hundred);
    mpq_set_ui(hundred, 100, 1);
    mpq_div(ratio, num, den);
    write_fixed(ratio, hundred, 1, width, out);
}

size_t figure_group_length(const char *column)
{
    const char *dot = strchr(column, '.');

    return dot ? (size_t)(dot - column) : 0;
}

bool figure_same_group(const char *a, const char *b)
{
    size_t length = figure_group_length(a);

    return length == figure_group_length(b) && strncmp(a, b, length) == 0;
}

bool figure_opens_group(const struct run_figure *figures, size_t i)
{
    size_t first = 0;

    while (!figure_same_group(figures[first].column, figures[i].column))
        first++;
    return first == i;
}
