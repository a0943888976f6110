#include "report/text/origin_text.h"

#include <string.h>

#include "base/text_write.h"
#include "report/text/columns.h"

#define LONGEST 10
#define NAMES 39 /* columns of a name */

/* The end of a long name says more than its beginning: "...block/attention/qkv". */
static void write_name(const char *name, unsigned width, FILE *out)
{
    size_t n = strlen(name);

    if (n <= width) {
        text_column(n ? name : "(not given)", width, out);
        return;
    }
    fputs("...", out);
    text_column(name + n - (width - 3), width - 3, out);
}

void origin_text(const struct run_row *rows, size_t n, const char *what, const struct run_result *r,
                 FILE *out)
{
    struct columns c;
    char title[64];
    size_t shown = n < LONGEST ? n : LONGEST;

    if (n == 0)
        return;
    columns_init(&c, rows, n, r->seconds_per_step);
    unsigned width = NAMES - (c.estimates ? COLUMNS_ESTIMATE : 0);
    snprintf(title, sizeof title, "%zu of %zu %ss, per core", shown, n, what);
    putc('\n', out);
    text_column(title, width + 2, out);
    columns_head(&c, out);
    for (size_t i = 0; i < shown; i++) {
        fputs("  ", out);
        write_name(rows[i].name, width, out);
        columns_row(&c, &rows[i], out);
    }
    columns_clear(&c);
}
