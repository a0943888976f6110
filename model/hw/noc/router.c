/* The two allocators and the crossbar of a router, one cycle at a time. */
#include "hw/noc/router.h"

#include <string.h>

void router_init(struct router *r, uint32_t n_ports, uint32_t n_vcs, uint32_t depth, flit *queue)
{
    BUG_ON(n_ports == 0 || n_ports > ROUTER_MAX_PORTS || n_vcs == 0 || n_vcs > ROUTER_MAX_VCS);
    BUG_ON(depth == 0 || depth > UINT16_MAX);
    memset(r, 0, sizeof *r);
    r->n_ports = (uint8_t)n_ports;
    r->n_vcs = (uint8_t)n_vcs;
    r->depth = (uint16_t)depth;
    r->queue = queue;
    for (uint32_t i = 0; i < ROUTER_MAX_CHANNELS; i++)
        r->credit[i] = (uint16_t)depth;
}

void router_put(struct router *r, uint32_t in, flit f)
{
    channels me = UINT64_C(1) << in;
    uint32_t at = (uint32_t)r->first[in] + r->count[in];
    uint32_t queue = channel_port(in) * r->n_vcs + channel_vc(in);

    BUG_ON(r->count[in] == r->depth);
    r->queue[queue * r->depth + (at < r->depth ? at : at - r->depth)] = f;
    if (r->count[in]++ > 0)
        return;
    if (!(r->holding & me))
        r->route |= me;
    else if (r->credit[r->output[in]] > 0)
        r->crossbar |= me;
}

bool router_credit(struct router *r, uint32_t out)
{
    if (r->credit[out]++ > 0 || !(r->taken >> out & 1) || r->count[r->holder[out]] == 0)
        return false;
    r->crossbar |= UINT64_C(1) << r->holder[out];
    return true;
}

/* The first member of a set, not empty, from `turn` on, and round from 0. */
static uint32_t pick_in_turn(uint64_t set, uint32_t turn)
{
    uint64_t late = set >> turn << turn;

    return (uint32_t)__builtin_ctzll(late ? late : set);
}

static uint32_t pop_lowest(uint64_t *set)
{
    uint32_t i = (uint32_t)__builtin_ctzll(*set);

    *set &= *set - 1;
    return i;
}

/* --- virtual channels --------------------------------------------------------------------- */

struct grant {
    uint8_t in, out;
};

static struct grant pair_channels(struct router *r, uint32_t in, uint32_t out)
{
    r->vc_offer[out] = (uint8_t)(in + 1);
    r->vc_take[in] = (uint8_t)(out + 1);
    return (struct grant){ (uint8_t)in, (uint8_t)out };
}

/* Match input channels with free output channels; returns the number of pairs. */
static uint32_t match_channels(struct router *r, struct grant *grants)
{
    channels asked[ROUTER_MAX_CHANNELS], offered[ROUTER_MAX_CHANNELS];
    channels outs = 0, ins = 0;
    uint32_t n = 0;

    for (channels s = r->vc; s;) {
        uint32_t in = pop_lowest(&s);
        for (channels w = r->want[in] & ~r->taken; w;) {
            uint32_t out = pop_lowest(&w);
            if (!(outs >> out & 1))
                asked[out] = 0;
            outs |= UINT64_C(1) << out;
            asked[out] |= UINT64_C(1) << in;
        }
    }
    for (channels s = outs; s;) {
        uint32_t out = pop_lowest(&s), in = pick_in_turn(asked[out], r->vc_offer[out]);
        if (!(ins >> in & 1))
            offered[in] = 0;
        ins |= UINT64_C(1) << in;
        offered[in] |= UINT64_C(1) << out;
    }
    for (channels s = ins; s;) {
        uint32_t in = pop_lowest(&s);
        grants[n++] = pair_channels(r, in, pick_in_turn(offered[in], r->vc_take[in]));
    }
    return n;
}

/* match_channels for a single input channel, the usual case: it is offered all it wants. */
static uint32_t match_one_channel(struct router *r, struct grant *grants)
{
    uint32_t in = (uint32_t)__builtin_ctzll(r->vc);
    channels offered = r->want[in] & ~r->taken;

    if (!offered)
        return 0;
    grants[0] = pair_channels(r, in, pick_in_turn(offered, r->vc_take[in]));
    return 1;
}

static void hold_channels(struct router *r, const struct grant *grants, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        channels me = UINT64_C(1) << grants[i].in;
        r->output[grants[i].in] = grants[i].out;
        r->holder[grants[i].out] = grants[i].in;
        r->taken |= UINT64_C(1) << grants[i].out;
        r->vc &= ~me;
        r->holding |= me;
        if (r->credit[grants[i].out] > 0)
            r->crossbar |= me;
    }
}

