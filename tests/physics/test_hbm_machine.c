/* HBM in a machine: whatever clients ask for and when, counting bursts is walking them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw/hbm.h"

#define CLIENTS 4
#define REQUESTS 300

struct driver {
    struct des_out ask[CLIENTS];
    struct des_in answer[CLIENTS];
    struct des_process p;
    uint64_t state;
    uint32_t sent, done;
    uint64_t hash;
};

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* Ask at random times for streams and rows; note which answers come when. */
static uint32_t drive(struct des *sim, void *self, uint32_t at)
{
    struct driver *d = self;
    struct mem_done done;

    DES_BEGIN(at);
    while (d->done < REQUESTS) {
        for (uint32_t c = 0; c < CLIENTS; c++)
            while (des_get(sim, d->answer[c], &done)) {
                d->done++;
                d->hash = (d->hash * 1000003) ^ des_now(sim) ^ c;
            }
        if (d->sent < REQUESTS) {
            struct mem_request q = { .write = draw(&d->state) % 3 == 0 };
            uint64_t kind = draw(&d->state) % 4;
            if (kind == 0) {
                q.move.rows = 1 + draw(&d->state) % 300;
                q.move.row_bytes = 64u << draw(&d->state) % 8;
            } else {
                q.move.bytes = 1 + draw(&d->state) % 300000;
            }
            if (des_put(sim, d->ask[draw(&d->state) % CLIENTS], &q))
                d->sent++;
        }
        DES_WAIT_FOR(sim, 1 + draw(&d->state) % 700000000);
    }
    DES_END;
}

static uint64_t run(uint64_t seed, const struct dram_params *dram, bool fold, struct hbm_stats *st)
{
    struct des *sim = des_new();
    struct hbm_params par;
    struct hbm_part *part = malloc(sizeof *part);
    struct hbm *h = malloc(sizeof *h);
    struct driver d = { .state = seed };
    struct err err;

    param_defaults(&hbm_param_table, &par);
    hbm_part_init(part, dram);
    hbm_init(h, sim, (struct des_module){ 0 }, &par, part, CLIENTS, fold ? lane_fold : NULL);
    struct des_module m = des_module_new(sim, (struct des_module){ 0 }, "driver");
    d.p = des_thread_new(sim, m, "drive", drive, &d);
    for (uint32_t c = 0; c < CLIENTS; c++) {
        char name[16];
        snprintf(name, sizeof name, "q%u", c);
        struct des_fifo q = des_fifo_new(sim, m, name, sizeof(struct mem_request), 8);
        snprintf(name, sizeof name, "r%u", c);
        struct des_fifo r = des_fifo_new(sim, m, name, sizeof(struct mem_done), 8);
        snprintf(name, sizeof name, "ask%u", c);
        d.ask[c] = des_out_new(sim, m, name, sizeof(struct mem_request));
        snprintf(name, sizeof name, "answer%u", c);
        d.answer[c] = des_in_new(sim, m, name, sizeof(struct mem_done));
        des_bind(sim, d.ask[c], q);
        des_bind(sim, h->request[c], q);
        des_bind(sim, h->reply[c], r);
        des_bind(sim, d.answer[c], r);
        des_sensitive(sim, d.p, d.answer[c]);
    }
    cr_assert_eq(des_elaborate(sim, &err), 0, "%s", err.msg);
    des_run(sim, 1000 * UINT64_C(1000000000000));
    cr_assert_eq(d.done, REQUESTS);
    hbm_finish(h, des_now(sim));
    *st = h->st;
    des_free(sim);
    free(part);
    free(h);
    return d.hash;
}

Test(hbm_machine, bursts_counted_end_when_bursts_walked_do)
{
    for (uint64_t seed = 100; seed < 112; seed++) {
        struct dram_params dram;
        struct hbm_stats walked, folded;
        param_defaults(&dram_param_table, &dram);
        dram.refresh = (uint32_t)(seed % 3); /* all, one bank, none */
        dram.refi = 700000000 + seed % 7 * 300000000;
        cr_expect_eq(run(seed, &dram, false, &walked), run(seed, &dram, true, &folded), "seed %llu",
                     (unsigned long long)seed);
        cr_expect_eq(walked.bursts, folded.bursts);
        cr_expect_eq(walked.turning, folded.turning);
        cr_expect_geq(walked.capacity, walked.bytes, "no faster than the peak");
        cr_expect_geq(walked.accesses, walked.hits);
    }
}
