/* The program counter of a core: loops and stages. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "task/task_cursor.h"

/* The indices of the tasks in the order in which a core of `stage` runs them, as text. */
static const char *walk_program(struct task *task, uint32_t n, uint32_t stages, uint32_t stage)
{
    static char text[256];
    const struct task_program p = { .task = task, .n_tasks = n, .stages = stages };
    struct task_cursor c = { .program = &p, .stage = stage };
    size_t at = 0;

    text[0] = '\0';
    task_cursor_begin(&c);
    while (task_cursor_next(&c)) {
        cr_assert_eq(c.task, &task[c.pc]);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", at ? " " : "", c.pc);
    }
    cr_assert_eq(c.depth, 0);
    return text;
}

Test(task_cursor, unrolls_loops_in_loops)
{
    struct task t[] = {
        { .kind = TASK_KERNEL },                  /* 0 */
        { .kind = TASK_REPEAT, .loop.trips = 2 }, /* 1 */
        { .kind = TASK_INFEED },                  /* 2 */
        { .kind = TASK_REPEAT, .loop.trips = 3 }, /* 3 */
        { .kind = TASK_KERNEL },                  /* 4 */
        { .kind = TASK_END, .loop.begin = 3 },    /* 5 */
        { .kind = TASK_END, .loop.begin = 1 },    /* 6 */
        { .kind = TASK_REPEAT, .loop.trips = 1 }, /* 7 */
        { .kind = TASK_HOST },                    /* 8 */
        { .kind = TASK_END, .loop.begin = 7 },    /* 9 */
    };

    cr_expect_str_eq(walk_program(t, sizeof t / sizeof *t, 1, 0), "0 2 4 4 4 2 4 4 4 8");
}

Test(task_cursor, passes_over_tasks_of_other_stages)
{
    struct task t[] = {
        { .kind = TASK_INFEED, .stage = 0 },
        { .kind = TASK_REPEAT, .loop.trips = 2, .stage = TASK_ALL_STAGES },
        { .kind = TASK_KERNEL, .stage = 0 },
        { .kind = TASK_KERNEL, .stage = 1 },
        { .kind = TASK_COLLECTIVE, .stage = TASK_ALL_STAGES },
        { .kind = TASK_END, .loop.begin = 1, .stage = TASK_ALL_STAGES },
    };
    uint32_t n = sizeof t / sizeof *t;

    cr_expect_str_eq(walk_program(t, n, 2, 0), "0 2 4 2 4");
    cr_expect_str_eq(walk_program(t, n, 2, 1), "3 4 3 4");
    /* a program without stages is one of all cores */
    cr_expect_str_eq(walk_program(t, n, 1, 1), "0 2 3 4 2 3 4");
}

Test(task_cursor, begins_again_after_the_end)
{
    struct task t = { .kind = TASK_KERNEL };
    const struct task_program p = { .task = &t, .n_tasks = 1 };
    struct task_cursor c = { .program = &p };

    for (int step = 0; step < 2; step++) {
        task_cursor_begin(&c);
        cr_expect(task_cursor_next(&c));
        cr_expect_not(task_cursor_next(&c));
    }
}

Test(task_cursor, counts_grid_steps_that_it_has_passed)
{
    struct task t[] = {
        { .kind = TASK_KERNEL, .kernel.grid_steps = 5 },
        { .kind = TASK_REPEAT, .loop.trips = 2, .stage = TASK_ALL_STAGES },
        { .kind = TASK_INFEED, .stage = TASK_ALL_STAGES },
        { .kind = TASK_REPEAT, .loop.trips = 3, .stage = TASK_ALL_STAGES },
        { .kind = TASK_KERNEL, .kernel.grid_steps = 7, .stage = 1 },
        { .kind = TASK_END, .loop.begin = 3, .stage = TASK_ALL_STAGES },
        { .kind = TASK_END, .loop.begin = 1, .stage = TASK_ALL_STAGES },
    };
    const struct task_program p = { .task = t, .n_tasks = sizeof t / sizeof *t, .stages = 1 };
    const struct task_program staged = { .task = t, .n_tasks = p.n_tasks, .stages = 2 };
    static const uint64_t passed[] = { 0, 5, 6, 13, 20, 27, 28, 35, 42 }; /* before each task */
    struct task_cursor c = { .program = &p };
    size_t i = 0;

    task_cursor_begin(&c);
    for (; task_cursor_next(&c); i++)
        cr_expect_eq(c.passed, passed[i], "task %zu: %lu", i, c.passed);
    cr_expect_eq(i, sizeof passed / sizeof *passed);
    cr_expect_eq(c.passed, 49);
    cr_expect_eq(task_cursor_length(&c), 49);

    c = (struct task_cursor){ .program = &staged, .stage = 1 }; /* without the first task */
    cr_expect_eq(task_cursor_length(&c), 2 * (1 + 3 * 7));
    c.stage = 0;
    cr_expect_eq(task_cursor_length(&c), 5 + 2);
}
