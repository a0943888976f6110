/* Measured programs that are kept as compiled, and recorded steps: rows, and their replay. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "machine/spec/spec.h"
#include "run/result/expected.h"
#include "study/profiled/profiled.h"
#include "study/validate/validate_figure.h"
#include "study/validate/validate_job.h"

#define KERNELS "kernels" /* the time of a step in its kernels, without what is between them */

/* Their files of programs. */
static const struct {
    const char *generation, *stem;
} files[] = { { "tpu-v2-", "programs_tpu_v2" },
              { "tpu-v3-", "programs_tpu_v3" },
              { "tpu-v4-", "programs_tpu_v4" },
              { "tpu-v6e-", "programs_tpu_v6e" },
              { "h100x", "recorded_h100" } };

enum { N_FILES = sizeof files / sizeof *files };
_Static_assert(N_FILES <= VALIDATE_CHIPS, "room in a plan");

/* --- reading ------------------------------------------------------------------------------ */

/* A row that is predicted from module `name`, and its job. */
static struct validate_row *add_program(struct validate_plan *p, const char *class,
                                        const char *machine, const char *name, const char *what,
                                        const char *source)
{
    char workload[32];
    struct validate_row *r =
        validate_add_row(p->v, validate_intern(p->v, class), machine, what, "step", "ms", source);

    exact_ratio(r->tolerance, 1, 10);
    snprintf(workload, sizeof workload, "%.*s", (int)strcspn(name, ","), name);
    validate_set_text(&r->workload, workload);
    validate_add_job(p, VALIDATE_PROGRAM, machine, name, "", "");
    return r;
}

static int read_milliseconds(struct validate_row *r, const struct published_reader *t,
                             const char *text, struct err *err)
{
    const char *end = exact_parse(r->measured, text);

    return end && !*end && mpq_sgn(r->measured) > 0 ? 0 : published_refuse(t, err);
}

int validate_read_forward(struct validate_plan *p, const struct published_file *file,
                          struct err *err)
{
    enum { GENERATION, MODEL, TOKENS, BATCH, MS, N };
    char f[N + 1][PUBLISHED_FIELD], class[64], name[64], what[64], machine[32];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N + 1)) > 0) {
        if (n != N)
            return published_refuse(&t, err);
        snprintf(class, sizeof class, "GPT-2 forward, TPU %.8s as compiled", f[GENERATION]);
        snprintf(name, sizeof name, "%.16s,%.16s,%.16s", f[MODEL], f[TOKENS], f[BATCH]);
        snprintf(what, sizeof what, "%.16s tokens=%.16s batch=%.16s", f[MODEL], f[TOKENS],
                 f[BATCH]);
        /* one chip */
        snprintf(machine, sizeof machine, "tpu-%.8s-%d", f[GENERATION],
                 strcmp(f[GENERATION], "v4") == 0 ? 2 : 1);
        if (read_milliseconds(add_program(p, class, machine, name, what, "scale-sim"), &t, f[MS],
                              err) != 0)
            return -1;
    }
    return 0;
}

int validate_read_resnet(struct validate_plan *p, const struct published_file *file,
                         struct err *err)
{
    enum { MACHINE, BATCH, MS, ROUND, N };
    static const char class[] = "ResNet-50, MLPerf, as compiled";
    char f[N + 1][PUBLISHED_FIELD], name[64], what[64], source[64];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N + 1)) > 0) {
        if (n != N)
            return published_refuse(&t, err);
        unsigned long cores = strtoul(strrchr(f[MACHINE], '-') + 1, NULL, 10);
        unsigned long each = cores ? strtoul(f[BATCH], NULL, 10) / cores : 0;
        snprintf(name, sizeof name, "resnet50,%lu", cores);
        snprintf(what, sizeof what, "resnet50 batch=%lu", each);
        snprintf(source, sizeof source, "mlperf-%.40s", f[ROUND]);
        struct validate_row *r = add_program(p, class, f[MACHINE], name, what, source);
        if (read_milliseconds(r, &t, f[MS], err) != 0)
            return -1;
        if (each == 128)
            continue;
        r->status = VALIDATE_LATER;
        validate_set_text(&r->note,
                          "only the step of 128 images a core is there as a compiled program");
        validate_drop_jobs(p, p->n_jobs - 1);
    }
    return 0;
}

