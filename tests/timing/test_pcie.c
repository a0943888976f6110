/* PCIe: the femtosecond a batch or a call has crossed. */
#include "bench.h"
#include "hw/hbm/hbm.h"
#include "hw/host/pcie.h"

/* PCIe of one core between ports of the bench. */
struct pcie_bench {
    struct des *sim;
    struct pcie p;
    struct des_out feed, back, call, written, read_done, copy[2];
    struct des_in fed, returned, up, write, read, copied[2]; /* [0] down, [1] up */
};

/* `batches` may wait to be fed. */
static void pcie_up(struct pcie_bench *b, size_t batches)
{
    struct des *sim = b->sim = des_new();
    struct pcie_params par;

    param_defaults(&pcie_param_table, &par);
    pcie_init(&b->p, sim, (struct des_module){ 0 }, &par, 1, true, lane_fold);
    b->feed = bench_drive(sim, "feed", b->p.feed, sizeof(struct host_feed), batches);
    b->back = bench_drive(sim, "back", b->p.back, sizeof(struct host_feed), 1);
    b->returned = bench_watch(sim, "returned", b->p.returned[0], sizeof(struct host_feed), 1);
    b->fed = bench_watch(sim, "fed", b->p.fed[0], sizeof(struct host_feed), 1);
    b->write = bench_watch(sim, "write", b->p.request[0], sizeof(struct mem_request), 1);
    b->written = bench_drive(sim, "written", b->p.done[0], sizeof(struct mem_done), 1);
    b->read = bench_watch(sim, "read", b->p.request[1], sizeof(struct mem_request), 1);
    b->read_done = bench_drive(sim, "read_done", b->p.done[1], sizeof(struct mem_done), 1);
    b->call = bench_drive(sim, "call", b->p.call[0], sizeof(struct host_call), 1);
    b->up = bench_watch(sim, "up", b->p.up, sizeof(struct host_call), 1);
    for (int up = 0; up < 2; up++) {
        size_t size = sizeof(struct host_copy);
        b->copy[up] = bench_drive(sim, up ? "copy_up" : "copy_down", b->p.copy[up][0], size, 2);
        b->copied[up] = bench_watch(sim, up ? "went_up" : "came_down", b->p.copied[up][0], size, 2);
    }
    bench_start(sim);
}

Test(pcie, a_batch_crosses_is_written_and_then_handed_over)
{
    struct pcie_bench b;
    struct host_feed f = { .bytes = 16000 };
    struct mem_request q;

    pcie_up(&b, 1);
    struct des *sim = b.sim;
    des_put(sim, b.feed, &f);
    /* 16,000 B = 63 packets of 256 B at 62.5 MHz = 1008 ns */
    bench_tight(sim, b.write, &q, 1008000000);
    cr_assert_eq(q.move.bytes, 16000);
    des_run(sim, 2000000000);
    cr_assert_not(des_get(sim, b.fed, &f), "handed over before it is in HBM");
    des_put(sim, b.written, &(struct mem_done){ true });
    des_run(sim, 2000000000);
    cr_assert(des_get(sim, b.fed, &f));
    des_free(sim);
}

Test(pcie, what_a_call_gives_back_passes_a_batch_that_has_no_room_yet)
{
    struct pcie_bench b;
    struct host_feed f = { .bytes = 16000 }, got;
    struct mem_request q;

    pcie_up(&b, 2);
    struct des *sim = b.sim;
    des_put(sim, b.feed, &f);
    f.bytes = 32000;
    des_put(sim, b.feed, &f);
    bench_tight(sim, b.write, &q, 1008000000); /* the first batch, as above */
    des_put(sim, b.written, &(struct mem_done){ true });
    des_run(sim, 1008000000);
    /* it fills the core's queue, and the second stays; 8,000 B come back: 32 packets, 512 ns */
    f.bytes = 8000;
    des_put(sim, b.back, &f);
    bench_tight(sim, b.write, &q, 1520000000);
    cr_assert_eq(q.move.bytes, 8000);
    des_put(sim, b.written, &(struct mem_done){ true });
    des_run(sim, 1520000000);
    cr_assert(des_get(sim, b.returned, &got));
    cr_expect_eq(got.bytes, 8000);
    /* room is made, and the second sets out: 125 packets, 2 us */
    cr_assert(des_get(sim, b.fed, &got));
    cr_expect_eq(got.bytes, 16000);
    bench_tight(sim, b.write, &q, 3520000000);
    cr_expect_eq(q.move.bytes, 32000);
    des_free(sim);
}

