/* Unloaded latencies, and who goes first: row hits, age, writes in batches, limits. */
#include "hbm_channel_bench.h"
#include "machine/spec/spec.h"

/* The part of DRAMsim3's HBM2, as far as latencies go. */
static void use_hbm2(struct hbm_bench *b)
{
    memset(b, 0, sizeof *b);
    param_defaults(&dram_param_table, &b->par);
    hbm_bench_set(b, "refresh", "none");
    hbm_bench_set(b, "faw", "30 ns");
    hbm_bench_set(b, "ccd_l", "2");
}

Test(hbm_order, unloaded_reads_take_17_31_and_45_cycles)
{
    struct hbm_bench *b = malloc(sizeof *b);
    /* closed bank; row hit; conflict */
    struct hbm_request q[] = { { 1000, 0, 1, false },
                               { 2000, 0, 1, false },
                               { 3000, 0, 2, false } };

    use_hbm2(b);
    hbm_bench_run(b, q, 3, 0, false);
    cr_assert_eq(b->done[0] - 1000, 31); /* a cycle to the controller, tRCD 14, CL 14, burst 2 */
    cr_assert_eq(b->done[1] - 2000, 17); /* 1 + CL 14 + burst 2 */
    cr_assert_eq(b->done[2] - 3000, 45); /* 1 + tRP 14 + tRCD 14 + CL 14 + burst 2 */
    free(b);
}

Test(hbm_order, unloaded_reads_take_the_same_through_bank_queues)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { { 1000, 0, 1, false },
                               { 2000, 0, 1, false },
                               { 3000, 0, 2, false } };

    use_hbm2(b);
    hbm_bench_set(b, "bank_queue", "8");
    hbm_bench_run(b, q, 3, 0, false);
    cr_assert_eq(b->done[0] - 1000, 31);
    cr_assert_eq(b->done[1] - 2000, 17);
    cr_assert_eq(b->done[2] - 3000, 45);
    free(b);
}

Test(hbm_order, a_row_hit_overtakes_an_older_conflict)
{
    struct hbm_bench *b = malloc(sizeof *b);
    /* row 1 is open; row 2 asked first, then row 1 again */
    struct hbm_request q[] = { { 0, 0, 1, false }, { 100, 0, 2, false }, { 100, 0, 1, false } };

    use_hbm2(b);
    hbm_bench_run(b, q, 3, 0, false);
    cr_assert_eq(b->done[2], 117);
    /* the hit issues at 101, tRTP 5 to the precharge, then 14 + 14 + 16 */
    cr_assert_eq(b->done[1], 150);
    free(b);
}

Test(hbm_order, of_two_hits_the_older_goes_first)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = {
        { 0, 0, 1, false }, { 0, 5, 1, false }, { 100, 5, 1, false }, { 100, 0, 1, false }
    };

    use_hbm2(b);
    hbm_bench_run(b, q, 4, 0, false);
    cr_assert_eq(b->done[2], 117);
    cr_assert_eq(b->done[3], 119);
    free(b);
}

Test(hbm_order, banks_take_turns_if_told_to)
{
    struct hbm_bench *b = malloc(sizeof *b);
    /* after bank 0's access bank 1 is next in turn, then 5, then 0 again: whatever their age */
    struct hbm_request q[] = { { 0, 1, 1, false },   { 50, 5, 1, false },  { 100, 0, 1, false },
                               { 200, 0, 1, false }, { 200, 5, 1, false }, { 200, 1, 1, false } };

    use_hbm2(b);
    hbm_bench_set(b, "arbiter", "turn");
    hbm_bench_run(b, q, 6, 0, false);
    cr_assert_eq(b->done[5], 217); /* bank 1 */
    cr_assert_eq(b->done[4], 219); /* bank 5 */
    cr_assert_eq(b->done[3], 221); /* bank 0 */
    free(b);
}

/* Hits to row 1 every cycle from 100 on, and one request for row 2 at 100. */
static uint64_t conflict_among_hits(struct hbm_bench *b)
{
    struct hbm_request q[402] = { { 0, 0, 1, false }, { 100, 0, 2, false } };

    for (unsigned i = 0; i < 400; i++)
        q[2 + i] = (struct hbm_request){ 100 + i, 0, 1, false };
    hbm_bench_run(b, q, 402, 0, false);
    return hbm_bench_find(b, HBM_PRECHARGE, 0, 0);
}

