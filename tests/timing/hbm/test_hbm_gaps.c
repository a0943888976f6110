/* Every gap between a pair of commands: the second issues that many cycles after the first, neither
 * sooner nor later.  Banks 0 to 3 are one group, 4 to 7 the next; 16 banks, one pseudo-channel. */
#include "hbm_channel_bench.h"

struct command {
    enum hbm_command cmd;
    uint32_t bank, nth;
};

struct gap {
    const char *name;
    const char *set[6][2];
    struct hbm_request q[8];
    struct command first, second;
    uint64_t cycles;
};

#define RD(bank, row)                                                                              \
    {                                                                                              \
        0, bank, row, false                                                                        \
    }
#define WR(bank, row)                                                                              \
    {                                                                                              \
        0, bank, row, true                                                                         \
    }
#define RD_AT(at, bank, row)                                                                       \
    {                                                                                              \
        at, bank, row, false                                                                       \
    }
#define WR_AT(at, bank, row)                                                                       \
    {                                                                                              \
        at, bank, row, true                                                                        \
    }

/* clang-format off */
static const struct gap gaps[] = {
    { "activate to read", { { "rcd_read", "13 ns" } }, { RD(0, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_READ, 0, 0 }, 13 },
    { "activate to write", { { "rcd_write", "11 ns" } }, { WR(0, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_WRITE, 0, 0 }, 11 },
    { "activate to precharge", { { "ras", "37 ns" } }, { RD(0, 1), RD(0, 2) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_PRECHARGE, 0, 0 }, 37 },
    { "activate to activate, one bank", { { "rc", "53 ns" } }, { RD(0, 1), RD(0, 2) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 0, 1 }, 53 },
    { "activate to activate, one group", { { "rrd_l", "9 ns" }, { "rrd_s", "3 ns" } }, { RD(0, 1), RD(1, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 1, 0 }, 9 },
    { "activate to activate, two groups", { { "rrd_l", "9 ns" }, { "rrd_s", "3 ns" } }, { RD(0, 1), RD(4, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 4, 0 }, 3 },
    { "four activates and the next", { { "faw", "41 ns" } }, { RD(0, 1), RD(4, 1), RD(8, 1), RD(12, 1), RD(1, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 1, 0 }, 41 },
    { "the window slides: the second and the sixth", { { "faw", "41 ns" } },
      { RD(0, 1), RD(4, 1), RD(8, 1), RD(12, 1), RD(1, 1), RD(5, 1) },
      { HBM_ACTIVATE, 4, 0 }, { HBM_ACTIVATE, 5, 0 }, 41 },
    { "three activates do not wait for the window", { { "faw", "41 ns" } }, { RD(0, 1), RD(4, 1), RD(8, 1), RD(12, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 12, 0 }, 3 },
    { "read to read, one bank", { { "ccd_l", "7" } }, { RD(0, 1), RD(0, 1) },
      { HBM_READ, 0, 0 }, { HBM_READ, 0, 1 }, 7 },
    { "read to read, one group", { { "ccd_l", "7" } }, { RD_AT(20, 0, 1), RD_AT(21, 1, 1), RD_AT(40, 0, 1), RD_AT(40, 1, 1) },
      { HBM_READ, 0, 1 }, { HBM_READ, 1, 1 }, 7 },
    { "read to read, two groups", { { "ccd_l", "7" }, { "ccd_s", "5" } }, { RD(0, 1), RD(4, 1), RD_AT(40, 0, 1), RD_AT(40, 4, 1) },
      { HBM_READ, 0, 1 }, { HBM_READ, 4, 1 }, 5 },
    { "read to read: the data bus takes one burst at a time", { { "burst", "6" } }, { RD(0, 1), RD(4, 1), RD_AT(40, 0, 1), RD_AT(40, 4, 1) },
      { HBM_READ, 0, 1 }, { HBM_READ, 4, 1 }, 6 },
    { "write to write, one group", { { "ccd_l", "7" } }, { WR(0, 1), WR(1, 1), WR_AT(40, 0, 1), WR_AT(40, 1, 1) },
      { HBM_WRITE, 0, 1 }, { HBM_WRITE, 1, 1 }, 7 },
    { "write to write, two groups", { { "ccd_l", "7" }, { "ccd_s", "5" } }, { WR(0, 1), WR(4, 1), WR_AT(40, 0, 1), WR_AT(40, 4, 1) },
      { HBM_WRITE, 0, 1 }, { HBM_WRITE, 4, 1 }, 5 },
    { "read to write, one bank", { { "rtw", "15 ns" } }, { RD(0, 1), WR_AT(5, 0, 1) },
      { HBM_READ, 0, 0 }, { HBM_WRITE, 0, 0 }, 15 },
    { "read to write, one group", { { "rtw", "15 ns" } }, { RD(0, 1), WR_AT(3, 1, 1) },
      { HBM_READ, 0, 0 }, { HBM_WRITE, 1, 0 }, 15 },
    { "read to write, two groups", { { "rtw", "15 ns" } }, { RD(0, 1), WR_AT(3, 4, 1) },
      { HBM_READ, 0, 0 }, { HBM_WRITE, 4, 0 }, 15 },
    { "write to read, one bank: data 4 + 1 later, then tWTR_L", { { "wtr_l", "8 ns" }, { "wtr_s", "6 ns" } }, { WR(0, 1), RD_AT(3, 0, 1) },
      { HBM_WRITE, 0, 0 }, { HBM_READ, 0, 0 }, 13 },
    { "write to read, one group", { { "wtr_l", "8 ns" }, { "wtr_s", "6 ns" } }, { WR(0, 1), RD_AT(3, 1, 1) },
      { HBM_WRITE, 0, 0 }, { HBM_READ, 1, 0 }, 13 },
    { "write to read, two groups: tWTR_S", { { "wtr_l", "8 ns" }, { "wtr_s", "6 ns" } }, { WR(0, 1), RD_AT(3, 4, 1) },
      { HBM_WRITE, 0, 0 }, { HBM_READ, 4, 0 }, 11 },
    { "read to precharge", { { "rtp", "17 ns" } }, { RD(0, 1), RD(0, 2) },
      { HBM_READ, 0, 0 }, { HBM_PRECHARGE, 0, 0 }, 17 },
    { "write to precharge: data 4 + 1 later, then tWR", { { "wr", "16 ns" } }, { WR(0, 1), WR(0, 2) },
      { HBM_WRITE, 0, 0 }, { HBM_PRECHARGE, 0, 0 }, 21 },
    { "precharge to activate", { { "rp", "19 ns" } }, { RD(0, 1), RD(0, 2) },
      { HBM_PRECHARGE, 0, 0 }, { HBM_ACTIVATE, 0, 1 }, 19 },
    { "read that closes to activate: tRTP, then tRP", { { "page", "closed" }, { "rtp", "5 ns" }, { "rp", "9 ns" } },
      { RD(0, 1), RD_AT(9, 0, 2) }, { HBM_READ_CLOSE, 0, 0 }, { HBM_ACTIVATE, 0, 1 }, 14 },
    { "read that closes: the row stays for tRAS", { { "page", "closed" }, { "ras", "30 ns" }, { "rp", "9 ns" } },
      { RD(0, 1), RD_AT(9, 0, 2) }, { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 0, 1 }, 39 },
    { "write that closes to activate: data, tWR, tRP", { { "page", "closed" }, { "wr", "16 ns" }, { "rp", "9 ns" } },
      { WR(0, 1), WR_AT(9, 0, 2) }, { HBM_WRITE_CLOSE, 0, 0 }, { HBM_ACTIVATE, 0, 1 }, 30 },
    { "an activate takes the row bus for two cycles", { { "act_cycles", "2" } }, { RD(0, 1), RD(4, 1) },
      { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 4, 0 }, 2 },
    { "one bus for all: the second activate lets the read go first", { { "dual_bus", "no" }, { "rcd_read", "4 ns" }, { "rrd_s", "4 ns" } },
      { RD(0, 1), RD(4, 1) }, { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 4, 0 }, 5 },
    { "two buses: both in one cycle", { { "rcd_read", "4 ns" }, { "rrd_s", "4 ns" } },
      { RD(0, 1), RD(4, 1) }, { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 4, 0 }, 4 },
    { "two pseudo-channels: activates only share the bus", { { "pseudo_channels", "2" }, { "rrd_l", "9 ns" }, { "rrd_s", "9 ns" } },
      { RD(0, 1), RD(16, 1) }, { HBM_ACTIVATE, 0, 0 }, { HBM_ACTIVATE, 16, 0 }, 1 },
    { "two pseudo-channels: reads only share the bus", { { "pseudo_channels", "2" }, { "ccd_l", "7" }, { "ccd_s", "7" } },
      { RD(0, 1), RD(16, 1), RD_AT(40, 0, 1), RD_AT(40, 16, 1) }, { HBM_READ, 0, 1 }, { HBM_READ, 16, 1 }, 1 },
    { "two pseudo-channels: a write does not turn the other's bus", { { "pseudo_channels", "2" }, { "rtw", "15 ns" } },
      { RD(0, 1), WR_AT(3, 16, 1) }, { HBM_READ, 0, 0 }, { HBM_ACTIVATE, 16, 0 }, 2 },
};
/* clang-format on */

/* Walked as the channel asks, and cycle by cycle. */
static void hold_gap(const struct gap *g, bool every)
{
    struct hbm_bench *b = malloc(sizeof *b);
    size_t n = 0;

    hbm_bench_init(b);
    for (size_t i = 0; i < 6 && g->set[i][0]; i++)
        hbm_bench_set(b, g->set[i][0], g->set[i][1]);
    while (n < 8 && g->q[n].row)
        n++;
    hbm_bench_run(b, g->q, n, 0, every);
    uint64_t first = hbm_bench_find(b, g->first.cmd, g->first.bank, g->first.nth);
    uint64_t second = hbm_bench_find(b, g->second.cmd, g->second.bank, g->second.nth);
    cr_expect_eq(second - first, g->cycles, "%s: %llu cycles, expected %llu", g->name,
                 (unsigned long long)(second - first), (unsigned long long)g->cycles);
    free(b);
}

Test(hbm_gaps, hold_to_the_cycle)
{
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        hold_gap(&gaps[i], false);
        hold_gap(&gaps[i], true);
    }
}

/* --- refresh ------------------------------------------------------------------------------ */

Test(hbm_refresh, all_banks_are_due_at_each_interval_and_closed_before)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { RD_AT(0, 0, 1), RD_AT(205, 3, 7), RD_AT(300, 0, 1) };

    hbm_bench_init(b);
    hbm_bench_set(b, "refresh", "all");
    hbm_bench_set(b, "refi", "200 ns");
    hbm_bench_set(b, "rfc", "60 ns");
    hbm_bench_set(b, "rp", "14 ns");
    hbm_bench_run(b, q, 3, 450, false);
    /* idle: precharged when due, refreshed tRP later; the request of 205 waits for tRFC */
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE_ALL, 0, 0), 200);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH, 0, 0), 214);
    cr_assert_eq(hbm_bench_find(b, HBM_ACTIVATE, 3, 0), 274);
    /* bank 3 is open when the next is due */
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE_ALL, 0, 1), 400);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH, 0, 1), 414);
    free(b);
}

