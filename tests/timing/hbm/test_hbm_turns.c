/* HBM in a machine: who is served when, and what a burst takes beside others.
 *
 * 600 GB/s at 86 %, bursts of 2048 B: 251,953,125 bursts a second, 3968992.248 fs each.  Times are
 * worked out by hand as numbers of bursts; what a mix costs is given, not walked. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw/hbm/hbm.h"
#include "tests/timing/bench.h"

#define BURST 2048

enum { READ, WRITE }; /* kinds of streams */

struct hbm_bench {
    struct des *sim;
    struct hbm h;
    struct hbm_params par;
    struct hbm_part part;
    struct des_out request[2];
    struct des_in reply[2];
};

static void set_up(struct hbm_bench *b, uint64_t turn_bursts)
{
    memset(b, 0, sizeof *b);
    param_defaults(&hbm_param_table, &b->par);
    b->par.efficiency = 860000000;
    b->par.turn = turn_bursts * BURST;
    cr_assert_eq(hbm_burst_hz(&b->par), 251953125);
}

static void start_bench(struct hbm_bench *b, bool part, bool fold, size_t replies)
{
    b->sim = des_new();
    hbm_init(&b->h, b->sim, (struct des_module){ 0 }, &b->par, part ? &b->part : NULL, 2,
             fold ? &hbm_fold : NULL);
    for (int i = 0; i < 2; i++) {
        b->request[i] =
            bench_drive(b->sim, i ? "q1" : "q0", b->h.request[i], sizeof(struct mem_request), 4);
        b->reply[i] =
            bench_watch(b->sim, i ? "r1" : "r0", b->h.reply[i], sizeof(struct mem_done), replies);
    }
    bench_start(b->sim);
}

static void tear_down(struct hbm_bench *b)
{
    des_free(b->sim);
    hbm_free(&b->h);
    hbm_part_free(&b->part);
}

/* A part that is never refreshed, of which nothing is known yet. */
static void plain_part(struct hbm_bench *b)
{
    struct dram_params dram;

    param_defaults(&dram_param_table, &dram);
    dram.stacks = 4;
    dram.refresh = HBM_REFRESH_NONE;
    hbm_part_init(&b->part, &dram, b->par.turn, dram_bytes_per_s(&dram));
}

/* Set the time of a burst of each kind in this mix, in 1 / HBM_FINE. */
static void set_cost(struct hbm_bench *b, hbm_mix_key key, uint32_t cost)
{
    struct hbm_part *p = &b->part;

    p->mixture = realloc(p->mixture, (p->n_mixtures + 1) * sizeof *p->mixture);
    p->room = p->n_mixtures + 1;
    struct hbm_mixture *m = &p->mixture[p->n_mixtures++];
    *m = (struct hbm_mixture){ .key = key };
    for (int kind = 0; kind < HBM_KINDS; kind++)
        m->cost[kind] = cost;
}

static void ask_bursts(struct hbm_bench *b, int client, uint64_t bursts, bool write)
{
    cr_assert(des_put(b->sim, b->request[client],
                      &(struct mem_request){ .move = { bursts * BURST, 0, 0 }, .write = write }));
}

static void expect_answer(struct hbm_bench *b, int client, bool write, des_time at)
{
    struct mem_done d;

    bench_tight(b->sim, b->reply[client], &d, at);
    cr_expect_eq(d.write, write, "client %d at %lu fs", client, at);
}

Test(hbm_turns, a_stream_takes_a_burst_time_for_each_2048_bytes)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 512);
        start_bench(&b, false, fold, 4);
        /* 20,481 B = 11 bursts = 43658914.73 fs */
        des_put(b.sim, b.request[0], &(struct mem_request){ .move = { 20481, 0, 0 } });
        expect_answer(&b, 0, false, 43658915);
        hbm_finish(&b.h, 43658915, 43658915);
        cr_assert_eq(b.h.st.bytes, 20481);
        tear_down(&b);
    }
}

Test(hbm_turns, an_idle_memory_begins_at_the_next_edge)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 512);
        start_bench(&b, false, fold, 4);
        ask_bursts(&b, 0, 1, false);
        expect_answer(&b, 0, false, 3968993); /* 1 = 3968992.25 */
        des_run(b.sim, 3968993);
        ask_bursts(&b, 0, 1, false);
        expect_answer(&b, 0, false, 7937985); /* 2 = 7937984.50 */
        tear_down(&b);
    }
}

Test(hbm_turns, transfers_of_two_clients_take_turns)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 4);
        start_bench(&b, false, fold, 4);
        ask_bursts(&b, 0, 10, false);
        ask_bursts(&b, 1, 6, false);
        /* first 4, second 4, first 4, second its last 2, first its last 2 */
        expect_answer(&b, 1, false, 55565892); /* 14 = 55565891.47 */
        expect_answer(&b, 0, false, 63503876); /* 16 = 63503875.97 */
        tear_down(&b);
    }
}

