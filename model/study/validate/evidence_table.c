#include "study/validate/evidence_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "run/result/evidence.h"
#include "run/result/published.h"

/* The four texts that name a line; rows with equal texts belong to one line. */
struct key {
    const char *class, *machine, *workload, *parameters;
};

/* True if uses.csv says that something was fitted on the class; the line with most of its name
 * counts. */
static bool is_fitted_class(const char *class, const struct published_file *uses)
{
    enum { CLASS, USE, NOTE, N };
    char f[N + 1][PUBLISHED_FIELD];
    struct published_reader t;
    size_t longest = 0;
    bool fitted = false;

    published_open(&t, uses);
    while (published_next(&t, f, N + 1) > 0) {
        size_t length = strlen(f[CLASS]);
        if (length <= longest || strncmp(class, f[CLASS], length) != 0)
            continue;
        longest = length;
        fitted = strcmp(f[USE], "fitted on") == 0;
    }
    return fitted;
}

static const struct published_file *find_uses(void)
{
    size_t i = 0;

    while (strcmp(published_files[i].stem, "uses") != 0)
        i++;
    return &published_files[i];
}

bool evidence_is_fitted(const struct validate_row *r)
{
    return strstr(r->note, "fitted") ||
           (strstr(r->class, "fitted on") && !strstr(r->class, "never fitted on")) ||
           is_fitted_class(r->class, find_uses());
}

/* True if the row says how good predictions are. */
static bool is_evidence(const struct validate_row *r)
{
    return r->status == VALIDATE_CHECKED && !strstr(r->class, "fitted") && !evidence_is_fitted(r) &&
           strncmp(r->what, "machine", strlen("machine")) != 0;
}

/* The line of the row's own step; false: it has none, or is one of a long table. */
static bool make_step_key(struct key *k, const struct validate_row *r)
{
    *k = (struct key){ r->class, r->machine, r->workload, r->parameters };
    return *r->parameters && !r->within;
}

static void make_class_key(struct key *k, const struct validate_row *r)
{
    *k = (struct key){ r->within ? r->within : r->class, r->machine, r->workload, "" };
}

static bool equal_keys(const struct key *a, const struct key *b)
{
    return strcmp(a->class, b->class) == 0 && strcmp(a->machine, b->machine) == 0 &&
           strcmp(a->workload, b->workload) == 0 && strcmp(a->parameters, b->parameters) == 0;
}

static bool has_key(const struct validate_row *r, const struct key *k)
{
    struct key own;

    if (!is_evidence(r))
        return false;
    if (*k->parameters)
        return make_step_key(&own, r) && equal_keys(&own, k);
    make_class_key(&own, r);
    return equal_keys(&own, k);
}

static int compare_sizes(const void *a, const void *b)
{
    EXACT_Q(x);
    EXACT_Q(y);
    mpq_abs(x, *(const mpq_srcptr *)a);
    mpq_abs(y, *(const mpq_srcptr *)b);
    return mpq_cmp(x, y);
}

/* q = the median of the absolute values of n sorted errors. */
static void take_median(mpq_t q, const mpq_srcptr *error, size_t n)
{
    EXACT_Q(other);
    EXACT_Q(half);
    mpq_abs(q, error[n / 2]);
    mpq_abs(other, error[(n - 1) / 2]);
    exact_sum(q, other);
    exact_ratio(half, 1, 2);
    mpq_mul(q, q, half);
}

static void write_line(const struct validate_result *v, const struct key *k, FILE *out)
{
    mpq_srcptr *error = memory_zeroed(v->n_rows, sizeof *error);
    size_t n = 0;

    EXACT_Q(median);
    for (size_t i = 0; i < v->n_rows; i++)
        if (has_key(&v->row[i], k))
            error[n++] = v->row[i].error;
    qsort(error, n, sizeof *error, compare_sizes);
    take_median(median, error, n);
    text_csv_field(k->class, out);
    fprintf(out, ",%s,%s,%s,%zu,", k->machine, k->workload, k->parameters, n);
    text_share(median, 0, out);
    putc(',', out);
    text_share(error[n - 1], 0, out);
    putc('\n', out);
    free(error);
}

/* True if no row before `end` is of the line. */
static bool is_first(const struct validate_result *v, size_t end, const struct key *k)
{
    for (size_t i = 0; i < end; i++)
        if (has_key(&v->row[i], k))
            return false;
    return true;
}

void evidence_table_write(const struct validate_result *v, FILE *out)
{
    struct key k;

    fputs("# Errors of predictions of what was measured: written by `make evidence`.\n"
          "# workload \"\": kernels; parameters \"\": all steps of the workload on the machine; "
          "median "
          "and worst: percent.\n"
          "class,machine,workload,parameters,rows,median,worst\n",
          out);
    for (size_t i = 0; i < v->n_rows; i++) {
        if (!is_evidence(&v->row[i]))
            continue;
        if (make_step_key(&k, &v->row[i]) && is_first(v, i, &k))
            write_line(v, &k, out);
        make_class_key(&k, &v->row[i]);
        if (is_first(v, i, &k))
            write_line(v, &k, out);
    }
}

/* --- kinds of kernels ----------------------------------------------------------------------- */

struct kind {
    const char *machine; /* the first of the generation */
    const char *name;    /* `n` bytes */
    size_t n, rows;
};

static bool is_kind(const struct kind *k, const char *machine, const char *name, size_t n)
{
    return k->n == n && memcmp(k->name, name, n) == 0 &&
           evidence_same_generation(k->machine, machine);
}

/* By generation, then by name. */
static int compare_kinds(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    int order = strcmp(x->machine, y->machine);

    if (order == 0)
        order = memcmp(x->name, y->name, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* The first machine of the generation that a row is of. */
static const char *name_generation(const struct validate_result *v, const char *machine)
{
    size_t i = 0;

    while (!evidence_same_generation(v->row[i].machine, machine))
        i++;
    return v->row[i].machine;
}

static void add_kinds(const struct validate_result *v, const struct validate_row *r,
                      struct kind **kind, size_t *n)
{
    for (const char *at = r->kinds; at && *at; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "\n"), i = 0;
        while (i < *n && !is_kind(&(*kind)[i], r->machine, at, length))
            i++;
        if (i == *n) {
            MEMORY_ADD(*kind, *n);
            (*kind)[(*n)++] = (struct kind){ name_generation(v, r->machine), at, length, 0 };
        }
        (*kind)[i].rows++;
    }
}

void evidence_kinds_write(const struct validate_result *v, FILE *out)
{
    struct kind *kind = NULL;
    size_t n = 0;

    for (size_t i = 0; i < v->n_rows; i++)
        if (is_evidence(&v->row[i]))
            add_kinds(v, &v->row[i], &kind, &n);
    if (n > 0)
        qsort(kind, n, sizeof *kind, compare_kinds);
    fputs("# Kinds of kernels that measurements cover: written by `make evidence`.\n"
          "# machine: one of its generation; rows: of which such kernels take a tenth or more.\n"
          "machine,kind,rows\n",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s,%.*s,%zu\n", kind[i].machine, (int)kind[i].n, kind[i].name, kind[i].rows);
    free(kind);
}