Test(hbm_refresh, of_closed_banks_waits_for_trc_after_an_activate)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { RD_AT(190, 0, 1) };

    hbm_bench_init(b);
    hbm_bench_set(b, "refresh", "all");
    hbm_bench_set(b, "refi", "200 ns");
    hbm_bench_set(b, "rfc", "60 ns");
    hbm_bench_set(b, "rc", "48 ns");
    hbm_bench_set(b, "page", "closed");
    hbm_bench_run(b, q, 1, 300, false);
    cr_assert_eq(hbm_bench_find(b, HBM_ACTIVATE, 0, 0), 191);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH, 0, 0), 239);
    free(b);
}

Test(hbm_refresh, waits_for_tras_trtp_and_twr_before_it_precharges)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { WR(0, 1) };

    hbm_bench_init(b);
    hbm_bench_set(b, "refresh", "all");
    hbm_bench_set(b, "refi", "100 ns");
    hbm_bench_set(b, "rfc", "30 ns");
    hbm_bench_set(b, "rcd_write", "90 ns");
    hbm_bench_set(b, "wr", "16 ns");
    hbm_bench_run(b, q, 1, 150, false);
    cr_assert_eq(hbm_bench_find(b, HBM_WRITE, 0, 0), 91);
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE_ALL, 0, 0), 112); /* 91 + 4 + 1 + 16 */
    free(b);
}

