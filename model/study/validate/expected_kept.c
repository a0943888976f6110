/* Counts measurements that keep to the error that is said beside them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/validate/expected_table.h"

/* The lines, and the sorted errors of the cases of each. */
struct groups {
    const struct expected_cases *all;
    struct expected_line *line;
    uint32_t **size;
    size_t n;
};

static void groups_init(struct groups *g, const struct expected_cases *all)
{
    *g = (struct groups){ .all = all };
    expected_lines(&g->line, &g->n, all);
    g->size = memory_zeroed(g->n, sizeof *g->size);
    for (size_t i = 0; i < g->n; i++) {
        g->size[i] = memory_zeroed(all->n, sizeof **g->size);
        expected_sizes(&g->line[i], g->size[i], all);
    }
}

static void groups_clear(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->size[i]);
    free(g->size);
    free(g->line);
}

/* Take one case of that error out of line i. */
static void leave_out(struct expected_line *l, const uint32_t *size, uint32_t permille)
{
    size_t place = 0, n = l->cases - 1;

    while (size[place] != permille)
        place++;
    size_t at = expected_rank(n);
    l->cases = n;
    l->permille = n == 0 ? 0 : at - 1 < place ? size[at - 1] : size[at];
}

static uint32_t look_up(const struct groups *g, const struct expected_case *c,
                        const struct expected_line *line)
{
    const struct expected_key key = { .kind = c->kind,
                                      .machine = c->machine,
                                      .workload = c->workload,
                                      .way = c->way,
                                      .lone = c->of == EXPECTED_KERNELS };
    struct run_expected e;

    expected_look(&e, &key, line, g->n);
    return e.cases ? e.permille : 0;
}

static size_t count_within(const struct expected_case *c, uint32_t permille)
{
    size_t n = 0;

    while (n < c->n_rows && c->row[n] <= permille)
        n++;
    return n;
}

static void count_case(struct expected_kept *k, struct groups *g, const struct expected_case *c)
{
    struct expected_line kept[2] = { 0 };
    size_t own[2] = { 0 }, n = 0;

    k->rows = c->n_rows;
    k->permille = look_up(g, c, g->line);
    k->within = count_within(c, k->permille);
    for (size_t i = 0; i < g->n && n < 2; i++)
        if (expected_in_line(c, &g->line[i])) {
            own[n] = i;
            kept[n++] = g->line[i];
            leave_out(&g->line[i], g->size[i], c->permille);
        }
    k->unseen = count_within(c, look_up(g, c, g->line));
    while (n-- > 0)
        g->line[own[n]] = kept[n];
}

struct expected_kept *expected_count_kept(const struct expected_cases *all)
{
    struct expected_kept *kept = memory_zeroed(all->n, sizeof *kept);
    struct groups g;

    groups_init(&g, all);
    for (size_t i = 0; i < all->n; i++)
        if (all->c[i].of != EXPECTED_PAIRS)
            count_case(&kept[i], &g, &all->c[i]);
    groups_clear(&g);
    return kept;
}

/* --- the table ------------------------------------------------------------------------------- */

static void add_kept(struct expected_kept *sum, const struct expected_kept *k)
{
    sum->rows += k->rows;
    sum->within += k->within;
    sum->unseen += k->unseen;
    sum->permille = k->permille > sum->permille ? k->permille : sum->permille;
}

void expected_sum_kept(struct expected_kept *sum, const struct expected_cases *all,
                       const struct expected_kept *kept, const char *kind, enum expected_of of)
{
    *sum = (struct expected_kept){ 0 };
    for (size_t i = 0; i < all->n; i++)
        if (all->c[i].of == of && strcmp(all->c[i].kind, kind) == 0)
            add_kept(sum, &kept[i]);
}

static size_t percent_of(size_t part, size_t all)
{
    return (200 * part + all) / (2 * all);
}

static void write_row(const struct expected_kept *k, FILE *out)
{
    fprintf(out, " %zu/%zu\n", percent_of(k->within, k->rows), percent_of(k->unseen, k->rows));
}

void expected_markdown(const struct expected_cases *all, FILE *out)
{
    struct expected_kept *kept = expected_count_kept(all), sum;
    struct expected_line *line;
    size_t n;

    expected_lines(&line, &n, all);
    fputs("rows of, stated | machine | rows | error said, % | % within it/without their own case\n"
          "---|---|---|---|---\n",
          out);
    for (size_t i = 0; i < n; i++) {
        const struct expected_line *l = &line[i];
        if (!*l->generation || l->of == EXPECTED_PAIRS)
            continue;
        sum = (struct expected_kept){ 0 };
        for (size_t c = 0; c < all->n; c++)
            if (expected_in_line(&all->c[c], l))
                add_kept(&sum, &kept[c]);
        fprintf(out, "%s%s, %s | %s | %zu | %" PRIu32 ".%" PRIu32 " |",
                l->of == EXPECTED_STEPS ? "steps of " : "", l->workload, expected_way_name[l->way],
                l->generation, sum.rows, sum.permille / 10, sum.permille % 10);
        write_row(&sum, out);
    }
    static const char *const kinds[] = { "TPU", "GPU", "CPU" };
    for (size_t i = 0; i < 6; i++) {
        enum expected_of of = i < 3 ? EXPECTED_STEPS : EXPECTED_KERNELS;
        expected_sum_kept(&sum, all, kept, kinds[i % 3], of);
        if (sum.rows == 0)
            continue;
        fprintf(out, "**all %s** | %ss | %zu | |", expected_of_name[of], kinds[i % 3], sum.rows);
        write_row(&sum, out);
    }
    free(line);
    free(kept);
}
