/* From the tables of figures to rows and jobs (validate_job.h). */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "run/result/published.h"
#include "study/validate/validate_job.h"

#define MAX_FIELDS 12

static int parse_number(mpq_t q, const char *text)
{
    const char *end = exact_parse(q, text);

    return end && *end == '\0' ? 0 : -1;
}

static void parse_percent(mpq_t q, const char *text)
{
    EXACT_Q(hundred);

    if (parse_number(q, text) != 0)
        return;
    mpq_set_ui(hundred, 100, 1);
    mpq_div(q, q, hundred);
}

/* --- published.csv ------------------------------------------------------------------------ */

/* A status is "is: NOTE" (checked), "no: NOTE" (excluded), "later: NOTE", or empty (checked). */
static void set_status(struct validate_row *r, const char *text)
{
    const char *colon = strchr(text, ':');

    if (!*text)
        return;
    r->status = strncmp(text, "later", 5) == 0 ? VALIDATE_LATER
                : strncmp(text, "is:", 3) == 0 ? VALIDATE_CHECKED
                                               : VALIDATE_EXCLUDED;
    validate_set_text(&r->note, colon ? colon + 2 : text);
}

enum { CLASS, MACHINE, WORKLOAD, PARAMETERS, METRIC, VALUE, UNIT, SOURCE, WITHIN, STATUS, N };

static int read_published(struct validate_plan *p, const struct published_file *file,
                          struct err *err)
{
    char f[N][PUBLISHED_FIELD], what[2 * PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N)) > 0) {
        if (n != N)
            return published_refuse(&t, err);
        snprintf(what, sizeof what, "%s%s%s", f[WORKLOAD], *f[PARAMETERS] ? " " : "",
                 f[PARAMETERS]);
        struct validate_row *r = validate_add_row(p->v, validate_intern(p->v, f[CLASS]), f[MACHINE],
                                                  what, f[METRIC], f[UNIT], f[SOURCE]);
        if (parse_number(r->measured, f[VALUE]) != 0 || mpq_sgn(r->measured) <= 0)
            return published_refuse(&t, err);
        parse_percent(r->tolerance, f[WITHIN]);
        set_status(r, f[STATUS]);
        enum validate_kind kind =
            strcmp(f[WORKLOAD], "machine") == 0 ? VALIDATE_MACHINE : VALIDATE_WORKLOAD;
        if (r->status == VALIDATE_CHECKED)
            validate_need_job(p, kind, f[MACHINE], f[WORKLOAD], f[PARAMETERS], "");
    }
    return 0;
}

/* --- fully connected steps ---------------------------------------------------------------- */

/* Add a row for each part of a profiled device time, and remember its share. */
static void add_parts(struct validate_plan *p, const char *what, const double category[5])
{
    static const char *const part[VALIDATE_N_PARTS] = { "matrix products", "RMSprop",
                                                        "all-reduce" };
    struct validate_job *j = &p->job[p->n_jobs - 1];
    char class[64], metric[64];

    for (size_t i = 0; i < VALIDATE_N_PARTS; i++, j->n++) {
        snprintf(class, sizeof class, "fc, profiled %s", part[i]);
        snprintf(metric, sizeof metric, "time of %s", part[i]);
        exact_ratio(validate_add_row(p->v, validate_intern(p->v, class), "tpu-v2-8", what, metric,
                                     "ms", "paradnn")
                        ->tolerance,
                    1, 10);
    }
    j->share[0] = category[0];
    j->share[1] = category[1] + category[2];
    j->share[2] = category[3];
}

static int read_fc(struct validate_plan *p, const struct published_file *file, bool device,
                   struct err *err)
{
    char f[MAX_FIELDS][PUBLISHED_FIELD], what[512], set[640];
    struct published_reader t;
    size_t n, want = device ? 12 : 6;

    published_open(&t, file);
    while ((n = published_next(&t, f, MAX_FIELDS)) > 0) {
        if (n != want)
            return published_refuse(&t, err);
        snprintf(what, sizeof what,
                 "fc layers=%.20s width=%.20s input=%.20s output=%.20s batch=%.20s", f[0], f[1],
                 f[2], f[3], f[4]);
        /* the compiler of 2018 reduced each gradient by itself */
        snprintf(set, sizeof set, "%s%s xla.combine_all_reduce=no", what + 3,
                 device ? " loop=0" : "");
        struct validate_row *r = validate_add_row(
            p->v,
            validate_intern(p->v, device ? "fc, profiled device time" : "fc, steps, device-bound"),
            "tpu-v2-8", what, device ? "device time" : "step", "ms", "paradnn");
        r->within = device ? NULL : validate_intern(p->v, "fc, steps");
        exact_ratio(r->tolerance, 1, 10);
        struct validate_job *j = validate_add_job(p, device ? VALIDATE_FC_DEVICE : VALIDATE_FC_STEP,
                                                  "tpu-v2-8", "fc", set, "");
        j->batch = strtoull(f[4], NULL, 10);
        if (parse_number(r->measured, f[5]) != 0 || mpq_sgn(r->measured) <= 0)
            return published_refuse(&t, err);
        if (!device)
            continue;
        j->utilization = plain_read(f[6], NULL) / 100;
        double category[5]; /* of what the device does */
        for (int i = 0; i < 5; i++) {
            category[i] = plain_read(f[7 + i], NULL) / 100;
            j->busy += category[i];
        }
        if (j->utilization <= 0 || category[0] <= 0 || category[1] <= 0 || category[3] <= 0)
            return published_refuse(&t, err);
        add_parts(p, what, category);
    }
    return 0;
}

int validate_read(struct validate_plan *p, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < published_n_files && rc == 0; i++) {
        const struct published_file *f = &published_files[i];
        if (strcmp(f->stem, "published") == 0)
            rc = read_published(p, f, err);
        else if (strcmp(f->stem, "words") == 0)
            rc = validate_read_claims(p, f, err);
        else if (strcmp(f->stem, "tpu_v2_8_fc") == 0)
            rc = read_fc(p, f, true, err);
        else if (strcmp(f->stem, "tpu_v2_8_fc_steps") == 0)
            rc = read_fc(p, f, false, err);
        else if (strcmp(f->stem, "llm_forward") == 0)
            rc = validate_read_forward(p, f, err);
        else if (strcmp(f->stem, "mlperf_resnet50") == 0)
            rc = validate_read_resnet(p, f, err);
        else if (strcmp(f->stem, "recorded_steps") == 0)
            rc = validate_read_recorded(p, f, err);
        else if (strcmp(f->stem, "gpu_collectives") == 0)
            rc = validate_read_collectives(p, f, err);
        else if (validate_is_gpu(f))
            rc = validate_read_gpu(p, f, err);
        else if (measured_chip_find(f->stem))
            rc = validate_read_kernels(p, f, measured_chip_find(f->stem), err);
    }
    if (rc == 0)
        rc = validate_read_compiled(p, err);
    return rc == 0 ? validate_open_programs(p, err) : rc;
}
