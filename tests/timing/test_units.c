/* One component, one command, the femtosecond it is done: walked and folded alike. */
#include "bench.h"
#include "hw/dma.h"
#include "hw/hbm.h"
#include "hw/link.h"
#include "hw/mxu.h"
#include "hw/pcie.h"
#include "hw/vpu.h"
#include "hw/xlu.h"

#include <string.h>

/* --- MXU: 700 MHz, 128 x 128, 2 weight rows a cycle, granule 8 ------------------------------ */

struct mxu_case {
    struct unit_gemm cmd;
    des_time done; /* ceil(cycles / 700 MHz) fs, worked out by hand */
};

static const struct mxu_case mxu_cases[] = {
    { { { 1, 128, 128, 128, 0 }, false, { 0 } }, 274285715 }, /* 64 + 128 = 192 cycles */
    { { { 1, 128, 128, 128, 0 }, true, { 0 } }, 638571429 },  /* + 255 to drain = 447 */
    { { { 1, 1, 1, 1, 0 }, false, { 0 } }, 102857143 },       /* 64 + 8 = 72 */
    { { { 2, 20, 129, 129, 0 }, true, { 0 } }, 1370000000 }, /* 2 * 2 * 2 * (64 + 24) + 255 = 959 */
};

static void mxu_up(struct mxu *m, struct des *sim, bool fold, struct des_out *cmd,
                   struct des_in *done)
{
    struct mxu_params par;

    param_defaults(&mxu_param_table, &par);
    mxu_init(m, sim, (struct des_module){ 0 }, "mxu", &par, 700000000, fold ? mxu_fold : NULL);
    *cmd = bench_drive(sim, "cmd", m->cmd, sizeof(struct unit_gemm), 4);
    *done = bench_watch(sim, "done", m->done, sizeof(struct unit_done), 4);
    bench_start(sim);
}

Test(mxu, done_is_tight_walked_and_folded)
{
    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < sizeof mxu_cases / sizeof *mxu_cases; i++) {
            struct des *sim = des_new();
            struct mxu m;
            struct des_out cmd;
            struct des_in done;
            struct unit_done d;
            mxu_up(&m, sim, fold, &cmd, &done);
            cr_assert(des_put(sim, cmd, &mxu_cases[i].cmd));
            bench_tight(sim, done, &d, mxu_cases[i].done);
            cr_assert_eq(d.cause, CAUSE_MXU);
            des_free(sim);
        }
}

/* An 8 x 8 array at 1 GHz, a weight row a cycle, rows not padded; cycles from the closed forms of
 * its load modes, which tests/rtl finds in Verilog. */
struct mxu_mode {
    enum array_load load;
    uint32_t rows_per_cycle;
    struct task_gemm gemm;
    uint64_t cycles; /* drained */
};

/* 8 x 8 elements, a beat a row.  A tile of 20 rows hides all 8 beats of the next in `wave` and
 * `shadow`; of 10 rows in `shadow` only those of cycles 7 to 9, as the next rows come in cycle 15.
 */
static const struct mxu_mode mxu_modes[] = {
    { ARRAY_SERIAL, 1, { 1, 8, 8, 8, 0 }, 30 },     /* 8 + 8 + 14 */
    { ARRAY_SERIAL, 1, { 1, 20, 16, 16, 0 }, 168 }, /* 4 * (20 + 3 * 8 - 2) */
    { ARRAY_EXPOSED, 1, { 1, 10, 16, 16, 0 }, 87 }, /* 4 * (8 + 10) + 15 */
    { ARRAY_SHADOW, 1, { 1, 20, 16, 16, 0 }, 103 }, /* 8 + 3 * 20 + 20 + 15 */
    { ARRAY_SHADOW, 1, { 1, 10, 16, 16, 0 }, 78 },  /* 8 + 3 * 15 + 10 + 15 */
    { ARRAY_WAVE, 1, { 1, 10, 16, 16, 0 }, 63 },    /* 8 + 3 * 10 + 10 + 15 */
    { ARRAY_WAVE, 2, { 1, 10, 16, 16, 0 }, 52 },    /* 8 + 3 * 8 + 5 + 15 */
};

