/* Runs that several rows of a validation need. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/threads/work_pool.h"
#include "study/validate/validate_runs.h"
#include "traces/gen.h"

/* Texts of workloads are written once for each run. */
static unsigned written;

static int count_text(const char *name, const char *const *set, size_t n_set, FILE *out,
                      struct err *err)
{
    __atomic_add_fetch(&written, 1, __ATOMIC_SEQ_CST);
    return gen_write(name, set, n_set, out, err);
}

#define SMALL (char *)"layers=1 width=128 batch=256"
#define OTHER (char *)"layers=1 width=128 batch=512"

static struct validate_job job[] = {
    { .kind = VALIDATE_WORKLOAD,
      .machine = (char *)"tpu-v2-8",
      .workload = (char *)"fc",
      .parameters = SMALL,
      .base = (char *)"" },
    { .kind = VALIDATE_CLAIMS,
      .machine = (char *)"tpu-v3-8",
      .workload = (char *)"fc",
      .parameters = SMALL,
      .base = (char *)"tpu-v2-8 fc layers=1 width=128 batch=256" },
    { .kind = VALIDATE_FC_STEP,
      .machine = (char *)"tpu-v2-8",
      .workload = (char *)"fc",
      .parameters = SMALL,
      .base = (char *)"" },
    /* hosts that are never late: another run */
    { .kind = VALIDATE_FC_DEVICE,
      .machine = (char *)"tpu-v2-8",
      .workload = (char *)"fc",
      .parameters = SMALL,
      .base = (char *)"" },
    { .kind = VALIDATE_WORKLOAD,
      .machine = (char *)"tpu-v2-8",
      .workload = (char *)"fc",
      .parameters = OTHER,
      .base = (char *)"" },
};
enum { N_JOBS = sizeof job / sizeof *job, N_RUNS = N_JOBS + 1 };

static const struct validate_plan plan = { .job = job, .n_jobs = N_JOBS };
static const struct validate_request request = { .generate = count_text, .jobs = 1 };

/* Each job takes its runs, the second one of a claim too, and notes how long their steps take. */
struct takers {
    struct validate_runs *runs;
    double seconds[N_RUNS];
};

static double take_run(struct validate_runs *runs, const struct validate_case *r)
{
    struct validate_taken t;
    struct err err;

    cr_assert_eq(validate_runs_take(runs, r, &t, &err), 0, "%s", err.msg);
    double seconds = mpq_get_d(t.result->seconds_per_step);
    validate_runs_leave(runs, &t);
    return seconds;
}

static void take_job(void *self, size_t i)
{
    struct takers *t = self;
    char text[PUBLISHED_FIELD];
    struct validate_case r = validate_runs_case(&job[i]);

    t->seconds[i] = take_run(t->runs, &r);
    if (*job[i].base) {
        r = validate_runs_base(&job[i], text);
        t->seconds[N_JOBS] = take_run(t->runs, &r);
    }
}

static void take_all(struct takers *t, unsigned threads)
{
    *t = (struct takers){ .runs = validate_runs_new(&plan, &request) };
    written = 0;
    work_pool_run(&(struct work_pool){
        .jobs = threads, .n = N_JOBS, .work = take_job, .self = t, .what = "" });
    validate_runs_free(t->runs);
}

/* Three jobs need the step of v2-8: it is written and run once, and so are the three others. */
Test(validate_runs, several_jobs_share_a_run)
{
    struct validate_runs *runs = validate_runs_new(&plan, &request);
    struct takers t;

    cr_expect_eq(validate_runs_shared(runs), 1);
    validate_runs_free(runs);
    take_all(&t, 1);
    cr_expect_eq(written, 4, "%u", written);
    cr_expect_eq(t.seconds[0], t.seconds[2]);
    cr_expect_eq(t.seconds[0], t.seconds[N_JOBS]);
    cr_expect_neq(t.seconds[0], t.seconds[1]);
    cr_expect_neq(t.seconds[0], t.seconds[4]);
}

/* Threads that need a run at once wait for the one that does it. */
Test(validate_runs, threads_share_a_run)
{
    struct takers one, four;

    take_all(&one, 1);
    take_all(&four, 4);
    cr_expect_eq(written, 4, "%u", written);
    cr_expect_arr_eq(one.seconds, four.seconds, sizeof one.seconds);
}

/* A run that fails fails for each of its jobs, with one message. */
Test(validate_runs, a_shared_failure_is_told_to_all)
{
    struct validate_job wrong[] = { job[0], job[0] };
    const struct validate_plan p = { .job = wrong, .n_jobs = 2 };
    struct validate_taken t;
    struct err err;

    wrong[0].parameters = wrong[1].parameters = (char *)"layers=none";
    struct validate_runs *runs = validate_runs_new(&p, &request);
    struct validate_case r = validate_runs_case(&wrong[0]);
    for (int i = 0; i < 2; i++) {
        memset(&err, 0, sizeof err);
        cr_assert_neq(validate_runs_take(runs, &r, &t, &err), 0);
        cr_expect(strstr(err.msg, "layers"), "%s", err.msg);
    }
    validate_runs_free(runs);
}
