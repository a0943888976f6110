#include "hw/net/link.h"

#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct link_params, __VA_ARGS__)
static const struct param_desc params[] = { LINK_PARAMS(P) };
const struct param_table link_param_table = { "ici", params, sizeof params / sizeof *params,
                                              sizeof(struct link_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct link_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct link_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { LINK_STATS(C, R) };
const struct stat_table link_stat_table = { "link", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct link_stats) };

static const struct component_class link_class = { .name = "link",
                                                   .parameters = &link_param_table,
                                                   .statistics = &link_stat_table,
                                                   .counters = offsetof(struct link, st),
                                                   .reset = link_reset,
                                                   .finish = link_finish };

enum { BYTES, IN_FLIGHT };
static const struct des_probe_row shows[] = {
    [BYTES] = SHOW_MOVED("bytes", "B", "bytes that have left"),
    [IN_FLIGHT] = SHOW_ROW(LEVEL, "in_flight", NULL, "chunks on the wire behind the sender"),
};

/* A random delay of up to the jitter: splitmix64, with a seed for each link. */
static des_time draw_delay(struct link *l)
{
    uint64_t z = l->place.seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (des_time)((u128)z * (l->place.jitter + 1) >> 64);
}

static bool goes_on(const struct link *l)
{
    return l->place.to != LINK_LAST && l->cur.to != l->place.to;
}

/* Put a chunk on the wire; without jitter it is due one latency from now.  One that goes further
 * has its tail `behind` that. */
static void put_on_wire(struct des *sim, struct link *l, des_time behind)
{
    des_time due = des_now(sim) + l->par.latency + (l->place.jitter ? draw_delay(l) : 0);
    struct net_chunk c = l->cur;

    l->last = due > l->last ? due : l->last;
    if (goes_on(l))
        c.tail = l->last + behind;
    flight_put(sim, &l->flight, &c, l->last);
    if (l->hand)
        l->hand(l->hand_self, &c, l->last);
}

/* Cycles until the last flit of the chunk has left, which cannot be before it has come in. */
static uint64_t cycles_of_chunk(const struct des *sim, const struct link *l)
{
    uint64_t n = (l->cur.bytes + l->par.flit - 1) / l->par.flit;
    if (l->cur.times)
        n = wide_mul_div_up(n, l->cur.times, PPB_PER_ONE);
    uint64_t now = des_clock_index(sim, l->lane.clock), in = des_edge_index(l->cur.tail, l->hz);

    return in > now + n ? in - now : n;
}

static bool take_chunk(struct des *sim, void *self, uint64_t *units)
{
    struct link *l = self;

    if (flight_full(&l->flight) || !des_get(sim, l->in, &l->cur))
        return false;
    l->busy = true;
    *units = cycles_of_chunk(sim, l);
    l->lane.amount = l->cur.bytes;
    if (goes_on(l))
        put_on_wire(sim, l, des_clock_delay(sim, l->lane.clock, *units));
    return true;
}

/* The last flit has left. */
static bool finish_chunk(struct des *sim, void *self)
{
    struct link *l = self;

    if (!goes_on(l)) {
        if (flight_full(&l->flight))
            return false;
        put_on_wire(sim, l, 0);
    }
    l->busy = false;
    return true;
}

bool link_quiet(const struct link *l, const struct des *sim)
{
    return !l->busy && !l->flight.count && !des_can_get(sim, l->in);
}

static uint64_t bytes_per_second(const struct link *l)
{
    return (uint64_t)((u128)l->par.bandwidth * PPB_PER_ONE / l->place.times);
}

void link_init(struct link *l, struct des *sim, struct des_module parent, const char *name,
               const struct link_params *par, const struct link_place *place, lane_fold_fn *fold)
{
    *l = (struct link){ .par = *par, .place = *place };
    l->mod = des_module_new(sim, parent, name);
    l->in = des_in_new(sim, l->mod, "in", sizeof(struct net_chunk));
    l->out = des_out_new(sim, l->mod, "out", sizeof(struct net_chunk));
    l->show = SHOW_PROBES(sim, l->mod, shows);
    l->hz = (uint64_t)((u128)(par->bandwidth / par->flit) * PPB_PER_ONE / place->times);
    if (l->hz == 0)
        l->hz = 1;
    lane_init(&l->lane, sim, l->mod, l->hz, fold, l, take_chunk, finish_chunk);
    lane_meter(&l->lane, sim, l->show, BYTES, bytes_per_second(l), &l->st.bytes);
    des_probe_set_peak(sim, l->show, IN_FLIGHT, FLIGHT_PLACES);
    flight_init(&l->flight, sim, l->mod, l->out, l->show, IN_FLIGHT);
    des_sensitive(sim, l->lane.serve, l->in);
    /* a full wire empties when a chunk is delivered */
    des_sensitive(sim, l->lane.serve, l->out);
    des_sensitive(sim, l->lane.serve, l->flight.arrival);
    component_add(sim, &link_class, l->mod, l);
}

void link_finish(void *self, des_time now, des_time elapsed)
{
    struct link *l = self;

    meter_finish(&l->lane.meter, now);
    l->st.capacity = (uint64_t)((u128)bytes_per_second(l) * elapsed / DES_FS_PER_S);
}

void link_reset(void *self, des_time now)
{
    struct link *l = self;

    meter_reset(&l->lane.meter, now);
}
