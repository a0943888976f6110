#include "hw/net/dcn.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct dcn_params, __VA_ARGS__)
static const struct param_desc params[] = { DCN_PARAMS(P) };
const struct param_table dcn_param_table = { "dcn", params, sizeof params / sizeof *params,
                                             sizeof(struct dcn_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct nic_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct nic_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { NIC_STATS(C, R) };
const struct stat_table nic_stat_table = { "nic", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct nic_stats) };

static void finish_nic(void *self, des_time now, des_time elapsed)
{
    struct nic *n = self;
    const struct dcn_params *par = &n->net->par;
    u128 rate = (u128)par->nics * par->bandwidth;

    meter_finish(&n->recv.meter, now);
    meter_finish(&n->send.meter, now);
    for (int out = 0; out < 2; out++)
        n->st[out].capacity = (uint64_t)(rate * elapsed / DES_FS_PER_S);
}

static void reset_in(void *self, des_time now)
{
    struct nic *n = self;

    meter_reset(&n->recv.meter, now);
}

static void reset_out(void *self, des_time now)
{
    struct nic *n = self;

    meter_reset(&n->send.meter, now);
}

static const struct component_class dcn_class = { .name = "dcn",
                                                  .parameters = &dcn_param_table,
                                                  .free = dcn_free };
/* [0] in, [1] out */
static const struct component_class nic_class[2] = { { .name = "nic_in",
                                                       .parameters = &dcn_param_table,
                                                       .statistics = &nic_stat_table,
                                                       .counters = offsetof(struct nic, st[0]),
                                                       .reset = reset_in },
                                                     { .name = "nic_out",
                                                       .parameters = &dcn_param_table,
                                                       .statistics = &nic_stat_table,
                                                       .counters = offsetof(struct nic, st[1]),
                                                       .reset = reset_out,
                                                       .finish = finish_nic } };

enum { STATE, BYTES };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "busy while messages cross the cards"),
    [BYTES] = SHOW_MOVED("bytes", "B", "bytes that have crossed"),
};

uint64_t dcn_hz(const struct dcn_params *par)
{
    uint64_t hz = (uint64_t)((u128)par->nics * par->bandwidth / par->packet);

    return hz ? hz : 1;
}

uint64_t dcn_cycles(const struct dcn_params *par, uint64_t bytes)
{
    u128 besides = (u128)par->message_time * dcn_hz(par);

    return (bytes + par->packet - 1) / par->packet +
           (uint64_t)((besides + DES_FS_PER_S - 1) / DES_FS_PER_S);
}

/* Cycles for the messages of all chips for which one is simulated. */
static uint64_t cycles_of_chips(const struct dcn *d, const struct net_chunk *c)
{
    return dcn_cycles(&d->par, c->bytes) * d->place.copies;
}

/* --- the network -------------------------------------------------------------------------- */

/* The cards of the host of chip `to`; and the number of the chip within that host. */
static struct nic *nic_of(const struct dcn *d, uint32_t to, uint32_t *chip)
{
    const struct dcn_place *p = &d->place;
    uint32_t slice = to / p->chips_of_slice, here = to % p->chips_of_slice;

    *chip = p->mirror ? 0 : here % p->chips_of_host;
    return &d->nic[p->mirror ? 0 : slice * p->hosts_of_slice + here / p->chips_of_host];
}

static void cross_network(struct des *sim, struct dcn *d, const struct net_chunk *c)
{
    struct net_chunk late = *c;
    uint32_t chip;
    struct nic *n = nic_of(d, c->to, &chip);

    late.tail = des_now(sim) + d->par.latency;
    chunks_put(&n->coming[chip], &late);
    des_notify_after(sim, n->arrival, d->par.latency);
}

static bool take_up(struct des *sim, void *self, uint64_t *units)
{
    struct dcn_uplink *u = self;
    uint64_t now = des_clock_index(sim, u->lane.clock), hz = des_clock_hz(sim, u->lane.clock);

    if (u->queue.count == 0)
        return false;
    for (; u->queue.count; chunks_drop(&u->queue)) {
        const struct net_chunk *c = chunks_first(&u->queue);
        /* the chips of all hosts, where one host is simulated */
        uint32_t hosts = u->net->place.mirror ? u->net->place.hosts_of_slice : 1;
        uint64_t head = des_edge_index(c->part.head, hz);
        u->free = (head > u->free ? head : u->free) + cycles_of_chips(u->net, c) * hosts;
        chunks_put(&u->passing, c);
    }
    u->free = u->free > now ? u->free : now;
    *units = u->free - now;
    return true;
}

