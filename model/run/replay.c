#include "base/units.h"
#include "run/job/job.h"
#include "run/moments.h"
#include "run/result/evidence.h"
#include "run/result/expected.h"

/* Tell that `done` of all steps are behind, those that warm up included. */
static void tell_steps(struct job *j, uint64_t done, uint64_t all)
{
    j->told = (struct progress_part){ j->q->progress, j->q->progress_self, "replay", done, all };
    if (j->q->progress && all > 0)
        j->q->progress(j->q->progress_self, "replay", done * PROGRESS_PART, all * PROGRESS_PART);
}

static bool is_stopped(const struct job *j)
{
    return j->q->stop && j->q->stop(j->q->stop_self) != 0;
}

/* Tell how far the step under way is, and whether it shall end. */
static int tell_position(void *self, uint64_t passed, uint64_t all)
{
    struct job *j = self;

    progress_part(&j->told, "replay", passed, all);
    return is_stopped(j);
}

static int begin_step(struct job *j, uint64_t done, uint64_t all, struct err *err)
{
    tell_steps(j, done, all);
    return is_stopped(j) ? err_set(err, ERR_STOPPED, "%s: the replay was stopped", j->spec->name)
                         : 0;
}

/* The i-th step of those that always run, starting again after the last. */
static struct job_step *ordinary_step(struct job *j, uint64_t i)
{
    size_t at = 0;

    for (i %= j->n_steps - j->n_between;; at++)
        if (j->step[at].every == 0 && i-- == 0)
            return &j->step[at];
}

/* The next of the steps that run between the others, from `*at` on; NULL: none. */
static struct job_step *next_between(struct job *j, size_t *at)
{
    while (*at < j->n_steps)
        if (j->step[(*at)++].every > 0)
            return &j->step[*at - 1];
    return NULL;
}

/* The program of a step; NULL of no step. */
static const struct task_program *program_of(const struct job_step *s)
{
    return s ? &s->program : NULL;
}

/* Let the observers subscribe to what a machine shows. */
struct audience {
    struct job *job;
    int rc;
    struct err *err;
};

static void attach_observers(void *self, struct des *sim)
{
    struct audience *a = self;
    const struct run_request *q = a->job->q;

    des_texts(sim, a->job->text, a->job->n_text);
    for (size_t i = 0; i < q->n_observers && a->rc == 0; i++)
        a->rc = q->observer[i].attach(q->observer[i].self, sim, a->err);
}

/* `warm_fs` is the time of the steps that warmed up, or of a step. */
static int begin_measuring(const struct run_request *q, struct machine *m, uint64_t warm_fs,
                           struct err *err)
{
    machine_reset(m);
    for (size_t i = 0; i < q->n_observers; i++)
        if (q->observer[i].begin(q->observer[i].self, machine_sim(m), warm_fs, q->steps, err) != 0)
            return -1;
    return 0;
}

static void end_measuring(struct job *j, struct machine *m)
{
    const struct run_request *q = j->q;

    if (j->unwatched)
        return;
    j->unwatched = true;
    for (size_t i = 0; i < q->n_observers; i++)
        q->observer[i].end(q->observer[i].self, machine_sim(m));
}

/* Steps until the run is in a steady state.  One step fills the input queues; a compiled program
 * that exchanges nothing with the host begins as it goes on.  Calls of a parameter server that may
 * be s updates stale pile up for s more steps, and it takes s + 1 again until the calls that queued
 * behind others are served. */
static uint64_t warm_up(const struct job *j)
{
    bool fills = !job_is_unfed(j) || j->q->alone;
    uint32_t most = 0;

    for (size_t i = 0; i < j->n_steps; i++)
        for (uint32_t k = 0; k < j->step[i].program.n_tasks; k++) {
            const struct task *t = &j->step[i].program.task[k];
            most = t->kind == TASK_HOST && t->host.staleness > most ? t->host.staleness : most;
        }
    return most ? 2 * ((uint64_t)most + 1) : fills;
}

/* Observers have to know how long a step takes before it begins: where nothing warms up, one is run
 * on a machine of its own, so that they do not change what they see. */
