#include "run/job.h"

static void progress(const struct run_request *q, uint64_t done, uint64_t all)
{
    if (q->progress)
        q->progress(q->progress_self, "step", done, all);
}

/* One step fills the input queues and is not measured; then the steps of the trace, in order and
 * from the start again as often as asked. */
int run_replay(const struct run_request *q, struct run_result *r, struct err *err)
{
    struct job j;

    BUG_ON(q->steps == 0);
    if (job_open(&j, q, err) != 0)
        return -1;
    struct machine *m = machine_new(j.spec, q->exact);
    uint64_t begin = 0;
    int rc = 0;
    for (uint64_t i = 0; i <= q->steps; i++) {
        struct job_step *s = &j.step[i ? (i - 1) % j.n_steps : 0];
        /* training goes on after the last measured step, so its hosts prepare the next one too */
        struct job_step *ahead = &j.step[i % j.n_steps];
        progress(q, i, q->steps + 1);
        rc = machine_step(m, &s->program, &ahead->program, err);
        if (rc != 0)
            break;
        if (i == 0) {
            machine_reset(m);
            begin = machine_now(m);
        } else {
            s->measured++;
        }
    }
    if (rc == 0 && machine_now(m) == begin)
        rc = err_set(err, ERR_RANGE, "%s: a step takes no time at all on %s", q->trace, q->machine);
    if (rc == 0) {
        progress(q, q->steps + 1, q->steps + 1);
        job_collect(&j, m, machine_now(m) - begin, q->steps, r);
    }
    machine_free(m);
    job_close(&j);
    return rc;
}