Test(hbm_order, a_row_closes_after_so_many_hits_for_an_older_request)
{
    struct hbm_bench *b = malloc(sizeof *b);

    use_hbm2(b);
    hbm_bench_set(b, "row_hits", "5");
    hbm_bench_set(b, "ccd_l", "6"); /* longer than tRTP, or hits would push the precharge on */
    hbm_bench_set(b, "age_limit", "0 s");
    /* one hit before, then at 101, 107, 113, 119: five; tRTP later */
    cr_assert_eq(conflict_among_hits(b), 124);
    free(b);
}

Test(hbm_order, a_row_closes_for_a_request_beyond_the_age_limit)
{
    struct hbm_bench *b = malloc(sizeof *b);

    use_hbm2(b);
    hbm_bench_set(b, "row_hits", "65536");
    hbm_bench_set(b, "age_limit", "300 ns");
    /* from 400 on the bank serves nobody else; its last hit was at 399: 399 + tRTP 5 */
    cr_assert_eq(conflict_among_hits(b), 404);
    cr_assert_eq(b->done[1], 448); /* 404 + 14 + 14 + 16 */
    free(b);
}

Test(hbm_order, without_limits_hits_hold_the_row_as_long_as_they_come)
{
    struct hbm_bench *b = malloc(sizeof *b);

    use_hbm2(b);
    hbm_bench_set(b, "row_hits", "65536");
    hbm_bench_set(b, "age_limit", "0 s");
    /* 400 hits, 2 cycles each from 101 on: the last at 899, tRTP later */
    cr_assert_eq(conflict_among_hits(b), 904);
    free(b);
}

Test(hbm_order, writes_wait_until_enough_are_there_and_go_until_few_are_left)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[64] = { { 0 } };
    unsigned n = 0;

    use_hbm2(b);
    hbm_bench_set(b, "write_high", "4");
    hbm_bench_set(b, "write_low", "1");
    q[n++] = (struct hbm_request){ 0, 0, 1, false };
    q[n++] = (struct hbm_request){ 20, 4, 1, false };
    for (unsigned i = 0; i < 40; i++) /* reads enough for 80 cycles */
        q[n++] = (struct hbm_request){ 100, 0, 1, false };
    /* the fourth write is pushed at 103; by then reads issue at 101 and 103 */
    for (unsigned i = 0; i < 4; i++)
        q[n++] = (struct hbm_request){ 100 + i, 4, 1, true };
    hbm_bench_set(b, "read_queue", "64");
    hbm_bench_run(b, q, n, 0, false);
    uint64_t first = hbm_bench_find(b, HBM_WRITE, 4, 0), third = hbm_bench_find(b, HBM_WRITE, 4, 2);
    cr_assert_eq(first, 117); /* tRTW 14 after the read of 103 */
    cr_assert_eq(third, 121);
    /* one write is left; reads go on after 4 + 2 + tWTR_S 6 */
    uint64_t next = 0;
    for (size_t i = 0; i < b->n && next == 0; i++)
        if (b->rec[i].cmd == HBM_READ && b->rec[i].at > third)
            next = b->rec[i].at;
    cr_assert_eq(next, 133);
    cr_assert_gt(hbm_bench_find(b, HBM_WRITE, 4, 3), 133 + 2 * 30,
                 "the last write waits for reads");
    free(b);
}

Test(hbm_order, reads_do_not_starve_behind_writes_without_end)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request *q = calloc(901, sizeof *q);

    use_hbm2(b);
    for (unsigned i = 0; i < 900; i++)
        q[i] = (struct hbm_request){ i, 4, 1, true };
    q[900] = q[899];
    q[450] = (struct hbm_request){ 450, 0, 1, false };
    hbm_bench_run(b, q, 901, 0, false);
    /* 32 writes of 2 cycles, an activate meanwhile, 4 + 2 + tWTR_S 6 and 16 to the data */
    cr_assert_lt(b->done[450] - b->pushed[450], 64 + 12 + 16 + 16, "%llu",
                 (unsigned long long)(b->done[450] - b->pushed[450]));
    free(q);
    free(b);
}

Test(hbm_order, a_full_queue_takes_nothing)
{
    struct hbm_timing t;
    struct dram_params par;
    struct err err;
    struct hbm_channel *c = malloc(sizeof *c);

    param_defaults(&dram_param_table, &par);
    cr_assert_eq(hbm_timing_init(&t, &par, &err), 0);
    hbm_channel_init(c, &t, 0);
    for (unsigned i = 0; i < 32; i++) {
        cr_assert(hbm_channel_room(c, false));
        hbm_channel_push(c, 0, i % 16, i, false, 0);
    }
    cr_assert_not(hbm_channel_room(c, false));
    cr_assert(hbm_channel_room(c, true));
    hbm_channel_free(c);
    free(c);
}