Test(hbm_turns, reads_and_writes_of_a_client_keep_their_own_order)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 2);
        start_bench(&b, false, fold, 4);
        ask_bursts(&b, 0, 8, true);
        ask_bursts(&b, 0, 2, false);
        ask_bursts(&b, 0, 3, false);
        /* read 2, write 2, read 2, write 2, read 1, write 2, write 2 */
        expect_answer(&b, 0, false, 7937985);  /* 2 */
        expect_answer(&b, 0, false, 35720931); /* 9 = 35720930.23 */
        expect_answer(&b, 0, true, 51596900);  /* 13 = 51596899.22 */
        tear_down(&b);
    }
}

Test(hbm_turns, what_comes_within_a_turn_is_served_after_it)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 4);
        start_bench(&b, false, fold, 4);
        ask_bursts(&b, 0, 8, false);
        des_run(b.sim, 6000000); /* in the second burst */
        ask_bursts(&b, 1, 1, false);
        expect_answer(&b, 1, false, 19844962); /* 4 + 1 = 19844961.24 */
        expect_answer(&b, 0, false, 35720931); /* 9 */
        tear_down(&b);
    }
}

Test(hbm_turns, who_reads_beside_a_write_pays_what_the_mix_costs)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 2);
        plain_part(&b);
        set_cost(&b, hbm_mix_one(READ) + hbm_mix_one(WRITE), HBM_FINE * 3 / 2);
        start_bench(&b, true, fold, 4);
        ask_bursts(&b, 0, 4, false);
        ask_bursts(&b, 1, 4, true);
        /* read 2 to 3, write 2 to 6, read 2 to 9; the write's last 2 are alone, to 11 */
        expect_answer(&b, 0, false, 35720931); /* 9 */
        expect_answer(&b, 1, true, 43658915);  /* 11 */
        hbm_finish(&b.h, 43658915, 43658915);
        cr_expect_eq(b.h.st.turning, 3, "6 bursts of half a burst more");
        cr_expect_eq(b.h.st.opening, 0);
        cr_expect_eq(b.h.st.bursts, 11);
        hbm_reset(&b.h, 43658915);
        hbm_finish(&b.h, 43658915, 0);
        cr_expect_eq(b.h.st.turning, 0, "all is forgotten");
        cr_expect_eq(b.h.st.bursts, 0);
        tear_down(&b);
    }
}

Test(hbm_turns, parts_of_a_burst_add_up_without_rounding)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 1);
        plain_part(&b);
        set_cost(&b, hbm_mix_one(READ) + hbm_mix_one(WRITE), HBM_FINE * 5 / 4);
        start_bench(&b, true, fold, 4);
        ask_bursts(&b, 0, 3, false);
        ask_bursts(&b, 1, 3, true);
        expect_answer(&b, 0, false, 24806202); /* 5 * 1.25 = 6.25 = 24806201.55 */
        expect_answer(&b, 1, true, 28775194);  /* 7.25 = 28775193.80 */
        /* idle meanwhile: from edge 8 on */
        ask_bursts(&b, 0, 1, false);
        expect_answer(&b, 0, false, 35720931); /* 9 */
        tear_down(&b);
    }
}

Test(hbm_turns, without_contention_each_burst_takes_what_it_takes_alone)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 2);
        b.par.contention = 0;
        plain_part(&b);
        set_cost(&b, hbm_mix_one(READ) + hbm_mix_one(WRITE), HBM_FINE * 3 / 2);
        start_bench(&b, true, fold, 4);
        ask_bursts(&b, 0, 4, false);
        ask_bursts(&b, 1, 4, true);
        expect_answer(&b, 0, false, 23813954); /* 6 = 23813953.49 */
        expect_answer(&b, 1, true, 31751938);  /* 8 = 31751937.98 */
        tear_down(&b);
    }
}

Test(hbm_turns, a_transfer_that_is_set_up_takes_its_turns_and_moves_nothing)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 2);
        b.par.request_overhead = 4096;
        plain_part(&b);
        set_cost(&b, hbm_mix_one(READ) + hbm_mix_one(WRITE), HBM_FINE * 3 / 2);
        start_bench(&b, true, fold, 4);
        ask_bursts(&b, 0, 1, false);
        ask_bursts(&b, 1, 1, true);
        /* 2 each to 4, the read beside the write to 5.5, the write alone to 6.5 */
        expect_answer(&b, 0, false, 21829458); /* 5.5 = 21829457.36 */
        expect_answer(&b, 1, true, 25798450);  /* 6.5 = 25798449.61 */
        tear_down(&b);
    }
}