static void mode_up(struct mxu *m, struct des *sim, const struct mxu_mode *mode, bool fold,
                    struct des_out *cmd, struct des_in *done)
{
    struct mxu_params par;

    param_defaults(&mxu_param_table, &par);
    par.size = 8;
    par.weight_rows_per_cycle = par.row_granule = 1;
    par.weight_load = mode->load;
    par.rows_per_cycle = mode->rows_per_cycle;
    mxu_init(m, sim, (struct des_module){ 0 }, "mxu", &par, 1000000000, fold ? mxu_fold : NULL);
    *cmd = bench_drive(sim, "cmd", m->cmd, sizeof(struct unit_gemm), 4);
    *done = bench_watch(sim, "done", m->done, sizeof(struct unit_done), 4);
    bench_start(sim);
}

Test(mxu, load_modes_take_the_cycles_of_their_closed_forms)
{
    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < sizeof mxu_modes / sizeof *mxu_modes; i++) {
            struct des *sim = des_new();
            struct mxu m;
            struct des_out cmd;
            struct des_in done;
            struct unit_done d;
            mode_up(&m, sim, &mxu_modes[i], fold, &cmd, &done);
            des_put(sim, cmd, &(struct unit_gemm){ mxu_modes[i].gemm, true, { 0 } });
            bench_tight(sim, done, &d, mxu_modes[i].cycles * 1000000);
            des_free(sim);
        }
}

Test(mxu, beats_that_no_row_hides_are_told_from_swaps_and_drains)
{
    static const struct {
        uint64_t load, idle;
    } cycles[] = {
        { 8, 14 },         /* all of 30 but 8 rows */
        { 4 * 8, 4 * 14 }, /* of 168 but 80 */
        { 4 * 8, 15 },     /* of 87 but 40 */
        { 8, 15 },         /* of 103 but 80 */
        { 8 + 3 * 5, 15 }, /* of 78 but 40: beats of cycles 10 to 14 */
        { 8, 15 },         /* of 63 but 40: the swap goes with the rows */
        { 8 + 3 * 3, 15 }, /* of 52 but 20: 5 of 8 beats pass beside 10 rows, two a cycle */
    };

    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < sizeof mxu_modes / sizeof *mxu_modes; i++) {
            struct des *sim = des_new();
            struct mxu m;
            struct des_out cmd;
            struct des_in done;
            uint64_t each = 64 * mxu_modes[i].rows_per_cycle;
            mode_up(&m, sim, &mxu_modes[i], fold, &cmd, &done);
            des_put(sim, cmd, &(struct unit_gemm){ mxu_modes[i].gemm, true, { 0 } });
            des_run(sim, DES_NEVER);
            cr_expect_eq(m.st.weight_load, cycles[i].load * each, "load of %zu", i);
            cr_expect_eq(m.st.fill_drain, cycles[i].idle * each, "drain of %zu", i);
            des_free(sim);
        }
}

/* Commands of other modes, each once the one before is done: wave, 4 tiles of 10 rows.  bf16 takes
 * 8 + 4 * 10 cycles; 8 bits, with beats of two rows, 4 + 4 * max(5, 4); three passes are 12 tiles.
 */
