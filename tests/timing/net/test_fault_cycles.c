/* Collectives on a v2-8 whose links or chips have a fault: the cycle they end.
 *
 * As in test_slice.c: core 700 MHz, 721 cycles (1.03 us) for the operation, links of 1,937,500,000
 * flits of 32 B a second and 1 us a hop, four chips in a square.  A ring goes 0, 1, 3, 2. */
#include <criterion/criterion.h>

#include "kernels/net/collective.h"
#include "machine/machine.h"
#include "run/result/result.h"
#include "tests/timing/plain_hbm.h"

/* Core cycles until the last core has ended. */
static uint64_t run_case(struct collective c, const char *const *set, size_t n_set, bool exact)
{
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_call call = { 0 };
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1 };
    struct machine_spec *s;
    struct cap cap;
    struct err e;

    const char *all[N_PLAIN_COSTS + 16] = { PLAIN_COSTS };
    for (size_t i = 0; i < n_set; i++)
        all[N_PLAIN_COSTS + i] = set[i];
    cr_assert_eq(spec_load(&s, "tpu-v2-8", all, N_PLAIN_COSTS + n_set, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &c, &cap, &e), 0, "%s", e.msg);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t cycles = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    spec_free(s);
    return cycles;
}

static const struct collective ring = {
    .kind = SCHEDULE_ALL_REDUCE, .algorithm = SCHEDULE_RING, .bytes = 4000000, .element = 4
};

static const struct collective far = {
    .kind = SCHEDULE_PERMUTE, .bytes = 2000000, .element = 4, .shift = 4
};

static const char *const slow[] = { "fault.slow_from=0", "fault.slow_to=1" };
static const char *const dead[] = { "fault.dead_from=0", "fault.dead_to=1" };

static uint64_t run_cycles(struct collective c, uint64_t bytes, const char *const *set,
                           size_t n_set)
{
    c.bytes = bytes;
    uint64_t n = run_case(c, set, n_set, false);
    cr_expect_eq(run_case(c, set, n_set, true), n, "exact");
    return n;
}

Test(fault, a_slow_link_sets_the_pace_of_a_ring)
{
    /* the two chips at its ends need 31,250 flits' time for 15,625 in each of six steps: 6 * 15,625
     * flits or 33,870.97 cycles more than 60,508.1 */
    cr_expect_eq(run_cycles(ring, 4000000, NULL, 0), 60509);
    cr_expect_eq(run_cycles(ring, 4000000, slow, 2), 94379);
    cr_expect_eq(run_cycles(ring, 4, slow, 2), 4935 + 3, "the way is not longer: 6 flits");
}

Test(fault, a_dead_link_is_gone_round)
{
    /* three hops instead of one in every step, 12 us or 8,400 cycles more; and in each a flit or
     * two more over two links, behind those of the chips there */
    uint64_t tiny = run_cycles(ring, 4, dead, 2);
    cr_expect(tiny >= 4935 + 8400 + 4 && tiny <= 4935 + 8400 + 13, "%lu", (unsigned long)tiny);
    /* links 0-2 and 1-3 carry two parts each way in a step, link 2-3 too: 6 * 15,625 flits more */
    uint64_t large = run_cycles(ring, 4000000, dead, 2);
    cr_expect(large >= 60509 + 8400 + 33870, "%lu", (unsigned long)large);
}

Test(fault, parts_for_chips_further_away_are_sent_on_as_they_come)
{
    /* to the chip across, over links that nobody else uses: a hop and a flit more than to the next
     * one, however long the part is */
    struct collective next = far;
    next.shift = 2;
    for (uint64_t bytes = 4; bytes < 4000000; bytes += 1999996) {
        uint64_t more = run_cycles(far, bytes, NULL, 0) - run_cycles(next, bytes, NULL, 0);
        cr_expect(more == 700 || more == 701, "%lu B: %lu", (unsigned long)bytes,
                  (unsigned long)more);
    }
}