/* --- the crossbar ------------------------------------------------------------------------- */

static struct grant pair_ports(struct router *r, uint32_t in)
{
    uint32_t from = channel_port(in), to = channel_port(r->output[in]);

    r->offer[to] = (uint8_t)(from + 1);
    r->take[from] = (uint8_t)(to + 1);
    r->vc_turn[from] = (uint8_t)(channel_vc(in) + 1);
    return (struct grant){ (uint8_t)in, r->output[in] };
}

static bool may_cross(const struct router *r, uint32_t in, uint64_t now)
{
    return r->ready[channel_port(r->output[in])] <= now;
}

/* Match input with output ports; returns the number of flits that move. */
static uint32_t match_ports(struct router *r, uint64_t now, struct grant *grants)
{
    uint8_t asked[ROUTER_MAX_PORTS] = { 0 }, offered[ROUTER_MAX_PORTS] = { 0 };
    uint8_t asking[ROUTER_MAX_PORTS][ROUTER_MAX_PORTS] = {
        { 0 }
    }; /* [in][out] mask of virtual channels */
    uint32_t outs = 0, ins = 0, n = 0;

    for (channels s = r->crossbar; s;) {
        uint32_t in = pop_lowest(&s), to = channel_port(r->output[in]), from = channel_port(in);
        if (!may_cross(r, in, now))
            continue;
        asking[from][to] |= (uint8_t)(1u << channel_vc(in));
        asked[to] |= (uint8_t)(1u << from);
        outs |= 1u << to;
    }
    for (uint64_t s = outs; s;) {
        uint32_t to = pop_lowest(&s), from = pick_in_turn(asked[to], r->offer[to]);
        offered[from] |= (uint8_t)(1u << to);
        ins |= 1u << from;
    }
    for (uint64_t s = ins; s;) {
        uint32_t from = pop_lowest(&s), to = pick_in_turn(offered[from], r->take[from]);
        uint32_t vc = pick_in_turn(asking[from][to], r->vc_turn[from]);
        grants[n++] = pair_ports(r, channel_of(from, vc));
    }
    return n;
}

/* match_ports for a single input channel, the usual case. */
static uint32_t match_one_port(struct router *r, uint64_t now, struct grant *grants)
{
    uint32_t in = (uint32_t)__builtin_ctzll(r->crossbar);

    if (!may_cross(r, in, now))
        return 0;
    grants[0] = pair_ports(r, in);
    return 1;
}

/* Remove the first flit of a channel; returns whether its next packet must be routed. */
static bool pass_flit(struct router *r, const struct grant *g, struct router_move *move)
{
    channels me = UINT64_C(1) << g->in;

    *move = (struct router_move){ router_first(r, g->in), g->in, g->out };
    r->first[g->in] = (uint16_t)(r->first[g->in] + 1 == r->depth ? 0 : r->first[g->in] + 1);
    r->count[g->in]--;
    if (channel_port(g->out) + 1 < r->n_ports) /* the node takes all that comes */
        r->credit[g->out]--;
    if (!(move->flit & FLIT_TAIL)) {
        if (r->count[g->in] == 0 || r->credit[g->out] == 0)
            r->crossbar &= ~me;
        return false;
    }
    r->crossbar &= ~me;
    r->holding &= ~me;
    r->taken &= ~(UINT64_C(1) << g->out);
    r->stuck = false;
    return r->count[g->in] > 0;
}

uint32_t router_cycle(struct router *r, uint64_t now, struct router_move moves[ROUTER_MAX_PORTS],
                      bool *changed)
{
    struct grant crossing[ROUTER_MAX_PORTS], held[ROUTER_MAX_CHANNELS];
    bool several = r->crossbar & (r->crossbar - 1);
    uint32_t n_crossing = several       ? match_ports(r, now, crossing)
                          : r->crossbar ? match_one_port(r, now, crossing)
                                        : 0;
    uint32_t n_held = r->stuck              ? 0
                      : r->vc & (r->vc - 1) ? match_channels(r, held)
                      : r->vc               ? match_one_channel(r, held)
                                            : 0;
    channels routed = r->route, next = 0;

    r->stuck = n_held == 0 && !routed;

    for (uint32_t i = 0; i < n_crossing; i++)
        if (pass_flit(r, &crossing[i], &moves[i]))
            next |= UINT64_C(1) << crossing[i].in;
    hold_channels(r, held, n_held);
    r->vc |= routed;
    r->route = next;
    *changed = n_crossing + n_held > 0 || routed;
    return n_crossing;
}
