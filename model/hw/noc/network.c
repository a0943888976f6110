/* Packets, sources, routing and the calendar of a network; one cycle of all its routers. */
#include "hw/noc/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define P(...) PARAM_DESC(struct network_params, __VA_ARGS__)
static const struct param_desc params[] = { NETWORK_PARAMS(P) };
const struct param_table network_param_table = { "network", params, sizeof params / sizeof *params,
                                                 sizeof(struct network_params), NULL };

enum due_kind { DUE_FLIT, DUE_CREDIT, DUE_ADMIT, DUE_SINK };

/* Cycles from the crossbar to the link, from a source into its router, from a router to its sink.
 */
enum { CROSS = 1, ENTER = 2, LEAVE = 3 };

/* --- building ----------------------------------------------------------------------------- */

/* Divide the virtual channels into classes, by dateline and by leg of a detour; adaptive routing
 * chooses freely among the rest. */
static int share_channels(struct network *n, struct err *err)
{
    const struct topology *t = n->topology;
    bool adaptive = n->par.routing == NETWORK_ADAPTIVE && t->n_dead == 0;
    uint32_t vcs = n->par.vcs, least;

    n->closed = t->wrap[0] || t->wrap[1] || t->wrap[2];
    n->n_classes = (n->closed ? 2u : 1u) * (t->n_dead > 0 ? 2u : 1u);
    least = n->n_classes + adaptive;
    if (vcs < least)
        return err_set(err, ERR_FIT,
                       "network.vcs = %u: %s routing%s%s needs %u virtual channels to be free of "
                       "deadlock",
                       vcs, adaptive ? "adaptive" : "dimension",
                       n->closed ? " on axes that close" : "",
                       t->n_dead ? " around dead links" : "", least);
    for (uint32_t c = 0; c <= n->n_classes; c++)
        n->first_vc[c] = adaptive ? c : c * vcs / n->n_classes;
    n->first_adaptive = adaptive ? n->n_classes : vcs;
    return 0;
}

static void make_links(struct network *n)
{
    const struct topology *t = n->topology;
    uint32_t ports = topology_ports(t);

    for (uint32_t i = 0; i < topology_links(t); i++) {
        uint32_t node = i / ports, port = i % ports;
        n->link[i] = (struct network_link){ .to = topology_neighbour(t, node, port),
                                            .cycles = n->par.link,
                                            .interval = 1,
                                            .port = (uint8_t)(port ^ 1),
                                            .crosses = topology_crosses(t, node, port) };
    }
}

int network_init(struct network *n, const struct topology *t, const struct network_params *par,
                 network_deliver *deliver, void *self, struct err *err)
{
    uint32_t ports = topology_ports(t) + 1, longest = CROSS + 1 + par->link + par->credit + LEAVE;
    uint64_t queue = router_queue(ports, par->vcs, par->depth);

    *n = (struct network){ .topology = t,
                           .par = *par,
                           .n_ports = ports,
                           .free_packet = TOPOLOGY_NONE,
                           .horizon = 1,
                           .slowest = 1,
                           .deliver = deliver,
                           .self = self };
    if (share_channels(n, err) != 0)
        return -1;
    while (n->horizon <= longest)
        n->horizon *= 2;
    n->router = memory_zeroed(t->n_nodes, sizeof *n->router);
    n->queues = memory_zeroed(t->n_nodes * queue, sizeof *n->queues);
    n->source = memory_zeroed(t->n_nodes, sizeof *n->source);
    n->link = memory_zeroed(topology_links(t), sizeof *n->link);
    n->active = memory_zeroed((t->n_nodes + 63) / 64, sizeof *n->active);
    n->sending = memory_zeroed((t->n_nodes + 63) / 64, sizeof *n->sending);
    n->calendar = memory_zeroed(n->horizon, sizeof *n->calendar);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        router_init(&n->router[i], ports, par->vcs, par->depth, n->queues + i * queue);
        n->source[i] = (struct network_source){ .first = TOPOLOGY_NONE, .last = TOPOLOGY_NONE };
        for (uint32_t v = 0; v < par->vcs; v++)
            n->source[i].credit[v] = (uint16_t)par->depth;
        n->source[i].open = (uint8_t)((1u << par->vcs) - 1);
    }
    make_links(n);
    return 0;
}

void network_free(struct network *n)
{
    for (uint32_t i = 0; n->calendar && i < n->horizon; i++)
        free(n->calendar[i].due);
    free(n->router);
    free(n->queues);
    free(n->source);
    free(n->link);
    free(n->active);
    free(n->sending);
    free(n->calendar);
    free(n->packet);
    *n = (struct network){ 0 };
}

