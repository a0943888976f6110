/* traffic.h - a network of routers under synthetic traffic: latency and throughput.
 *
 * In every cycle every node draws whether it generates a packet; the packet waits in the queue of
 * its source until the network takes it.  After `warmup` cycles the packets generated in the next
 * `cycles` cycles are measured, while the traffic goes on until the last of them has arrived. */
#ifndef STUDY_NETWORK_TRAFFIC_H
#define STUDY_NETWORK_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/param.h"
#include "run/result/result.h"

/* Keys that are parameters: of the traffic, of the network. */
extern const struct param_table *const traffic_tables[2];

/* Ends to what a run may cost: flit-hops, and bytes of queues and packets. */
struct traffic_limits {
    uint64_t hops, bytes;
};
extern const struct traffic_limits traffic_limits_usual; /* some minutes, 1 GB */

struct traffic_request {
    const char *const *arg; /* "radix=4x4", "rate=0.2", "vcs=8", "dead=0-1,5-6", "slow=0-1:4" */
    size_t n_args;
    bool saturate;                       /* search for the rate at which the network saturates */
    const struct traffic_limits *limits; /* NULL: traffic_limits_usual */
    /* Not NULL: the network of this machine, with its links and their faults.  A hop takes 4 cycles
     * in a router and the rest of ici.latency on the wire; queues hold the round trip of a credit.
     */
    const char *machine;
    const char *const *set; /* "ici.latency=500 ns" */
    size_t n_set;
    /* called now and then with the cycles done and their total; may be NULL */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    /* They see the network (hw/noc/network_show.h) from its first cycle on.  Without a machine a
     * cycle takes 1 ns.  None with `saturate`. */
    const struct run_observer *observer; /* n_observers of them */
    size_t n_observers;
};

#define TRAFFIC_TEXT 64 /* bytes of a text */

struct traffic_result {
    const char *topology, *pattern, *routing; /* static */
    char radix[TRAFFIC_TEXT];
    char machine[TRAFFIC_TEXT]; /* "": none */
    uint64_t hz;                /* flits of a link a second; 0 without a machine */
    uint64_t rate;              /* flits offered per node and cycle, parts per 1e9 */
    uint64_t seed, measured;    /* measured: cycles */
    uint32_t flits, vcs, depth;
    uint32_t nodes, links; /* links that exist and are alive */
    bool saturated;        /* packets pile up: averages depend on the length of the run */

    uint64_t packets;                       /* measured ones, all of which arrived */
    uint64_t latency, hops, wait;           /* sums; wait: latency beyond that of an idle network */
    uint64_t least, half, most_of, longest; /* latency: minimum, median, 99 %, maximum */
    uint64_t offered, accepted;             /* flits while measuring */
    uint64_t cycles, flit_hops;             /* of the whole run */
    char hottest_from[TRAFFIC_TEXT], hottest_to[TRAFFIC_TEXT];
    uint64_t hottest, carried; /* cycles the busiest link, and all links, were busy */

    uint64_t carries, fails; /* rates that bracket saturation, parts per 1e9; fails > 1e9: never */
};

/* Run it.  Errors: a key or value that does not fit; ERR_FIT when the routing needs more channels,
 * dead links leave no path, or the run may cost more than the limits allow.  O(cycles * nodes *
 * rate * diameter). */
int traffic_run(const struct traffic_request *q, struct traffic_result *r, struct err *err);

#endif
