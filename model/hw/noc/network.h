/* network.h - routers and links together: packets enter at one node and leave at another.
 *
 *      source >--[ router ]--link--[ router ]--link-- ... --[ router ]--> sink
 *
 * Time counts in cycles of a link, which moves one flit a cycle unless it is slow.  From the
 * crossbar of one router to the route stage of the next a flit takes 1 + link cycles.  So a hop
 * through an idle router takes 4 + link cycles, and a packet of one flit takes
 * 1 + (4 + link) * links + 6 from its source to its sink.  A credit can be used 1 + link + credit
 * cycles after its flit crossed.
 *
 * There is no deadlock, whatever the length of packets.  Packets take dimensions in order, and
 * where an axis closes they change from the lower to the upper half of the virtual channels (a
 * dateline), so that no ring of channels is closed [dally-1987].  Around dead links each leg of a
 * detour has its own channels.  Minimal adaptive routing takes any of the upper channels that lead
 * nearer, if the queue has room for the whole packet or is empty, and can always fall back on one
 * channel of each class of the former rules [duato-1993].  Around dead links all packets take
 * dimensions in order.
 *
 * The result does not depend on the order in which routers are visited. */
#ifndef HW_NOC_NETWORK_H
#define HW_NOC_NETWORK_H

#include "base/param.h"
#include "hw/noc/router.h"
#include "hw/noc/topology.h"

enum network_routing { NETWORK_DIMENSION, NETWORK_ADAPTIVE };

/* clang-format off */
#define NETWORK_PARAMS(P)                                                                          \
    P(ENUM, routing, "dimension|adaptive", "dimension", "", "",                                    \
      "in order of dimensions, or any shortest way by free channels [booksim2]")                   \
    P(U32, vcs,    "",      "4", "1", "8",    "virtual channels of a link [booksim2]")             \
    P(U32, depth,  "flit",  "8", "1", "65535", "queue of a virtual channel [booksim2]")            \
    P(U32, link,   "cycle", "2", "1", "30000", "on a link [booksim2]")                             \
    P(U32, credit, "cycle", "2", "0", "4096", "to make use of a credit that arrived [booksim2]")
/* clang-format on */

struct network_params {
    NETWORK_PARAMS(PARAM_FIELD)
};
extern const struct param_table network_param_table;

/* A packet; one cache line. */
struct network_packet {
    uint32_t from, to, flits, hops;
    uint64_t born; /* cycle in which its source got it */
    uint64_t tag;  /* for whoever sends it */

    struct topology_steps steps, second; /* left of this leg; the leg after it */
    uint32_t next;        /* in the queue of its source, or in the list of free packets */
    uint8_t leg, crossed; /* crossed: mask of axes in whose upper channels it is */
};

struct network_link {
    uint32_t to;       /* node; TOPOLOGY_NONE: there is no such link */
    uint32_t cycles;   /* latency */
    uint32_t interval; /* cycles a flit takes */
    uint8_t port;      /* of node `to`, at the end of the link */
    bool crosses;      /* it closes an axis */
    uint64_t flits;    /* moved so far */
};

/* Something that will happen at a node: an entry of the calendar. */
struct network_due {
    uint32_t node;
    uint8_t kind, channel;
    flit flit;
};
struct network_slot {
    struct network_due *due;
    uint32_t n, room;
};

/* Where packets of a node wait to enter the network. */
struct network_source {
    uint32_t first, last; /* packets, TOPOLOGY_NONE: none */
    uint32_t sent;        /* flits of the first packet that have entered */
    uint32_t waiting;     /* packets whose last flit has not entered */
    uint8_t vc;           /* of the packet that enters */
    uint8_t open;         /* mask of channels with room */
    uint16_t credit[ROUTER_MAX_VCS];
};

/* The last flit of packet `p` has left the network; cycle `now` begins. */
typedef void network_deliver(void *self, const struct network_packet *p, uint64_t now);

struct network {
    const struct topology *topology;
    struct network_params par;
    uint32_t n_ports; /* of a router; the last is its node's own */
    bool closed;      /* some axis closes */
    uint32_t n_classes, first_vc[5], first_adaptive;
    struct router *router;
    flit *queues;
    struct network_link *link; /* [node * ports + port], as in the topology */
    struct network_source *source;
    uint64_t *active, *sending; /* sets of nodes to visit; a source without room is not in it */
    struct network_slot *calendar;
    uint32_t horizon; /* cycles of the calendar, a power of two */
    struct network_packet *packet;
    uint32_t n_packets, free_packet;

    uint64_t now;
    uint64_t on_the_way; /* entries of the calendar */
    uint64_t in_flight;  /* packets that were sent and not delivered */
    uint64_t flit_hops;  /* flits that passed a crossbar */
    uint64_t moved;      /* cycle in which anything last changed */
    uint32_t slowest;    /* largest interval of a link */
    network_deliver *deliver;
    void *self;
};

/* An empty network on `t`, which must outlive it unchanged.  Errors: ERR_FIT when there are too few
 * virtual channels to keep the routing free of deadlock, with the number needed. */
int network_init(struct network *n, const struct topology *t, const struct network_params *par,
                 network_deliver *deliver, void *self, struct err *err);
void network_free(struct network *n);

/* Let the link that leaves `node` by `port` take `interval` cycles a flit, at least 1. */
void network_slow(struct network *n, uint32_t node, uint32_t port, uint32_t interval);

/* Hand a packet of at least 1 flit to its source in this cycle.  Errors: ERR_FIT when dead links
 * leave no route. */
int network_send(struct network *n, uint32_t from, uint32_t to, uint32_t flits, uint64_t tag,
                 struct err *err);

/* Hand a message to its source, as packets of `packet` flits; the last has the rest.  Errors: as
 * network_send. */
int network_message(struct network *n, uint32_t from, uint32_t to, uint32_t flits, uint32_t packet,
                    uint64_t tag, struct err *err);

/* The shortcut for a message that shares no link, source or sink with another: *cycles from
 * network_message to the delivery of its last packet, as network_cycle would find.  False where its
 * packets may delay each other: with adaptive routing; with queues shorter than the round trip of a
 * credit, 5 + 2 link + credit; with several packets and fewer than two channels a class, packets of
 * one flit or a slow link.  O(links of the route). */
bool network_alone(const struct network *n, uint32_t from, uint32_t to, uint32_t flits,
                   uint32_t packet, uint64_t *cycles);

/* Simulate one cycle.  network_skip passes over cycles before `until` in which nothing happens. */
void network_cycle(struct network *n);
void network_skip(struct network *n, uint64_t until);

/* Packets are in flight, and none will ever move again. */
bool network_stuck(const struct network *n);

/* Name the cycle of links that wait for each other in a network that is stuck, as
 * "node 3 (3,0) -> node 0 (0,0) vc 0, ...", cut off at `size`.  Returns the number of its links. */
uint32_t network_waiting(const struct network *n, char *text, size_t size);

#endif
