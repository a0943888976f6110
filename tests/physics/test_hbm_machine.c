/* HBM in a machine: whatever clients ask for and when, counting bursts is walking them; nothing is
 * lost, nothing passes what was asked for before it in its direction, and no byte comes sooner than
 * the peak allows. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw/hbm/hbm.h"

#define CLIENTS 4
#define REQUESTS 300
#define FROM UINT64_C(7777777777)
#define TO UINT64_C(33333333333)

struct asked {
    uint64_t bytes;
    des_time at;
};

struct driver {
    struct des_out ask[CLIENTS];
    struct des_in answer[CLIENTS];
    struct des_process p;
    uint64_t state, hash, bytes, moved;
    uint32_t sent, done;
    struct asked asked[CLIENTS][2][REQUESTS];
    uint32_t n_asked[CLIENTS][2], n_done[CLIENTS][2];
    double peak; /* bytes a femtosecond */
};

static uint64_t draw_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* The oldest of its direction: it was asked for, and took its bytes' time at least. */
static void check_answer(struct driver *d, uint32_t client, bool write, des_time now)
{
    uint32_t n = d->n_done[client][write]++;
    const struct asked *a = &d->asked[client][write][n];

    cr_assert_lt(n, d->n_asked[client][write], "an answer to nothing");
    cr_assert_geq((double)(now - a->at), (double)a->bytes / d->peak);
    d->done++;
    d->hash = (d->hash * 1000003) ^ now ^ (client * 2 + write);
}

/* Bytes that move at one time do not exceed the peak. */
static void see_ramp(struct des *sim, void *self, uint32_t probe, uint64_t amount)
{
    struct driver *d = self;
    struct des_ramp r = des_probe_ramp(sim, (struct des_probe){ probe });

    cr_assert_leq((double)amount, (double)(r.to - r.from + 1) * d->peak);
    d->moved += amount;
}

static void watch_bytes(struct des *sim, void *self, struct des_object x)
{
    if (x.kind == DES_PROBE && des_probe_row(sim, (struct des_probe){ x.id })->ramps)
        des_watch_ramps(sim, (struct des_probe){ x.id }, see_ramp, self, x.id);
}

static struct mem_request make_request(struct driver *d)
{
    struct mem_request q = { .write = draw_number(&d->state) % 3 == 0 };
    uint64_t kind = draw_number(&d->state) % 4;

    if (kind == 0) {
        q.move.rows = 1 + draw_number(&d->state) % 300;
        q.move.row_bytes = 64u << draw_number(&d->state) % 8;
    } else if (kind < 3) {
        q.move.bytes = 1 + draw_number(&d->state) % 300000;
    } else {
        q.move.bytes = draw_number(&d->state) % 3000; /* of nothing, too */
    }
    return q;
}

/* Ask at random times for streams and rows; note which answers come when. */
static uint32_t drive_traffic(struct des *sim, void *self, uint32_t at)
{
    struct driver *d = self;
    struct mem_done done;

    DES_BEGIN(at);
    while (d->done < REQUESTS) {
        for (uint32_t c = 0; c < CLIENTS; c++)
            while (des_get(sim, d->answer[c], &done))
                check_answer(d, c, done.write, des_now(sim));
        if (d->sent < REQUESTS) {
            struct mem_request q = make_request(d);
            uint32_t c = (uint32_t)(draw_number(&d->state) % CLIENTS);
            if (des_put(sim, d->ask[c], &q)) {
                uint64_t bytes = q.move.bytes + q.move.rows * q.move.row_bytes;
                d->asked[c][q.write][d->n_asked[c][q.write]++] =
                    (struct asked){ bytes, des_now(sim) };
                d->bytes += bytes;
                d->sent++;
            }
        }
        DES_WAIT_FOR(sim, 1 + draw_number(&d->state) % 700000000);
    }
    DES_END;
}

struct world {
    uint64_t seed;
    struct dram_params dram;
    struct hbm_params par;
};

static uint64_t run_case(const struct world *w, bool fold, struct hbm_stats *st)
{
    struct des *sim = des_new();
    struct hbm_part part;
    struct hbm *h = malloc(sizeof *h);
    struct driver *d = calloc(1, sizeof *d);
    struct err err;

    d->state = w->seed;
    d->peak = (double)w->par.bandwidth / 1e15;
    hbm_part_init(&part, &w->dram, w->par.turn, w->par.bandwidth);
    hbm_init(h, sim, (struct des_module){ 0 }, &w->par, &part, CLIENTS, fold ? &hbm_fold : NULL);
    struct des_module m = des_module_new(sim, (struct des_module){ 0 }, "driver");
    d->p = des_thread_new(sim, m, "drive", drive_traffic, d);
    for (uint32_t c = 0; c < CLIENTS; c++) {
        char name[16];
        snprintf(name, sizeof name, "q%u", c);
        struct des_fifo q = des_fifo_new(sim, m, name, sizeof(struct mem_request), 8);
        snprintf(name, sizeof name, "r%u", c);
        struct des_fifo r = des_fifo_new(sim, m, name, sizeof(struct mem_done), 2);
        snprintf(name, sizeof name, "ask%u", c);
        d->ask[c] = des_out_new(sim, m, name, sizeof(struct mem_request));
        snprintf(name, sizeof name, "answer%u", c);
        d->answer[c] = des_in_new(sim, m, name, sizeof(struct mem_done));
        des_bind(sim, d->ask[c], q);
        des_bind(sim, h->request[c], q);
        des_bind(sim, h->reply[c], r);
        des_bind(sim, d->answer[c], r);
        des_sensitive(sim, d->p, d->answer[c]);
    }
    des_each(sim, watch_bytes, d);
    cr_assert_eq(des_elaborate(sim, &err), 0, "%s", err.msg);
    /* measuring begins and ends somewhere in the middle */
    des_run(sim, FROM);
    hbm_reset(h, FROM);
    des_run(sim, TO);
    hbm_finish(h, TO, TO - FROM);
    *st = h->st;
    des_run(sim, 1000 * UINT64_C(1000000000000));
    cr_assert_eq(d->done, REQUESTS, "%u of them", d->done);
    cr_assert_eq(d->moved, d->bytes, "bytes in are bytes out");
    uint64_t hash = d->hash;
    des_free(sim);
    hbm_free(h);
    hbm_part_free(&part);
    free(h);
    free(d);
    return hash;
}

static struct world make_world(uint64_t seed)
{
    struct world w = { .seed = seed };

    param_defaults(&dram_param_table, &w.dram);
    param_defaults(&hbm_param_table, &w.par);
    w.dram.refresh = (uint32_t)(seed % 3); /* all, one bank, none */
    w.dram.refi = 700000000 + seed % 7 * 300000000;
    w.par.turn = UINT64_C(2048) << seed % 10;
    w.par.request_overhead = seed % 2 * 5000;
    w.par.contention = seed % 5 != 0;
    return w;
}

Test(hbm_machine, bursts_counted_end_when_bursts_walked_do)
{
    for (uint64_t seed = 100; seed < 116; seed++) {
        struct world w = make_world(seed);
        struct hbm_stats walked, folded;
        cr_expect_eq(run_case(&w, false, &walked), run_case(&w, true, &folded), "seed %llu",
                     (unsigned long long)seed);
        cr_expect_arr_eq(&walked, &folded, sizeof walked, "seed %llu", (unsigned long long)seed);
        cr_expect_geq(walked.accesses, walked.hits);
        cr_expect_gt(walked.bursts, 0);
    }
}
