/* The matrix unit, one command, the femtosecond it is done: walked and folded alike.  700 MHz,
 * 128 x 128, 2 weight rows a cycle, granule 8. */
#include "bench.h"
#include "hw/core/mxu.h"

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

/* With these parameters, its ports outside. */
static void mxu_with(struct mxu *m, struct des *sim, const struct mxu_params *par, uint64_t hz,
                     bool fold, struct des_out *cmd, struct des_in *done)
{
    mxu_init(m, sim, (struct des_module){ 0 }, "mxu", par, hz, fold ? mxu_fold : NULL);
    *cmd = bench_drive(sim, "cmd", m->cmd, sizeof(struct unit_gemm), 4);
    *done = bench_watch(sim, "done", m->done, sizeof(struct unit_done), 4);
    bench_start(sim);
}

static void mxu_up(struct mxu *m, struct des *sim, bool fold, struct des_out *cmd,
                   struct des_in *done)
{
    struct mxu_params par;

    param_defaults(&mxu_param_table, &par);
    mxu_with(m, sim, &par, 700000000, fold, cmd, done);
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
    mxu_with(m, sim, &par, 1000000000, fold, cmd, done);
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

/* A tile of 4 x 4 lies twice in 8 x 8: its 4 rows load in 4 cycles, 10 rows stream in 5, and drain
 * in 15.  Of the 320 places of those 5 cycles each row has 8 x 4, of which 4 x 4 are useful. */
Test(mxu, rows_side_by_side_share_the_array)
{
    const struct mxu_mode mode = { ARRAY_WAVE, 1, { 1, 10, 4, 4, 160 }, 24 };
    const struct array_mode twin = { .depth = 4, .columns = 4, .twin = true };

    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mode, fold, &cmd, &done);
        des_put(sim, cmd, &(struct unit_gemm){ mode.gemm, true, twin });
        bench_tight(sim, done, &d, mode.cycles * 1000000);
        cr_expect_eq(m.st.useful, 160);
        cr_expect_eq(m.st.pad_k, 160);
        cr_expect_eq(m.st.pad_n, 0);
        cr_expect_eq(m.st.weight_load, 4 * 64);
        cr_expect_eq(m.st.fill_drain, 15 * 64);
        des_free(sim);
    }
}

/* In 9 x 9 the two have 4 columns each, and the ninth is left over: 9 places in each of 5 cycles.
 */
Test(mxu, rows_side_by_side_leave_the_middle_of_an_odd_array)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct mxu_params par;
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        param_defaults(&mxu_param_table, &par);
        par.size = 9;
        par.weight_rows_per_cycle = par.row_granule = 1;
        par.weight_load = ARRAY_WAVE;
        mxu_with(&m, sim, &par, 1000000000, fold, &cmd, &done);
        des_put(sim, cmd,
                &(struct unit_gemm){
                    { 1, 10, 4, 4, 160 }, true, { .depth = 4, .columns = 4, .twin = true } });
        bench_tight(sim, done, &d, UINT64_C(26) * 1000000); /* 4 + 5 + 17 */
        cr_expect_eq(m.st.useful, 160);
        cr_expect_eq(m.st.pad_k, 10 * (9 - 4) * 4);
        cr_expect_eq(m.st.pad_n, 5 * 9);
        cr_expect_eq(m.st.weight_load, 4 * 81);
        cr_expect_eq(m.st.fill_drain, 17 * 81);
        cr_expect_eq(m.st.slots, 26 * 81);
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
        { { 0, 0, false, 0, 0, 0, 0, false }, 48 },
        { { 0, 1, false, 0, 0, 0, 0, false },
          72 }, /* begun in 48, its 4 beats load then: rows from 52, 57, 62, 67 on */
        { { 2, 0, false, 0, 0, 0, 0, false }, 80 + 120 }, /* begun in 72: 8 beats */
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

/* Tiles of 4 rows of weights, of which k = 16 has 4: 8 tiles of 10 rows.  One beat after the other
 * behind the rows: 4 + 8 * 10, where the array alone would take 8 * (10 + 4); of its 8 rows 4 are
 * idle.  Two rows a beat and rows for 10 cycles change only the first beats. */
Test(mxu, pushes_tiles_of_fewer_rows_behind_the_rows_before)
{
    static const struct {
        struct array_mode mode;
        uint64_t cycles;
    } cases[] = {
        { { 0, 0, false, 4, 0, 0, 0, false }, 8 * (10 + 4) },
        { { 0, 0, false, 4, 0, 1, 0, false }, 4 + 8 * 10 },
        { { 0, 0, false, 4, 0, 2, 0, false }, 2 + 8 * 10 },
    };

    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct mxu_mode mode = { ARRAY_EXPOSED, 1, { 1, 10, 16, 16, 0 }, 0 };
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mode, i % 2, &cmd, &done);
        des_put(sim, cmd, &(struct unit_gemm){ mode.gemm, false, cases[i / 2].mode });
        bench_tight(sim, done, &d, cases[i / 2].cycles * 1000000);
        cr_expect_eq(d.slots[USE_PAD_K], 10 * (4 * 8 - 16) * 16);
        des_free(sim);
    }
}