/* A row is opened in cycle 1 and read or written in 15. */
Test(hbm_order, a_request_leaves_its_place_when_its_row_is_opened_or_served)
{
    struct hbm_bench *b = malloc(sizeof *b);

    for (int early = 0; early < 2; early++)
        for (int write = 0; write < 2; write++) {
            struct hbm_request q[] = { { 0, 0, 1, write }, { 0, 4, 1, write } };
            use_hbm2(b);
            hbm_bench_set(b, "read_queue", "1");
            hbm_bench_set(b, "write_queue", "1");
            hbm_bench_set(b, "write_high", "1");
            hbm_bench_set(b, "write_low", "0");
            hbm_bench_set(b, "early_place", early ? "yes" : "no");
            hbm_bench_run(b, q, 2, 0, false);
            cr_expect_eq(b->pushed[1], early ? 1 : 15, "%lu", b->pushed[1]);
        }
    free(b);
}

/* --- limits of parts as they are shipped --------------------------------------------------- */

/* A part without refresh; its accesses of one bank group further apart than tRTP. */
static void use_part(struct hbm_bench *b, const char *part)
{
    struct err err;

    memset(b, 0, sizeof *b);
    cr_assert_eq(spec_dram(&b->par, part, true, NULL, 0, &err), 0, "%s", err.msg);
    hbm_bench_set(b, "clock", "1 GHz");
    hbm_bench_set(b, "refresh", "none");
    hbm_bench_set(b, "ccd_l", "6");
}

Test(hbm_order, a_row_of_hbm2_closes_after_64_accesses)
{
    struct hbm_bench *b = malloc(sizeof *b);

    use_part(b, "hbm2");
    /* one hit before, 63 from 101 on every 6 cycles: the last at 101 + 62 * 6; tRTP 5 later */
    cr_assert_eq(conflict_among_hits(b), 478);
    free(b);
}

Test(hbm_order, a_row_of_hbm2_closes_for_a_request_of_2_us)
{
    struct hbm_bench *b = malloc(sizeof *b);

    use_part(b, "hbm2");
    hbm_bench_set(b, "row_hits", "65536");
    /* from 2100 on the bank serves nobody else; its last hit was at 101 + 333 * 6 = 2099 */
    cr_assert_eq(conflict_among_hits(b), 2104);
    free(b);
}

Test(hbm_order, a_row_of_dramsim3_closes_after_4_accesses)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[12] = { { 0, 0, 1, false } };

    /* the first hit of 100 is in the bank's queue when row 2 asks, and more come behind it */
    for (unsigned i = 1; i < 12; i++)
        q[i] = (struct hbm_request){ 100, 0, i == 2 ? 2 : 1, false };
    use_part(b, "hbm2-dramsim3");
    hbm_bench_run(b, q, 12, 0, false);
    /* accesses at 15, 101, 107 and 113; tRTP 5 later */
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE, 0, 0), 118);
    free(b);
}

/* --- places that are left early ----------------------------------------------------------- */

Test(hbm_order, a_write_whose_row_a_refresh_closed_is_served_after_it)
{
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_request q[] = { { 990, 0, 1, true } };

    use_hbm2(b);
    hbm_bench_set(b, "early_place", "yes");
    hbm_bench_set(b, "hold_row", "no");
    hbm_bench_set(b, "refresh", "all");
    hbm_bench_set(b, "refi", "1 us");
    hbm_bench_set(b, "rfc", "60 ns");
    hbm_bench_run(b, q, 1, 0, false);
    /* opened at 991, closed tRAS 34 later, refreshed at 1039, tRC 48 after it was opened */
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE_ALL, 0, 0), 1025);
    cr_assert_eq(hbm_bench_find(b, HBM_REFRESH, 0, 0), 1039);
    /* tRFC 60, tRCD 14, 4 to the data and 2 of data */
    cr_assert_eq(b->done[0], 1119);
    free(b);
}

Test(hbm_order, a_request_that_a_row_was_opened_for_is_served_whatever_goes_first)
{
    struct hbm_bench *b = malloc(sizeof *b);
    /* the read leaves its place when its row is opened at 101; then writes alone are in the queues
     */
    struct hbm_request q[] = { { 100, 0, 1, false }, { 100, 0, 2, true } };

    use_hbm2(b);
    hbm_bench_set(b, "early_place", "yes");
    hbm_bench_run(b, q, 2, 0, false);
    cr_assert_eq(hbm_bench_find(b, HBM_READ, 0, 0), 115);
    /* closed tRAS 34 after it was opened, then tRP 14, tRCD 14, 4 to the data and 2 of data */
    cr_assert_eq(hbm_bench_find(b, HBM_PRECHARGE, 0, 0), 135);
    cr_assert_eq(b->done[1], 169);
    free(b);
}
