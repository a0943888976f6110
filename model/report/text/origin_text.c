#include "report/text/origin_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "report/text/columns.h"
#include "report/text/group_name.h"
#include "run/result/row_group.h"
#include "run/result/words.h"

#define LONGEST 10
#define NAMES 39 /* columns of a name */

/* A table: its title, its rows, and how their names are shortened. */
struct origin_table {
    const char *one, *none; /* "layer"; the name of the row without one */
    const struct run_row *rows;
    size_t n;
    bool ends; /* the end of a name says more than its beginning: a line of a file */
};

/* Bytes that all names begin with, up to a "/" and with it; a row without a name has no say. */
static size_t measure_common(const struct origin_table *t)
{
    const char *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        const char *name = t->rows[i].name;
        if (!*name)
            continue;
        size_t same = 0, length = strlen(name);
        while (first && same < n && same < length && name[same] == first[same])
            same++;
        if (first && same == length && same < n && first[same] == '/')
            same++; /* the name is what the others begin with */
        n = first ? same : length + 1;
        first = first ? first : name;
    }
    while (n > 0 && first[n - 1] != '/')
        n--;
    return n;
}

/* Index of the bracket that closes the one before `at`; 0: none does. */
static size_t find_close(const char *at)
{
    int depth = 1;

    for (size_t n = 0; at[n]; n++) {
        depth += (at[n] == '(') - (at[n] == ')');
        if (depth == 0)
            return n;
    }
    return 0;
}

/* "fwd(x)" for "jvp(x)" and "bwd(x)" for "transpose(jvp(x))", to be freed; `*any`: there was one.
 */
static char *shorten_transforms(const char *name, bool *any)
{
    static const char gradient[] = "transpose(jvp(", forward[] = "jvp(";
    struct memory_text text;

    memory_text_begin(&text);
    for (bool begins = true; *name; begins = *name == '/', name++) {
        size_t n = strlen(gradient);
        bool back = begins && strncmp(name, gradient, n) == 0;
        size_t close = back ? find_close(name + n) : 0;
        if (back && name[n + close] == ')' && name[n + close + 1] == ')') {
            fprintf(text.out, "bwd(%.*s", (int)close, name + n);
            name += n + close + 1; /* its second bracket is copied */
            *any = true;
        } else if (begins && strncmp(name, forward, strlen(forward)) == 0) {
            fputs("fwd(", text.out);
            name += strlen(forward) - 1;
            *any = true;
            continue;
        }
        putc(*name, text.out);
    }
    return memory_text_end(&text);
}

/* A name in `width` columns: a line of a file ends as it does, a scope keeps both ends, as
 * "jvp(a/b)" and "transpose(jvp(a/b))" differ in the first and their layers in the last. */
static void write_short(const char *name, unsigned width, bool ends, FILE *out)
{
    size_t n = strlen(name);
    unsigned head = ends ? 0 : (width - 3) / 2;

    if (n <= width) {
        text_column(name, width, out);
        return;
    }
    if (head > 0) {
        char *begin = memory_copy_part(name, head);
        text_column(begin, head, out);
        free(begin);
    }
    fputs("...", out);
    text_column(name + n - (width - 3 - head), width - 3 - head, out);
}

char *origin_text_brief(const char *scope, unsigned width)
{
    static const char map[] = "shard_map/";
    struct memory_text text;
    bool any;

    if (strncmp(scope, "jit(", 4) == 0 && scope[4 + find_close(scope + 4) + 1] == '/')
        scope += 4 + find_close(scope + 4) + 2;
    if (strncmp(scope, map, strlen(map)) == 0)
        scope += strlen(map);
    char *name = shorten_transforms(scope, &any);
    if (strlen(name) <= width)
        return name;
    memory_text_begin(&text);
    write_short(name, width, false, text.out);
    free(name);
    return memory_text_end(&text);
}

static void write_name(const struct origin_table *t, const struct run_row *g, size_t common,
                       unsigned width, bool *abbreviated, FILE *out)
{
    const char *name = *g->name ? g->name : t->none;
    char *brief = NULL;
    char *times =
        g->names > 1 ? memory_format(" x%llu", (unsigned long long)g->names) : memory_copy("");
    unsigned left = width - (unsigned)strlen(times);

    if (*g->name)
        name = strlen(name) > common ? name + common : "(directly)";
    if (!t->ends)
        name = brief = shorten_transforms(name, abbreviated);
    char *whole = memory_format("%s%s", name, times);
    if (strlen(whole) <= width) {
        text_column(whole, width, out);
    } else {
        write_short(name, left, t->ends, out);
        fputs(times, out);
    }
    free(whole);
    free(brief);
    free(times);
}

/* Longest first; of equals the earlier one. */
static int compare_seconds(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;
    int order = mpq_cmp((*y)->seconds, (*x)->seconds);

    return order ? order : (*x > *y) - (*x < *y);
}

static void print_rows(const struct origin_table *t, const struct run_row *groups, size_t n,
                       const struct run_result *r, FILE *out)
{
    const struct run_row **order = memory_zeroed(n, sizeof *order);
    size_t shown = n < LONGEST ? n : LONGEST, common = t->ends ? 0 : measure_common(t);
    struct columns c;
    char title[64];
    bool abbreviated = false;

    for (size_t i = 0; i < n; i++)
        order[i] = &groups[i];
    qsort(order, n, sizeof *order, compare_seconds);
    columns_init(&c, groups, n, r->seconds_per_step, r->memory_name);
    unsigned width = NAMES - (c.estimates ? COLUMNS_ESTIMATE : 0);
    snprintf(title, sizeof title, "%zu of %zu %ss, per %s", shown, n, t->one,
             words_of_result(r)->core);
    putc('\n', out);
    text_column(title, width + 2, out);
    columns_head(&c, out);
    for (size_t i = 0; i < shown; i++) {
        fputs("  ", out);
        write_name(t, order[i], common, width, &abbreviated, out);
        columns_row(&c, order[i], out);
    }
    if (common)
        fprintf(out, "  all of them in %.*s\n", (int)common, t->rows[*t->rows->name ? 0 : 1].name);
    if (abbreviated)
        fputs("  fwd(x): jvp(x), with what the gradient needs; bwd(x): transpose(jvp(x)), the "
              "gradient\n",
              out);
    columns_clear(&c);
    free(order);
}

static void print_table(const struct origin_table *t, const struct run_result *r, FILE *out)
{
    size_t n;

    if (t->n == 0)
        return;
    struct run_row *groups = row_group_sum(t->rows, t->n, &n);
    print_rows(t, groups, n, r, out);
    row_group_free(groups, n);
}

void origin_text(const struct run_result *r, FILE *out)
{
    const struct origin_table table[] = {
        { "layer", "(in no named layer)", r->layers, r->n_layers, false },
        { "scope", "(without a scope)", r->scopes, r->n_scopes, false },
        { "source line", "(without a line)", r->sources, r->n_sources, true },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        print_table(&table[i], r, out);
}
