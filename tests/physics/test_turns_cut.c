/* Steps of which only some turns of loops run: times, books and counters are those of all turns. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "run/job/turns.h"

enum { ROWS = 5 };

static struct task kernel_task(uint32_t row, uint64_t steps, uint64_t in, uint64_t k)
{
    struct task t = { .kind = TASK_KERNEL,
                      .row = row,
                      .kernel = { .grid_steps = steps,
                                  .streamed = 2,
                                  .stationary = 2,
                                  .parts = { 1, 1, 1, 1 },
                                  .all.in.bytes = in,
                                  .all.out.bytes = in / 3 } };

    t.kernel.all.vpu[VECTOR_ADD] = steps * 70;
    t.kernel.all.loads = steps * 50;
    if (k) {
        t.kernel.all.gemm = (struct task_gemm){ 1, 256 * steps, k, 256, 256 * steps * k * 256 };
        t.kernel.block = (struct task_block){ 1, 256, 256, k, true };
    }
    return t;
}

struct sums {
    uint64_t x[4096];
    size_t n;
};

static void add_table(void *self, const char *path, const struct stat_table *t,
                      const void *counters, uint64_t times)
{
    struct sums *s = self;

    (void)path, (void)times;
    cr_assert_leq(s->n + t->size / 8, 4096);
    memcpy(s->x + s->n, counters, t->size);
    s->n += t->size / 8;
}

/* Turns meet few refreshes here, and each of them counts for thirty. */
static void expect_near(uint64_t x, uint64_t y, uint64_t off, const char *what)
{
    uint64_t d = x > y ? x - y : y - x;

    cr_expect_leq(d, off, "%s: %lu, all turns %lu", what, x, y);
}

/* Two steps of a program by `cut`, and by all turns. */
static void expect_same_step(const char *name)
{
    struct task task[] = { kernel_task(0, 9, 900000, 0),
                           { .kind = TASK_REPEAT, .loop.trips = 300 },
                           kernel_task(1, 5, 400000, 0),
                           kernel_task(2, 7, 100000, 300),
                           { .kind = TASK_SCALAR, .row = 3, .scalar.cycles = 700 },
                           { .kind = TASK_END, .loop.begin = 1 },
                           kernel_task(4, 2, 70000, 128) };
    struct task_program p = { .task = task, .n_tasks = 7, .n_rows = ROWS };
    uint64_t work[] = { 9, 0, 5, 7, 1, 0, 2 };
    struct machine_spec *spec;
    struct turns t;
    struct err e;
    static struct sums cut, all;

    cr_assert_eq(spec_load(&spec, name, NULL, 0, &e), 0, "%s", e.msg);
    turns_plan(&t, &p, work, 900);
    cr_assert_not_null(t.machine.once);
    struct machine *m = machine_new(spec, false), *whole = machine_new(spec, false);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(machine_step_turns(m, &t.machine, &e), 0, "%s", e.msg);
        cr_assert_eq(machine_step(whole, &p, NULL, &e), 0, "%s", e.msg);
    }
    uint64_t step = machine_now(whole);
    expect_near(machine_now(m), step, step / 100, "time");
    for (uint32_t c = 0; c < spec->slice.cores; c++) {
        uint64_t sum = 0;
        for (uint32_t r = 0; r < ROWS; r++)
            for (int k = 0; k < N_CAUSES; k++) {
                uint64_t x = machine_book(m, &p, r, c)->time[k];
                sum += x;
                expect_near(x, machine_book(whole, &p, r, c)->time[k], step / 100, cause_name[k]);
            }
        cr_expect_eq(sum, machine_now(m), "books are the step");
    }
    cut.n = all.n = 0;
    machine_statistics(m, add_table, &cut);
    machine_statistics(whole, add_table, &all);
    cr_assert_eq(cut.n, all.n);
    for (size_t i = 0; i < all.n; i++)
        expect_near(cut.x[i], all.x[i], all.x[i] / 8 + step / 10000000, "counter");
    machine_free(m);
    machine_free(whole);
    turns_free(&t);
    spec_free(spec);
}

Test(turns_cut, a_step_takes_the_time_of_all_turns_on_v2)
{
    expect_same_step("tpu-v2-8");
}

Test(turns_cut, a_step_takes_the_time_of_all_turns_on_v5e)
{
    expect_same_step("tpu-v5e-1");
}

Test(turns_cut, a_step_takes_the_time_of_all_turns_on_v7)
{
    expect_same_step("tpu-v7-2");
}