Test(hbm_turns, who_streams_beside_a_transfer_that_is_set_up_is_alone)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 3);
        b.par.request_overhead = 4096;
        plain_part(&b);
        set_cost(&b, hbm_mix_one(READ) + hbm_mix_one(WRITE), HBM_FINE * 3 / 2);
        start_bench(&b, true, fold, 4);
        ask_bursts(&b, 0, 1, false);
        ask_bursts(&b, 1, 1, true);
        /* a turn of 3 each: set up in 2, one burst */
        expect_answer(&b, 0, false, 11906977); /* 3 = 11906976.74 */
        expect_answer(&b, 1, true, 23813954);  /* 6 = 23813953.49 */
        hbm_reset(&b.h, 23813954);
        hbm_finish(&b.h, 23813954, 0);
        cr_expect_eq(b.h.st.bursts, 0, "setting up is forgotten too");
        tear_down(&b);
    }
}

/* A part whose times are whole bursts: twice the bursts' clock, a refresh of 25 bursts every 500.
 */
static void refreshed_part(struct hbm_bench *b)
{
    struct dram_params dram;

    param_defaults(&dram_param_table, &dram);
    dram.clock = 503906250;
    dram.stacks = 4;
    dram.refi = 1984496125; /* 1000 cycles */
    dram.rfc = 97240000;    /* 49 cycles */
    dram.rp = 1984000;      /* 1 cycle */
    hbm_part_init(&b->part, &dram, b->par.turn, dram_bytes_per_s(&dram));
    cr_assert_eq(b->part.t.refi, 1000);
    cr_assert_eq(b->part.t.rp + b->part.t.rfc, 50);
}

Test(hbm_turns, a_refresh_holds_all_banks_up)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 512);
        refreshed_part(&b);
        start_bench(&b, true, fold, 4);
        /* 510 bursts: 500, then a refresh of 25, then 10: 535 bursts = 2123410852.72 fs */
        ask_bursts(&b, 0, 510, false);
        expect_answer(&b, 0, false, 2123410853);
        /* 465 to the next refresh at 1000, 25, 1 more: at 1026 = 4072186046.51 fs */
        ask_bursts(&b, 0, 466, false);
        expect_answer(&b, 0, false, 4072186047);
        tear_down(&b);
    }
}

Test(hbm_turns, rows_at_random_places_take_what_they_take_in_a_channel)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 512);
        refreshed_part(&b);
        /* 4 KiB are, by the map, 32 accesses of each of two channels: 2^5 */
        set_cost(&b, hbm_mix_one(2 * (1 + 5)), 2 * HBM_FINE);
        start_bench(&b, true, fold, 4);
        /* 1000 rows, 2000 bursts, 4000 burst times, 8 refreshes of 25: 4200 = 16669767441.86 fs */
        des_put(b.sim, b.request[0], &(struct mem_request){ .move = { 0, 1000, 4096 } });
        expect_answer(&b, 0, false, 16669767442);
        hbm_finish(&b.h, 16669767442, 16669767442);
        cr_expect_eq(b.h.st.opening, 2000);
        cr_expect_eq(b.h.st.turning, 0);
        cr_expect_eq(b.h.st.bytes, 4096000);
        tear_down(&b);
    }
}

Test(hbm_turns, an_answer_without_room_holds_up_its_own_way_alone)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        struct mem_done d;
        set_up(&b, 512);
        start_bench(&b, false, fold, 1);
        ask_bursts(&b, 0, 1, false);
        ask_bursts(&b, 0, 1, false);
        ask_bursts(&b, 0, 1, false);
        ask_bursts(&b, 1, 2, true);
        /* read 1, read 1 without room for its answer: the third does not begin; write 2 */
        expect_answer(&b, 1, true, 15875969); /* 4 = 15875968.99 */
        /* nothing has happened since; now the second's answer has room */
        cr_assert(des_get_any(b.sim, b.reply[0], &d));
        des_run(b.sim, 15875969);
        cr_assert(des_get_any(b.sim, b.reply[0], &d));
        expect_answer(&b, 0, false, 19844962); /* 5: the third from edge 4 on */
        tear_down(&b);
    }
}

/* 16,384 B are 8 bursts, which take 31751937.98 fs: half of them have moved after half of that. */
Test(hbm_turns, a_transfer_under_way_counts_by_the_byte)
{
    for (int fold = 0; fold < 2; fold++) {
        struct hbm_bench b;
        set_up(&b, 512);
        start_bench(&b, false, fold, 4);
        des_put(b.sim, b.request[0],
                &(struct mem_request){ .move = { 16384, 0, 0 }, .write = true });
        des_run(b.sim, 15875969);
        hbm_finish(&b.h, 15875969, 15875969);
        cr_expect_eq(b.h.st.bytes, 8192);
        cr_expect_eq(b.h.st.reads, 0);
        hbm_reset(&b.h, 15875969);
        des_run(b.sim, 19844961); /* one burst of 3968992.25 fs later */
        hbm_finish(&b.h, 19844961, 3968992);
        cr_expect_eq(b.h.st.bytes, 2047, "2047.99");
        expect_answer(&b, 0, true, 31751938);
        hbm_finish(&b.h, 40000000, 24124031);
        cr_expect_eq(b.h.st.bytes, 8192);
        tear_down(&b);
    }
}
