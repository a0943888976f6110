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

/* Bursts between rests that are not fewer: a rest is whole bursts, and few would not hold its share
 * of the time. */
#define REST_EVERY 64

/* All banks are refreshed at once, or it does not show: others work while one is.  In memory that
 * moves few bursts between refreshes, several count as one. */
static struct lane_rest hbm_rest(const struct hbm_params *par, const struct hbm_timing *t)
{
    u128 hz = hbm_burst_hz(par), apart = t->refi * hz, taken = (t->rp + t->rfc) * hz;

    if (t->refresh != HBM_REFRESH_ALL)
        return (struct lane_rest){ 0 };
    u128 several = ((u128)REST_EVERY * t->clock + apart - 1) / apart;
    return (struct lane_rest){ (uint64_t)(several * apart / t->clock),
                               (uint64_t)((several * taken + t->clock - 1) / t->clock) };
}

uint64_t hbm_stream_bytes_per_s(const struct hbm_params *par, const struct dram_params *dram)
{
    struct hbm_part part;

    hbm_part_init(&part, dram);
    struct lane_rest rest = hbm_rest(par, &part.t);
    u128 rate = (u128)hbm_burst_hz(par) * par->burst;
    return (uint64_t)(rest.every ? rate * (rest.every - rest.takes) / rest.every : rate);
}

enum { CLIENT, BYTES, WRITE };
static const struct des_probe_row shows[] = {
    [CLIENT] = SHOW_ROW(NUMBER, "client", NULL, "whose request is served: cores, ICI, PCIe"),
    [BYTES] = SHOW_ROW(TOTAL, "bytes", "B", "bytes moved for requests that are done"),
    [WRITE] = SHOW_ROW(NUMBER, "write", NULL, "1: the request goes towards HBM"),
};

/* Bursts in which rows at random places are opened and moved, all channels at work. */
static uint64_t row_units(struct hbm *h, const struct task_move *m)
{
    struct hbm_part *p = h->part;
    const struct hbm_timing *t = &p->t;

    hbm_part_rows(p, m->row_bytes);
    /* cycles of one channel times row_accesses */
    u128 row =
        p->row_width * (p->row_cycles + (p->row_depth - 1) * t->ccd_s * p->row_accesses / t->pcs);
    u128 all = row * m->rows / dram_channels(&p->par) / p->row_accesses;
    u128 bursts = (all * hbm_burst_hz(&h->par) + t->clock - 1) / t->clock;
    uint64_t bus = (m->rows * m->row_bytes + h->par.burst - 1) / h->par.burst;
    return bursts > bus ? (uint64_t)bursts : bus;
}

/* Bursts of a transfer: of its stream, of its rows, of turning round. */
static uint64_t units_of(struct hbm *h, const struct task_move *m, bool write)
{
    uint64_t stream = m->bytes + h->par.request_overhead, burst = h->par.burst;
    uint64_t rows = m->rows * m->row_bytes, turn = 0, work = 0;

    if (!h->part)
        return (stream + rows + burst - 1) / burst;
    const struct hbm_timing *t = &h->part->t;
    if (m->rows) {
        work = row_units(h, m);
        h->st.row_time += work - (rows + burst - 1) / burst;
        h->st.accesses += m->rows * h->part->row_width * h->part->row_depth;
        h->st.hits += m->rows * h->part->row_width * (h->part->row_depth - 1);
    }
    if (write != h->last) {
        turn = h->turn_units[write ? 0 : 1];
        h->st.turns++;
        h->st.turning += turn;
        h->last = write;
    }
    uint64_t accesses = (m->bytes + t->access - 1) / t->access;
    h->st.accesses += accesses;
    h->st.hits += accesses - (accesses + t->accesses_per_row - 1) / t->accesses_per_row;
    return (stream + burst - 1) / burst + work + turn;
}

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
        *units = units_of(h, m, h->cur.write);
        h->served = c;
        h->turn = (c + 1) % h->n_clients;
        h->st.bytes += useful;
        h->st.reads += h->cur.write ? 0 : useful;
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

/* Bursts that fit between two accesses `gap` cycles of the part's clock apart. */
static uint64_t bursts_in(const struct hbm *h, uint64_t gap)
{
    const struct hbm_timing *t = &h->part->t;
    uint64_t cycles = gap > t->ccd_s ? gap - t->ccd_s : 0;
    u128 clock = t->clock;

    return (uint64_t)(((u128)cycles * hbm_burst_hz(&h->par) + clock - 1) / clock);
}

void hbm_init(struct hbm *h, struct des *sim, struct des_module parent,
              const struct hbm_params *par, struct hbm_part *part, uint32_t n_clients,
              lane_fold_fn *fold)
{
    BUG_ON(n_clients == 0 || n_clients > HBM_MAX_CLIENTS);
    *h = (struct hbm){ .par = *par, .part = part, .n_clients = n_clients };
    h->mod = des_module_new(sim, parent, "hbm");
    h->show = SHOW_PROBES(sim, h->mod, shows);
    lane_init(&h->lane, sim, h->mod, hbm_burst_hz(par), fold, h, take, finish);
    if (part) {
        const struct hbm_timing *t = &part->t;
        h->lane.rest = hbm_rest(par, t);
        h->turn_units[0] = bursts_in(h, t->read_write);
        h->turn_units[1] = bursts_in(h, t->write_read_l);
    }
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
    struct lane_rest rest = h->lane.rest;

    h->st.capacity = (uint64_t)((u128)h->par.bandwidth * elapsed / DES_FS_PER_S);
    h->st.elapsed = (uint64_t)((u128)hbm_burst_hz(&h->par) * elapsed / DES_FS_PER_S);
    if (rest.every)
        h->st.refreshing = (uint64_t)((u128)h->st.elapsed * rest.takes / rest.every);
}
