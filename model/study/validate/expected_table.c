#include "study/validate/expected_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "machine/spec/spec.h"
#include "run/result/evidence.h"
#include "study/validate/evidence_table.h"

#define MOST_PERMILLE 999999 /* of a prediction of no time */

/* --- cases ----------------------------------------------------------------------------------- */

/* Does the row say how good predictions are? */
static bool is_usable(const struct validate_row *r)
{
    return r->status == VALIDATE_CHECKED && !evidence_is_fitted(r) &&
           strncmp(r->what, "machine", strlen("machine")) != 0;
}

/* max(q, 1 / q) - 1 in thousandths, rounded up. */
static uint32_t size_of_ratio(const mpq_t ratio)
{
    EXACT_Q(q);
    EXACT_Q(thousand);
    EXACT_Z(z);

    if (mpq_sgn(ratio) <= 0)
        return MOST_PERMILLE;
    mpq_set(q, ratio);
    if (mpq_cmp_ui(q, 1, 1) < 0)
        mpq_inv(q, q);
    mpq_set_ui(thousand, 1000, 1);
    mpq_mul(q, q, thousand);
    mpq_sub(q, q, thousand);
    mpz_cdiv_q(z, mpq_numref(q), mpq_denref(q));
    return mpz_cmp_ui(z, MOST_PERMILLE) > 0 ? MOST_PERMILLE : (uint32_t)mpz_get_ui(z);
}

static void add_error(struct expected_case *c, uint32_t permille)
{
    MEMORY_ADD(c->row, c->n_rows);
    size_t at = c->n_rows++;
    for (; at > 0 && c->row[at - 1] > permille; at--)
        c->row[at] = c->row[at - 1];
    c->row[at] = permille;
    c->permille = (c->row[c->n_rows / 2] + c->row[(c->n_rows - 1) / 2] + 1) / 2;
}

static struct expected_case *add_case(struct expected_cases *all, const char *kind,
                                      const char *machine, const char *workload,
                                      enum expected_of of, enum run_way way)
{
    MEMORY_ADD(all->c, all->n);
    struct expected_case *c = &all->c[all->n++];
    *c = (struct expected_case){ .of = of, .way = way };
    snprintf(c->kind, sizeof c->kind, "%.7s", kind);
    snprintf(c->machine, sizeof c->machine, "%.63s", machine);
    snprintf(c->workload, sizeof c->workload, "%.63s", workload);
    size_t n = evidence_generation(machine);
    snprintf(c->generation, sizeof c->generation, "%.*s", (int)(n ? n : strlen(machine)), machine);
    return c;
}

/* The case of a step that an earlier row is of. */
static struct expected_case *find_step(struct expected_cases *all, const struct validate_row *r)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->c[i].of == EXPECTED_STEPS && strcmp(all->c[i].machine, r->machine) == 0 &&
            strcmp(all->c[i].what, r->what) == 0)
            return &all->c[i];
    return NULL;
}

/* Words that tell the sort of a kernel: those of its class, or of a lone operation. */
static const char *sort_of_row(const struct validate_row *r)
{
    bool lone = strncmp(r->what, "op ", 3) == 0;
    const char *sort = expected_sort(r->class);

    return lone && strcmp(sort, "others") == 0 ? expected_sort(r->what) : sort;
}

static enum run_way way_of_row(const struct validate_row *r)
{
    if (strstr(r->class, "as compiled"))
        return RUN_WAY_COMPILED;
    return strstr(r->class, "recorded by") ? RUN_WAY_RECORDED : RUN_WAY_HAND;
}

static void add_row(struct expected_cases *all, const struct validate_row *r, const char *kind)
{
    enum run_way way = way_of_row(r);
    struct expected_case *c = *r->workload ? find_step(all, r) : NULL;

    if (!c) {
        c = *r->workload ? add_case(all, kind, r->machine, r->workload, EXPECTED_STEPS, way)
                         : add_case(all, kind, r->machine, sort_of_row(r), EXPECTED_KERNELS, way);
        snprintf(c->what, sizeof c->what, "%.191s", r->what);
    }
    EXACT_Q(ratio);
    mpq_set_ui(ratio, 1, 1);
    exact_sum(ratio, r->error);
    add_error(c, size_of_ratio(ratio));
}

