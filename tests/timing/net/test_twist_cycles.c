/* All-reduce on twisted tori: the cycle it ends on, which is that of the closed form.
 *
 * Worked out outside this program with exact fractions: 721 cycles of 700 MHz, then step after step
 * ceil(bytes / 32) flits at 31,250,000 a second and 1 us.  4 x 4 x 8 has three colours that begin
 * with rings of 8, those along x and y twice round; then lines of 4 twice: of 307,200 B steps
 * carry 6,400 B seven times, 3,200 B and 800 B three times, and back.  On 4 x 8 x 8 what is
 * longest of ring and line counts in each step. */
#include <criterion/criterion.h>

#include "kernels/net/collective.h"
#include "machine/machine.h"
#include "tests/timing/plain_hbm.h"

static uint64_t run_cycles(const struct machine_spec *s, const struct task_call *call, bool exact)
{
    struct machine *m = machine_new(s, exact);
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_call own = *call;
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &own, .n_calls = 1, .n_rows = 1 };
    struct err e;

    cr_assert_not(machine_alike(s, &p), "chips of a line differ");
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t n = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    return n;
}

static void expect_answer(const char *cores, const char *y, uint64_t bytes, uint64_t answer)
{
    const char *set[] = { PLAIN_COSTS,
                          cores,
                          "slice.cores_per_chip=1",
                          "slice.mesh_x=4",
                          y,
                          "slice.mesh_z=8",
                          "slice.wrap_least=4",
                          "slice.twisted=yes",
                          "ici.bandwidth=1 GB/s" };
    struct collective c = {
        .kind = SCHEDULE_ALL_REDUCE, .algorithm = SCHEDULE_TORUS, .bytes = bytes, .element = 4
    };
    struct machine_spec *s;
    struct task_call call;
    struct cap cap;
    struct err e;

    cr_assert_eq(spec_load(&s, "tpu-v2-8", set, sizeof set / sizeof *set, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &c, &cap, &e), 0, "%s", e.msg);
    for (int exact = 0; exact < 2; exact++) {
        uint64_t n = run_cycles(s, &call, exact);
        cr_expect_eq(n, answer, "%s %s: %lu, not %lu", cores, y, n, answer);
    }
    spec_free(s);
}

Test(twist, all_reduce_of_4x4x8)
{
    expect_answer("slice.cores=128", "slice.mesh_y=4", 307200, 98880);
}

Test(twist, all_reduce_of_4x8x8)
{
    expect_answer("slice.cores=256", "slice.mesh_y=8", 307200, 114470);
}
