#include "study/network/traffic_cost.h"

#include <inttypes.h>

#include "base/units.h"
#include "base/wide.h"

#define PAIRS 4096       /* drawn for the mean distance */
#define DRAWS_PER_HOP 64 /* a draw of a random number takes 3 ns, a flit-hop 200 ns */
#define HOPS_PER_SECOND 5000000
#define RATES_TRIED 8 /* by a search for saturation; see search_saturation() */

const struct traffic_limits traffic_limits_usual = { .hops = 1000000000, .bytes = 1000000000 };

uint64_t traffic_flight(const struct traffic_setup *s)
{
    const uint32_t *radix = s->topology.radix;

    return (4 + (uint64_t)s->network.link) * (radix[0] + radix[1] + radix[2]);
}

uint64_t traffic_most(const struct traffic_setup *s)
{
    /* one packet a cycle and node is on links at most */
    return (TRAFFIC_LONG_QUEUE + traffic_flight(s)) * s->topology.n_nodes;
}

uint64_t traffic_last(const struct traffic_setup *s)
{
    return s->par.warmup + 2 * s->par.cycles + traffic_flight(s) + 10 * TRAFFIC_LONG_WAIT;
}

/* Links that PAIRS packets take in all. */
static uint64_t sample_hops(const struct traffic_setup *s)
{
    const struct topology *t = &s->topology;
    uint64_t random = s->par.seed, hops = 0;

    for (uint32_t i = 0; i < PAIRS; i++) {
        uint32_t from = (uint32_t)((uint64_t)i * t->n_nodes / PAIRS);
        hops += topology_distance(t, from, traffic_destination(s, &random, from));
    }
    return hops;
}

/* The smallest power of two that is not less: how arrays of packets grow. */
static uint64_t round_up(uint64_t n)
{
    uint64_t room = 1;

    while (room < n)
        room *= 2;
    return room;
}

static uint64_t cap_count(u128 n)
{
    return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

struct traffic_cost traffic_cost_of(const struct traffic_setup *s, uint64_t rate)
{
    const struct topology *t = &s->topology;
    uint64_t links = topology_links(t), nodes = t->n_nodes;
    uint32_t ports = topology_ports(t) + 1;
    u128 offered = (u128)nodes * rate * sample_hops(s); /* flit-hops a cycle x PAIRS x PPB */
    u128 room = (u128)links * PAIRS * PPB_PER_ONE;
    struct traffic_cost c = { .overloaded = 2 * offered > room };
    uint64_t cycles = c.overloaded ? traffic_last(s) : s->par.warmup + s->par.cycles;
    u128 hops = (offered < room ? offered : room) / PAIRS * cycles / PPB_PER_ONE;

    c.hops = cap_count(hops + (u128)nodes * cycles / DRAWS_PER_HOP);
    c.bytes = nodes * router_queue(ports, s->network.vcs, s->network.depth) * sizeof(flit);
    if (c.overloaded) {
        u128 born = (u128)nodes * rate * cycles / ((u128)PPB_PER_ONE * s->par.flits);
        uint64_t most = traffic_most(s);
        c.packets = born < most ? (uint64_t)born : most;
        c.bytes += round_up(c.packets) * sizeof(struct network_packet);
    }
    return c;
}

/* Refuse a cost beyond `most`. */
static int refuse_cost(const struct traffic_cost *c, uint32_t nodes,
                       const struct traffic_limits *most, struct err *err)
{
    if (c->packets > FLIT_MAX_PACKETS / 2)
        return err_set(err, ERR_RANGE,
                       "network: %" PRIu64 " packets may be in flight: more than %d", c->packets,
                       FLIT_MAX_PACKETS / 2);
    if (c->bytes > most->bytes)
        return err_set(
            err, ERR_FIT,
            "network: %u nodes%s may take %.3g GB of memory, more than %.3g GB; expected "
            "fewer nodes, cycles or flits, or --allow memory=%" PRIu64 "GB",
            nodes, c->overloaded ? " with more traffic than links may carry" : "",
            (double)c->bytes / 1e9, (double)most->bytes / 1e9, c->bytes / 1000000000 + 1);
    if (c->hops > most->hops)
        return err_set(err, ERR_FIT,
                       "network: %u nodes may take %.2g flit-hops, about %.0f s, more than "
                       "%.2g; expected fewer nodes, cycles or flits, or --allow hops=%.2g",
                       nodes, (double)c->hops, (double)c->hops / HOPS_PER_SECOND,
                       (double)most->hops, (double)c->hops * 1.1);
    return 0;
}

int traffic_check_cost(const struct traffic_setup *s, const struct traffic_request *q,
                       struct err *err)
{
    const struct traffic_limits *most = q->limits ? q->limits : &traffic_limits_usual;
    /* half of all rates: the first one that a search tries */
    struct traffic_cost c = traffic_cost_of(s, q->saturate ? PPB_PER_ONE / 2 : s->par.rate);

    if (q->saturate)
        c.hops = cap_count((u128)c.hops * RATES_TRIED);
    return refuse_cost(&c, s->topology.n_nodes, most, err);
}

int traffic_check_messages(const struct traffic_setup *s, const struct traffic_request *q,
                           const struct message *m, size_t n, struct err *err)
{
    const struct topology *t = &s->topology;
    struct traffic_cost c = { 0 };
    u128 hops = 0; /* 4096 messages of 32 bits overflow neither this nor packets */

    for (size_t i = 0; i < n; i++) {
        c.packets += ((uint64_t)m[i].flits + s->par.flits - 1) / s->par.flits;
        hops += (u128)m[i].flits * (topology_distance(t, m[i].from, m[i].to) + 1);
    }
    c.hops = cap_count(hops);
    c.bytes = round_up(c.packets) * sizeof(struct network_packet); /* all wait at their sources */
    return refuse_cost(&c, t->n_nodes, q->limits ? q->limits : &traffic_limits_usual, err);
}
