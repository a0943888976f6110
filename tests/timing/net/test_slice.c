/* A whole slice on programs of one operation: the cycle it ends, and where the time is booked.
 *
 * The expected cycles come from the recurrence in hw/core/kernel_runner.h, worked out outside this
 * program with exact fractions: core 700 MHz, HBM 251,953,125 bursts of 2,048 B a second, links
 * 1,937,500,000 flits of 32 B a second and 1 us a hop; every operation first pays 721 cycles (1.03
 * us), a kernel 581 and then 0.1 us from the last byte of each transfer to its flag. */
#include <criterion/criterion.h>

#include "kernels/net/collective.h"
#include "machine/machine.h"
#include "tests/timing/plain_hbm.h"

static struct machine_spec *load_spec(const char *name)
{
    struct machine_spec *s;
    struct err e;

    cr_assert_eq(spec_load(&s, name, (const char *const[]){ PLAIN_COSTS }, N_PLAIN_COSTS, &e), 0,
                 "%s", e.msg);
    return s;
}

static uint64_t time_booked(const struct machine *m, const struct task_program *p, enum cause cause)
{
    mpz_t fs;

    mpz_init(fs);
    machine_booked(m, p, 0, cause, fs);
    uint64_t v = mpz_get_ui(fs);
    mpz_clear(fs);
    return v;
}

/* Run one step of a program of one task; a collective moves `payload` bytes.  Returns core cycles
 * at 700 MHz from reset to the end of the step. */
static uint64_t cycles_of(const char *machine, struct task t, uint64_t payload, bool exact,
                          uint64_t *causes)
{
    struct machine_spec *s = load_spec(machine);
    struct machine *m = machine_new(s, exact);
    struct collective all = { .kind = SCHEDULE_ALL_REDUCE, .bytes = payload, .element = 4 };
    struct task_call call = { 0 };
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1 };
    struct cap cap;
    struct err e;

    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &all, &cap, &e), 0, "%s", e.msg);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t sum = 0;
    for (int c = 0; c < N_CAUSES; c++)
        sum += causes[c] = time_booked(m, &p, (enum cause)c);
    cr_expect_eq(sum, machine_now(m) * s->slice.cores, "the causes are the step");
    uint64_t cycles = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    spec_free(s);
    return cycles;
}

static struct task make_kernel(uint64_t in, uint64_t out, uint64_t resident_in,
                               uint64_t resident_out)
{
    /* [4096,256] x [256,128] in four blocks of 1024 rows: 2 passes of 64 + 1024 cycles a step */
    return (
        struct task){ .kind = TASK_KERNEL,
                      .kernel.grid_steps = 4,
                      .kernel.all = { .in.bytes = 4 * in,
                                      .out.bytes = 4 * out,
                                      .gemm = { 1, 4096, 256, 128, UINT64_C(4096) * 256 * 128 } },
                      .kernel.block = { 1, 1024, 128, 256, false },
                      .kernel.parts = { 1, 1, 1, 1 },
                      .kernel.streamed = 4,
                      .kernel.stationary = 4,
                      .kernel.resident_in = resident_in,
                      .kernel.resident_out = resident_out };
}

Test(slice, a_kernel_bound_by_the_matrix_unit)
{
    uint64_t c[N_CAUSES];

    for (int exact = 0; exact < 2; exact++) {
        cr_expect_eq(cycles_of("tpu-v2-1", make_kernel(1048576, 524288, 131072, 0), 0, exact, c),
                     12456);
        /* as without latencies: the first tile in and the last one out pay what the launch does
         * not.  4 * 2176 + 255 cycles of streaming = 12798571428.6 fs; each of the four stretches
         * runs from one rounded edge to another */
        cr_expect_leq(c[CAUSE_MXU], UINT64_C(12798571428) + 4);
        cr_expect_geq(c[CAUSE_MXU], UINT64_C(12798571428) - 4);
    }
}

