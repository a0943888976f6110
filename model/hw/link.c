#include "hw/link.h"

#define P(...) PARAM_DESC(struct link_params, __VA_ARGS__)
static const struct param_desc params[] = { LINK_PARAMS(P) };
const struct param_table link_param_table = { "ici", params, sizeof params / sizeof *params,
                                              sizeof(struct link_params) };
#undef P
#define C(...) STAT_COUNTER(struct link_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct link_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { LINK_STATS(C, R) };
const struct stat_table link_stat_table = { "link", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct link_stats) };

__extension__ typedef unsigned __int128 u128;

enum { BYTES, IN_FLIGHT };
static const struct des_probe_row shows[] = {
    [BYTES] = SHOW_ROW(TOTAL, "bytes", "B", "bytes that have left"),
    [IN_FLIGHT] = SHOW_ROW(LEVEL, "in_flight", NULL, "chunks on the wire behind the sender"),
};

static bool take(struct des *sim, void *self, uint64_t *units)
{
    struct link *l = self;

    if (!des_get(sim, l->in, &l->cur))
        return false;
    *units = (l->cur.bytes + l->par.flit - 1) / l->par.flit;
    l->st.bytes += l->cur.bytes;
    return true;
}

/* The last flit has left: put the chunk on the wire. */
static bool finish(struct des *sim, void *self)
{
    struct link *l = self;

    if (l->count == LINK_IN_FLIGHT)
        return false;
    uint32_t slot = (l->head + l->count++) % LINK_IN_FLIGHT;
    l->wire[slot].chunk = l->cur;
    l->wire[slot].due = des_now(sim) + l->par.latency;
    l->moved += l->cur.bytes;
    des_show(sim, l->show, BYTES, l->moved);
    des_show(sim, l->show, IN_FLIGHT, l->count);
    if (l->count == 1)
        des_notify_after(sim, l->arrival, l->par.latency);
    return true;
}

/* Method: woken when the first chunk on the wire is due, and when the receiver makes room. */
static void deliver(struct des *sim, void *self)
{
    struct link *l = self;

    while (l->count && l->wire[l->head].due <= des_now(sim) &&
           des_put(sim, l->out, &l->wire[l->head].chunk)) {
        l->head = (l->head + 1) % LINK_IN_FLIGHT;
        l->count--;
    }
    des_show(sim, l->show, IN_FLIGHT, l->count);
    if (l->count && l->wire[l->head].due > des_now(sim))
        des_notify_after(sim, l->arrival, l->wire[l->head].due - des_now(sim));
}

void link_init(struct link *l, struct des *sim, struct des_module parent, const char *name,
               const struct link_params *par, lane_fold_fn *fold)
{
    *l = (struct link){ .par = *par };
    l->mod = des_module_new(sim, parent, name);
    l->in = des_in_new(sim, l->mod, "in", sizeof(struct net_chunk));
    l->out = des_out_new(sim, l->mod, "out", sizeof(struct net_chunk));
    l->show = SHOW_PROBES(sim, l->mod, shows);
    uint64_t hz = par->bandwidth / par->flit;
    lane_init(&l->lane, sim, l->mod, hz ? hz : 1, fold, l, take, finish);
    l->arrival = des_event_new(sim, l->mod, "arrival");
    des_sensitive(sim, l->lane.serve, l->in);
    struct des_process p = des_method_new(sim, l->mod, "deliver", deliver, l);
    des_sensitive(sim, p, l->arrival);
    des_sensitive(sim, p, l->out);
    /* a full wire empties when a chunk is delivered */
    des_sensitive(sim, l->lane.serve, l->out);
    des_sensitive(sim, l->lane.serve, l->arrival);
}

void link_finish(struct link *l, des_time elapsed)
{
    l->st.capacity = (uint64_t)((u128)l->par.bandwidth * elapsed / DES_FS_PER_S);
}
