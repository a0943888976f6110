/* The vector memory: how much of it is held for how long, counted by hand; in a core, what the
 * windows of its kernels take from their launch to their last byte, walked and folded alike. */
#include <string.h>

#include "base/exact.h"
#include "bench.h"
#include "hw/core/vmem.h"
#include "plain_hbm.h"
#include "study/op/op.h"

enum { NS = 1000000 }; /* fs */

/* At 1 GHz, words of 4 KiB, 16 of them: 3 are held from 0 to 5 ns, 1 from 5 to 9, none up to 20;
 * measuring begins at 2 ns. */
struct play {
    struct vmem vmem;
    uint64_t before; /* held before measuring began */
};

static uint32_t play_holds(struct des *sim, void *self, uint32_t at)
{
    struct play *p = self;
    struct vmem *v = &p->vmem;

    DES_BEGIN(at);
    vmem_hold(sim, v, 10000);
    DES_WAIT_FOR(sim, 2 * NS);
    vmem_finish(v, des_now(sim), 2 * NS);
    p->before = v->st.held;
    v->st = (struct vmem_stats){ 0 };
    vmem_reset(v, des_now(sim));
    DES_WAIT_FOR(sim, 3 * NS);
    vmem_hold(sim, v, 4096);
    DES_WAIT_FOR(sim, 3 * NS);
    vmem_finish(v, des_now(sim), 6 * NS); /* a look in between changes nothing */
    DES_WAIT_FOR(sim, 1 * NS);
    vmem_hold(sim, v, 0);
    DES_WAIT_FOR(sim, 11 * NS);
    vmem_finish(v, des_now(sim), 18 * NS);
    vmem_finish(v, des_now(sim), 18 * NS);
    DES_END;
}

Test(vmem, words_count_for_the_cycles_in_which_they_are_held_while_it_is_measured)
{
    struct des *sim = des_new();
    struct vmem_params par = { .capacity = 65536 };
    struct play p;

    vmem_init(&p.vmem, sim, (struct des_module){ 0 }, &par, 1000000000, 4096);
    des_thread_new(sim, (struct des_module){ 0 }, "play", play_holds, &p);
    bench_start(sim);
    des_run(sim, 100 * NS);
    cr_expect_eq(p.before, 3 * 2);
    cr_expect_eq(p.vmem.st.held, 3 * 3 + 1 * 4);
    cr_expect_eq(p.vmem.st.capacity, 16 * 18);
    des_free(sim);
}

/* utilization.vmem of one operation on a TPU v2 core of 1 GHz, whose 16 MiB are 4096 words. */
static void expect_occupancy(const char *const arg[4], const char *kind, bool exact, uint64_t held,
                             uint64_t cycles)
{
    const char *set[] = { PLAIN_COSTS,
                          "core.clock=1 GHz",
                          "hbm.bandwidth=512 GB/s",
                          "hbm.efficiency=1",
                          "core.op_overhead=1 us",
                          "core.step_overhead=100",
                          "dma.latency=0 s",
                          "dma.issue=0" };
    struct op_request q = { .kind = kind,
                            .arg = arg,
                            .run = { .machine = "tpu-v2-1", .set = set } };
    struct run_result r;
    struct err e;
    size_t i = 0;
    EXACT_Q(want);

    q.run.exact = exact;
    q.run.n_set = N_PLAIN_COSTS + 7;
    while (q.n_args < 4 && arg[q.n_args])
        q.n_args++;
    cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
    while (i < r.n_figures && strcmp(r.figures[i].column, "utilization.vmem") != 0)
        i++;
    cr_assert_lt(i, r.n_figures, "no column");
    cr_expect_eq(r.cycles_per_step, cycles);
    exact_ratio(want, held, 4096 * cycles);
    cr_expect(mpq_equal(r.figures[i].value, want), "%s: %g", kind, mpq_get_d(r.figures[i].value));
    run_result_free(&r);
}

Test(vmem, a_core_holds_the_windows_of_a_kernel_after_its_launch)
{
    for (int exact = 0; exact < 2; exact++) {
        /* after 1000 cycles of launch 112; one grid step of 2 KiB each way, so no second buffers */
        expect_occupancy((const char *[4]){ "shape=1024" }, "copy", exact, 1 * 112, 1112);
        /* after 1000 cycles 547; three values of 32 KiB that are on chip already */
        expect_occupancy((const char *[4]){ "m=128", "n=128", "k=128", "resident=lhs+rhs+out" },
                         "matmul", exact, 3 * 8 * 547, 1547);
        /* after 1000 cycles 131,512; 51 tiles of 2 * 64 MiB / 51 / 2 each way, twice: 2,631,721 B
         */
        expect_occupancy((const char *[4]){ "shape=16777216" }, "copy", exact, 643 * 131512UL,
                         132512);
    }
}
