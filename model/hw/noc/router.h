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
 * Both allocators are round-robin, iSLIP with one iteration [mckeown-1999]: every output offers
 * itself to the first input in turn that asks, every input takes the first offer in turn, and only
 * then do the turns of both advance.  This is the router of BookSim2 (`iq`, not speculative)
 * [booksim2].
 *
 * A router is plain data and knows no neighbour: its owner brings flits and credits and takes the
 * moves of each cycle.  An input or output channel is a number, port * 8 + vc. */
#ifndef HW_NOC_ROUTER_H
#define HW_NOC_ROUTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Seven ports: two of each dimension and the node's own.  A channel is a virtual channel of a port,
 * by one number. */
#define ROUTER_MAX_PORTS 7
#define ROUTER_MAX_VCS 8
#define ROUTER_MAX_CHANNELS (ROUTER_MAX_PORTS * ROUTER_MAX_VCS)

/* The number of a channel: of a virtual channel of a port. */
static inline uint32_t channel_of(uint32_t port, uint32_t vc)
{
    return port * ROUTER_MAX_VCS + vc;
}

/* The port of a channel. */
static inline uint32_t channel_port(uint32_t channel)
{
    return channel / ROUTER_MAX_VCS;
}

/* The virtual channel of a channel. */
static inline uint32_t channel_vc(uint32_t channel)
{
    return channel % ROUTER_MAX_VCS;
}

/* A flit: the number of its packet, and whether it is the first of it, the last or both. */
typedef uint32_t flit;
enum { FLIT_HEAD = 1, FLIT_TAIL = 2, FLIT_BITS = 2, FLIT_MAX_PACKETS = 1 << 29 };

/* A flit of packet `packet`; the head is its first, the tail its last, which may be the same. */
static inline flit flit_of(uint32_t packet, bool head, bool tail)
{
    return packet << FLIT_BITS | (head ? FLIT_HEAD : 0u) | (tail ? FLIT_TAIL : 0u);
}

/* The packet that a flit is of. */
static inline uint32_t flit_packet(flit f)
{
    return f >> FLIT_BITS;
}

/* A set of channels: bit i is channel i. */
typedef uint64_t channels;

struct router {
    uint8_t n_ports, n_vcs;
    uint16_t depth; /* of an input queue, flits */

    /* input channels by the stage that their first packet waits for; a channel in none is idle */
    channels route, vc, crossbar; /* crossbar: has a flit and a credit for it */
    channels holding;             /* input channels whose packet has an output channel */
    channels taken;               /* output channels that belong to a packet */
    bool stuck;                   /* in the last cycle no head in `vc` wanted a free channel */

    channels want[ROUTER_MAX_CHANNELS];  /* [in] output channels it may take */
    uint8_t output[ROUTER_MAX_CHANNELS]; /* [in] the output channel it holds */
    uint8_t holder[ROUTER_MAX_CHANNELS]; /* [out] the input channel that holds it, if it is taken */
    uint16_t first[ROUTER_MAX_CHANNELS], count[ROUTER_MAX_CHANNELS]; /* [in] its queue */
    uint16_t credit[ROUTER_MAX_CHANNELS]; /* [out] places left in the queue at the other end */
    uint64_t ready[ROUTER_MAX_PORTS];     /* [out port] cycle from which the link takes a flit */

    uint8_t vc_offer[ROUTER_MAX_CHANNELS]; /* [out] the input whose turn it is */
    uint8_t vc_take[ROUTER_MAX_CHANNELS];  /* [in] the output whose turn it is */
    uint8_t offer[ROUTER_MAX_PORTS], take[ROUTER_MAX_PORTS], vc_turn[ROUTER_MAX_PORTS];
    flit *queue; /* [port][vc][depth], the owner's storage */
};

/* A flit on its way through the crossbar. */
struct router_move {
    flit flit;
    uint8_t in, out; /* channels */
};

/* An empty router: every output channel has `depth` credits, the last port is the node's own.
 * `queue` has room for router_queue() flits and is the owner's. */
void router_init(struct router *r, uint32_t n_ports, uint32_t n_vcs, uint32_t depth, flit *queue);

/* Flits that the queues of a router hold in all. */
static inline uint64_t router_queue(uint32_t n_ports, uint32_t n_vcs, uint32_t depth)
{
    return (uint64_t)n_ports * n_vcs * depth;
}

/* A flit arrives at an input channel.  A bug if there is no room; credits prevent that. */
void router_put(struct router *r, uint32_t in, flit f);

/* A place at the other end of output channel `out` is free again.  Returns whether the router can
 * do something that it could not before. */
bool router_credit(struct router *r, uint32_t out);

/* The first flit of an input channel that is not empty. */
static inline flit router_first(const struct router *r, uint32_t in)
{
    uint32_t queue = channel_port(in) * r->n_vcs + channel_vc(in);

    return r->queue[queue * r->depth + r->first[in]];
}

/* Does any input channel wait for a stage? */
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

/* Simulate cycle `now`.  The owner has set want[] of all input channels in `route`; it may also
 * change it for those in `vc`, and then clears `stuck`.  Fills `moves` and returns their number, at
 * most ROUTER_MAX_PORTS; *changed says whether anything happened.  Does not depend on what other
 * routers do in this cycle. */
uint32_t router_cycle(struct router *r, uint64_t now, struct router_move moves[ROUTER_MAX_PORTS],
                      bool *changed);

#endif