Test(mxu, each_command_has_a_mode_of_its_own)
{
    static const struct {
        struct array_mode mode;
        uint64_t done; /* cycle after its last row */
    } commands[] = {
        { { 0, 0, false }, 48 },
        { { 0, 1, false },
          72 }, /* begun in 48, its 4 beats load then: rows from 52, 57, 62, 67 on */
        { { 2, 0, false }, 80 + 120 }, /* begun in 72: 8 beats */
    };

    for (int fold = 0; fold < 2; fold++) {
        struct mxu_mode mode = { ARRAY_WAVE, 1, { 1, 10, 16, 16, 0 }, 0 };
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mode, fold, &cmd, &done);
        for (size_t i = 0; i < 3; i++) {
            des_put(sim, cmd, &(struct unit_gemm){ mode.gemm, false, commands[i].mode });
            bench_tight(sim, done, &d, commands[i].done * 1000000);
            uint64_t sum = 0;
            for (int u = 0; u < N_USES; u++)
                sum += d.slots[u];
            cr_expect_eq(d.slots[USE_PRECISION], i == 2 ? 2 * 10 * 16 * 16 : 0);
            cr_expect_eq(sum, (commands[i].done - (i ? commands[i - 1].done : 0)) * 64 *
                                  (1 + commands[i].mode.more_rows));
        }
        des_free(sim);
    }
}

/* SCALE-Sim's counts, which print the index of the last cycle, one less. */
Test(mxu, other_dataflows_take_what_scale_sim_counts)
{
    static const struct {
        enum dataflow flow;
        struct task_gemm gemm;
        uint64_t cycles;
    } cases[] = {
        { DATAFLOW_WS, { 1, 20, 16, 16, 0 }, 168 }, /* 2 * 2 * (20 + 2 * 8 + 8 - 2) */
        { DATAFLOW_OS, { 1, 20, 16, 10, 0 }, 180 }, /* 3 * 2 * (16 + 8 + 8 - 2) */
        { DATAFLOW_IS, { 1, 20, 16, 10, 0 }, 192 }, /* 2 * 3 * (10 + 2 * 8 + 8 - 2) */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mxu_mode mode = { ARRAY_SERIAL, 1, cases[i].gemm, cases[i].cycles };
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mode, true, &cmd, &done);
        m.par.dataflow = cases[i].flow;
        des_put(sim, cmd, &(struct unit_gemm){ mode.gemm, true, { 0 } });
        bench_tight(sim, done, &d, mode.cycles * 1000000);
        cr_assert_eq(m.st.conv_zeros + m.st.weight_load + m.st.fill_drain + m.st.pad_m +
                         m.st.pad_k + m.st.pad_n,
                     m.st.slots);
        des_free(sim);
    }
}

Test(mxu, a_serial_array_drains_before_the_next_command_loads)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mxu_modes[0], fold, &cmd, &done);
        for (int i = 0; i < 2; i++)
            des_put(sim, cmd, &(struct unit_gemm){ mxu_modes[0].gemm, false, { 0 } });
        bench_tight(sim, done, &d, 16000000); /* the last row is taken in cycle 15 */
        bench_tight(sim, done, &d, 46000000); /* its result leaves in 30: load to 37, rows to 45 */
        des_free(sim);
    }
}

Test(mxu, commands_follow_each_other_without_a_gap)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mxu_up(&m, sim, fold, &cmd, &done);
        for (int i = 0; i < 3; i++)
            des_put(sim, cmd, &mxu_cases[0].cmd);
        bench_tight(sim, done, &d, 274285715);
        bench_tight(sim, done, &d, 548571429); /* 384 cycles = 548571428.57 fs */
        bench_tight(sim, done, &d, 822857143); /* 576 = 822857142.86 fs */
        des_free(sim);
    }
}

