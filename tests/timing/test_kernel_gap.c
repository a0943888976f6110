/* The gap between kernels of one program: which kernels pay it, and in which unit.
 *
 * Core 700 MHz.  A kernel without transfers takes 581 cycles to launch, 97 for its grid step and
 * half a cycle for each addition of a register: 1,000 here.  A gap of 0.5 us is 350 cycles. */
#include <criterion/criterion.h>

#include "machine/machine.h"
#include "plain_hbm.h"

#define GAP "core.kernel_gap=0.5 us"
#define MOST 4

/* Core cycles of `steps` steps of the tasks on one core of TPU v2. */
static uint64_t cycles_of(struct task *t, uint32_t n, uint32_t steps, const char *gap, bool exact)
{
    struct machine_spec *s;
    struct err e;
    const char *set[] = { PLAIN_COSTS, gap };
    struct task_program p = { .task = t, .n_tasks = n, .n_rows = n };

    for (uint32_t i = 0; i < n; i++)
        t[i].row = i;
    cr_assert_eq(spec_load(&s, "tpu-v2-1", set, N_PLAIN_COSTS + 1, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    for (uint32_t i = 0; i < steps; i++)
        cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t cycles = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    spec_free(s);
    return cycles;
}

static struct task make_kernel(void)
{
    return (struct task){ .kind = TASK_KERNEL,
                          .kernel.grid_steps = 1,
                          .kernel.all.vpu[VECTOR_ADD] = 2 * (1000 - 581 - 97) };
}

Test(kernel_gap, every_kernel_of_a_step_but_the_first_pays_it)
{
    for (int exact = 0; exact < 2; exact++) {
        struct task t[MOST] = { make_kernel(), make_kernel(), make_kernel() };
        cr_expect_eq(cycles_of(t, 1, 1, GAP, exact), 1000);
        cr_expect_eq(cycles_of(t, 3, 1, GAP, exact), 3 * 1000 + 2 * 350);
        cr_expect_eq(cycles_of(t, 3, 1, "core.kernel_gap=0 s", exact), 3 * 1000);
        /* the next step begins a program anew */
        cr_expect_eq(cycles_of(t, 3, 2, GAP, exact), 2 * (3 * 1000 + 2 * 350));
    }
}

Test(kernel_gap, what_is_no_kernel_pays_none)
{
    for (int exact = 0; exact < 2; exact++) {
        struct task t[MOST] = { { .kind = TASK_SCALAR, .scalar.cycles = 10 },
                                make_kernel(),
                                { .kind = TASK_SCALAR, .scalar.cycles = 10 },
                                make_kernel() };
        cr_expect_eq(cycles_of(t, 4, 1, GAP, exact), 2 * 10 + 2 * 1000 + 350);
    }
}
