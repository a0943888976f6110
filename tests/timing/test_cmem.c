/* The common memory: what streams from it, walked and folded.  4096 GB/s in bursts of 4096 B are a
 * burst a nanosecond. */
#include "bench.h"
#include "hw/core/cmem.h"

struct cmem_bench {
    struct des *sim;
    struct cmem c;
    struct des_out request[2];
    struct des_in reply[2];
};

static void set_up(struct cmem_bench *b, bool fold)
{
    struct cmem_params par;

    b->sim = des_new();
    param_defaults(&cmem_param_table, &par);
    par.bandwidth = UINT64_C(4096000000000);
    cmem_init(&b->c, b->sim, (struct des_module){ 0 }, &par, 2, fold ? lane_fold : NULL);
    for (int i = 0; i < 2; i++) {
        b->request[i] =
            bench_drive(b->sim, i ? "q1" : "q0", b->c.request[i], sizeof(struct unit_feed), 4);
        b->reply[i] =
            bench_watch(b->sim, i ? "r1" : "r0", b->c.reply[i], sizeof(struct unit_done), 4);
    }
    bench_start(b->sim);
}

Test(cmem, a_burst_of_4096_bytes_takes_an_edge)
{
    static const struct {
        uint64_t bytes;
        des_time done;
    } cases[] = { { 1, 1000000 }, { 4096, 1000000 }, { 4097, 2000000 }, { 40960, 10000000 } };

    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct cmem_bench b;
            struct unit_done d;
            set_up(&b, fold);
            des_put(b.sim, b.request[0], &(struct unit_feed){ cases[i].bytes });
            bench_tight(b.sim, b.reply[0], &d, cases[i].done);
            cr_expect_eq(d.cause, CAUSE_HBM);
            cr_expect_eq(b.c.st.bytes, cases[i].bytes);
            des_free(b.sim);
        }
}

Test(cmem, cores_share_it_in_turn)
{
    for (int fold = 0; fold < 2; fold++) {
        struct cmem_bench b;
        struct unit_done d;
        set_up(&b, fold);
        for (int i = 0; i < 2; i++) {
            des_put(b.sim, b.request[0], &(struct unit_feed){ 3 * 4096 });
            des_put(b.sim, b.request[1], &(struct unit_feed){ 2 * 4096 });
        }
        bench_tight(b.sim, b.reply[0], &d, 3000000);
        bench_tight(b.sim, b.reply[1], &d, 5000000);
        bench_tight(b.sim, b.reply[0], &d, 8000000);
        bench_tight(b.sim, b.reply[1], &d, 10000000);
        cmem_finish(&b.c, 20000000, 20000000); /* 10 bursts in the time of 20 */
        cr_expect_eq(b.c.st.bytes * 2, b.c.st.capacity);
        des_free(b.sim);
    }
}

/* 40,960 B take 10 ns, 4096 B each.  Measuring begins after 1.5 ns, when 6144 B have moved. */
Test(cmem, a_request_under_way_counts_by_the_byte)
{
    for (int fold = 0; fold < 2; fold++) {
        struct cmem_bench b;
        struct unit_done d;
        set_up(&b, fold);
        des_put(b.sim, b.request[0], &(struct unit_feed){ 40960 });
        des_run(b.sim, 1500000);
        b.c.st.bytes = 0;
        cmem_reset(&b.c, 1500000);
        cmem_finish(&b.c, 2500000, 1000000);
        cr_expect_eq(b.c.st.bytes, 4096);
        cmem_finish(&b.c, 2600000, 1100000);
        cr_expect_eq(b.c.st.bytes, 4505, "4505.6");
        bench_tight(b.sim, b.reply[0], &d, 10000000);
        cmem_finish(&b.c, 11000000, 9500000);
        cr_expect_eq(b.c.st.bytes, 40960 - 6144);
        des_free(b.sim);
    }
}

/* A report in the middle of a request, after 2.5 of 10 ns, leaves out what has not moved: it counts
 * with the next request, of which half has moved at the next report. */
Test(cmem, what_a_report_leaves_out_counts_in_the_next)
{
    for (int fold = 0; fold < 2; fold++) {
        struct cmem_bench b;
        struct unit_done d;
        set_up(&b, fold);
        des_put(b.sim, b.request[0], &(struct unit_feed){ 40960 });
        des_run(b.sim, 2500000);
        cmem_finish(&b.c, 2500000, 2500000);
        cr_expect_eq(b.c.st.bytes, 10240);
        bench_tight(b.sim, b.reply[0], &d, 10000000);
        des_put(b.sim, b.request[0], &(struct unit_feed){ 4096 });
        des_run(b.sim, 10500000);
        cmem_finish(&b.c, 10500000, 10500000);
        cr_expect_eq(b.c.st.bytes, 40960 + 2048);
        des_free(b.sim);
    }
}

/* One core has the memory for itself.  A report after a quarter of a request counts a quarter of
 * its bytes; the next request adds the rest. */
Test(cmem, what_is_served_at_once_counts_in_the_next_report)
{
    struct cmem_bench b;
    struct unit_done d;

    set_up(&b, true);
    cr_expect_eq(cmem_serve(&b.c, &(struct unit_feed){ 40960 }, 0, &d), 10000000);
    cmem_finish(&b.c, 2500000, 2500000);
    cr_expect_eq(b.c.st.bytes, 10240);
    cr_expect_eq(cmem_serve(&b.c, &(struct unit_feed){ 4096 }, 10000000, &d), 11000000);
    cmem_finish(&b.c, 10500000, 10500000);
    cr_expect_eq(b.c.st.bytes, 40960 + 2048);
    des_free(b.sim);
}