Test(slice, a_kernel_bound_by_hbm)
{
    uint64_t c[N_CAUSES];

    /* reads and writes take turns of 512 bursts: worked out turn by turn outside this program */
    for (int exact = 0; exact < 2; exact++)
        cr_expect_eq(
            cycles_of("tpu-v2-1", make_kernel(4194304, 2097152, 131072, 4096), 0, exact, c), 37586);
}

Test(slice, an_all_reduce_over_a_mesh_of_four_chips)
{
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    uint64_t c[N_CAUSES];

    /* 721 cycles; 5,861 bursts to read both cores' 4 MB and write the sum; six steps of 15,625
     * flits and 1 us, beside which HBM has less to do; 1,954 bursts for the second core's
     * copy: 85.41 us; measured on a v2-8: 6.2 us + 4 MB / 49 GB/s = 87.8 us, 2.8 % more */
    cr_expect_eq(cycles_of("tpu-v2-8", t, 4000000, false, c), 60509);
    cr_expect_eq(c[CAUSE_ICI], 8 * UINT64_C(85411428572));
}

Test(slice, a_tiny_all_reduce_is_six_hops)
{
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    uint64_t c[N_CAUSES];

    /* 6.016 us after the overhead; measured 6.2 us */
    cr_expect_eq(cycles_of("tpu-v2-8", t, 4, false, c), 4935);
    cr_expect_eq(cycles_of("tpu-v2-8", t, 4, true, c), 4935);
}

Test(slice, one_core_has_nobody_to_reduce_with)
{
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    uint64_t c[N_CAUSES];

    cr_expect_eq(cycles_of("tpu-v2-1", t, 4000000, false, c), 721);
}

Test(slice, the_host_works_once_for_all_of_its_cores)
{
    struct task t = {
        .kind = TASK_HOST, .host = { .cpu_fs = 7000000000000, .threads = 1, .cause = CAUSE_HOST }
    }; /* 7 ms = 4,900,000 cycles */
    uint64_t c[N_CAUSES];
    uint64_t cycles = cycles_of("tpu-v2-8", t, 0, false, c);

    cr_expect_eq(cycles, 721 + 4900000);
    cr_expect_eq(c[CAUSE_HOST], 8 * UINT64_C(7000000000000));
}

Test(slice, input_is_prepared_crosses_and_is_written)
{
    struct task t = { .kind = TASK_INFEED, .feed.bytes = 5670000, .feed.handled = 5700000 };
    uint64_t c[N_CAUSES];

    /* 1.7 ms, 8 batches handled in 1 ms each, then for the first and the second core of each chip
     * 22,149 packets at 62.5 MHz = 354.384 us, to the next edge of HBM, 2,769 bursts = 10.990 us:
     * 10,430.769 us = 7,301,538.3 cycles */
    cr_expect_eq(cycles_of("tpu-v2-8", t, 0, false, c), 7301539);
    cr_expect_gt(c[CAUSE_HOST], c[CAUSE_PCIE]);
}

Test(slice, v3_shares_a_gemm_between_its_two_matrix_units)
{
    struct machine_spec *s = load_spec("tpu-v3-1");
    struct machine *m = machine_new(s, false);
    struct task t = { .kind = TASK_KERNEL,
                      .kernel.grid_steps = 1,
                      .kernel.all.gemm = { 1, 1024, 256, 128, UINT64_C(1024) * 256 * 128 },
                      .kernel.block = { 1, 1024, 128, 256, false },
                      .kernel.parts = { 1, 1, 2, 1 },
                      .kernel.streamed = 4,
                      .kernel.stationary = 4 };
    struct task_program p = { .task = &t, .n_tasks = 1, .n_rows = 1 };

    struct err e;

    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    /* without transfers: 1.03 - 0.2 us = 781 cycles at 940 MHz, 115 - 2 * 9 for the step, one pass
     * of 1088 each, 255 to drain */
    cr_assert_eq(des_edge_index(machine_now(m), 940000000), 781 + 97 + 1088 + 255);
    machine_free(m);
    spec_free(s);
}
