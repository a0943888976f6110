/* HBM as a machine has it, walked and folded alike.  600 GB/s at 86 %, bursts of 2048 B:
 * 251,953,125 bursts a second. */
#include "bench.h"
#include "hw/hbm.h"

struct hbm_bench {
    struct des *sim;
    struct hbm h;
    struct des_out request[2];
    struct des_in reply[2];
};

static void hbm_up(struct hbm_bench *b, struct hbm_part *part, bool fold)
{
    struct hbm_params par;

    b->sim = des_new();
    param_defaults(&hbm_param_table, &par);
    par.efficiency = 860000000;
    cr_assert_eq(hbm_burst_hz(&par), 251953125);
    hbm_init(&b->h, b->sim, (struct des_module){ 0 }, &par, part, 2, fold ? lane_fold : NULL);
    for (int i = 0; i < 2; i++) {
        b->request[i] =
            bench_drive(b->sim, i ? "q1" : "q0", b->h.request[i], sizeof(struct mem_request), 4);
        b->reply[i] =
            bench_watch(b->sim, i ? "r1" : "r0", b->h.reply[i], sizeof(struct mem_done), 4);
    }
    bench_start(b->sim);
}

Test(hbm, a_stream_takes_a_burst_time_for_each_2048_bytes)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        struct mem_done d;
        hbm_up(&b, NULL, fold);
        /* 20,481 B = 11 bursts = 43658914.73 fs */
        des_put(b.sim, b.request[0], &(struct mem_request){ { 20481, 0, 0 }, false });
        bench_tight(b.sim, b.reply[0], &d, 43658915);
        cr_assert_eq(b.h.st.bytes, 20481);
        des_free(b.sim);
    }
}

/* A part whose times are whole bursts: 251.953125 MHz, 2 cycles of commands a burst. */
static void hbm_part_up(struct hbm_part *part)
{
    struct dram_params dram;

    param_defaults(&dram_param_table, &dram);
    dram.clock = 503906250; /* twice the bursts' */
    dram.stacks = 4;
    dram.refi = 1984496124; /* 1 us less 15.5 ns: 1000 cycles, 500 bursts */
    dram.rfc = 97240000;    /* 49 cycles */
    dram.rp = 1984000;      /* 1 cycle: 25 bursts with tRFC */
    dram.refi = 1984496125;
    hbm_part_init(part, &dram);
    cr_assert_eq(part->t.refi, 1000);
    cr_assert_eq(part->t.rp + part->t.rfc, 50);
}

Test(hbm, a_refresh_holds_all_banks_up)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_part part;
        struct hbm_bench b;
        struct mem_done d;
        hbm_part_up(&part);
        hbm_up(&b, &part, fold);
        /* 510 bursts: 500, then a refresh of 25, then 10: 535 bursts = 2123410852.72 fs */
        des_put(b.sim, b.request[0], &(struct mem_request){ { 510 * 2048, 0, 0 }, false });
        bench_tight(b.sim, b.reply[0], &d, 2123410853);
        /* 464 to the next refresh at 1000, 25, 1 more: at 1026 = 4072186046.51 fs */
        des_put(b.sim, b.request[0], &(struct mem_request){ { 466 * 2048, 0, 0 }, false });
        bench_tight(b.sim, b.reply[0], &d, 4072186047);
        des_free(b.sim);
    }
}

Test(hbm, changes_of_direction_cost_a_turnaround)
{
    struct hbm_part part;
    struct hbm_bench b;
    struct mem_done d;

    hbm_part_up(&part);
    hbm_up(&b, &part, true);
    /* read to write: tRTW 14 ns = 8 cycles, less 2 of the burst: 3 bursts, and the burst itself */
    des_put(b.sim, b.request[0], &(struct mem_request){ { 2048, 0, 0 }, true });
    bench_tight(b.sim, b.reply[0], &d, 15875969); /* 4 bursts = 15875968.99 fs */
    /* write to read: CWL 4 ns = 3, burst 2, tWTR_L 8 ns = 5: 10 cycles, less 2: 4 bursts, and one
     */
    des_put(b.sim, b.request[1], &(struct mem_request){ { 2048, 0, 0 }, false });
    bench_tight(b.sim, b.reply[1], &d, 35720931); /* 9 bursts = 35720930.23 fs */
    cr_assert_eq(b.h.st.turns, 2);
    cr_assert_eq(b.h.st.turning, 7);
    des_free(b.sim);
}

Test(hbm, random_rows_take_what_they_take_in_a_channel)
{
    struct hbm_part part;
    struct hbm_bench b;
    struct mem_done d;

    hbm_part_up(&part);
    /* 1000 rows of 4 KiB: by the map two banks of one channel, 32 accesses of each */
    part.row_cycles = 10;
    part.row_accesses = 1;
    hbm_up(&b, &part, true);
    /* 2000 visits of 10 + 31 * 2 cycles over 32 channels: 4500 cycles = 2250 bursts; with 4
     * refreshes of 25: 2350 bursts = 9327131782.95 fs */
    des_put(b.sim, b.request[0], &(struct mem_request){ { 0, 1000, 4096 }, false });
    bench_tight(b.sim, b.reply[0], &d, 9327131783);
    cr_assert_eq(b.h.st.accesses, 64000);
    cr_assert_eq(b.h.st.hits, 62000);
    cr_assert_eq(b.h.st.row_time, 250); /* 2000 bursts are on the bus */
    des_free(b.sim);
}

Test(hbm, clients_are_served_in_turn)
{
    struct hbm_bench b;
    struct mem_done d;

    hbm_up(&b, NULL, true);
    for (int i = 0; i < 2; i++) {
        des_put(b.sim, b.request[0], &(struct mem_request){ { 2048, 0, 0 }, false });
        des_put(b.sim, b.request[1], &(struct mem_request){ { 2048, 0, 0 }, false });
    }
    bench_tight(b.sim, b.reply[0], &d, 3968993);  /* 1 burst = 3968992.25 fs */
    bench_tight(b.sim, b.reply[1], &d, 7937985);  /* 2 */
    bench_tight(b.sim, b.reply[0], &d, 11906977); /* 3 */
    bench_tight(b.sim, b.reply[1], &d, 15875969); /* 4 = 15875968.99 */
    des_free(b.sim);
}
