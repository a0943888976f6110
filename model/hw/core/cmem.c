/* Requests of cores in turn, served by a lane of bursts. */
#include "hw/core/cmem.h"

#include <stdio.h>

#include "base/wide.h"

#define P(...) PARAM_DESC(struct cmem_params, __VA_ARGS__)
static const struct param_desc params[] = { CMEM_PARAMS(P) };
const struct param_table cmem_param_table = { "cmem", params, sizeof params / sizeof *params,
                                              sizeof(struct cmem_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct cmem_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct cmem_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { CMEM_STATS(C, R) };
const struct stat_table cmem_stat_table = { "cmem", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct cmem_stats) };
static const struct component_class cmem_class = { .name = "cmem",
                                                   .parameters = &cmem_param_table,
                                                   .statistics = &cmem_stat_table,
                                                   .counters = offsetof(struct cmem, st),
                                                   .reset = cmem_reset,
                                                   .finish = cmem_finish };

enum { BYTES };
static const struct des_probe_row shows[] = {
    [BYTES] = SHOW_MOVED("bytes", "B", "bytes moved"),
};

/* Take the request of the next core in turn that has one. */
static bool take_feed(struct des *sim, void *self, uint64_t *units)
{
    struct cmem *c = self;
    struct unit_feed q;

    for (uint32_t i = 0; i < c->n_clients; i++) {
        uint32_t client = (c->turn + i) % c->n_clients;
        if (!des_get(sim, c->request[client], &q))
            continue;
        *units = (q.bytes + c->par.burst - 1) / c->par.burst;
        c->served = client;
        c->turn = (client + 1) % c->n_clients;
        c->lane.amount = q.bytes;
        return true;
    }
    return false;
}

static bool finish_feed(struct des *sim, void *self)
{
    struct cmem *c = self;

    return des_put(sim, c->reply[c->served], &(struct unit_done){ .cause = CAUSE_HBM });
}

void cmem_init(struct cmem *c, struct des *sim, struct des_module parent,
               const struct cmem_params *par, uint32_t n_clients, lane_fold_fn *fold)
{
    uint64_t hz = par->bandwidth / par->burst;

    BUG_ON(n_clients == 0 || n_clients > CMEM_MAX_CLIENTS);
    *c = (struct cmem){ .par = *par, .n_clients = n_clients, .hz = hz ? hz : 1 };
    c->mod = des_module_new(sim, parent, "cmem");
    component_add(sim, &cmem_class, c->mod, c);
    c->show = SHOW_PROBES(sim, c->mod, shows);
    lane_init(&c->lane, sim, c->mod, c->hz, fold, c, take_feed, finish_feed);
    lane_meter(&c->lane, sim, c->show, BYTES, par->bandwidth, &c->st.bytes);
    for (uint32_t i = 0; i < n_clients; i++) {
        char name[32];
        snprintf(name, sizeof name, "request%u", i);
        c->request[i] = des_in_new(sim, c->mod, name, sizeof(struct unit_feed));
        snprintf(name, sizeof name, "reply%u", i);
        c->reply[i] = des_out_new(sim, c->mod, name, sizeof(struct unit_done));
        des_sensitive(sim, c->lane.serve, c->request[i]);
        des_sensitive(sim, c->lane.serve, c->reply[i]);
    }
}

void cmem_finish(void *self, des_time now, des_time elapsed)
{
    struct cmem *c = self;

    meter_finish(&c->lane.meter, now);
    c->st.capacity = (uint64_t)((u128)c->par.bandwidth * elapsed / DES_FS_PER_S);
}

void cmem_reset(void *self, des_time now)
{
    struct cmem *c = self;

    meter_reset(&c->lane.meter, now);
}
