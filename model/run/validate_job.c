#include "run/validate_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "machine/catalog.h"
#include "run/op.h"

#define MAX_SET 24
#define FC_PEAK 180e12 /* FLOP/s of a TPU v2-8, the profiler's */

static void fail(const struct validate_plan *p, const struct validate_job *j, const char *why)
{
    for (size_t i = j->first; i < j->first + j->n; i++) {
        struct validate_row *r = &p->v->row[i];
        r->status = VALIDATE_FAILED;
        free(r->note);
        r->note = strdup(why);
        BUG_ON(!r->note);
    }
}

/* Cut "a=1 b=2" at its blanks; returns the number of words. */
static size_t split(char *text, const char *word[MAX_SET])
{
    size_t n = 0;
    char *rest;

    for (char *w = strtok_r(text, " ", &rest); w && n < MAX_SET; w = strtok_r(NULL, " ", &rest))
        word[n++] = w;
    return n;
}

/* Seconds to the unit of the row. */
static void scaled(struct validate_row *r, const mpq_t seconds)
{
    mpq_t factor;

    mpq_init(factor);
    mpq_set_ui(factor,
               strcmp(r->unit, "ms") == 0   ? 1000
               : strcmp(r->unit, "us") == 0 ? 1000000
                                            : 1,
               1);
    mpq_mul(r->predicted, seconds, factor);
    mpq_clear(factor);
}

/* The seconds of phases such as "a+b*", a slash and what divides their sum. */
static int phases(mpq_t sum, const struct run_result *result, const char *names)
{
    char text[256], *rest;
    mpq_t divisor;

    snprintf(text, sizeof text, "%s", names);
    char *slash = strchr(text, '/');
    mpq_init(divisor);
    mpq_set_ui(divisor, slash ? strtoul(slash + 1, NULL, 10) : 1, 1);
    if (slash)
        *slash = '\0';
    int missing = mpq_sgn(divisor) == 0;
    for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        bool found = false;
        char *star = strchr(name, '*'); /* all that begin so */
        size_t n = star ? (size_t)(star - name) : strlen(name) + 1;
        for (size_t i = 0; i < result->n_phases; i++)
            if (strncmp(result->phases[i].name, name, n) == 0) {
                mpq_add(sum, sum, result->phases[i].seconds);
                found = true;
            }
        missing |= !found;
    }
    if (!missing)
        mpq_div(sum, sum, divisor);
    mpq_clear(divisor);
    return missing ? -1 : 0;
}

/* What the result says of the metric of the row: 0, or -1 when it says nothing. */
static int pick(struct validate_row *r, const struct run_result *result)
{
    mpq_t q;
    int rc = 0;

    mpq_init(q);
    if (strcmp(r->metric, "step") == 0)
        mpq_set(q, result->seconds_per_step);
    else if (strcmp(r->metric, "epoch") == 0 && result->has_epoch)
        mpq_set(q, result->seconds_per_epoch);
    else if (strcmp(r->metric, "usd per epoch") == 0 && result->has_epoch && result->has_price)
        mpq_set(q, result->usd_per_epoch);
    else if (strcmp(r->metric, "samples per second") == 0)
        mpq_set(q, result->samples_per_second);
    else if (strncmp(r->metric, "phase ", 6) == 0)
        rc = phases(q, result, r->metric + 6);
    else
        rc = -1;
    scaled(r, q);
    mpq_clear(q);
    return rc;
}

/* Useful FLOPs of all replicas / rate, the share of the traced time in which something ran. */
static void measured_device_time(struct validate_row *r, const struct validate_job *j,
                                 const struct run_result *result)
{
    double flops = 0;

    for (size_t i = 0; i < result->n_ops; i++)
        flops += mpz_get_d(result->ops[i].flops);
    mpq_set_d(r->measured, 1e3 * result->cores * flops / (j->utilization * FC_PEAK) * j->busy);
    scaled(r, result->seconds_per_step);
}

static void finish(struct validate_row *r)
{
    mpq_t one;

    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    mpq_div(r->error, r->predicted, r->measured);
    mpq_sub(r->error, r->error, one);
    mpq_clear(one);
}

static void take(const struct validate_plan *p, const struct validate_job *j,
                 const struct run_result *result)
{
    for (size_t i = j->first; i < j->first + j->n; i++) {
        struct validate_row *r = &p->v->row[i];
        if (j->kind == VALIDATE_FC_DEVICE) {
            measured_device_time(r, j, result);
        } else if (pick(r, result) != 0) {
            struct validate_job one = { .first = i, .n = 1 };
            fail(p, &one, "the program has no such figure");
            continue;
        }
        if (j->kind == VALIDATE_FC_STEP && result->limited_by == CAUSE_HOST)
            r->class = j->batch < 1024 ? "fc, steps, host-bound, batch < 1024"
                                       : "fc, steps, host-bound, batch >= 1024";
        finish(r);
    }
}

static int run_workload(const struct validate_job *j, const struct validate_request *q,
                        struct run_result *result, struct err *err)
{
    /* the profiler's device time holds no wait for the host */
    static const char *const fast[] = { "host.infeed_overhead=0 s",
                                        "host.infeed_bandwidth=10 TB/s" };
    char settings[1024], *text;
    const char *set[MAX_SET];
    size_t size;

    snprintf(settings, sizeof settings, "%s", j->parameters);
    size_t n = split(settings, set);
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out);
    int rc = q->generate(j->workload, set, n, out, err);
    fclose(out);
    BUG_ON(!text);
    struct run_request run = { .trace = j->workload,
                               .text = text,
                               .text_size = size,
                               .machine = j->machine,
                               .set = fast,
                               .n_set = j->kind == VALIDATE_FC_DEVICE ? 2 : 0,
                               .steps = 1 };
    if (rc == 0)
        rc = run_replay(&run, result, err);
    free(text);
    return rc;
}

static int run_one_op(const struct validate_job *j, struct run_result *result, struct err *err)
{
    char settings[1024];
    const char *arg[MAX_SET];

    snprintf(settings, sizeof settings, "%s", j->parameters);
    struct op_request q = {
        .kind = j->workload, .arg = arg, .n_args = split(settings, arg), .run.machine = j->machine
    };
    return run_op(&q, result, err);
}

static void run_kernel(const struct validate_plan *p, const struct validate_job *j)
{
    struct machine_spec *spec;
    struct err err;
    uint64_t fs = 0;

    if (spec_load(&spec, j->machine, NULL, 0, &err) == 0) {
        fs = kernel_fs(spec, &j->kernel, &err);
        spec_free(spec);
    }
    if (fs == 0) {
        fail(p, j, err.msg);
        return;
    }
    exact_ratio(p->v->row[j->first].predicted, fs, 1000000000); /* microseconds */
    finish(&p->v->row[j->first]);
}

void validate_run_job(const struct validate_plan *p, const struct validate_job *j,
                      const struct validate_request *q)
{
    struct run_result result;
    struct err err;

    if (j->kind == VALIDATE_KERNEL) {
        run_kernel(p, j);
        return;
    }
    int rc =
        j->kind == VALIDATE_OP ? run_one_op(j, &result, &err) : run_workload(j, q, &result, &err);
    if (rc != 0) {
        fail(p, j, err.msg);
        return;
    }
    take(p, j, &result);
    run_result_free(&result);
}
