#include <criterion/criterion.h>

#include "hw/hbm/hbm.h"

/* Defaults: 1 GHz, a refresh every 3900 cycles that takes 14 + 260. */
static uint64_t make_stream(uint64_t bandwidth)
{
    struct hbm_params hbm;
    struct dram_params dram;

    param_defaults(&hbm_param_table, &hbm);
    param_defaults(&dram_param_table, &dram);
    hbm.bandwidth = bandwidth;
    hbm.efficiency = 860000000;
    hbm.burst = 2048;
    return hbm_stream_bytes_per_s(&hbm, &dram);
}

Test(hbm_stream, a_fast_memory_loses_the_bursts_of_each_refresh)
{
    /* 251953125 bursts/s of 2048 B, 516 GB/s, less 274 of 3900 cycles, both in parts of a burst */
    cr_assert_eq(make_stream(600000000000), 479747692307);
}

Test(hbm_stream, a_slow_memory_loses_no_more_than_its_refreshes_take)
{
    /* 419921 bursts/s, 1.6 between refreshes: 859998208 B/s less 274 of 3900 */
    cr_assert_eq(make_stream(1000000000), 799573091);
}

Test(hbm_stream, refreshes_are_a_cycle_apart_at_least)
{
    struct dram_params dram;
    struct hbm_timing timing;
    struct err err;

    param_defaults(&dram_param_table, &dram);
    dram.rfc_bank = 0;
    dram.clock = 1000000;
    dram.refresh = HBM_REFRESH_BANK;
    dram.refi = 15000000000; /* fs: 15 cycles for 16 banks */
    cr_assert_eq(hbm_timing_init(&timing, &dram, &err), -1);
    cr_assert_str_eq(err.msg,
                     "dram.refi: less than a cycle of dram.clock from one refresh to the next");
    dram.refi = 16000000000;
    cr_assert_eq(hbm_timing_init(&timing, &dram, &err), 0);
}

Test(hbm_stream, a_precharge_belongs_to_the_refresh_of_all_banks)
{
    struct dram_params dram;
    struct hbm_timing timing;
    struct err err;

    param_defaults(&dram_param_table, &dram);
    dram.refi = 547000000; /* fs; of 547 cycles 14 + 260 = 274 are more than half, 260 are not */
    cr_assert_eq(hbm_timing_init(&timing, &dram, &err), -1);
    cr_assert_str_eq(err.msg,
                     "dram.refi: refresh would take more than half of the time: 274 of 547 cycles");
    dram.refi = 548000000;
    cr_assert_eq(hbm_timing_init(&timing, &dram, &err), 0);
}

/* Up to 64 banks of a channel and 1,024 channels, pseudo-channels together. */
Test(hbm_stream, a_channel_has_up_to_64_banks)
{
    struct dram_params dram;
    struct hbm_timing timing;
    struct err err;

    param_defaults(&dram_param_table, &dram);
    dram.refresh = HBM_REFRESH_NONE;
    dram.pseudo_channels = 2;
    dram.groups = 4;
    dram.banks = 8;
    cr_expect_eq(hbm_timing_init(&timing, &dram, &err), 0, "%s", err.msg);
    dram.banks = 9;
    cr_expect_eq(hbm_timing_init(&timing, &dram, &err), -1);
    dram.banks = 8;
    dram.stacks = 16;
    dram.channels = 32;
    cr_expect_eq(hbm_timing_init(&timing, &dram, &err), 0, "%s", err.msg);
    dram.stacks = 17;
    cr_expect_eq(hbm_timing_init(&timing, &dram, &err), -1);
}
