/* Legs that a memory passes without waking are those that it walks burst by burst: after random
 * requests of two clients, looked at in random moments. */
#include <criterion/criterion.h>
#include <string.h>

#include "hw/hbm/hbm.h"
#include "hw/hbm/hbm_bytes.h"
#include "tests/timing/bench.h"

enum { CLIENTS = 2, MOMENTS = 60, BURST = 2048, BURST_FS = 3968992 };

struct seen {
    struct hbm_stats st;
    uint64_t left[2], answers[2];
    bool put;
};

static uint64_t draw_number(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* Mostly streams of many turns, some with rows. */
static struct mem_request draw_request(uint64_t *seed)
{
    struct mem_request q = { .move.bytes = draw_number(seed, 400 * BURST),
                             .write = draw_number(seed, 2) };

    if (draw_number(seed, 4) == 0) {
        q.move.rows = draw_number(seed, 200);
        q.move.row_bytes = UINT64_C(512) << draw_number(seed, 3);
    }
    return q;
}

static void see_memory(struct hbm *h, des_time now, struct seen *s)
{
    hbm_finish(h, now, now);
    s->st = h->st;
    for (int write = 0; write < 2; write++)
        s->left[write] = hbm_bytes_to_move(h, write, now);
}

static void serve_requests(uint64_t seed, uint64_t turn, bool fold, struct seen *seen)
{
    struct hbm_params par;
    struct dram_params dram;
    struct hbm_part part;
    struct hbm h;
    struct des *sim = des_new();
    struct des_out request[CLIENTS];
    struct des_in reply[CLIENTS];
    struct mem_done d;
    des_time now = 0;

    param_defaults(&hbm_param_table, &par);
    param_defaults(&dram_param_table, &dram);
    par.efficiency = 860000000;
    par.turn = turn * BURST;
    par.request_overhead = draw_number(&seed, 2) ? 0 : 3 * BURST;
    dram.stacks = 4;
    hbm_part_init(&part, &dram, par.turn, dram_bytes_per_s(&dram));
    hbm_init(&h, sim, (struct des_module){ 0 }, &par, &part, CLIENTS, fold ? &hbm_fold : NULL);
    for (int i = 0; i < CLIENTS; i++) {
        request[i] = bench_drive(sim, i ? "q1" : "q0", h.request[i], sizeof(struct mem_request), 4);
        reply[i] = bench_watch(sim, i ? "r1" : "r0", h.reply[i], sizeof(struct mem_done), 64);
    }
    bench_start(sim);
    for (int k = 0; k < MOMENTS; k++, seen++) {
        memset(seen, 0, sizeof *seen);
        struct mem_request q = draw_request(&seed);
        seen->put = des_put(sim, request[draw_number(&seed, CLIENTS)], &q);
        now += 1 + draw_number(&seed, (draw_number(&seed, 3) ? 40 : 900) * (uint64_t)BURST_FS);
        des_run(sim, now);
        see_memory(&h, now, seen);
        for (int i = 0; i < CLIENTS; i++)
            while (des_get(sim, reply[i], &d))
                seen->answers[d.write] += 1 + 1000 * (uint64_t)i;
    }
    des_free(sim);
    hbm_free(&h);
    hbm_part_free(&part);
}

Test(hbm_legs, legs_that_are_passed_are_those_that_are_walked)
{
    static struct seen walked[MOMENTS], passed[MOMENTS];

    for (uint64_t seed = 1; seed <= 24; seed++) {
        uint64_t turn = UINT64_C(1) << seed % 6;
        serve_requests(seed, turn, false, walked);
        serve_requests(seed, turn, true, passed);
        for (int k = 0; k < MOMENTS; k++)
            cr_assert_arr_eq(&walked[k], &passed[k], sizeof walked[k],
                             "seed %llu, moment %d: %llu and %llu bursts, %llu and %llu bytes left",
                             (unsigned long long)seed, k, (unsigned long long)walked[k].st.bursts,
                             (unsigned long long)passed[k].st.bursts,
                             (unsigned long long)walked[k].left[0],
                             (unsigned long long)passed[k].left[0]);
    }
}
