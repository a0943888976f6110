/* Measured kernels as rows: each as one operation, and as the compiler makes it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "machine/spec/catalog.h"
#include "study/validate/validate_figure.h"
#include "study/validate/validate_job.h"

const char *const validate_use_name[] = { [VALIDATE_FITTED] = "fitted on",
                                          [VALIDATE_HELD_OUT] = "held out",
                                          [VALIDATE_UNSEEN] = "of kinds never fitted on" };

/* --- reading ------------------------------------------------------------------------------ */

static const char *name_class(struct validate_result *v, const char *label,
                              const struct measured_kernel *k, enum validate_use use)
{
    static const char *const kind[] = {
        [MEASURED_MATMUL] = "matrix products", [MEASURED_REDUCE] = "reductions",
        [MEASURED_NORM] = "layer norms",       [MEASURED_OTHER] = "other kernels",
        [MEASURED_UNSEEN] = "other kernels",
    };
    char name[96];

    snprintf(name, sizeof name, "%s %s, %s", label, kind[measured_kernel_class(k)],
             validate_use_name[use]);
    return validate_intern(v, name);
}

static enum validate_use use_of_kernel(const struct measured_kernel *k)
{
    enum measured_class class = measured_kernel_class(k);

    return class == MEASURED_NORM || class == MEASURED_UNSEEN ? VALIDATE_UNSEEN
           : measured_kernel_half(k)                          ? VALIDATE_HELD_OUT
                                                              : VALIDATE_FITTED;
}

/* A row that is predicted from `k`, and its job. */
static struct validate_row *add_kernel(struct validate_plan *p, const struct measured_kernel *k,
                                       bool compiled)
{
    char what[128], label[64];
    enum validate_use use = use_of_kernel(k);

    snprintf(what, sizeof what, "%s %" PRIu64 "x%" PRIu64 "x%" PRIu64, k->op, k->d[0], k->d[1],
             k->d[2]);
    snprintf(label, sizeof label, "%s%s", k->chip->label, compiled ? " as compiled:" : "");
    struct validate_row *r =
        validate_add_row(p->v, name_class(p->v, label, k, use), k->chip->machine, what,
                         "device time", "us", "scale-sim");
    label[strcspn(label, ":")] = '\0';
    r->generation = validate_intern(p->v, label);
    r->op = validate_intern(p->v, k->op);
    r->use = use;
    exact_ratio(r->tolerance, 1, 5);
    validate_add_job(p, compiled ? VALIDATE_COMPILED : VALIDATE_KERNEL, k->chip->machine, "", "",
                     "")
        ->kernel = *k;
    return r;
}

static int read_table(struct validate_plan *p, const struct published_file *file,
                      const struct measured_chip *chip, bool compiled, struct err *err)
{
    char f[6][PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, 6)) > 0) {
        struct measured_kernel k = { .chip = chip, .us = n == 5 ? plain_read(f[4], NULL) : 0 };
        if (n != 5 || k.us <= 0)
            return published_refuse(&t, err);
        snprintf(k.op, sizeof k.op, "%.15s", f[0]);
        for (int i = 0; i < 3; i++)
            k.d[i] = strtoull(f[1 + i], NULL, 10);
        const char *end = exact_parse(add_kernel(p, &k, compiled)->measured, f[4]);
        if (!end || *end)
            return published_refuse(&t, err);
    }
    return 0;
}

int validate_read_kernels(struct validate_plan *p, const struct published_file *file,
                          const struct measured_chip *chip, struct err *err)
{
    return read_table(p, file, chip, false, err);
}

int validate_read_compiled(struct validate_plan *p, struct err *err)
{
    int rc = 0;

    BUG_ON(measured_n_chips > VALIDATE_CHIPS);
    for (size_t c = 0; c < measured_n_chips && rc == 0; c++) {
        rc = packed_open(&p->packed[c], measured_chips[c].compiled, err);
        for (size_t i = 0; i < published_n_files && rc == 0; i++)
            if (measured_chip_find(published_files[i].stem) == &measured_chips[c])
                rc = read_table(p, &published_files[i], &measured_chips[c], true, err);
    }
    return rc;
}

/* --- running ------------------------------------------------------------------------------ */

/* The limit by the model: the cause that its cores waited for most, in HBM, the matrix units
 * or the vector unit and XLU. */
static enum validate_regime regime_of_result(const struct run_result *result)
{
    EXACT_Q(vector);
    mpq_add(vector, amounts_get(&result->cause, CAUSE_VPU), amounts_get(&result->cause, CAUSE_XLU));
    mpq_srcptr hbm = amounts_get(&result->cause, CAUSE_HBM),
               mxu = amounts_get(&result->cause, CAUSE_MXU);

    if (mpq_cmp(mxu, hbm) > 0 && mpq_cmp(mxu, vector) > 0)
        return VALIDATE_MXU;
    return mpq_cmp(vector, hbm) > 0 ? VALIDATE_VECTOR : VALIDATE_HBM;
}

void validate_load_chips(struct validate_plan *p, const struct validate_request *q)
{
    struct err ignored;

    for (size_t c = 0; c < measured_n_chips; c++)
        if (measured_chip_load(&p->spec[c], &measured_chips[c], q->set, q->n_set, &ignored) != 0)
            p->spec[c] = NULL;
}

int validate_run_kernel(const struct validate_plan *p, const struct validate_job *j,
                        const struct validate_request *q, struct err *err)
{
    struct validate_row *r = &p->v->row[j->first];
    size_t chip = (size_t)(j->kernel.chip - measured_chips);
    struct run_result result;
    struct machine_spec *refused;

    if (!p->spec[chip]) /* each row says why */
        return spec_load(&refused, j->machine, q->set, q->n_set, err);
    int rc =
        j->kind == VALIDATE_KERNEL
            ? measured_kernel_run(&j->kernel, p->spec[chip], &result, err)
            : measured_kernel_replay(&j->kernel, p->spec[chip], &p->packed[chip], &result, err);

    if (rc != 0)
        return -1;
    measured_kernel_seconds(r->predicted, &j->kernel, &result);
    measured_kernel_estimate(r->estimate, &result);
    validate_scale(r->predicted, r->unit);
    validate_scale(r->estimate, r->unit);
    r->regime = regime_of_result(&result);
    validate_note_kinds(r, &result);
    run_result_free(&result);
    return 0;
}

/* The shortest measured time of the row's generation. */
static mpq_srcptr find_floor(const struct validate_result *v, const struct validate_row *r)
{
    mpq_srcptr least = r->measured;

    for (size_t i = 0; i < v->n_rows; i++)
        if (v->row[i].generation == r->generation && mpq_cmp(v->row[i].measured, least) < 0)
            least = v->row[i].measured;
    return least;
}

void validate_mark_floors(struct validate_result *v)
{
    const char *generation = NULL;
    EXACT_Q(twice);

    for (size_t i = 0; i < v->n_rows; i++) {
        struct validate_row *r = &v->row[i];
        if (!r->generation)
            continue;
        if (r->generation != generation) { /* rows of one stand together, mostly */
            generation = r->generation;
            mpq_srcptr least = find_floor(v, r);
            mpq_add(twice, least, least);
        }
        if (mpq_cmp(r->measured, twice) <= 0)
            r->regime = VALIDATE_FLOOR;
    }
}