/* "TPU" of the row's machine; rows of one machine follow each other. */
static int find_kind(const char **kind, const char *machine, const char *last, struct err *err)
{
    struct machine_spec *m;

    if (last && strcmp(last, machine) == 0)
        return 0;
    if (spec_load(&m, machine, NULL, 0, err) != 0)
        return -1;
    *kind = spec_kind_name[m->kind];
    spec_free(m);
    return 0;
}

int expected_cases_init(struct expected_cases *all, const struct validate_result *v,
                        const struct expected_pair *pair, size_t n_pairs, struct err *err)
{
    const char *kind = NULL, *last = NULL;

    *all = (struct expected_cases){ 0 };
    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (!is_usable(r))
            continue;
        if (find_kind(&kind, r->machine, last, err) != 0) {
            expected_cases_free(all);
            return -1;
        }
        last = r->machine;
        add_row(all, r, kind);
    }
    for (size_t i = 0; i < n_pairs; i++)
        add_error(add_case(all, pair[i].kind, pair[i].machine, pair[i].workload, EXPECTED_PAIRS,
                           RUN_WAY_HAND),
                  size_of_ratio(pair[i].ratio));
    return 0;
}

void expected_cases_free(struct expected_cases *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->c[i].row);
    free(all->c);
    *all = (struct expected_cases){ 0 };
}

/* --- lines ----------------------------------------------------------------------------------- */

bool expected_in_line(const struct expected_case *c, const struct expected_line *l)
{
    return c->way == l->way && c->of == l->of && strcmp(c->kind, l->kind) == 0 &&
           strcmp(c->workload, l->workload) == 0 &&
           (!*l->generation || strcmp(c->generation, l->generation) == 0);
}

static int compare_permille(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The error that counts: what four of five cases like these keep to, the largest of few.
 *
 *     the ceil(4/5 (n + 1))-th of n */
size_t expected_rank(size_t n)
{
    return n < EXPECTED_FEW ? n : (4 * (n + 1) + 4) / 5;
}

void expected_sizes(struct expected_line *l, uint32_t *size, const struct expected_cases *all)
{
    l->cases = 0;
    for (size_t i = 0; i < all->n; i++)
        if (expected_in_line(&all->c[i], l))
            size[l->cases++] = all->c[i].permille;
    qsort(size, l->cases, sizeof *size, compare_permille);
    l->permille = l->cases ? size[expected_rank(l->cases) - 1] : 0;
}

static bool has_line(const struct expected_line *line, size_t n, const struct expected_case *c,
                     bool here)
{
    for (size_t i = 0; i < n; i++)
        if (expected_in_line(c, &line[i]) && here == (*line[i].generation != '\0'))
            return true;
    return false;
}

void expected_lines(struct expected_line **line, size_t *n, const struct expected_cases *all)
{
    uint32_t *size = memory_zeroed(all->n, sizeof *size);

    *line = NULL;
    *n = 0;
    for (size_t i = 0; i < 2 * all->n; i++) {
        const struct expected_case *c = &all->c[i % all->n];
        bool here = i < all->n;
        if (has_line(*line, *n, c, here))
            continue;
        MEMORY_ADD(*line, *n);
        struct expected_line *l = &(*line)[(*n)++];
        *l = (struct expected_line){ .way = c->way, .of = c->of };
        memcpy(l->kind, c->kind, sizeof l->kind);
        memcpy(l->workload, c->workload, sizeof l->workload);
        if (here)
            memcpy(l->generation, c->generation, sizeof l->generation);
        expected_sizes(l, size, all);
    }
    free(size);
}

void expected_table_write(const struct expected_line *line, size_t n, FILE *out)
{
    fputs(
        "# Errors to expect: written by `make evidence`, read by run/result/expected.h.\n"
        "# generation \"\": all; error: percent, either way, max(predicted / measured, measured / "
        "predicted) - 1, that four of five cases keep to, the largest of fewer than 20.\n"
        "kind,way,of,generation,workload,cases,error\n",
        out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s,%s,%s,%s,%s,%" PRIu64 ",%" PRIu32 ".%" PRIu32 "\n", line[i].kind,
                expected_way_name[line[i].way], expected_of_name[line[i].of], line[i].generation,
                line[i].workload, line[i].cases, line[i].permille / 10, line[i].permille % 10);
}
