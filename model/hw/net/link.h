/* link.h - a link: one direction between two chips.
 *
 *      in  >--[ one flit a cycle ]--[ hop latency ]--> out
 *
 * A chunk for the chip at the end of the link is delivered one latency after its last flit has
 * left.  A chunk that goes further is delivered one latency after its first flit leaves, and the
 * next link sends its flits at the pace at which they come in (cut-through).  So over idle links of
 * one rate a chunk takes the time of its flits once, and a latency for each link.  The routers of
 * hw/noc/network.h take as long for a message alone, if the latency of a hop is 4 cycles in the
 * router and `link` on the wire, but for 6 cycles to enter and leave the network.
 *
 * Chunks follow each other at the rate of the link.  The latency is a delay line behind it, in
 * which jitter may delay a chunk; chunks keep their order. */
#ifndef HW_NET_LINK_H
#define HW_NET_LINK_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/net/flight.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_net.h"

/* clang-format off */
#define LINK_PARAMS(P)                                                                             \
    P(U64, bandwidth, "B/s", "62 GB/s", "1 MB/s", "100 TB/s", "one direction of a link [unverified]") \
    P(U64, flit,      "B",   "32 B",    "1 B",    "64 KiB",   "moved per cycle of the link [unverified]") \
    P(FS,  latency,   "s",   "1 us",    "0 s",    "1 s",      "of a hop, software included [scaling-book]") \
    P(FS,  launch,    "s",   "0 s",     "0 s",    "1 s",      "until a collective begins, once the cores of a chip have called [unverified]") \
    P(U64, die_bandwidth, "B/s", "0 B/s", "0 B/s", "100 TB/s", "between dies of a chip, one direction; 0: they share memory as one [unverified]") \
    P(FS,  operand_time, "s", "0 s",    "0 s",    "1 s",      "of each operand of a collective but the first, before it begins [unverified]") \
    P(ENUM, algorithm, SCHEDULE_CHOICES, "auto", "", "",                                           \
      "of collectives that name none, where it does them; auto: the cheapest (docs/model/collectives.md) [ying-2018]")

#define LINK_STATS(C, R)                                                                           \
    C(capacity, "B", "bytes the link could have moved in the measured time")                       \
    C(bytes,    "B", "bytes moved")                                                                \
    R("utilization.ici", bytes, capacity, "bytes moved over the bandwidth of the links")
/* clang-format on */

struct link_params {
    LINK_PARAMS(PARAM_FIELD)
};
struct link_stats {
    LINK_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table link_param_table;
extern const struct stat_table link_stat_table;

#define LINK_LAST UINT32_MAX /* no chunk goes further */

/* The end of the link, and its faults. */
struct link_place {
    uint32_t to;     /* chip; LINK_LAST: all parts end there */
    uint64_t times;  /* a flit takes so many times as long, in parts per 1e9 */
    des_time jitter; /* by which a chunk is late at most; chunks keep their order */
    uint64_t seed;   /* of those draws */
};

/* Told of each chunk that goes on the wire to a chip of another event kernel (hw/net/border.h). */
typedef void link_hand(void *self, const struct net_chunk *c, des_time due);

struct link {
    struct des_module mod;
    struct link_params par;
    struct link_place place;
    struct link_stats st;
    struct des_in in;   /* struct net_chunk */
    struct des_out out; /* struct net_chunk */
    uint64_t hz;        /* flits a second */
    struct lane lane;
    struct net_chunk cur;
    struct flight flight;
    des_time last;   /* the latest chunk on the wire is due */
    link_hand *hand; /* NULL: the receiver is of the same event kernel */
    void *hand_self;
    bool busy; /* a chunk leaves */
    struct des_probes show;
};

/* Make a link as module `name` of `parent`.  `fold` NULL: walk every flit. */
void link_init(struct link *l, struct des *sim, struct des_module parent, const char *name,
               const struct link_params *par, const struct link_place *place, lane_fold_fn *fold);
/* True if no chunk is on its way: none waits, none leaves, none is on the wire. */
bool link_quiet(const struct link *l, const struct des *sim);
component_reset_fn link_reset;
component_finish_fn link_finish;

#endif