static bool needs_rehearsal(const struct job *j)
{
    return warm_up(j) == 0 && j->q->n_observers > 0;
}

static int stop_rehearsal(void *self, uint64_t passed, uint64_t all)
{
    (void)passed, (void)all;
    return is_stopped(self);
}

static int rehearse_step(struct job *j, enum images_part what, uint64_t *fs, struct err *err)
{
    struct job_step *s = ordinary_step(j, 0);
    struct machine *m = what ? machine_new_alike(&j->running, what, NULL, NULL)
                             : machine_new_watched(&j->running, j->q->exact, NULL, NULL);
    if (j->q->stop)
        machine_tells(m, stop_rehearsal, j);
    int rc = machine_step(m, &s->program, NULL, err);

    *fs = machine_now(m);
    machine_free(m);
    return rc;
}

/* Steps that are simulated in all. */
static uint64_t count_runs(const struct job *j)
{
    return warm_up(j) + j->q->steps + j->n_between;
}

/* Measure the step of a lone kernel.  Observers see the first of its runs. */
static int run_moments(struct job *j, struct machine *m, struct job_figures *f,
                       struct run_result *r, struct err *err)
{
    uint64_t fs;

    if (moments_run(j, m, end_measuring, &fs, r, err) != 0)
        return -1;
    job_collect(j, f, m, fs, r->moments.n, 0, r);
    return 0;
}

/* One step; `ahead`: the next one, or NULL. */
static int run_step(const struct job *j, struct machine *m, const struct job_step *s,
                    const struct job_step *ahead, struct err *err)
{
    return j->cut ? machine_step_turns(m, &s->turns.machine, err)
                  : machine_step(m, &s->program, program_of(ahead), err);
}

/* Run the steps that warm up, which are not measured; then the steps of the trace, in order and
 * from the start again as often as asked.  `step_fs` is for observers where nothing warms up. */
static int run_steps(struct job *j, struct machine *m, uint64_t step_fs, struct job_figures *f,
                     struct run_result *r, struct err *err)
{
    const struct run_request *q = j->q;
    uint64_t begin = 0, warm = warm_up(j);

    if (warm == 0 && begin_measuring(q, m, step_fs, err) != 0)
        return -1;
    for (uint64_t i = 0; i < warm + q->steps; i++) {
        struct job_step *s = ordinary_step(j, i < warm ? 0 : i - warm);
        /* training goes on after the last measured step, so its hosts prepare the next one too */
        if (begin_step(j, i, count_runs(j), err) != 0 ||
            run_step(j, m, s, ordinary_step(j, i < warm ? 0 : i - warm + 1), err) != 0)
            return -1;
        if (i + 1 < warm)
            continue;
        if (i + 1 == warm) {
            begin = machine_now(m);
            if (begin_measuring(q, m, begin, err) != 0)
                return -1;
            if (moments_matter(j, m, begin))
                return run_moments(j, m, f, r, err);
        } else {
            s->measured++;
        }
    }
    job_collect(j, f, m, machine_now(m) - begin, q->steps, 0, r);
    return 0;
}

/* Run each step that comes between the others once.  Its input was prepared during the step before
 * it, which is not measured. */
static int run_between(struct job *j, struct machine *m, struct job_figures *f,
                       struct run_result *r, struct err *err)
{
    const struct run_request *q = j->q;
    uint64_t done = warm_up(j) + q->steps;
    size_t at = 0;
    struct job_step *s = next_between(j, &at);

    if (s && run_step(j, m, ordinary_step(j, q->steps), s, err) != 0)
        return -1;
    while (s) {
        struct job_step *next = next_between(j, &at);
        if (begin_step(j, done++, count_runs(j), err) != 0)
            return -1;
        machine_reset(m);
        uint64_t begin = machine_now(m);
        if (run_step(j, m, s, next, err) != 0)
            return -1;
        s->measured = 1;
        job_collect(j, f, m, machine_now(m) - begin, 1, s->every, r);
        s->measured = 0; /* others may run as often */
        s = next;
    }
    return 0;
}

