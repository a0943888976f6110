/* A folder of programs with profiles of them, as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/profile_set_report.h"

#define NAME 28 /* columns of a name */

/* "  3.412 ms", right-aligned. */
static void print_seconds(const mpq_t seconds, int width, FILE *out)
{
    struct memory_text t;

    memory_text_begin(&t);
    text_quantity(seconds, "s", t.out);
    char *text = memory_text_end(&t);
    fprintf(out, "%*s", width, text);
    free(text);
}

static void print_pair(const struct profile_set_pair *p, FILE *out)
{
    EXACT_Q(error);

    mpq_sub(error, p->step.predicted, p->step.measured);
    mpq_div(error, error, p->step.measured);
    fputs("  ", out);
    text_column(p->name, NAME, out);
    putc(' ', out);
    text_column(p->machine, 13, out);
    text_column(profile_set_use_name[p->use], 10, out);
    fprintf(out, "%6" PRIu64, p->steps);
    print_seconds(p->step.predicted, 12, out);
    print_seconds(p->step.measured, 12, out);
    text_signed_share(error, 9, out);
    fprintf(out, "%9zu", p->n_pairs);
    text_share(p->paired_share, 10, out);
    text_share(p->error, 12, out);
    fputs(p->step_known ? "\n" : "  kernels alone\n", out);
}

static void print_pairs(const struct profile_set *s, FILE *out)
{
    if (s->n_failed == s->n_pairs)
        return;
    fprintf(out, "\n  %-*s %-13s%-10s%6s%12s%12s%9s%9s%10s%12s\n", NAME, "pair", "machine", "use",
            "steps", "predicted", "measured", "error %", "kernels", "paired %", "weighted %");
    for (size_t i = 0; i < s->n_pairs; i++)
        if (!s->pair[i].reason)
            print_pair(&s->pair[i], out);
}

static void print_group(const struct profile_set_group *g, FILE *out)
{
    const struct validate_errors *e = &g->errors;
    bool all = g->regime == PROFILE_SET_N_REGIMES;
    char name[64];

    snprintf(name, sizeof name, "%s%s", all ? "  " : "    ",
             !all                        ? profile_set_regime_name[g->regime]
             : g->class == PROFILED_IDLE ? "all kernels"
                                         : profiled_class_name[g->class]);
    text_column(name, NAME + 2, out);
    fprintf(out, "%8zu", e->n);
    text_share(e->mean, 9, out);
    text_share(e->median, 10, out);
    text_share(e->p90, 8, out);
    text_signed_share(e->bias, 9, out);
    text_share(g->weighted, 12, out);
    putc('\n', out);
}

static void print_groups(const struct profile_set *s, FILE *out)
{
    const struct profile_set_group *before = NULL;

    for (size_t i = 0; i < s->n_groups; i++) {
        const struct profile_set_group *g = &s->group[i];
        if (!before || strcmp(before->generation, g->generation) != 0 || before->use != g->use) {
            char title[96];
            snprintf(title, sizeof title, "%s, %s", g->generation, profile_set_use_name[g->use]);
            putc('\n', out);
            text_column(title, NAME + 2, out);
            fprintf(out, "%8s%9s%10s%8s%9s%12s\n", "kernels", "mean %", "median %", "p90 %",
                    "bias %", "weighted %");
        }
        print_group(g, out);
        before = g;
    }
    if (s->n_groups > 0)
        fputs("\nfloor: measured within twice core.op_overhead; the others are limited by that in "
              "the model; other: by links, the host, a transfer\nweighted: sum of |predicted - "
              "measured| / sum of measured; of a pair also over kernels without a partner\n",
              out);
}

static void print_rank(const struct profile_set_rank *r, FILE *out)
{
    const struct profile_set_kernel *k = r->kernel;

    fputs("  ", out);
    text_column(k->name, NAME + 6, out);
    putc(' ', out);
    text_column(r->pair->name, NAME - 8, out);
    putc(' ', out);
    text_column(profiled_class_name[k->class], 14, out);
    text_column(profile_set_regime_name[k->regime], 7, out);
    fprintf(out, "%6" PRIu64, k->count);
    print_seconds(k->predicted, 12, out);
    print_seconds(k->measured, 12, out);
    text_signed_share(k->error, 10, out);
    text_share(r->share, 11, out);
    putc('\n', out);
}

static void print_ranks(const struct profile_set *s, size_t rows, FILE *out)
{
    size_t n = rows < s->n_ranks ? rows : s->n_ranks;

    if (n == 0)
        return;
    fprintf(out, "\n  %-*s %-*s %-14s%-7s%6s%12s%12s%10s%11s\n", NAME + 6,
            "most of a step predicted otherwise", NAME - 8, "pair", "class", "limit", "times",
            "predicted", "measured", "error %", "of step %");
    for (size_t i = 0; i < n; i++)
        print_rank(&s->rank[i], out);
    if (n < s->n_ranks)
        fprintf(out, "  ... %zu more: --all\n", s->n_ranks - n);
}

static void print_failed(const struct profile_set *s, FILE *out)
{
    if (s->n_failed > 0)
        fputs("\n  could not be compared\n", out);
    for (size_t i = 0; i < s->n_pairs; i++)
        if (s->pair[i].reason) {
            text_shown_format(out, "  %s: %s", s->pair[i].name, s->pair[i].reason);
            putc('\n', out);
        }
}

void report_profile_set_text(const struct profile_set *s, size_t rows, FILE *out)
{
    text_shown_format(out, "%s: ", s->folder);
    text_count(s->n_pairs, "pair", out);
    fprintf(out, ", %zu compared\n", s->n_pairs - s->n_failed);
    print_pairs(s, out);
    print_groups(s, out);
    print_ranks(s, rows, out);
    print_failed(s, out);
}
