#include "hw/hbm.h"

#include <stdio.h>

#define P(...) PARAM_DESC(struct hbm_params, __VA_ARGS__)
static const struct param_desc params[] = { HBM_PARAMS(P) };
const struct param_table hbm_param_table = { "hbm", params, sizeof params / sizeof *params,
                                             sizeof(struct hbm_params) };
#undef P
#define C(...) STAT_COUNTER(struct hbm_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct hbm_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { HBM_STATS(C, R) };
const struct stat_table hbm_stat_table = { "hbm", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct hbm_stats) };

__extension__ typedef unsigned __int128 u128;

uint64_t hbm_burst_hz(const struct hbm_params *par)
{
    u128 hz = (u128)par->bandwidth * par->efficiency / 1000000000u / par->burst;

    return hz ? (uint64_t)hz : 1;
}

enum { CLIENT, BYTES, WRITE };
static const struct des_probe_row shows[] = {
    [CLIENT] = SHOW_ROW(NUMBER, "client", NULL, "whose request is served: cores, ICI, PCIe"),
    [BYTES] = SHOW_ROW(TOTAL, "bytes", "B", "bytes moved for requests that are done"),
    [WRITE] = SHOW_ROW(NUMBER, "write", NULL, "1: the request goes towards HBM"),
};

/* The next client in turn that asks for something. */
static bool take(struct des *sim, void *self, uint64_t *units)
{
    struct hbm *h = self;

    for (uint32_t i = 0; i < h->n_clients; i++) {
        uint32_t c = (h->turn + i) % h->n_clients;
        if (!des_get(sim, h->request[c], &h->cur))
            continue;
        const struct task_move *m = &h->cur.move;
        uint64_t useful = m->bytes + m->rows * m->row_bytes;
        uint64_t cost = useful + m->rows * h->par.row_overhead + h->par.request_overhead;
        *units = (cost + h->par.burst - 1) / h->par.burst;
        h->served = c;
        h->turn = (c + 1) % h->n_clients;
        h->st.bytes += useful;
        h->st.bursts += *units;
        des_show(sim, h->show, CLIENT, c);
        des_show(sim, h->show, WRITE, h->cur.write);
        return true;
    }
    return false;
}

static bool finish(struct des *sim, void *self)
{
    struct hbm *h = self;

    if (!des_put(sim, h->reply[h->served], &(struct mem_done){ h->cur.write }))
        return false;
    h->moved += h->cur.move.bytes + h->cur.move.rows * h->cur.move.row_bytes;
    des_show(sim, h->show, BYTES, h->moved);
    return true;
}

void hbm_init(struct hbm *h, struct des *sim, struct des_module parent,
              const struct hbm_params *par, uint32_t n_clients, lane_fold_fn *fold)
{
    BUG_ON(n_clients == 0 || n_clients > HBM_MAX_CLIENTS);
    *h = (struct hbm){ .par = *par, .n_clients = n_clients };
    h->mod = des_module_new(sim, parent, "hbm");
    h->show = SHOW_PROBES(sim, h->mod, shows);
    lane_init(&h->lane, sim, h->mod, hbm_burst_hz(par), fold, h, take, finish);
    for (uint32_t i = 0; i < n_clients; i++) {
        char name[32];
        snprintf(name, sizeof name, "request%u", i);
        h->request[i] = des_in_new(sim, h->mod, name, sizeof(struct mem_request));
        snprintf(name, sizeof name, "reply%u", i);
        h->reply[i] = des_out_new(sim, h->mod, name, sizeof(struct mem_done));
        des_sensitive(sim, h->lane.serve, h->request[i]);
        des_sensitive(sim, h->lane.serve, h->reply[i]);
    }
}

void hbm_finish(struct hbm *h, des_time elapsed)
{
    h->st.capacity = (uint64_t)((u128)h->par.bandwidth * elapsed / DES_FS_PER_S);
}