enum images_part job_images(const struct job *j)
{
    uint32_t can = IMAGES_ONE | IMAGES_MIRRORED;

    for (size_t i = 0; i < j->q->n_observers; i++)
        can = j->q->observer[i].one_chip ? can : IMAGES_WHOLE;
    for (size_t i = 0; i < j->n_steps; i++)
        can &= machine_alike(j->spec, &j->step[i].program);
    if (j->q->exact)
        return IMAGES_WHOLE;
    return can & IMAGES_ONE ? IMAGES_ONE : can & IMAGES_MIRRORED ? IMAGES_MIRRORED : IMAGES_WHOLE;
}

/* May several threads simulate the machine, of which all chips are? */
static bool is_divisible(const struct job *j)
{
    if (j->q->threads <= 1 || j->q->n_observers || j->q->alone)
        return false;
    for (size_t i = 0; i < j->n_steps; i++)
        if (!machine_divides(j->spec, &j->step[i].program))
            return false;
    return true;
}

static struct machine *make_machine(const struct job *j, enum images_part what, struct audience *a)
{
    if (what)
        return machine_new_alike(&j->running, what, attach_observers, a);
    if (is_divisible(j))
        return machine_new_divided(&j->running, j->q->exact, j->q->threads);
    return machine_new_watched(&j->running, j->q->exact, attach_observers, a);
}

/* Find what was measured that is like this replay, and the error that follows. */
static int find_measured(struct run_result *r, struct err *err)
{
    int rc = evidence_find(r, evidence_table(), err);

    return rc == 0 ? expected_find(r, expected_table(), err) : rc;
}

/* True if groups or pairs are listed one by one, so that chips differ. */
static bool has_lists(const struct job *j)
{
    for (size_t i = 0; i < j->n_steps; i++)
        for (uint32_t k = 0; k < j->step[i].program.n_calls; k++)
            if (j->step[i].program.call[k].schedule.list)
                return true;
    return false;
}

/* Open the job of `q`, cut to what can be simulated; 1, with the job open: it is too much. */
static int open_job(struct job *j, const struct run_request *q, enum images_part *what,
                    struct err *err)
{
    if (job_open(j, q, err) != 0)
        return -1;
    *what = job_images(j);
    job_cut_turns(j, machine_cores(j->spec, *what));
    return job_check_work(j, machine_cores(j->spec, *what), err) != 0;
}

int run_replay(const struct run_request *q, struct run_result *r, struct err *err)
{
    struct run_request even = *q;
    enum images_part what;
    struct job_figures f;
    struct job j;

    BUG_ON(q->steps == 0);
    int opened = open_job(&j, q, &what, err);
    if (opened > 0 && !q->exact && !q->even_pairs && has_lists(&j)) {
        even.even_pairs = true;
        job_close(&j);
        opened = open_job(&j, &even, &what, err);
    }
    if (opened > 0)
        job_close(&j);
    if (opened != 0)
        return -1;
    uint64_t step_fs = 0;
    if (needs_rehearsal(&j) && rehearse_step(&j, what, &step_fs, err) != 0) {
        job_close(&j);
        return -1;
    }
    struct audience a = { .job = &j, .err = err };
    struct machine *m = make_machine(&j, what, &a);
    if (q->progress || q->stop)
        machine_tells(m, tell_position, &j);
    job_collect_begin(&j, &f, r);
    int rc = a.rc == 0 ? run_steps(&j, m, step_fs, &f, r, err) : -1;
    end_measuring(&j, m);
    if (rc == 0)
        rc = run_between(&j, m, &f, r, err);
    if (rc == 0 && mpq_sgn(r->seconds_per_step) == 0)
        rc = err_set(err, ERR_RANGE, "%s: a step takes no time at all on %s", q->trace, q->machine);
    if (rc == 0) {
        tell_steps(&j, count_runs(&j), count_runs(&j));
        job_collect_end(&j, &f, m, q->steps, r);
        rc = q->brief ? 0 : find_measured(r, err);
        if (rc != 0)
            run_result_free(r);
    } else {
        job_collect_drop(&f, r);
    }
    machine_free(m);
    job_close(&j);
    return rc;
}