static bool finish_up(struct des *sim, void *self)
{
    struct dcn_uplink *u = self;

    for (; u->passing.count; chunks_drop(&u->passing))
        cross_network(sim, u->net, chunks_first(&u->passing));
    return true;
}

static void leave_cards(struct des *sim, struct nic *n, const struct net_chunk *c)
{
    struct dcn *d = n->net;

    if (!d->uplink) {
        cross_network(sim, d, c);
        return;
    }
    struct dcn_uplink *u = &d->uplink[(uint32_t)(n - d->nic) / d->place.hosts_of_slice];
    chunks_put(&u->queue, c);
    des_notify_delta(sim, u->more);
}

/* --- the cards ---------------------------------------------------------------------------- */

/* Method: buffer the messages that chips send. */
static void collect_messages(struct des *sim, void *self)
{
    struct nic *n = self;
    struct net_chunk c;

    for (uint32_t i = 0; i < n->n_chips; i++)
        while (des_get(sim, n->up[i], &c)) {
            chunks_put(&n->waiting[i], &c);
            des_notify_delta(sim, n->more);
        }
}

static bool take_out(struct des *sim, void *self, uint64_t *units)
{
    struct nic *n = self;

    *units = n->n_out = 0;
    n->send.amount = 0;
    for (uint32_t i = 0; i < n->n_chips; i++)
        if (n->waiting[i].count) {
            struct net_chunk *c = &n->out[n->n_out++];
            *c = *chunks_first(&n->waiting[i]);
            chunks_drop(&n->waiting[i]);
            c->part.head = des_now(sim);
            *units += cycles_of_chips(n->net, c);
            n->send.amount += c->bytes * n->net->place.copies;
        }
    if (n->n_out)
        des_show(sim, n->show[1], STATE, SHOW_BUSY);
    return n->n_out > 0;
}

static bool finish_out(struct des *sim, void *self)
{
    struct nic *n = self;

    for (uint32_t i = 0; i < n->n_out; i++)
        leave_cards(sim, n, &n->out[i]);
    des_show(sim, n->show[1], STATE, SHOW_IDLE);
    return true;
}

/* Have the next message that is still crossing the network wake the cards. */
static void await_arrival(struct des *sim, struct nic *n)
{
    des_time next = UINT64_MAX;

    for (uint32_t i = 0; i < n->n_chips; i++)
        if (n->coming[i].count && chunks_first(&n->coming[i])->tail < next)
            next = chunks_first(&n->coming[i])->tail;
    if (next != UINT64_MAX && next > des_now(sim))
        des_notify_after(sim, n->arrival, next - des_now(sim));
}

static bool take_in(struct des *sim, void *self, uint64_t *units)
{
    struct nic *n = self;
    uint64_t cycles = 0, now = des_clock_index(sim, n->recv.clock);

    n->n_in = 0;
    n->recv.amount = 0;
    for (uint32_t i = 0; i < n->n_chips; i++) {
        struct chunks *q = &n->coming[i];
        if (q->count == 0 || chunks_first(q)->tail > des_now(sim))
            continue;
        struct net_chunk *c = &n->in[n->n_in++];
        *c = *chunks_first(q);
        chunks_drop(q);
        cycles += cycles_of_chips(n->net, c);
        n->recv.amount += c->bytes * n->net->place.copies;
    }
    if (n->n_in == 0) {
        await_arrival(sim, n);
        return false;
    }
    /* the first came in packet by packet until now, if the cards were free for it */
    n->free = n->free + cycles > now ? n->free + cycles : now;
    *units = n->free - now;
    n->recv.since = des_edge(n->free - cycles, dcn_hz(&n->net->par));
    des_show(sim, n->show[0], STATE, SHOW_BUSY);
    return true;
}

static bool finish_in(struct des *sim, void *self)
{
    struct nic *n = self;
    uint32_t chip;

    for (uint32_t i = 0; i < n->n_in; i++) {
        nic_of(n->net, n->in[i].to, &chip);
        chunks_put(&n->landed[chip], &n->in[i]);
    }
    des_notify_delta(sim, n->handed);
    des_show(sim, n->show[0], STATE, SHOW_IDLE);
    return true;
}

/* Method: hand the messages that have come to the chips as they have room. */
static void hand_to_chips(struct des *sim, void *self)
{
    struct nic *n = self;

    for (uint32_t i = 0; i < n->n_chips; i++)
        while (n->landed[i].count && des_put(sim, n->down[i], chunks_first(&n->landed[i])))
            chunks_drop(&n->landed[i]);
}

/* --- making ------------------------------------------------------------------------------- */

