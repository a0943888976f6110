#include "study/validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads/work_pool.h"
#include "machine/spec/catalog.h"
#include "study/validate/validate_job.h"
#include "study/validate/validate_runs.h"

static bool is_wanted(const struct validate_row *r, const char *only)
{
    return !only || strcasestr(r->class, only) || (r->within && strcasestr(r->within, only));
}

struct validation {
    const struct validate_plan *plan;
    const struct validate_request *q;
    struct validate_runs *runs;
};

/* Runs of several jobs come first, so that no thread waits for one at the end. */
static void run_piece(void *self, size_t i)
{
    const struct validation *v = self;
    size_t shared = validate_runs_shared(v->runs);

    if (i < shared)
        validate_runs_do(v->runs, i);
    else
        validate_run_job(v->plan, &v->plan->job[i - shared], v->q, v->runs);
}

/* Results go to the rows of the job, so rows keep the order of the tables. */
static void run_all(const struct validate_plan *p, const struct validate_request *q)
{
    struct validation v = { p, q, validate_runs_new(p, q) };
    const struct work_pool pool = { .jobs = q->jobs,
                                    .n = validate_runs_shared(v.runs) + p->n_jobs,
                                    .work = run_piece,
                                    .self = &v,
                                    .progress = q->progress,
                                    .progress_self = q->progress_self,
                                    .what = "runs" };

    work_pool_run(&pool);
    validate_runs_free(v.runs);
}

/* Drop the jobs all of whose rows are not wanted. */
static void select_rows(struct validate_plan *p, const char *only)
{
    size_t jobs = 0;

    for (size_t i = 0; i < p->n_jobs; i++) {
        const struct validate_job *j = &p->job[i];
        bool any =
            j->kind == VALIDATE_FC_STEP && strcasestr(VALIDATE_FC_STEP_CLASSES, only ? only : "");
        for (size_t r = j->first; r < j->first + j->n && !any; r++)
            any = is_wanted(&p->v->row[r], only);
        if (any) {
            struct validate_job kept = p->job[jobs];
            p->job[jobs++] = p->job[i];
            p->job[i] = kept;
        }
    }
    validate_drop_jobs(p, jobs);
}

static void free_row(struct validate_row *r)
{
    free(r->machine);
    free(r->what);
    free(r->metric);
    free(r->unit);
    free(r->source);
    free(r->note);
    free(r->workload);
    free(r->parameters);
    free(r->kinds);
    free(r->claim);
    free(r->relation);
    free(r->answer);
    mpq_clears(r->measured, r->predicted, r->error, r->tolerance, r->estimate, r->added, NULL);
}

static void drop_rows(struct validate_result *v, const char *only)
{
    size_t n = 0;

    for (size_t i = 0; i < v->n_rows; i++)
        if (is_wanted(&v->row[i], only))
            v->row[n++] = v->row[i];
        else
            free_row(&v->row[i]);
    v->n_rows = n;
}

static bool has_rows(const struct validate_result *v, const char *only)
{
    for (size_t i = 0; i < v->n_rows; i++)
        if (is_wanted(&v->row[i], only))
            return true;
    return false;
}

/* List the names of classes up to a comma, each once. */
static int refuse_class(const struct validate_result *v, const char *only, struct err *err)
{
    const char *class[32];
    char all[384] = "";
    size_t n = 0, k;

    for (size_t i = 0; i < v->n_rows && n < sizeof class / sizeof *class; i++) {
        const char *name = v->row[i].class;
        size_t length = strcspn(name, ",") + 1;
        for (k = 0; k < n && strncmp(class[k], name, length) != 0;)
            k++;
        if (k == n)
            class[n++] = name;
    }
    for (size_t i = 0, at = 0; i < n && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%.*s", i ? ", " : "",
                               (int)strcspn(class[i], ","), class[i]);
    return err_set(err, ERR_UNKNOWN, "no class of figures has '%.64s' in its name; there are %s",
                   only, all);
}

/* Settings that some machines refuse make their rows fail; those that all refuse are a mistake. */
static int check_settings(const struct validate_plan *p, const struct validate_request *q,
                          struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < p->n_jobs && q->n_set > 0; i++) {
        struct machine_spec *m;
        struct err other;

        if (i > 0 && strcmp(p->job[i].machine, p->job[i - 1].machine) == 0)
            continue;
        if (spec_load(&m, p->job[i].machine, q->set, q->n_set, rc == 0 ? err : &other) == 0) {
            spec_free(m);
            return 0;
        }
        rc = -1;
    }
    return rc;
}

int validate_run(const struct validate_request *q, struct validate_result *v, struct err *err)
{
    struct validate_plan p = { .v = v };

    BUG_ON(q->jobs == 0);
    *v = (struct validate_result){ 0 };
    int rc = validate_read(&p, err);
    if (rc == 0)
        validate_load_chips(&p, q);
    select_rows(&p, q->only);
    if (rc == 0)
        rc = check_settings(&p, q, err);
    if (rc == 0) {
        run_all(&p, q);
        validate_mark_floors(v);
        if (has_rows(v, q->only))
            drop_rows(v, q->only);
        else
            rc = refuse_class(v, q->only, err);
    }
    if (rc == 0)
        validate_sum(v);
    validate_plan_free(&p);
    if (rc != 0)
        validate_result_free(v);
    return rc;
}

void validate_result_free(struct validate_result *v)
{
    for (size_t i = 0; i < v->n_rows; i++)
        free_row(&v->row[i]);
    for (size_t i = 0; i < v->n_classes; i++)
        mpq_clears(v->class[i].median, v->class[i].mean, v->class[i].worst, v->class[i].bias, NULL);
    for (size_t i = 0; i < v->n_names; i++)
        free(v->name[i]);
    free(v->row);
    free(v->class);
    free(v->name);
    *v = (struct validate_result){ 0 };
}
