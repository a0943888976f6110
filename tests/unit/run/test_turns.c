/* Turns of loops that are simulated, and a step that was run with fewer. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "run/job/turns.h"

#define REPEAT(n)                                                                                  \
    {                                                                                              \
        .kind = TASK_REPEAT, .loop.trips = (n)                                                     \
    }
#define END(at)                                                                                    \
    {                                                                                              \
        .kind = TASK_END, .loop.begin = (at)                                                       \
    }
#define KERNEL(r, steps)                                                                           \
    {                                                                                              \
        .kind = TASK_KERNEL, .row = (r), .kernel.grid_steps = (steps)                              \
    }

static struct turns plan_turns(struct task *task, uint32_t n, uint64_t most)
{
    static struct task_program p;
    uint64_t work[16] = { 0 };
    struct turns t;

    p = (struct task_program){ .task = task, .n_tasks = n, .n_rows = 4 };
    for (uint32_t i = 0; i < n; i++)
        work[i] = task[i].kind == TASK_KERNEL ? task[i].kernel.grid_steps : 0;
    turns_plan(&t, &p, work, most);
    return t;
}

/* 97 = 47 x 2 + 3: runs of 3 and 5 turns, 2 x 5 + 8 x 10 of work; with 24 x 4 + 1 it would be
 * 2 x 5 + (23 x 4 = 92, so 5 and 9 turns) 14 x 10. */
Test(turns, as_many_turns_as_there_is_time_for)
{
    struct task task[] = { KERNEL(0, 5), REPEAT(97), KERNEL(1, 10), END(1), KERNEL(2, 0) };
    struct turns t = plan_turns(task, 5, 100);

    cr_assert_not_null(t.machine.once);
    cr_expect_eq(t.machine.times, 47);
    cr_expect_eq(t.once.task[1].loop.trips, 3);
    cr_expect_eq(t.twice.task[1].loop.trips, 5);
    cr_expect_eq(t.walked, 90);
    cr_expect_not(t.turned[0]);
    cr_expect(t.turned[1]);
    cr_expect_not(t.turned[2]);
    cr_expect_eq(task[1].loop.trips, 97, "the program itself");
    turns_free(&t);
}

Test(turns, a_step_that_is_short_enough_is_run_whole)
{
    struct task task[] = { REPEAT(97), KERNEL(1, 10), END(0) };
    struct turns t = plan_turns(task, 3, 970);

    cr_expect_null(t.machine.once);
    cr_expect_eq(t.walked, 970);
    turns_free(&t);
}

/* The inner loop of 3 x 200 turns inside 3 is cut, and the outer one of 200 x 3. */
Test(turns, the_outermost_long_loop_is_cut)
{
    struct task inner[] = { REPEAT(3), REPEAT(200), KERNEL(1, 10), END(1), END(0) };
    struct turns t = plan_turns(inner, 5, 100);

    cr_expect_eq(t.once.task[0].loop.trips, 3);
    cr_expect_eq(t.once.task[1].loop.trips, 1);
    cr_expect_eq(t.twice.task[1].loop.trips, 2);
    cr_expect_eq(t.machine.times, 199);
    turns_free(&t);
    struct task outer[] = { REPEAT(200), REPEAT(3), KERNEL(1, 10), END(1), END(0) };
    t = plan_turns(outer, 5, 100);
    cr_expect_eq(t.once.task[0].loop.trips, 1);
    cr_expect_eq(t.once.task[1].loop.trips, 3);
    turns_free(&t);
}

/* A loop that is a tenth of the work saves nothing. */
Test(turns, a_step_that_is_no_loop_is_run_whole)
{
    struct task task[] = { KERNEL(0, 9000), REPEAT(100), KERNEL(1, 10), END(1) };
    struct turns t = plan_turns(task, 4, 100);

    cr_expect_null(t.machine.once);
    turns_free(&t);
}

Test(turns, a_program_that_hosts_feed_is_run_whole)
{
    struct task task[] = { { .kind = TASK_INFEED }, REPEAT(100), KERNEL(1, 10), END(1) };
    struct turns t = plan_turns(task, 4, 100);

    cr_expect_null(t.machine.once);
    turns_free(&t);
}