Test(mxu, every_slot_of_a_command_is_booked_once)
{
    struct des *sim = des_new();
    struct mxu m;
    struct des_out cmd;
    struct des_in done;

    mxu_up(&m, sim, true, &cmd, &done);
    /* [20,200] x [200,8], 30,000 of the 32,000 MACs useful: 2 passes of 64 + 24 cycles */
    des_put(sim, cmd, &(struct unit_gemm){ { 1, 20, 200, 8, 30000 }, true, { 0 } });
    des_run(sim, DES_NEVER);
    cr_assert_eq(m.st.busy, 2 * 88 + 255);
    cr_assert_eq(m.st.slots, (2 * 88 + 255) * 128 * 128);
    cr_assert_eq(m.st.useful, 30000);
    cr_assert_eq(m.st.conv_zeros, 2000);
    cr_assert_eq(m.st.weight_load, 2 * 64 * 128 * 128);
    cr_assert_eq(m.st.fill_drain, 255 * 128 * 128);
    cr_assert_eq(m.st.pad_m, 2 * 4 * 128 * 128);
    cr_assert_eq(m.st.pad_k, 20 * (256 - 200) * 128);
    cr_assert_eq(m.st.pad_n, 20 * 200 * (128 - 8));
    cr_assert_eq(m.st.useful + m.st.conv_zeros + m.st.weight_load + m.st.fill_drain + m.st.pad_m +
                     m.st.pad_k + m.st.pad_n,
                 m.st.slots);
    des_free(sim);
}

/* --- vector unit and XLU -------------------------------------------------------------------- */

Test(vpu, two_register_operations_a_cycle)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct vpu u;
        struct vpu_params par;
        struct unit_done d;
        param_defaults(&vpu_param_table, &par);
        vpu_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
        struct des_out cmd = bench_drive(sim, "cmd", u.unit.cmd, sizeof(struct unit_vector), 2);
        struct des_in done = bench_watch(sim, "done", u.unit.done, sizeof(struct unit_done), 2);
        bench_start(sim);
        des_put(sim, cmd, &(struct unit_vector){ { 7 } }); /* 4 cycles of 1 ns */
        bench_tight(sim, done, &d, 4000000);
        cr_assert_eq(d.cause, CAUSE_VPU);
        cr_assert_eq(u.unit.st.busy, 4);
        des_free(sim);
    }
}

/* 1 GHz, two slots a cycle. */
struct vpu_case {
    uint64_t ops[N_VECTOR_OPS];
    uint32_t alus;
    uint64_t cycles;
};

static const struct vpu_case vpu_cases[] = {
    { { [VECTOR_ADD] = 1 }, 2, 1 }, /* half a cycle, rounded up */
    { { [VECTOR_SELECT] = 4 }, 2, 2 },   { { [VECTOR_CAST] = 5 }, 2, 3 },
    { { [VECTOR_DIVIDE] = 3 }, 2, 12 },  /* 8 slots each */
    { { [VECTOR_EXP] = 3 }, 2, 11 },     /* 7 */
    { { [VECTOR_SINE] = 1 }, 2, 20 },    /* 40 */
    { { [VECTOR_SUBLANES] = 3 }, 2, 9 }, /* 6: rotate and add, three times */
    { { [VECTOR_SUBLANES] = 3 }, 4, 5 }, /* 18 slots, four a cycle */
    { { 3, 1, 1, 1, 1, 1, 1 }, 2, 33 },  /* 3 + 1 + 1 + 8 + 7 + 40 + 6 = 66: rounded up once */
};

Test(vpu, each_class_takes_its_slots)
{
    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < sizeof vpu_cases / sizeof *vpu_cases; i++) {
            struct des *sim = des_new();
            struct vpu u;
            struct vpu_params par;
            struct unit_done d;
            struct unit_vector work;
            param_defaults(&vpu_param_table, &par);
            par.alus = vpu_cases[i].alus;
            vpu_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
            struct des_out cmd = bench_drive(sim, "cmd", u.unit.cmd, sizeof work, 2);
            struct des_in done = bench_watch(sim, "done", u.unit.done, sizeof d, 2);
            bench_start(sim);
            memcpy(work.ops, vpu_cases[i].ops, sizeof work.ops);
            des_put(sim, cmd, &work);
            bench_tight(sim, done, &d, vpu_cases[i].cycles * 1000000);
            des_free(sim);
        }
}