Test(fault, a_slow_chip_is_waited_for)
{
    static const char *const chip[] = { "fault.slow_chip=2", "fault.chip_times=4" };
    struct task t = { .kind = TASK_KERNEL,
                      .kernel.grid_steps = 4,
                      .kernel.all = { .in.bytes = 4194304,
                                      .out.bytes = 2097152,
                                      .gemm = { 1, 4096, 256, 128, UINT64_C(4096) * 256 * 128 } },
                      .kernel.block = { 1, 1024, 128, 256, false },
                      .kernel.parts = { 1, 1, 1, 1 },
                      .kernel.streamed = 4,
                      .kernel.stationary = 4 };
    struct task_program p = { .task = &t, .n_tasks = 1, .n_rows = 1 };
    struct machine_spec *s;
    struct err e;
    des_time end[2];

    for (int faulty = 0; faulty < 2; faulty++) {
        cr_assert_eq(spec_load(&s, "tpu-v2-8", chip, faulty ? 2 : 0, &e), 0, "%s", e.msg);
        struct machine *m = machine_new(s, false);
        /* twice: the second step begins at an edge of the slow clock */
        for (int step = 0; step < 2; step++)
            cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
        end[faulty] = machine_now(m);
        for (uint32_t core = 0; core < 8; core++) {
            const struct ledger_row *b = machine_book(m, &p, 0, core);
            des_time all = 0;
            for (int c = 0; c < N_CAUSES; c++)
                all += b->time[c];
            cr_expect_eq(all, end[faulty], "core %u: the causes are the steps", core);
            if (faulty && core / 2 != 2)
                cr_expect_gt(b->time[CAUSE_SYNC], end[0] / 4, "core %u waits", core);
        }
        machine_free(m);
        spec_free(s);
    }
    /* its matrix unit streams 4 * 2176 + 255 cycles at 175 MHz, 51.194 us a step; all else of a
     * step takes at most what the whole takes without fault */
    cr_expect(end[1] > 2 * UINT64_C(51194285714) && end[1] < 2 * UINT64_C(51194285714) + end[0],
              "%lu, %lu", (unsigned long)end[0], (unsigned long)end[1]);
}

Test(fault, the_first_chip_is_the_slow_one_unless_another_is_named)
{
    static const char *const four_times[] = { "fault.chip_times=4" };
    /* a million cycles of two additions */
    struct task t = { .kind = TASK_KERNEL,
                      .kernel.grid_steps = 1,
                      .kernel.all.vpu[VECTOR_ADD] = 2000000 };
    struct task_program p = { .task = &t, .n_tasks = 1, .n_rows = 1 };
    struct machine_spec *s;
    struct err e;

    cr_assert_eq(spec_load(&s, "tpu-v2-8", four_times, 1, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, false);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    for (uint32_t core = 0; core < 8; core++) {
        uint64_t waits = des_edge_index(machine_book(m, &p, 0, core)->time[CAUSE_SYNC], 700000000);
        cr_expect(core < 2 ? waits == 0 : waits >= 3000000, "core %u waits %lu cycles", core,
                  (unsigned long)waits);
    }
    machine_free(m);
    spec_free(s);
}

Test(fault, jitter_is_the_same_for_the_same_seed)
{
    static const char *const one[] = { "fault.jitter=2 us" };
    static const char *const other[] = { "fault.jitter=2 us", "fault.seed=2" };
    uint64_t a = run_cycles(ring, 4, one, 1), b = run_cycles(ring, 4, other, 2);

    cr_expect_eq(run_cycles(ring, 4, one, 1), a);
    cr_expect_neq(a, b);
    /* six hops, each at most 2 us late */
    cr_expect(a > 4935 && a <= 4935 + 6 * 1400 && b > 4935 && b <= 4935 + 6 * 1400);
}

/* Three of four chips wait half of a step for the one of half their clock: without stages of a
 * pipeline that is no bubble. */
Test(fault, who_waits_for_a_slow_chip_waits_for_others)
{
    static const char text[] = "cyclotron-trace 1\ntensor %a bf16[4096,4096] input\n"
                               "step {\n%y bf16[4096,4096] = matmul(%a, %a)\n}\n";
    static const char *const set[] = { "fault.chip_times=2" };
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v2-8",
                             .set = set,
                             .n_set = 1,
                             .steps = 1 };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_float_eq(mpq_get_d(amounts_get(&r.cause, CAUSE_SYNC)) / mpq_get_d(r.seconds_per_step),
                       0.375, 0.02);
    cr_expect_eq(mpq_sgn(amounts_get(&r.cause, CAUSE_BUBBLE)), 0);
    run_result_free(&r);
}
