/* Sums of each class: median, mean and worst error, claims that hold. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "study/validate/validate_errors.h"
#include "study/validate/validate_job.h"

static struct validate_class *find_class(struct validate_result *v, const char *name)
{
    for (size_t i = 0; i < v->n_classes; i++)
        if (strcmp(v->class[i].name, name) == 0)
            return &v->class[i];
    MEMORY_ADD(v->class, v->n_classes);
    struct validate_class *c = &v->class[v->n_classes++];
    *c = (struct validate_class){ .name = name };
    mpq_inits(c->median, c->mean, c->worst, c->bias, NULL);
    return c;
}

/* True if the program predicted something for the row. */
static bool is_counted(const struct validate_row *r)
{
    return r->status == VALIDATE_CHECKED || r->status == VALIDATE_CLAIM ||
           r->status == VALIDATE_ASKED;
}

static bool is_in_class(const struct validate_row *r, const struct validate_class *c)
{
    return is_counted(r) &&
           (strcmp(r->class, c->name) == 0 || (r->within && strcmp(r->within, c->name) == 0));
}

static void sum_up(const struct validate_result *v, struct validate_class *c, mpq_srcptr *error)
{
    struct validate_errors e;
    size_t n = 0;
    EXACT_Q(q);

    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (!is_in_class(r, c))
            continue;
        c->n++;
        c->claims += r->status == VALIDATE_CLAIM;
        c->held += r->status == VALIDATE_CLAIM && r->holds;
        c->asked += r->status == VALIDATE_ASKED;
        if (r->status != VALIDATE_CHECKED)
            continue;
        error[n++] = r->error;
        mpq_abs(q, r->error);
        c->with_tolerance += mpq_sgn(r->tolerance) > 0;
        c->hits += mpq_sgn(r->tolerance) > 0 && mpq_cmp(q, r->tolerance) <= 0;
    }
    validate_errors_init(&e);
    validate_errors_sum(&e, error, n);
    mpq_set(c->mean, e.mean);
    mpq_set(c->median, e.median);
    mpq_set(c->worst, e.worst);
    mpq_set(c->bias, e.bias);
    validate_errors_clear(&e);
}

void validate_sum(struct validate_result *v)
{
    mpq_srcptr *error = memory_zeroed(v->n_rows + 1, sizeof *error);

    for (size_t i = 0; i < v->n_rows; i++) {
        if (!is_counted(&v->row[i]))
            continue;
        if (v->row[i].within)
            find_class(v, v->row[i].within);
        find_class(v, v->row[i].class);
    }
    for (size_t i = 0; i < v->n_classes; i++)
        sum_up(v, &v->class[i], error);
    free(error);
}
