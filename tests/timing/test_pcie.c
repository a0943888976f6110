/* PCIe: the femtosecond a batch or a call has crossed. */
#include "bench.h"
#include "hw/hbm.h"
#include "hw/pcie.h"

Test(pcie, a_batch_crosses_is_written_and_then_handed_over)
{
    struct des *sim = des_new();
    struct pcie p;
    struct pcie_params par;
    struct host_feed f = { .bytes = 16000 };
    struct mem_request q;

    param_defaults(&pcie_param_table, &par);
    pcie_init(&p, sim, (struct des_module){ 0 }, &par, 1, lane_fold);
    struct des_out feed = bench_drive(sim, "feed", p.feed, sizeof f, 1);
    bench_drive(sim, "back", p.back, sizeof f, 1);
    bench_watch(sim, "returned", p.returned[0], sizeof f, 1);
    struct des_in fed = bench_watch(sim, "fed", p.fed[0], sizeof f, 1);
    struct des_in request = bench_watch(sim, "request", p.request[0], sizeof q, 1);
    struct des_out done = bench_drive(sim, "done", p.done[0], sizeof(struct mem_done), 1);
    bench_watch(sim, "read", p.request[1], sizeof q, 1);
    bench_drive(sim, "read_done", p.done[1], sizeof(struct mem_done), 1);
    bench_drive(sim, "call", p.call[0], sizeof(struct host_call), 1);
    bench_watch(sim, "up", p.up, sizeof(struct host_call), 1);
    bench_start(sim);
    des_put(sim, feed, &f);
    /* 16,000 B = 63 packets of 256 B at 62.5 MHz = 1008 ns */
    bench_tight(sim, request, &q, 1008000000);
    cr_assert_eq(q.move.bytes, 16000);
    des_run(sim, 2000000000);
    cr_assert_not(des_get(sim, fed, &f), "handed over before it is in HBM");
    des_put(sim, done, &(struct mem_done){ true });
    des_run(sim, 2000000000);
    cr_assert(des_get(sim, fed, &f));
    des_free(sim);
}

Test(pcie, what_a_call_gives_back_passes_a_batch_that_has_no_room_yet)
{
    struct des *sim = des_new();
    struct pcie p;
    struct pcie_params par;
    struct host_feed f = { .bytes = 16000 }, got;
    struct mem_request q;

    param_defaults(&pcie_param_table, &par);
    pcie_init(&p, sim, (struct des_module){ 0 }, &par, 1, lane_fold);
    struct des_out feed = bench_drive(sim, "feed", p.feed, sizeof f, 2);
    struct des_out back = bench_drive(sim, "back", p.back, sizeof f, 1);
    struct des_in returned = bench_watch(sim, "returned", p.returned[0], sizeof f, 1);
    struct des_in fed = bench_watch(sim, "fed", p.fed[0], sizeof f, 1);
    struct des_in request = bench_watch(sim, "request", p.request[0], sizeof q, 1);
    struct des_out done = bench_drive(sim, "done", p.done[0], sizeof(struct mem_done), 1);
    bench_watch(sim, "read", p.request[1], sizeof q, 1);
    bench_drive(sim, "read_done", p.done[1], sizeof(struct mem_done), 1);
    bench_drive(sim, "call", p.call[0], sizeof(struct host_call), 1);
    bench_watch(sim, "up", p.up, sizeof(struct host_call), 1);
    bench_start(sim);
    des_put(sim, feed, &f);
    f.bytes = 32000;
    des_put(sim, feed, &f);
    bench_tight(sim, request, &q, 1008000000); /* the first batch, as above */
    des_put(sim, done, &(struct mem_done){ true });
    des_run(sim, 1008000000);
    /* it fills the core's queue, and the second stays; 8,000 B come back: 32 packets, 512 ns */
    f.bytes = 8000;
    des_put(sim, back, &f);
    bench_tight(sim, request, &q, 1520000000);
    cr_assert_eq(q.move.bytes, 8000);
    des_put(sim, done, &(struct mem_done){ true });
    des_run(sim, 1520000000);
    cr_assert(des_get(sim, returned, &got));
    cr_expect_eq(got.bytes, 8000);
    /* room is made, and the second sets out: 125 packets, 2 us */
    cr_assert(des_get(sim, fed, &got));
    cr_expect_eq(got.bytes, 16000);
    bench_tight(sim, request, &q, 3520000000);
    cr_expect_eq(q.move.bytes, 32000);
    des_free(sim);
}

Test(pcie, what_goes_out_is_read_from_memory_first)
{
    struct des *sim = des_new();
    struct pcie p;
    struct pcie_params par;
    struct host_call c = { .kind = HOST_OUTFEED, .bytes = 16000 };
    struct mem_request q;

    param_defaults(&pcie_param_table, &par);
    pcie_init(&p, sim, (struct des_module){ 0 }, &par, 1, lane_fold);
    bench_drive(sim, "feed", p.feed, sizeof(struct host_feed), 1);
    bench_drive(sim, "back", p.back, sizeof(struct host_feed), 1);
    bench_watch(sim, "returned", p.returned[0], sizeof(struct host_feed), 1);
    bench_watch(sim, "fed", p.fed[0], sizeof(struct host_feed), 1);
    bench_watch(sim, "write", p.request[0], sizeof q, 1);
    bench_drive(sim, "written", p.done[0], sizeof(struct mem_done), 1);
    struct des_in read = bench_watch(sim, "read", p.request[1], sizeof q, 1);
    struct des_out done = bench_drive(sim, "read_done", p.done[1], sizeof(struct mem_done), 1);
    struct des_out call = bench_drive(sim, "call", p.call[0], sizeof c, 1);
    struct des_in up = bench_watch(sim, "up", p.up, sizeof c, 1);
    bench_start(sim);
    des_put(sim, call, &c);
    des_run(sim, 0);
    cr_assert(des_get(sim, read, &q));
    cr_assert_eq(q.move.bytes, 16000);
    cr_assert_not(q.write);
    des_put(sim, done, &(struct mem_done){ false });
    bench_tight(sim, up, &c, 1008000000); /* 63 packets at 62.5 MHz */
    des_free(sim);
}