static struct network_link *link_of_port(const struct network *n, uint32_t node, uint32_t port)
{
    return &n->link[node * (n->n_ports - 1) + port];
}

void network_slow(struct network *n, uint32_t node, uint32_t port, uint32_t interval)
{
    BUG_ON(interval == 0);
    link_of_port(n, node, port)->interval = interval;
    if (interval > n->slowest)
        n->slowest = interval;
}

/* --- packets ------------------------------------------------------------------------------ */

enum { LINE = 64 };
_Static_assert(sizeof(struct network_packet) == LINE, "a packet is a line of a cache");

static void grow_packets(struct network *n)
{
    uint32_t old = n->n_packets, all = old ? 2 * old : 64;
    struct network_packet *packet;

    BUG_ON(all > FLIT_MAX_PACKETS);
    packet = memory_aligned(all * sizeof *packet, LINE);
    if (old)
        memcpy(packet, n->packet, old * sizeof *packet);
    free(n->packet);
    n->packet = packet;
    n->n_packets = all;
    for (uint32_t i = old; i < all; i++)
        n->packet[i].next = i + 1 < all ? i + 1 : TOPOLOGY_NONE;
}

static uint32_t new_packet(struct network *n)
{
    uint32_t p = n->free_packet;

    if (p == TOPOLOGY_NONE) {
        p = n->n_packets;
        grow_packets(n);
    }
    n->free_packet = n->packet[p].next;
    return p;
}

/* Mask of the axes whose closing link a packet will take.  On a shortest route of a plain torus it
 * may use the upper channels of such an axis from the beginning, because no shortest route takes
 * all links of an axis one after the other; so both halves of the channels are loaded more evenly.
 */
static uint8_t axes_to_cross(const struct network *n, const struct network_packet *p)
{
    const struct topology *t = n->topology;
    uint32_t at[TOPOLOGY_MAX_DIMS];
    uint8_t axes = 0;

    if (t->twisted || t->n_dead > 0)
        return 0;
    topology_coord(t, p->from, at);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        int32_t end = (int32_t)at[d] + p->steps.dim[d];
        if (end < 0 || end >= (int32_t)t->radix[d])
            axes |= (uint8_t)(1u << d);
    }
    return axes;
}

int network_send(struct network *n, uint32_t from, uint32_t to, uint32_t flits, uint64_t tag,
                 struct err *err)
{
    struct network_source *s = &n->source[from];
    struct topology_way way;

    BUG_ON(flits == 0 || from >= n->topology->n_nodes || to >= n->topology->n_nodes);
    if (topology_way(n->topology, from, to, &way, err) != 0)
        return -1;
    bool two = topology_hops(&way.leg[0]) > 0;
    uint32_t p = new_packet(n);
    n->packet[p] = (struct network_packet){ .from = from,
                                            .to = to,
                                            .flits = flits,
                                            .born = n->now,
                                            .tag = tag,
                                            .steps = way.leg[two ? 0 : 1],
                                            .second = way.leg[1],
                                            .next = TOPOLOGY_NONE,
                                            .leg = two ? 0 : 1 };
    n->packet[p].crossed = axes_to_cross(n, &n->packet[p]);
    if (s->last == TOPOLOGY_NONE)
        s->first = p;
    else
        n->packet[s->last].next = p;
    s->last = p;
    s->waiting++;
    n->sending[from / 64] |= UINT64_C(1) << from % 64;
    n->in_flight++;
    return 0;
}

int network_message(struct network *n, uint32_t from, uint32_t to, uint32_t flits, uint32_t packet,
                    uint64_t tag, struct err *err)
{
    BUG_ON(packet == 0);
    for (; flits > packet; flits -= packet)
        if (network_send(n, from, to, packet, tag, err) != 0)
            return -1;
    return network_send(n, from, to, flits, tag, err);
}

/* --- the calendar ------------------------------------------------------------------------- */

static void plan_event(struct network *n, uint32_t cycles, struct network_due due)
{
    struct network_slot *s = &n->calendar[(n->now + cycles) & (n->horizon - 1)];

    MEMORY_GROW(s->due, s->n + 1, s->room);
    s->due[s->n++] = due;
    n->on_the_way++;
}

static void sink_flit(struct network *n, flit f)
{
    uint32_t p = flit_packet(f);

    if (!(f & FLIT_TAIL))
        return;
    n->in_flight--;
    n->deliver(n->self, &n->packet[p], n->now);
    n->packet[p].next = n->free_packet;
    n->free_packet = p;
}

