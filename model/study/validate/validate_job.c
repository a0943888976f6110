#include "study/validate/validate_job.h"

#include <string.h>

#include "base/exact.h"
#include "cost/cost.h"
#include "machine/spec/catalog.h"
#include "machine/spec/spec.h"
#include "study/validate/validate_figure.h"
#include "study/validate/validate_runs.h"

#define FC_PEAK 180e12 /* FLOP/s of a TPU v2-8, the profiler's */

static void fail_rows(const struct validate_plan *p, const struct validate_job *j, const char *why)
{
    for (size_t i = j->first; i < j->first + j->n; i++)
        validate_fail(&p->v->row[i], why);
}

static void set_error(struct validate_row *r)
{
    EXACT_Q(one);

    mpq_set_ui(one, 1, 1);
    mpq_div(r->error, r->predicted, r->measured);
    mpq_sub(r->error, r->error, one);
}

/* The one of VALIDATE_N_PARTS parts that an operation belongs to; VALIDATE_N_PARTS: to none. */
static int part_of_op(const struct run_row *op)
{
    return mpq_sgn(op->mxu) > 0                  ? 0
           : strcmp(op->kind, "optimizer") == 0  ? 1
           : strcmp(op->kind, "all-reduce") == 0 ? 2
                                                 : VALIDATE_N_PARTS;
}

/* Rows of a profiled step, in milliseconds.  The traced time is the useful FLOPs of all replicas
 * divided by the FLOP rate of the profile; the device is busy for a share of it, each part for
 * another. */
static void take_profile(struct validate_row *row, const struct validate_job *j,
                         const struct run_result *result)
{
    double flops = 0;

    for (size_t i = 0; i < result->n_ops; i++)
        flops += mpz_get_d(result->ops[i].flops);
    double traced = 1e3 * result->cores * flops / (j->utilization * FC_PEAK);
    mpq_set_d(row[0].measured, traced * j->busy);
    mpq_set(row[0].predicted, result->seconds_per_step);
    for (size_t i = 0; i < result->n_ops; i++) {
        struct validate_row *part = &row[1 + part_of_op(&result->ops[i])];
        if (part <= row + VALIDATE_N_PARTS)
            exact_sum(part->predicted, result->ops[i].seconds);
    }
    for (size_t i = 0; i < VALIDATE_N_PARTS; i++)
        mpq_set_d(row[1 + i].measured, traced * j->share[i]);
    for (size_t i = 0; i < j->n; i++) {
        validate_scale(row[i].predicted, row[i].unit);
        validate_note_kinds(&row[i], result);
        set_error(&row[i]);
    }
}

static void take_figures(const struct validate_plan *p, const struct validate_job *j,
                         const struct run_result *result)
{
    for (size_t i = j->first; i < j->first + j->n; i++) {
        struct validate_row *r = &p->v->row[i];
        if (validate_figure(r->predicted, r->metric, result) != 0) {
            validate_fail(r, "the program has no such figure");
            continue;
        }
        validate_scale(r->predicted, r->unit);
        validate_note_kinds(r, result);
        exact_sum(r->predicted, r->added);
        if (*result->parameters) {
            validate_set_text(&r->workload, result->workload);
            validate_set_text(&r->parameters, result->parameters);
        }
        if (j->kind == VALIDATE_FC_STEP && result->limited_by == CAUSE_HOST)
            r->class = j->batch < 1024 ? "fc, steps, host-bound, batch < 1024"
                                       : "fc, steps, host-bound, batch >= 1024";
        set_error(r);
    }
}

/* Values of a machine file: no predictions, but what predictions are made with. */
static int look_up_machine(const struct validate_plan *p, const struct validate_job *j,
                           const struct validate_request *q, struct err *err)
{
    struct machine_spec *m;

    if (spec_load(&m, j->machine, q->set, q->n_set, err) != 0)
        return -1;
    for (size_t i = j->first; i < j->first + j->n; i++) {
        struct validate_row *r = &p->v->row[i];
        bool price = strcmp(r->metric, "usd per hour") == 0;
        if (price && cost_per_hour(r->predicted, m, COST_ON_DEMAND)) {
            set_error(r);
        } else if (strcmp(r->metric, "HBM") == 0) {
            exact_ratio(r->predicted, m->hbm.capacity, UINT64_C(1) << 30); /* GiB */
            mpq_set_ui(r->error, spec_chips(m), 1);
            mpq_mul(r->predicted, r->predicted, r->error);
            set_error(r);
        } else {
            validate_fail(r, price ? "no list price" : "machines have no such figure");
        }
    }
    spec_free(m);
    return 0;
}

static int replay_step(const struct validate_plan *p, const struct validate_job *j,
                       struct validate_runs *runs, struct err *err)
{
    struct validate_case run = validate_runs_case(j);
    struct validate_taken t;

    if (validate_runs_take(runs, &run, &t, err) != 0)
        return -1;
    if (run.device)
        take_profile(&p->v->row[j->first], j, t.result);
    else
        take_figures(p, j, t.result);
    validate_runs_leave(runs, &t);
    return 0;
}

void validate_run_job(const struct validate_plan *p, const struct validate_job *j,
                      const struct validate_request *q, struct validate_runs *runs)
{
    struct err err;
    int rc = 0;

    switch (j->kind) {
    case VALIDATE_KERNEL:
    case VALIDATE_COMPILED: rc = validate_run_kernel(p, j, q, &err); break;
    case VALIDATE_PROGRAM: rc = validate_run_program(p, j, q, &err); break;
    case VALIDATE_MACHINE: rc = look_up_machine(p, j, q, &err); break;
    case VALIDATE_CLAIMS:
    case VALIDATE_MEMORY: validate_run_claims(p, j, q, runs); break;
    default: rc = replay_step(p, j, runs, &err);
    }
    if (rc != 0)
        fail_rows(p, j, err.msg);
    else if (j->kind == VALIDATE_KERNEL || j->kind == VALIDATE_COMPILED ||
             j->kind == VALIDATE_PROGRAM)
        set_error(&p->v->row[j->first]);
}