Test(xlu, twelve_cycles_a_register)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct xlu u;
        struct xlu_params par;
        struct unit_done d;
        param_defaults(&xlu_param_table, &par);
        xlu_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
        struct des_out cmd = bench_drive(sim, "cmd", u.unit.cmd, sizeof(struct unit_lanes), 2);
        struct des_in done = bench_watch(sim, "done", u.unit.done, sizeof(struct unit_done), 2);
        bench_start(sim);
        des_put(sim, cmd, &(struct unit_lanes){ 5 });
        bench_tight(sim, done, &d, 60000000);
        des_free(sim);
    }
}

/* --- HBM: 600 GB/s at 86 %, bursts of 2048 B: 251,953,125 bursts a second ------------------- */

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

/* --- DMA ------------------------------------------------------------------------------------- */

struct dma_bench {
    struct des *sim;
    struct dma d;
    struct des_out cmd, reply;
    struct des_in request, done;
};

/* Memory that answers a read at 50 ns and a write at 60. */
static uint32_t answer(struct des *sim, void *self, uint32_t at)
{
    struct dma_bench *b = self;

    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 50000000);
    des_put(sim, b->reply, &(struct mem_done){ false });
    DES_WAIT_FOR(sim, 10000000);
    des_put(sim, b->reply, &(struct mem_done){ true });
    DES_WAIT_FOR(sim, DES_NEVER / 2);
    DES_END;
}

/* 1 GHz, 100 ns to the flag, a cycle for the address of a row. */
static void dma_up(struct dma_bench *b, uint32_t engines, uint32_t queue)
{
    struct dma_params par;

    b->sim = des_new();
    param_defaults(&dma_param_table, &par);
    par.engines = engines;
    par.queue = queue;
    dma_init(&b->d, b->sim, (struct des_module){ 0 }, &par, 1000000000);
    b->cmd = bench_drive(b->sim, "cmd", b->d.cmd, sizeof(struct mem_request), 8);
    b->request = bench_watch(b->sim, "request", b->d.request, sizeof(struct mem_request), 8);
    b->reply = bench_drive(b->sim, "reply", b->d.reply, sizeof(struct mem_done), 8);
    b->done = bench_watch(b->sim, "done", b->d.done, sizeof(struct dma_done), 8);
    des_thread_new(b->sim, (struct des_module){ 0 }, "answer", answer, b);
    bench_start(b->sim);
}

Test(dma, requests_are_padded_to_the_granule)
{
    struct dma_bench b;
    struct mem_request q;

    dma_up(&b, 1, 1);
    des_put(b.sim, b.cmd, &(struct mem_request){ { 1000, 3, 40 }, false });
    des_run(b.sim, 0);
    cr_assert(des_get(b.sim, b.request, &q));
    cr_assert_eq(q.move.bytes, 1024);
    cr_assert_eq(q.move.rows, 3);
    cr_assert_eq(q.move.row_bytes, 512);
    des_free(b.sim);
}