int validate_read_recorded(struct validate_plan *p, const struct published_file *file,
                           struct err *err)
{
    enum { MACHINE, NAME, METRIC, MS, SOURCE, N };
    static const char class[] = "steps recorded by PyTorch";
    char f[N + 1][PUBLISHED_FIELD], what[2 * PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N + 1)) > 0) {
        bool kernels = n == N && strcmp(f[METRIC], KERNELS) == 0;
        if (n != N || (!kernels && strcmp(f[METRIC], "step") != 0))
            return published_refuse(&t, err);
        snprintf(what, sizeof what, "%s recorded", f[NAME]);
        struct validate_row *r = add_program(p, class, f[MACHINE], f[NAME], what, f[SOURCE]);
        validate_set_text(&r->metric, f[METRIC]);
        validate_set_text(&r->workload, EXPECTED_RECORDINGS);
        validate_set_text(&p->job[p->n_jobs - 1].parameters, f[METRIC]);
        if (read_milliseconds(r, &t, f[MS], err) != 0)
            return -1;
    }
    return 0;
}

/* --- running ------------------------------------------------------------------------------ */

int validate_open_programs(struct validate_plan *p, struct err *err)
{
    for (size_t i = 0; i < N_FILES; i++)
        for (size_t k = 0; k < packed_n_files; k++)
            if (strcmp(packed_files[k].stem, files[i].stem) == 0 &&
                packed_read(&p->program[i], &packed_files[k], err) != 0)
                return -1;
    return 0;
}

/* The module of a job, or NULL. */
static const struct packed_module *find_module(const struct validate_plan *p,
                                               const struct validate_job *j)
{
    for (size_t i = 0; i < N_FILES; i++)
        if (strncmp(j->machine, files[i].generation, strlen(files[i].generation)) == 0)
            return packed_find(&p->program[i], j->workload);
    return NULL;
}

static int replay_program(const struct run_request *run, bool kernels, struct run_result *result,
                          struct err *err)
{
    struct run_request bare = *run;
    struct machine_spec *m, without;

    if (!kernels)
        return run_replay(run, result, err);
    if (spec_load(&m, run->machine, run->set, run->n_set, err) != 0)
        return -1;
    without = profiled_leave_gaps(m);
    bare.spec = &without;
    bare.set = NULL;
    bare.n_set = 0;
    int rc = run_replay(&bare, result, err);
    spec_free(m);
    return rc;
}

int validate_run_program(const struct validate_plan *p, const struct validate_job *j,
                         const struct validate_request *q, struct err *err)
{
    const struct packed_module *m = find_module(p, j);
    struct validate_row *r = &p->v->row[j->first];
    struct run_result result;

    if (!m)
        return err_set(err, ERR_UNKNOWN, "no program is kept as compiled for it");
    struct run_request run = { .trace = m->name,
                               .text = m->text,
                               .text_size = m->size,
                               .machine = j->machine,
                               .set = q->set,
                               .n_set = q->n_set,
                               .steps = 1,
                               .brief = true };
    if (replay_program(&run, strcmp(j->parameters, KERNELS) == 0, &result, err) != 0)
        return -1;
    mpq_set(r->predicted, result.seconds_per_step);
    measured_kernel_estimate(r->estimate, &result);
    validate_scale(r->predicted, r->unit);
    validate_scale(r->estimate, r->unit);
    validate_note_kinds(r, &result);
    run_result_free(&result);
    return 0;
}