static void init_nic(struct nic *n, struct des *sim, struct dcn *d, uint32_t host, uint32_t chips,
                     lane_fold_fn *fold)
{
    char name[32];

    BUG_ON(chips == 0 || chips > DCN_MAX_CHIPS);
    *n = (struct nic){ .net = d, .n_chips = chips };
    snprintf(name, sizeof name, "nic%u", host);
    n->mod = des_module_new(sim, d->mod, name);
    n->more = des_event_new(sim, n->mod, "more");
    n->arrival = des_event_new(sim, n->mod, "arrival");
    n->handed = des_event_new(sim, n->mod, "handed");
    struct des_module in = des_module_new(sim, n->mod, "in");
    struct des_module out = des_module_new(sim, n->mod, "out");
    component_add_named(sim, &nic_class[1], host, n, "host%u->dcn", host);
    component_add_named(sim, &nic_class[0], host, n, "dcn->host%u", host);
    n->show[0] = SHOW_PROBES(sim, in, shows);
    n->show[1] = SHOW_PROBES(sim, out, shows);
    lane_init(&n->send, sim, out, dcn_hz(&d->par), fold, n, take_out, finish_out);
    lane_init(&n->recv, sim, in, dcn_hz(&d->par), fold, n, take_in, finish_in);
    uint64_t rate = d->par.nics * d->par.bandwidth;
    lane_meter(&n->send, sim, n->show[1], BYTES, rate, &n->st[1].bytes);
    lane_meter(&n->recv, sim, n->show[0], BYTES, rate, &n->st[0].bytes);
    des_sensitive(sim, n->send.serve, n->more);
    des_sensitive(sim, n->recv.serve, n->arrival);
    struct des_process collecting = des_method_new(sim, n->mod, "collect", collect_messages, n);
    struct des_process handing = des_method_new(sim, n->mod, "hand", hand_to_chips, n);
    des_sensitive(sim, handing, n->handed);
    for (uint32_t i = 0; i < chips; i++) {
        snprintf(name, sizeof name, "up%u", i);
        n->up[i] = des_in_new(sim, n->mod, name, sizeof(struct net_chunk));
        snprintf(name, sizeof name, "down%u", i);
        n->down[i] = des_out_new(sim, n->mod, name, sizeof(struct net_chunk));
        des_sensitive(sim, collecting, n->up[i]);
        des_sensitive(sim, handing, n->down[i]);
    }
}

static void init_uplink(struct dcn_uplink *u, struct des *sim, struct dcn *d, uint32_t slice,
                        lane_fold_fn *fold)
{
    char name[32];
    u128 hz = (u128)dcn_hz(&d->par) * d->place.hosts_of_slice * d->par.bisection / PPB_PER_ONE;

    snprintf(name, sizeof name, "uplink%u", slice);
    struct des_module mod = des_module_new(sim, d->mod, name);
    *u = (struct dcn_uplink){ .net = d };
    u->more = des_event_new(sim, mod, "more");
    lane_init(&u->lane, sim, mod, hz ? (uint64_t)hz : 1, fold, u, take_up, finish_up);
    des_sensitive(sim, u->lane.serve, u->more);
}

void dcn_init(struct dcn *d, struct des *sim, const struct dcn_params *par,
              const struct dcn_place *place, uint32_t hosts, uint32_t chips, lane_fold_fn *fold)
{
    *d = (struct dcn){ .par = *par, .place = *place, .n_nics = hosts };
    d->mod = des_module_new(sim, (struct des_module){ 0 }, "dcn");
    component_add(sim, &dcn_class, d->mod, d);
    d->nic = memory_zeroed(hosts, sizeof *d->nic);
    for (uint32_t h = 0; h < hosts; h++)
        init_nic(&d->nic[h], sim, d, h, chips, fold);
    if (par->bisection == PPB_PER_ONE)
        return;
    d->n_uplinks = place->mirror ? 1 : hosts / place->hosts_of_slice;
    d->uplink = memory_zeroed(d->n_uplinks, sizeof *d->uplink);
    for (uint32_t i = 0; i < d->n_uplinks; i++)
        init_uplink(&d->uplink[i], sim, d, i, fold);
}

void dcn_free(void *self)
{
    struct dcn *d = self;

    for (uint32_t i = 0; i < d->n_nics; i++)
        for (uint32_t c = 0; c < DCN_MAX_CHIPS; c++) {
            chunks_free(&d->nic[i].waiting[c]);
            chunks_free(&d->nic[i].coming[c]);
            chunks_free(&d->nic[i].landed[c]);
        }
    for (uint32_t i = 0; i < d->n_uplinks; i++) {
        chunks_free(&d->uplink[i].queue);
        chunks_free(&d->uplink[i].passing);
    }
    free(d->nic);
    free(d->uplink);
}