/* A channel of a source has room again; its first packet may have waited for that. */
static void admit_source(struct network *n, uint32_t node, uint32_t vc)
{
    struct network_source *s = &n->source[node];

    s->credit[vc]++;
    s->open |= (uint8_t)(1u << vc);
    if (s->first != TOPOLOGY_NONE)
        n->sending[node / 64] |= UINT64_C(1) << node % 64;
}

static void handle_arrivals(struct network *n)
{
    struct network_slot *s = &n->calendar[n->now & (n->horizon - 1)];

    n->on_the_way -= s->n;
    if (s->n > 0)
        n->moved = n->now;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct network_due *d = &s->due[i];
        switch ((enum due_kind)d->kind) {
        case DUE_FLIT:
            router_put(&n->router[d->node], d->channel, d->flit);
            n->active[d->node / 64] |= UINT64_C(1) << d->node % 64;
            break;
        case DUE_CREDIT:
            /* adaptive routing looks at the credits of all channels */
            if (router_credit(&n->router[d->node], d->channel) ||
                (n->first_adaptive < n->par.vcs && n->router[d->node].vc))
                n->active[d->node / 64] |= UINT64_C(1) << d->node % 64;
            break;
        case DUE_ADMIT: admit_source(n, d->node, d->channel); break;
        case DUE_SINK: sink_flit(n, d->flit); break;
        }
    }
    s->n = 0;
}

/* --- sources ------------------------------------------------------------------------------ */

/* The next channel in turn that has room for a packet that begins.  There must be one. */
static uint8_t choose_channel(const struct network_source *s)
{
    uint32_t later = (uint32_t)s->open >> (s->vc + 1) << (s->vc + 1);

    return (uint8_t)__builtin_ctz(later ? later : s->open);
}

static void wait_for_room(struct network *n, uint32_t node)
{
    n->sending[node / 64] &= ~(UINT64_C(1) << node % 64);
}

/* Let one flit of the first packet enter, if there is room. */
static void inject_flit(struct network *n, uint32_t node)
{
    struct network_source *s = &n->source[node];
    struct network_packet *p = &n->packet[s->first];

    if (!s->open) {
        wait_for_room(n, node);
        return;
    }
    if (s->sent == 0)
        s->vc = choose_channel(s);
    if (s->credit[s->vc] == 0) {
        wait_for_room(n, node);
        return;
    }
    bool head = s->sent++ == 0, tail = s->sent == p->flits;
    uint32_t channel = channel_of(n->n_ports - 1, s->vc);
    if (--s->credit[s->vc] == 0)
        s->open &= (uint8_t) ~(1u << s->vc);
    plan_event(
        n, ENTER,
        (struct network_due){ node, DUE_FLIT, (uint8_t)channel, flit_of(s->first, head, tail) });
    n->moved = n->now;
    if (!tail)
        return;
    s->first = p->next;
    s->sent = 0;
    s->waiting--;
    if (s->first == TOPOLOGY_NONE) {
        s->last = TOPOLOGY_NONE;
        n->sending[node / 64] &= ~(UINT64_C(1) << node % 64);
    }
}

/* --- routing ------------------------------------------------------------------------------ */

static channels channels_of_range(uint32_t port, uint32_t first, uint32_t end)
{
    return ((UINT64_C(1) << (end - first)) - 1) << channel_of(port, first);
}

/* The channels of the class in which a packet may take this link without closing a ring. */
static channels ordered_channels(const struct network *n, uint32_t node,
                                 const struct network_packet *p, uint32_t port)
{
    uint32_t c = 0;

    if (n->n_classes > 1) {
        bool upper = link_of_port(n, node, port)->crosses || (p->crossed >> port / 2 & 1);
        c = n->closed && upper;
        if (n->topology->n_dead > 0)
            c += p->leg * (n->closed ? 2u : 1u);
    }
    return channels_of_range(port, n->first_vc[c], n->first_vc[c + 1]);
}

/* Free channels of `port` that adaptive routing may take for a packet; *room is their room, flits.
 */
static channels roomy_channels(const struct network *n, const struct router *r,
                               const struct network_packet *p, uint32_t port, uint32_t *room)
{
    uint32_t need = p->flits < r->depth ? p->flits : r->depth;
    channels set = 0;

    *room = 0;
    for (uint32_t vc = n->first_adaptive; vc < n->par.vcs; vc++) {
        uint32_t out = channel_of(port, vc);
        if ((r->taken >> out & 1) || r->credit[out] < need)
            continue;
        set |= UINT64_C(1) << out;
        *room += r->credit[out];
    }
    return set;
}

/* The channels that the packet at the head of a queue may take: those in order of dimensions, and
 * the adaptive ones of the port with most room, if any has room. */