Test(pcie, what_goes_out_is_read_from_memory_first)
{
    struct pcie_bench b;
    struct host_call c = { .kind = HOST_OUTFEED, .bytes = 16000 };
    struct mem_request q;

    pcie_up(&b, 1);
    struct des *sim = b.sim;
    des_put(sim, b.call, &c);
    des_run(sim, 0);
    cr_assert(des_get(sim, b.read, &q));
    cr_assert_eq(q.move.bytes, 16000);
    cr_assert_not(q.write);
    des_put(sim, b.read_done, &(struct mem_done){ false });
    bench_tight(sim, b.up, &c, 1008000000); /* 63 packets at 62.5 MHz */
    des_free(sim);
}

Test(pcie, a_copy_from_the_host_waits_for_the_batches_and_is_then_written)
{
    struct pcie_bench b;
    struct host_feed f = { .bytes = 16000 };
    struct host_copy c = { .bytes = 8000, .text = 5 };
    struct mem_request q;

    pcie_up(&b, 1);
    struct des *sim = b.sim;
    des_put(sim, b.copy[0], &c);
    des_put(sim, b.feed, &f);
    bench_tight(sim, b.write, &q, 1008000000); /* the batch, 63 packets */
    cr_expect_eq(q.move.bytes, 16000);
    des_put(sim, b.written, &(struct mem_done){ true });
    bench_tight(sim, b.write, &q, 1520000000); /* the copy, 32 packets */
    cr_expect_eq(q.move.bytes, 8000);
    cr_expect(q.write);
    cr_expect_eq(q.text, 5);
    cr_assert_not(des_get(sim, b.copied[0], &c), "answered before it is in HBM");
    des_put(sim, b.written, &(struct mem_done){ true });
    des_run(sim, 1520000000);
    cr_assert(des_get(sim, b.copied[0], &c));
    cr_expect_eq(c.bytes, 8000);
    cr_expect_not(des_get(sim, b.returned, &f), "nothing for the core's queues");
    des_free(sim);
}

Test(pcie, a_copy_to_the_host_waits_for_a_call_and_is_no_call)
{
    struct pcie_bench b;
    struct host_call call = { .kind = HOST_OUTFEED, .bytes = 16000 };
    struct host_copy c = { .bytes = 8000, .text = 5 };
    struct mem_request q;

    pcie_up(&b, 1);
    struct des *sim = b.sim;
    des_put(sim, b.copy[1], &c);
    des_put(sim, b.call, &call);
    des_run(sim, 0);
    cr_assert(des_get(sim, b.read, &q));
    cr_expect_eq(q.move.bytes, 16000);
    des_put(sim, b.read_done, &(struct mem_done){ false });
    bench_tight(sim, b.up, &call, 1008000000);
    des_run(sim, 1008000000);
    cr_assert(des_get(sim, b.read, &q)); /* the copy is read once the call has crossed */
    cr_expect_eq(q.move.bytes, 8000);
    cr_expect_not(q.write);
    cr_expect_eq(q.text, 5);
    des_put(sim, b.read_done, &(struct mem_done){ false });
    bench_tight(sim, b.copied[1], &c, 1520000000);
    cr_expect_not(des_get(sim, b.up, &call), "the host is not asked for anything");
    des_free(sim);
}