Test(dma, so_many_transfers_are_in_flight_as_its_engines_hold)
{
    static const struct {
        uint32_t engines, queue, sent;
    } cases[] = { { 1, 1, 1 }, { 1, 3, 3 }, { 2, 1, 2 }, { 3, 2, 6 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dma_bench b;
        struct mem_request q;
        uint32_t sent = 0;
        dma_up(&b, cases[i].engines, cases[i].queue);
        for (int n = 0; n < 8; n++)
            des_put(b.sim, b.cmd, &(struct mem_request){ { 512, 0, 0 }, false });
        des_run(b.sim, 0);
        while (des_get(b.sim, b.request, &q))
            sent++;
        cr_expect_eq(sent, cases[i].sent, "case %zu: %u", i, sent);
        /* one comes back, one more goes */
        des_run(b.sim, 50000000);
        cr_expect(des_get(b.sim, b.request, &q), "case %zu", i);
        cr_expect_not(des_get(b.sim, b.request, &q), "case %zu", i);
        des_free(b.sim);
    }
}

/* The flags of a read and a write of so many rows, whose last bytes come after 50 and 60 ns. */
static void flags(uint32_t engines, uint64_t rows, des_time first, des_time second)
{
    struct dma_bench b;
    struct dma_done d;

    dma_up(&b, engines, 2);
    des_put(b.sim, b.cmd, &(struct mem_request){ { 4096, rows, 512 }, false });
    des_put(b.sim, b.cmd, &(struct mem_request){ { 4096, rows / 10, 512 }, true });
    bench_tight(b.sim, b.done, &d, 50000000);
    cr_expect_eq(d.flag, first, "%lu", d.flag);
    cr_expect_not(d.write);
    bench_tight(b.sim, b.done, &d, 60000000);
    cr_expect_eq(d.flag, second, "%lu", d.flag);
    cr_expect(d.write);
    des_free(b.sim);
}

Test(dma, a_flag_waits_for_the_last_row_and_the_latency)
{
    /* one engine makes addresses until 100, then until 110 ns; then 100 ns each */
    flags(1, 100, 200000000, 210000000);
    /* the second engine has made its 10 by 10 ns: 60 + 100 */
    flags(2, 100, 200000000, 160000000);
    /* 20 and 2 rows are ready before the bytes, and a stream has none */
    flags(1, 20, 150000000, 160000000);
    flags(1, 0, 150000000, 160000000);
}

/* --- link: 62 GB/s, flits of 32 B: 1,937,500,000 a second, then 1 us ------------------------ */

Test(link, chunks_are_pipelined_behind_the_latency)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct link l;
        struct link_params par;
        struct net_chunk c = { .bytes = 62000 };
        param_defaults(&link_param_table, &par);
        link_init(&l, sim, (struct des_module){ 0 }, "link", &par,
                  &(struct link_place){ LINK_LAST, 1000000000, 0, 0 }, fold ? lane_fold : NULL);
        struct des_out in = bench_drive(sim, "in", l.in, sizeof c, 4);
        struct des_in out = bench_watch(sim, "out", l.out, sizeof c, 4);
        bench_start(sim);
        des_put(sim, in, &c);
        des_put(sim, in, &c);
        /* 1938 flits = 1000258064.5 fs, then 1 us; the second 1938 later, not 1 us later */
        bench_tight(sim, out, &c, 2000258065);
        bench_tight(sim, out, &c, 3000516130); /* 3876 flits = 2000516129.03 fs */
        des_free(sim);
    }
}

/* One chunk through a link that ends at chip 3; returns when it is there, in `c` what arrives. */
static des_time over_link(const struct link_place *place, struct net_chunk *c, bool fold)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par, place, fold ? lane_fold : NULL);
    struct des_out in = bench_drive(sim, "in", l.in, sizeof *c, 4);
    struct des_in out = bench_watch(sim, "out", l.out, sizeof *c, 4);
    bench_start(sim);
    des_put(sim, in, c);
    des_time t = 0;
    do {
        t = des_next_activity(sim);
        cr_assert_neq(t, DES_NEVER);
        des_run(sim, t);
    } while (!des_get(sim, out, c));
    des_free(sim);
    return t;
}

Test(link, what_goes_further_is_sent_on_as_it_comes)
{
    const struct link_place three = { .to = 3, .times = 1000000000 };

    for (int fold = 0; fold < 2; fold++) {
        struct net_chunk c = { .to = 5, .bytes = 62000 };
        /* a hop after it began; the last of 1938 flits is there in 1000258065 fs + 1 us */
        cr_expect_eq(over_link(&three, &c, fold), 1000000000);
        cr_expect_eq(c.tail, 2000258065);
        c = (struct net_chunk){ .to = 3, .bytes = 62000 };
        cr_expect_eq(over_link(&three, &c, fold), 2000258065, "here it ends");
    }
}

