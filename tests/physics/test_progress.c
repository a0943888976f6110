/* Long work tells how far it is, within a step too, and is the same whether anybody is told. */
#include <criterion/criterion.h>
#include <string.h>

#include "study/network/hbm_study.h"
#include "study/network/traffic.h"
#include "study/op/op.h"

struct told {
    uint64_t n, done, all, halfway; /* halfway: in the middle of the work, not between steps */
    char what[64];
    bool back; /* it went backwards */
};

static void hear_progress(void *self, const char *what, uint64_t done, uint64_t all)
{
    struct told *t = self;

    t->back |= t->n > 0 && done < t->done;
    t->n++;
    t->halfway += done > all / 4 && done < all - all / 4 && done != all / 2;
    t->done = done;
    t->all = all;
    snprintf(t->what, sizeof t->what, "%s", what);
}

Test(progress, within_a_step)
{
    static const char *const arg[] = { "m=128", "n=128", "k=4000000" };
    struct told told = { 0 };
    struct op_request q = {
        .kind = "matmul", .arg = arg, .n_args = 3, .run = { .machine = "tpu-v3-1", .exact = true }
    };
    struct run_result quiet, loud;
    struct err e;

    cr_assert_eq(op_run(&q, &quiet, &e), 0, "%s", e.msg);
    q.run.progress = hear_progress;
    q.run.progress_self = &told;
    cr_assert_eq(op_run(&q, &loud, &e), 0, "%s", e.msg);
    cr_expect_gt(told.n, 1, "told %lu times", told.n);
    cr_expect_str_eq(told.what, "replay");
    cr_expect_not(told.back);
    cr_expect_gt(told.halfway, 0, "nothing is told between a quarter and three quarters");
    cr_expect_eq(told.done, told.all); /* at the end */
    cr_expect_eq(quiet.cycles_per_step, loud.cycles_per_step);
    cr_expect_eq(quiet.events, loud.events);
    run_result_free(&quiet);
    run_result_free(&loud);
}

/* Work that is all told of when a step of this line has been replayed once. */
static uint64_t all_of(const char *line)
{
    struct told told = { 0 };
    char text[128];
    struct run_result r;
    struct err e;
    struct run_request q = { .trace = "t",
                             .text = text,
                             .machine = "tpu-v2-8",
                             .steps = 1,
                             .progress = hear_progress,
                             .progress_self = &told };

    q.text_size = (size_t)snprintf(text, sizeof text, "cyclotron-trace 1\nstep {\n%s\n}\n", line);
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    run_result_free(&r);
    return told.all;
}

/* One step warms up and one counts; of updates that may be 2 stale 2 (2 + 1) warm up. */
Test(progress, counts_the_steps_that_warm_up)
{
    uint64_t two = all_of("host() time=\"1 ms\" client=1");

    cr_expect_eq(all_of("host() time=\"1 ms\" client=1 staleness=2") * 2, two * 7);
}

struct patience {
    uint64_t asked, most;
};

static int stop_later(void *self)
{
    struct patience *p = self;

    return p->asked++ == p->most;
}

/* Whenever it is stopped: while it warms up, in a step, before and in one that runs between others.
 */
Test(progress, a_replay_that_is_stopped_says_so)
{
    static const char text[] = "cyclotron-trace 1\ntensor %a bf16[128,600000] input\n"
                               "tensor %b bf16[600000,128] input\n"
                               "step {\n%c f32[128,128] = matmul(%a, %b)\n}\n"
                               "step every=2 {\n%d f32[128,128] = matmul(%a, %b)\n}\n";
    struct patience p = { 0 };
    struct run_result r;
    struct err e;
    int rc = -1;
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v2-1",
                             .steps = 1,
                             .exact = true,
                             .stop = stop_later,
                             .stop_self = &p };

    for (; rc != 0 && p.most < 1000; p.most++) {
        p.asked = 0;
        rc = run_replay(&q, &r, &e);
        cr_assert(rc == 0 || (rc == -1 && e.code == ERR_STOPPED), "%d after %lu", rc, p.most);
    }
    cr_expect_gt(p.most, 4, "asked %lu times", p.most);
    cr_expect_eq(rc, 0);
    run_result_free(&r);
}

/* Two operations are two grid steps or more: more than one is allowed, or than eight on eight
 * cores. */
Test(progress, a_replay_that_is_refused_says_so)
{
    static const char text[] = "cyclotron-trace 1\ntensor %a f32[8,8] input\n"
                               "step {\n%c f32[8,8] = matmul(%a, %a)\n"
                               "%d f32[8,8] = matmul(%c, %a)\n}\n";
    struct run_result r;
    struct err e;
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v2-8",
                             .steps = 1,
                             .exact = true,
                             .allow.grid_steps = 1 };

    cr_expect_eq(run_replay(&q, &r, &e), -1);
    cr_expect_eq(e.code, ERR_FIT);
    q.allow.grid_steps = 8;
    cr_expect_eq(run_replay(&q, &r, &e), -1);
    cr_expect_eq(e.code, ERR_FIT);
    q.exact = false;
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    run_result_free(&r);
}

Test(progress, of_random_accesses_to_hbm)
{
    static const char *const arg[] = { "pattern=random", "bytes=64MB" };
    struct told told = { 0 };
    struct hbm_study_request q = { .machine = "tpu-v3-1", .arg = arg, .n_args = 2, .exact = true };
    struct hbm_study_result quiet, loud;
    struct err e;

    cr_assert_eq(hbm_study_run(&q, &quiet, &e), 0, "%s", e.msg);
    q.progress = hear_progress;
    q.progress_self = &told;
    cr_assert_eq(hbm_study_run(&q, &loud, &e), 0, "%s", e.msg);
    cr_expect_gt(told.n, 1);
    cr_expect_not(told.back);
    cr_expect_eq(told.all, loud.accesses);
    cr_expect_leq(told.done, told.all);
    cr_expect_eq(quiet.cycles, loud.cycles);
    cr_expect_eq(quiet.activates, loud.activates);
    hbm_study_free(&quiet);
    hbm_study_free(&loud);
}

Test(progress, of_a_network)
{
    static const char *const arg[] = { "topology=twisted", "radix=4x4x8", "cycles=1500",
                                       "warmup=500", "rate=0.1" };
    struct told told = { 0 };
    struct traffic_request q = {
        .arg = arg, .n_args = 5, .progress = hear_progress, .progress_self = &told
    };
    struct traffic_result r;
    struct err e;

    cr_assert_eq(traffic_run(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_geq(told.n, 7, "2,000 cycles, told each 256");
    cr_expect_str_eq(told.what, "cycle");
    cr_expect_eq(told.all, 2000);
    cr_expect_not(told.back);
}
