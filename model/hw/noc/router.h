/* router.h - one router of a network: input queues, virtual channels, two allocators, a crossbar.
 *
 *      in 0 >--[ vc 0 | vc 1 | ... ]--\
 *      in 1 >--[ vc 0 | vc 1 | ... ]---[ crossbar ]--> out 0, out 1, ...
 *
 * The head of a packet passes four stages of a cycle each at best, its other flits the last two:
 *     route    which output ports and channels may the packet take
 *     vc       get one free virtual channel of those; it is the packet's until its tail leaves
 *     switch   get the crossbar: one flit from an input port, one to an output port a cycle, and
 *              only with a credit: room in the queue at the other end
 *     cross    on the way to the link
 * An input channel serves one packet after the other: the next is routed when the tail has left.
 * Both allocators are iSLIP of one iteration [mckeown-1999]: every output offers itself to the
 * first in turn that asks, every input takes the first offer in turn, and only then do the turns of
 * both move on.  This is the router of BookSim2 (`iq`, not speculative) [booksim2].
 *
 * A router is plain data and knows no neighbour: who owns it brings flits and credits and takes
 * away the moves of each cycle.  An input or output channel is a number, port * 8 + vc. */
#ifndef HW_NOC_ROUTER_H
#define HW_NOC_ROUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define ROUTER_MAX_PORTS 7
#define ROUTER_MAX_VCS 8
#define ROUTER_MAX_CHANNELS (ROUTER_MAX_PORTS * ROUTER_MAX_VCS)

static inline uint32_t channel_of(uint32_t port, uint32_t vc)
{
    return port * ROUTER_MAX_VCS + vc;
}

static inline uint32_t channel_port(uint32_t channel)
{
    return channel / ROUTER_MAX_VCS;
}

static inline uint32_t channel_vc(uint32_t channel)
{
    return channel % ROUTER_MAX_VCS;
}

/* A flit: the packet it belongs to, and whether it is its first, its last or both. */
typedef uint32_t flit;
enum { FLIT_HEAD = 1, FLIT_TAIL = 2, FLIT_BITS = 2, FLIT_MAX_PACKETS = 1 << 29 };

static inline flit flit_of(uint32_t packet, bool head, bool tail)
{
    return packet << FLIT_BITS | (head ? FLIT_HEAD : 0u) | (tail ? FLIT_TAIL : 0u);
}

static inline uint32_t flit_packet(flit f)
{
    return f >> FLIT_BITS;
}

/* Sets of channels, bit by index. */
typedef uint64_t channels;

struct router {
    uint8_t n_ports, n_vcs;
    uint16_t depth; /* of an input queue, flits */

    /* input channels by what their first packet waits for; in none: nothing is there to be done */
    channels route, vc, crossbar; /* crossbar: with a credit, and a flit */
    channels holding;             /* an output channel is theirs, flits or not */
    channels taken;               /* output channels that belong to a packet */
    bool stuck;                   /* no head in `vc` wants a free channel, as at the last cycle */

    channels want[ROUTER_MAX_CHANNELS];  /* [in] output channels it may take */
    uint8_t output[ROUTER_MAX_CHANNELS]; /* [in] the output channel it holds */
    uint8_t holder[ROUTER_MAX_CHANNELS]; /* [out] the input channel that holds it, if it is taken */
    uint16_t first[ROUTER_MAX_CHANNELS], count[ROUTER_MAX_CHANNELS]; /* [in] its queue */
    uint16_t credit[ROUTER_MAX_CHANNELS]; /* [out] places left at the other end */
    uint64_t ready[ROUTER_MAX_PORTS];     /* [out port] cycle the link takes a flit again */

    uint8_t vc_offer[ROUTER_MAX_CHANNELS]; /* [out] whose turn it is among inputs */
    uint8_t vc_take[ROUTER_MAX_CHANNELS];  /* [in] and among outputs */
    uint8_t offer[ROUTER_MAX_PORTS], take[ROUTER_MAX_PORTS], vc_turn[ROUTER_MAX_PORTS];
    flit *queue; /* [port][vc][depth], the owner's storage */
};

/* A flit on its way through the crossbar. */
struct router_move {
    flit flit;
    uint8_t in, out; /* channels */
};

/* Inside a router every output has `depth` credits; the last port is the node's own. */
void router_init(struct router *r, uint32_t n_ports, uint32_t n_vcs, uint32_t depth, flit *queue);

/* Flits that the queues of a router take. */
static inline uint64_t router_queue(uint32_t n_ports, uint32_t n_vcs, uint32_t depth)
{
    return (uint64_t)n_ports * n_vcs * depth;
}

/* A flit arrives at an input channel; a bug if there is no room, which credits prevent. */
void router_put(struct router *r, uint32_t in, flit f);

/* A place at the other end of an output channel is free again; returns whether that changes what
 * the router can do. */
bool router_credit(struct router *r, uint32_t out);

/* The first flit of an input channel that is not empty. */
static inline flit router_first(const struct router *r, uint32_t in)
{
    uint32_t queue = channel_port(in) * r->n_vcs + channel_vc(in);

    return r->queue[queue * r->depth + r->first[in]];
}

/* Is there anything a cycle could change, credits aside? */
static inline bool router_busy(const struct router *r)
{
    return (r->route | r->vc | r->crossbar) != 0;
}

/* The cycle of a router in which heads wait for the route stage alone. */
static inline bool router_routes_only(const struct router *r)
{
    return (r->vc | r->crossbar) == 0;
}
static inline void router_route(struct router *r)
{
    r->vc |= r->route;
    r->route = 0;
    r->stuck = false;
}

/* One cycle, number `now`.  The owner has set want[] of all input channels in `route`, and may set
 * it anew for those in `vc`, with `stuck` false.  Fills `moves` and returns how many,
 * ROUTER_MAX_PORTS at most; *changed: did anything happen?  The same whatever other routers do in
 * this cycle. */
uint32_t router_cycle(struct router *r, uint64_t now, struct router_move moves[ROUTER_MAX_PORTS],
                      bool *changed);

#endif