/* A command that finds the array idle takes what the last equal one took, and no other: each in
 * turn with one that differs in one thing, 1,000 cycles apart.  Wave: 8 beats, 4 tiles of 10 rows,
 * 15 to drain. */
Test(mxu, no_command_takes_the_cycles_of_another)
{
    static const struct task_gemm g = { 1, 10, 16, 16, 0 };
    static const struct {
        struct unit_gemm a, b;
        uint64_t a_cycles, b_cycles;
    } pairs[] = {
        { { g, true, { 0 } }, { { 2, 10, 16, 16, 0 }, true, { 0 } }, 63, 8 + 8 * 10 + 15 },
        { { g, true, { 0 } }, { { 1, 20, 16, 16, 0 }, true, { 0 } }, 63, 8 + 4 * 20 + 15 },
        { { g, true, { 0 } }, { { 1, 10, 8, 16, 0 }, true, { 0 } }, 63, 8 + 2 * 10 + 15 },
        { { g, true, { 0 } }, { { 1, 10, 16, 8, 0 }, true, { 0 } }, 63, 8 + 2 * 10 + 15 },
        { { g, true, { 0 } }, { g, false, { 0 } }, 63, 48 },
        { { g, true, { 0 } }, { g, true, { .more_passes = 2 } }, 63, 8 + 12 * 10 + 15 },
        { { g, true, { 0 } }, { g, true, { .more_rows = 1 } }, 63, 4 + 4 * 5 + 15 },
        { { g, true, { 0 } }, { g, true, { .turned = true } }, 63, 4 + 4 * 10 + 15 },
        { { g, true, { 0 } }, { g, true, { .depth = 4 } }, 63, 4 + 8 * 10 + 15 },
        { { g, true, { 0 } }, { g, true, { .columns = 4 } }, 63, 8 + 8 * 10 + 15 },
        { { g, true, { 0 } }, { g, true, { .pushed = 2 } }, 63, 4 + 4 * 10 + 15 },
        { { g, true, { 0 } }, { g, true, { .height = 4 } }, 63, 4 + 4 * 10 + 15 },
        { { g, true, { .depth = 4, .columns = 4 } },
          { g, true, { .depth = 4, .columns = 4, .twin = true } },
          4 + 16 * 10 + 15,
          4 + 16 * 5 + 15 },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct mxu_mode mode = { ARRAY_WAVE, 1, g, 0 };
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mode, true, &cmd, &done);
        for (uint64_t t = 0; t < 4000; t += 2000) {
            uint64_t a = mxu_serve(&m, &pairs[i].a, t * 1000000, &d) / 1000000;
            uint64_t b = mxu_serve(&m, &pairs[i].b, (t + 1000) * 1000000, &d) / 1000000;
            cr_expect_eq(a - t, pairs[i].a_cycles, "pair %zu, %lu: %lu", i, t, a - t);
            cr_expect_eq(b - t, 1000 + pairs[i].b_cycles, "pair %zu, %lu: %lu", i, t, b - t);
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

/* [20,16] x [16,10] on 8 x 8.  Where C stays, 3 x 2 tiles of it take 16 cycles each of 24 x 16
 * results; where A stays, 3 x 2 tiles of 24 x 16 elements take 10.  That a tile of weights would
 * lie in the array twice is nothing to them. */
Test(mxu, rows_enter_side_by_side_only_where_weights_stay)
{
    static const struct {
        enum dataflow flow;
        uint64_t cycles, load, pad_m, pad_n;
    } cases[] = {
        { DATAFLOW_OS, 180, 0, 4 * 16 * 16, 20 * 16 * 6 },
        { DATAFLOW_IS, 192, 48, 4 * 16 * 10, 0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mxu_mode mode = { ARRAY_SERIAL, 1, { 1, 20, 16, 10, 3200 }, cases[i].cycles };
        struct array_mode twin = { .depth = 4, .columns = 4, .twin = true };
        struct des *sim = des_new();
        struct mxu m;
        struct des_out cmd;
        struct des_in done;
        struct unit_done d;
        mode_up(&m, sim, &mode, true, &cmd, &done);
        m.par.dataflow = cases[i].flow;
        des_put(sim, cmd, &(struct unit_gemm){ mode.gemm, true, twin });
        bench_tight(sim, done, &d, mode.cycles * 1000000);
        cr_expect_eq(m.st.useful, 3200);
        cr_expect_eq(m.st.pad_m, cases[i].pad_m);
        cr_expect_eq(m.st.pad_k, 0);
        cr_expect_eq(m.st.pad_n, cases[i].pad_n);
        cr_expect_eq(m.st.weight_load, cases[i].load * 64);
        cr_expect_eq(m.st.fill_drain, 84 * 64);
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