static channels route_packet(const struct network *n, uint32_t node, struct network_packet *p)
{
    const struct router *r = &n->router[node];

    if (p->leg == 0 && topology_next(&p->steps) == TOPOLOGY_NONE) {
        p->leg = 1;
        p->steps = p->second;
        p->crossed = 0;
    }
    uint32_t port = topology_next(&p->steps);
    if (port == TOPOLOGY_NONE)
        return channels_of_range(n->n_ports - 1, 0, n->par.vcs);
    channels set = ordered_channels(n, node, p, port), best = 0;
    uint32_t most = 0;
    if (n->first_adaptive < n->par.vcs)
        for (uint32_t s = topology_candidates(&p->steps); s; s &= s - 1) {
            uint32_t room;
            channels here = roomy_channels(n, r, p, (uint32_t)__builtin_ctz(s), &room);
            if (room > most) {
                most = room;
                best = here;
            }
        }
    return set | best;
}

/* --- a cycle ------------------------------------------------------------------------------ */

static void carry_flit(struct network *n, uint32_t node, const struct router_move *m)
{
    uint32_t own = n->n_ports - 1, out = channel_port(m->out), in = channel_port(m->in);
    uint32_t vc = channel_vc(m->in);
    struct network_packet *p = &n->packet[flit_packet(m->flit)];

    n->flit_hops++;
    if (in == own) {
        plan_event(n, CROSS + 1, (struct network_due){ node, DUE_ADMIT, (uint8_t)vc, 0 });
    } else { /* to where the flit came from */
        const struct network_link *l = link_of_port(n, node, in);
        plan_event(n, CROSS + l->cycles + n->par.credit,
                   (struct network_due){ l->to, DUE_CREDIT, (uint8_t)channel_of(l->port, vc), 0 });
    }
    if (out == own) {
        plan_event(n, LEAVE, (struct network_due){ node, DUE_SINK, 0, m->flit });
        return;
    }
    struct network_link *l = link_of_port(n, node, out);
    l->flits++;
    if (l->interval > 1)
        n->router[node].ready[out] = n->now + l->interval;
    plan_event(n, CROSS + 1 + l->cycles,
               (struct network_due){ l->to, DUE_FLIT,
                                     (uint8_t)channel_of(l->port, channel_vc(m->out)), m->flit });
    if (m->flit & FLIT_HEAD) {
        topology_take(&p->steps, out);
        p->hops++;
        if (l->crosses)
            p->crossed |= (uint8_t)(1u << out / 2);
    }
}

static void cycle_router(struct network *n, uint32_t node)
{
    struct router *r = &n->router[node];
    struct router_move moves[ROUTER_MAX_PORTS];
    channels fresh = r->route | (n->par.routing == NETWORK_ADAPTIVE ? r->vc : 0);
    bool changed;

    for (; fresh; fresh &= fresh - 1) {
        uint32_t in = (uint32_t)__builtin_ctzll(fresh);
        r->want[in] = route_packet(n, node, &n->packet[flit_packet(router_first(r, in))]);
        r->stuck = false;
    }
    if (r->route && router_routes_only(r)) { /* the usual case where little is on the way */
        router_route(r);
        n->moved = n->now;
        return;
    }
    for (uint32_t i = 0, count = router_cycle(r, n->now, moves, &changed); i < count; i++)
        carry_flit(n, node, &moves[i]);
    if (changed)
        n->moved = n->now;
    else if (n->slowest > 1 && router_busy(r))
        return; /* it may wait for a slow link, which sends no event */
    /* if nothing changed, nothing will until a flit or a credit arrives */
    if (!changed || !router_busy(r))
        n->active[node / 64] &= ~(UINT64_C(1) << node % 64);
}

void network_cycle(struct network *n)
{
    uint32_t words = (n->topology->n_nodes + 63) / 64;

    handle_arrivals(n);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t s = n->sending[w]; s; s &= s - 1)
            inject_flit(n, w * 64 + (uint32_t)__builtin_ctzll(s));
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t s = n->active[w]; s; s &= s - 1)
            cycle_router(n, w * 64 + (uint32_t)__builtin_ctzll(s));
    n->now++;
}

void network_skip(struct network *n, uint64_t until)
{
    uint32_t words = (n->topology->n_nodes + 63) / 64;

    for (uint32_t w = 0; w < words; w++)
        if (n->sending[w] | n->active[w])
            return;
    while (n->now < until && n->calendar[n->now & (n->horizon - 1)].n == 0 && n->on_the_way > 0)
        n->now++;
    if (n->on_the_way == 0 && n->now < until)
        n->now = until;
}

bool network_stuck(const struct network *n)
{
    return n->in_flight > 0 && n->on_the_way == 0 && n->now > n->moved + n->slowest;
}
