#include "hw/host/pcie.h"

#include <stdio.h>

#include "base/wide.h"

#define P(...) PARAM_DESC(struct pcie_params, __VA_ARGS__)
static const struct param_desc params[] = { PCIE_PARAMS(P) };
const struct param_table pcie_param_table = { "pcie", params, sizeof params / sizeof *params,
                                              sizeof(struct pcie_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct pcie_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct pcie_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { PCIE_STATS(C, R) };
const struct stat_table pcie_stat_table = { "pcie", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct pcie_stats) };

static const struct component_class pcie_class = { .name = "pcie",
                                                   .parameters = &pcie_param_table,
                                                   .statistics = &pcie_stat_table,
                                                   .counters = offsetof(struct pcie, st),
                                                   .reset = pcie_reset,
                                                   .finish = pcie_finish };

static uint64_t count_packets(const struct pcie *p, uint64_t bytes)
{
    return (bytes + p->par.packet - 1) / p->par.packet;
}

enum { BYTES, FLOW };
static const struct des_probe_row shows[] = {
    [BYTES] = SHOW_MOVED("bytes", "B", "bytes that have crossed"),
    [FLOW] = SHOW_TRACK(FLOW, "flow", "state", "the batch at hand"),
};

/* A message to (up) or from (down) another slice; false: there is none. */
static bool take_far(struct des *sim, struct pcie *p, bool up, uint64_t *units)
{
    struct net_chunk *c = &p->far_cur[up];

    p->far[up] = p->joined && des_get(sim, up ? p->from_ici : p->from_dcn, c);
    if (!p->far[up])
        return false;
    *units = count_packets(p, c->bytes);
    (up ? &p->lane_up : &p->lane_down)->amount = c->bytes;
    return true;
}

static bool finish_far(struct des *sim, struct pcie *p, bool up)
{
    struct net_chunk *c = &p->far_cur[up];

    if (!des_put(sim, up ? p->to_dcn : p->to_ici, c))
        return false;
    p->far[up] = false;
    return true;
}

/* A copy of a core, in their order; false: there is none. */
static bool take_copy(struct des *sim, struct pcie *p, bool up)
{
    for (uint32_t i = 0; i < p->n_copiers; i++)
        if (des_get(sim, p->copy[up][i], &p->copy_cur[up])) {
            p->copy_core[up] = i;
            p->copies[up] = true;
            return true;
        }
    return false;
}

static bool finish_copy(struct des *sim, struct pcie *p, bool up)
{
    p->copies[up] = false;
    /* there is room for all that a core may have under way */
    return des_put(sim, p->copied[up][p->copy_core[up]], &p->copy_cur[up]);
}

/* A batch that goes down: what a call gives back, or input for which its core has room. */
static bool take_batch(struct des *sim, struct pcie *p)
{
    if (p->returns)
        return true;
    p->waits = p->waits || des_get(sim, p->feed, &p->waiting);
    if (!p->waits || !des_can_put(sim, p->fed[p->waiting.core]))
        return false;
    p->down_cur = p->waiting;
    p->waits = false;
    return true;
}

static bool take_down(struct des *sim, void *self, uint64_t *units)
{
    struct pcie *p = self;

    p->returns = des_get(sim, p->back, &p->down_cur);
    if (!p->returns && take_far(sim, p, false, units))
        return true;
    if (take_batch(sim, p)) {
        des_show(sim, p->show[0], FLOW, p->down_cur.flow);
        p->lane_down.amount = p->down_cur.bytes;
    } else if (take_copy(sim, p, false)) {
        p->lane_down.amount = p->copy_cur[0].bytes;
    } else {
        return false;
    }
    *units = count_packets(p, p->lane_down.amount);
    return true;
}

/* A batch has crossed: write it to HBM, then tell the core. */
static bool finish_down(struct des *sim, void *self)
{
    struct pcie *p = self;
    struct mem_done done;
    struct mem_request q = { .move.bytes = p->copies[0] ? p->copy_cur[0].bytes : p->down_cur.bytes,
                             .write = true,
                             .text = p->copies[0] ? p->copy_cur[0].text : 0 };

    if (p->far[0])
        return finish_far(sim, p, false);
    if (!p->written && !(p->written = des_put(sim, p->request[0], &q)))
        return false;
    if (!des_get(sim, p->done[0], &done))
        return false;
    p->written = false;
    if (p->copies[0])
        return finish_copy(sim, p, false);
    /* there is room for what all calls that a core may have open give back */
    return des_put(sim, (p->returns ? p->returned : p->fed)[p->down_cur.core], &p->down_cur);
}

static uint64_t bytes_up(const struct pcie *p)
{
    return p->copies[1] ? p->copy_cur[1].bytes : p->up_cur.bytes;
}

/* Ask HBM for what goes up next, of a call or else of a copy, unless it has been asked. */
static void read_next(struct des *sim, struct pcie *p)
{
    for (uint32_t i = 0; i < p->n_cores && !p->reading; i++)
        p->reading = des_get(sim, p->call[i], &p->up_cur);
    p->reading = p->reading || take_copy(sim, p, true);
    if (!p->reading)
        return;
    struct mem_request q = { .move.bytes = bytes_up(p),
                             .text = p->copies[1] ? p->copy_cur[1].text : 0 };
    BUG_ON(!des_put(sim, p->request[1], &q)); /* one is in flight at most */
}

/* Calls and copies carry data out of HBM: read it, then send it. */
static bool take_up(struct des *sim, void *self, uint64_t *units)
{
    struct pcie *p = self;
    struct mem_done done;

    if (!p->reading)
        read_next(sim, p);
    if (!p->reading || !des_get(sim, p->done[1], &done))
        return take_far(sim, p, true, units);
    p->reading = false;
    p->lane_up.amount = bytes_up(p);
    *units = count_packets(p, p->lane_up.amount);
    return true;
}

static bool finish_up(struct des *sim, void *self)
{
    struct pcie *p = self;

    if (p->far[1])
        return finish_far(sim, p, true);
    if (p->copies[1])
        return finish_copy(sim, p, true);
    return des_put(sim, p->up, &p->up_cur);
}

/* The ports for copies of core `i`. */
static void init_copies(struct pcie *p, struct des *sim, uint32_t i)
{
    struct des_process serve[2] = { p->lane_down.serve, p->lane_up.serve };
    char name[32];

    for (uint32_t up = 0; up < 2; up++) {
        snprintf(name, sizeof name, "copy_%s%u", up ? "up" : "down", i);
        p->copy[up][i] = des_in_new(sim, p->mod, name, sizeof(struct host_copy));
        snprintf(name, sizeof name, "copied_%s%u", up ? "up" : "down", i);
        p->copied[up][i] = des_out_new(sim, p->mod, name, sizeof(struct host_copy));
        des_sensitive(sim, serve[up], p->copy[up][i]);
    }
}

void pcie_init(struct pcie *p, struct des *sim, struct des_module parent,
               const struct pcie_params *par, uint32_t n_cores, bool copies, lane_fold_fn *fold)
{
    BUG_ON(n_cores == 0 || n_cores > PCIE_MAX_CORES);
    *p = (struct pcie){ .par = *par, .n_cores = n_cores, .n_copiers = copies ? n_cores : 0 };
    p->mod = des_module_new(sim, parent, "pcie");
    uint64_t hz = par->bandwidth / par->packet;
    struct des_module down = des_module_new(sim, p->mod, "down");
    struct des_module up = des_module_new(sim, p->mod, "up");
    p->show[0] = SHOW_PROBES(sim, down, shows);
    p->show[1] = SHOW_PROBES(sim, up, shows);
    lane_init(&p->lane_down, sim, down, hz ? hz : 1, fold, p, take_down, finish_down);
    lane_init(&p->lane_up, sim, up, hz ? hz : 1, fold, p, take_up, finish_up);
    lane_meter(&p->lane_down, sim, p->show[0], BYTES, par->bandwidth, &p->st.bytes);
    lane_meter(&p->lane_up, sim, p->show[1], BYTES, par->bandwidth, &p->st.bytes);
    p->feed = des_in_new(sim, p->mod, "feed", sizeof(struct host_feed));
    p->back = des_in_new(sim, p->mod, "back", sizeof(struct host_feed));
    des_sensitive(sim, p->lane_down.serve, p->back);
    for (uint32_t i = 0; i < 2; i++) {
        p->request[i] = des_out_new(sim, p->mod, i ? "read" : "write", sizeof(struct mem_request));
        p->done[i] = des_in_new(sim, p->mod, i ? "read_done" : "written", sizeof(struct mem_done));
    }
    p->up = des_out_new(sim, p->mod, "up", sizeof(struct host_call));
    component_add(sim, &pcie_class, p->mod, p);
    des_sensitive(sim, p->lane_down.serve, p->feed);
    des_sensitive(sim, p->lane_down.serve, p->done[0]);
    des_sensitive(sim, p->lane_up.serve, p->done[1]);
    des_sensitive(sim, p->lane_down.serve, p->request[0]);
    des_sensitive(sim, p->lane_up.serve, p->up);
    for (uint32_t i = 0; i < n_cores; i++) {
        char name[32];
        snprintf(name, sizeof name, "fed%u", i);
        p->fed[i] = des_out_new(sim, p->mod, name, sizeof(struct host_feed));
        snprintf(name, sizeof name, "returned%u", i);
        p->returned[i] = des_out_new(sim, p->mod, name, sizeof(struct host_feed));
        snprintf(name, sizeof name, "call%u", i);
        p->call[i] = des_in_new(sim, p->mod, name, sizeof(struct host_call));
        des_sensitive(sim, p->lane_down.serve, p->fed[i]);
        des_sensitive(sim, p->lane_up.serve, p->call[i]);
        if (copies)
            init_copies(p, sim, i);
    }
}

void pcie_bind(struct pcie *p, struct des *sim)
{
    p->joined = true;
    p->from_ici = des_in_new(sim, p->mod, "from_ici", sizeof(struct net_chunk));
    p->to_dcn = des_out_new(sim, p->mod, "to_dcn", sizeof(struct net_chunk));
    p->from_dcn = des_in_new(sim, p->mod, "from_dcn", sizeof(struct net_chunk));
    p->to_ici = des_out_new(sim, p->mod, "to_ici", sizeof(struct net_chunk));
    des_sensitive(sim, p->lane_up.serve, p->from_ici);
    des_sensitive(sim, p->lane_up.serve, p->to_dcn);
    des_sensitive(sim, p->lane_down.serve, p->from_dcn);
    des_sensitive(sim, p->lane_down.serve, p->to_ici);
}

void pcie_finish(void *self, des_time now, des_time elapsed)
{
    struct pcie *p = self;

    meter_finish(&p->lane_down.meter, now);
    meter_finish(&p->lane_up.meter, now);
    p->st.capacity = (uint64_t)((u128)p->par.bandwidth * 2 * elapsed / DES_FS_PER_S);
}

void pcie_reset(void *self, des_time now)
{
    struct pcie *p = self;

    meter_reset(&p->lane_down.meter, now);
    meter_reset(&p->lane_up.meter, now);
}