Test(link, the_last_flit_leaves_when_it_has_come)
{
    const struct link_place three = { .to = 3, .times = 1000000000 };

    for (int fold = 0; fold < 2; fold++) {
        struct net_chunk c = { .to = 3, .bytes = 32, .tail = 5000000000 };
        /* in by edge 9688 (9687.5) of 516129.03 fs: 5000258064.5 fs, and 1 us */
        cr_expect_eq(over_link(&three, &c, fold), 6000258065);
    }
}

Test(link, a_slow_one_takes_longer_for_every_flit_but_not_for_the_way)
{
    const struct link_place slow = { .to = LINK_LAST, .times = 2000000000 };
    struct net_chunk c = { .to = 5, .bytes = 62000 };

    cr_expect_eq(over_link(&slow, &c, true),
                 3000516130); /* 1938 / 968750000 s = 2000516129.03 fs */
}

Test(link, more_chunks_than_the_wire_holds_all_come_in_order)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;
    const struct link_place three = { .to = 3, .times = 1000000000 };
    uint32_t got = 0;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par, &three, lane_fold);
    struct des_out in = bench_drive(sim, "in", l.in, sizeof(struct net_chunk), 64);
    struct des_in out = bench_watch(sim, "out", l.out, sizeof(struct net_chunk), 64);
    bench_start(sim);
    /* some go further, some end here */
    for (uint32_t i = 0; i < 64; i++)
        des_put(sim, in, &(struct net_chunk){ .to = i % 3 ? 5 : 3, .bytes = 32, .step = i });
    while (got < 64) {
        struct net_chunk c;
        des_time t = des_next_activity(sim);
        cr_assert_neq(t, DES_NEVER, "%u came", got);
        des_run(sim, t);
        while (des_get(sim, out, &c))
            cr_assert_eq(c.step, got++);
    }
    des_free(sim);
}

Test(link, a_slow_one_could_have_moved_less)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par,
              &(struct link_place){ .to = 3, .times = 4000000000 }, lane_fold);
    link_finish(&l, 2 * DES_FS_PER_S);
    cr_expect_eq(l.st.capacity, 31000000000, "a quarter of 62 GB/s for 2 s");
    des_free(sim);
}

Test(link, jitter_is_drawn_from_its_seed)
{
    struct link_place late = {
        .to = LINK_LAST, .times = 1000000000, .jitter = 2000000000, .seed = 7
    };
    struct net_chunk c = { .bytes = 62000 };

    /* splitmix64(7) is 0.3898 of 2^64: so much of 2 us */
    cr_expect_eq(over_link(&late, &c, true), UINT64_C(2000258065) + 779659497);
    c = (struct net_chunk){ .bytes = 62000 };
    late.seed = 8;
    cr_expect_neq(over_link(&late, &c, true), UINT64_C(2000258065) + 779659497);
}

Test(link, jitter_lets_no_chunk_overtake_another)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;
    struct link_place late = {
        .to = LINK_LAST, .times = 1000000000, .jitter = 2000000000, .seed = 7
    };
    des_time last = 0;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par, &late, lane_fold);
    struct des_out in = bench_drive(sim, "in", l.in, sizeof(struct net_chunk), 16);
    struct des_in out = bench_watch(sim, "out", l.out, sizeof(struct net_chunk), 16);
    bench_start(sim);
    for (uint32_t i = 0; i < 12; i++)
        des_put(sim, in, &(struct net_chunk){ .bytes = 32, .step = i });
    for (uint32_t got = 0; got < 12;) {
        struct net_chunk c;
        des_run(sim, des_next_activity(sim));
        while (des_get(sim, out, &c)) {
            cr_expect_eq(c.step, got++);
            last = des_now(sim);
        }
    }
    cr_expect(last > 1000000000 && last <= 3000000000 + 12 * 516130);
    des_free(sim);
}

/* --- PCIe ------------------------------------------------------------------------------------ */

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