Test(hbm_refresh, of_one_bank_leaves_the_others_open)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { RD_AT(0, 0, 1), RD_AT(0, 1, 1), RD_AT(110, 0, 1), RD_AT(101, 2, 1),
                               RD_AT(103, 1, 1) };

    hbm_bench_init(b);
    hbm_bench_set(b, "refresh", "bank");
    hbm_bench_set(b, "refi", "1.6 us"); /* 100 ns for each of 16 banks */
    hbm_bench_set(b, "rfc_bank", "50 ns");
    hbm_bench_set(b, "rrefd", "8 ns");
    hbm_bench_set(b, "rp", "14 ns");
    hbm_bench_run(b, q, 5, 250, false);
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE, 0, 0), 100);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH_ONE, 0, 0), 114);
    cr_assert_eq(hbm_bench_find(b, HBM_ACTIVATE, 0, 1), 164); /* 114 + 50 */
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE, 1, 0), 200);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH_ONE, 1, 0), 214);
    free(b);
}

/* Bank 1 is due at 200.  It was read at 199 and closes tRTP later, so the read of 201 is held up.
 */
Test(hbm_refresh, of_one_bank_lets_no_more_reads_of_it_through)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { RD_AT(0, 1, 1), RD_AT(198, 1, 1), RD_AT(201, 1, 1) };

    hbm_bench_init(b);
    hbm_bench_set(b, "refresh", "bank");
    hbm_bench_set(b, "refi", "1.6 us");
    hbm_bench_set(b, "rfc_bank", "50 ns");
    hbm_bench_set(b, "rtp", "10 ns");
    hbm_bench_run(b, q, 3, 300, false);
    cr_expect_eq(hbm_bench_find(b, HBM_PRECHARGE, 1, 0), 209);
    cr_expect_eq(hbm_bench_find(b, HBM_REFRESH_ONE, 1, 0), 210); /* tRP 1 */
    cr_expect_eq(hbm_bench_find(b, HBM_READ, 1, 2), 261);        /* tRFC 50, tRCD 1 */
    free(b);
}

Test(hbm_refresh, of_one_bank_and_activates_of_others_keep_apart)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { RD_AT(98, 5, 1), RD_AT(103, 9, 1) };

    hbm_bench_init(b);
    hbm_bench_set(b, "refresh", "bank");
    hbm_bench_set(b, "refi", "1.6 us");
    hbm_bench_set(b, "rfc_bank", "50 ns");
    hbm_bench_set(b, "rrefd", "8 ns");
    hbm_bench_set(b, "rrd_s", "4 ns");
    hbm_bench_set(b, "rrd_l", "4 ns");
    hbm_bench_run(b, q, 2, 150, false);
    cr_assert_eq(hbm_bench_find(b, HBM_ACTIVATE, 5, 0), 99);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH_ONE, 0, 0), 103); /* tRRD after the activate */
    cr_assert_eq(hbm_bench_find(b, HBM_ACTIVATE, 9, 0), 111);    /* tRREFD after the refresh */
    free(b);
}
