/* network.h - routers and links together: packets go in at a node and come out at another.
 *
 *      source >--[ router ]--link--[ router ]--link-- ... --[ router ]--> sink
 *
 * Everything happens in cycles of a link, which moves one flit in each unless it is slow.  From the
 * crossbar of one router to the route stage of the next a flit takes 1 + link cycles, so a hop
 * through an idle router is 4 + link cycles, and 1 + (4 + link) * links + 6 from the source of a
 * packet of one flit to its sink.  A credit can be used 1 + link + credit cycles after its flit
 * crossed.
 *
 * No packet can wait for itself, however long and wherever it goes: packets go round an axis in
 * order of dimensions, and where an axis closes they change from the lower to the upper half of
 * the virtual channels (a dateline), so that no ring of channels is closed [dally-1987].  Where
 * links are dead, each leg of a detour has its own channels.  Minimal adaptive routing takes any
 * channel of the upper ones towards its end, if the whole packet or nothing at all is in its queue,
 * and can always fall back on one channel of each class of those rules [duato-1993].  Around dead
 * links all packets go in order of dimensions.
 *
 * Deterministic: the order in which routers are visited changes nothing. */
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

/* One line of a cache. */
struct network_packet {
    uint32_t from, to, flits, hops;
    uint64_t born; /* cycle it was given to its source */
    uint64_t tag;  /* the sender's */

    struct topology_steps steps, second; /* this leg, and the leg after it */
    uint32_t next;                       /* of the queue at the source, or of those free */
    uint8_t leg, crossed;                /* by bit: it is in the upper channels of the axis */
};

struct network_link {
    uint32_t to;       /* node; TOPOLOGY_NONE: there is no such link */
    uint32_t cycles;   /* latency */
    uint32_t interval; /* cycles a flit takes */
    uint8_t port;      /* of node `to`, by which it comes in */
    bool crosses;
    uint64_t flits; /* that went over it */
};

/* Something that happens to a node in a cycle to come. */
struct network_due {
    uint32_t node;
    uint8_t kind, channel;
    flit flit;
};
struct network_slot {
    struct network_due *due;
    uint32_t n, room;
};

/* Where packets wait for their turn to enter the network. */
struct network_source {
    uint32_t first, last; /* packets, TOPOLOGY_NONE: none */
    uint32_t sent;        /* flits of the first that have gone in */
    uint32_t waiting;     /* packets whose tail is still here */
    uint8_t vc;           /* of the packet that is going in */
    uint8_t open;         /* channels with room, by bit */
    uint16_t credit[ROUTER_MAX_VCS];
};

/* The tail of packet `p` left the network in the cycle that now begins. */
typedef void network_deliver(void *self, const struct network_packet *p, uint64_t now);

struct network {
    const struct topology *topology;
    struct network_params par;
    uint32_t n_ports; /* of a router, its node's own the last */
    bool closed;      /* an axis is */
    uint32_t n_classes, first_vc[5], first_adaptive;
    struct router *router;
    flit *queues;
    struct network_link *link; /* [node * ports + port], as in the topology */
    struct network_source *source;
    uint64_t *active, *sending; /* sets of nodes; a source without room waits for some outside */
    struct network_slot *calendar;
    uint32_t horizon; /* cycles of the calendar, a power of two */
    struct network_packet *packet;
    uint32_t n_packets, free_packet;

    uint64_t now;
    uint64_t on_the_way; /* entries of the calendar */
    uint64_t in_flight;  /* packets given and not delivered */
    uint64_t flit_hops;  /* flits that passed a crossbar */
    uint64_t moved;      /* cycle in which anything last changed */
    uint32_t slowest;    /* largest interval of a link */
    network_deliver *deliver;
    void *self;
};

/* `t` must outlive the network and stay as it is.  Errors: ERR_FIT when there are too few virtual
 * channels to keep the routing free of deadlock, saying how many it takes. */
int network_init(struct network *n, const struct topology *t, const struct network_params *par,
                 network_deliver *deliver, void *self, struct err *err);
void network_free(struct network *n);

/* The link by which `node` reaches its neighbour behind `port` takes `interval` cycles a flit. */
void network_slow(struct network *n, uint32_t node, uint32_t port, uint32_t interval);

/* Give a packet of 1 flit or more to its source in this cycle.  Errors: ERR_FIT when dead links
 * leave no way. */
int network_send(struct network *n, uint32_t from, uint32_t to, uint32_t flits, uint64_t tag,
                 struct err *err);

/* Give a message to its source: packets of `packet` flits, the last with what is left. */
int network_message(struct network *n, uint32_t from, uint32_t to, uint32_t flits, uint32_t packet,
                    uint64_t tag, struct err *err);

/* The shortcut for a message that shares no link, source or sink with another: the cycles from
 * network_message() to the delivery of its last packet, the same as by network_cycle().  False
 * where it may wait for itself: adaptive routing, queues shorter than the round trip of a credit (5
 * + 2 link + credit), or several packets and less than two channels a class, packets of one flit
 * or a slow link.  O(links on the way). */
bool network_alone(const struct network *n, uint32_t from, uint32_t to, uint32_t flits,
                   uint32_t packet, uint64_t *cycles);

/* One cycle.  network_skip() first passes over cycles in which nothing can happen. */
void network_cycle(struct network *n);
void network_skip(struct network *n, uint64_t until);

/* Packets are in flight and nothing will ever move again. */
bool network_stuck(const struct network *n);

/* The cycle of links that wait for each other, "node 3 (3,0) -> node 0 (0,0) vc 0, ...", cut off
 * where `size` ends; only when stuck.  Returns the number of links in it. */
uint32_t network_waiting(const struct network *n, char *text, size_t size);

#endif
