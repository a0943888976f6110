/* traffic_cost.h - what a run of traffic.h will cost, before it begins.
 *
 * Work counts in flit-hops, of which a CPU simulates about five million a second
 * (docs/program/performance.md).  Links that carry less than they are offered let packets pile up
 * in memory: then both grow with the length of the run. */
#ifndef STUDY_NETWORK_TRAFFIC_COST_H
#define STUDY_NETWORK_TRAFFIC_COST_H

#include <stdint.h>

#include "hw/noc/messages.h"
#include "study/network/traffic_setup.h"

#define TRAFFIC_LONG_WAIT 500   /* cycles on average: packets of a saturated network wait longer */
#define TRAFFIC_LONG_QUEUE 1000 /* packets per node in flight, beside those on links: saturated */

/* Cycles from a source to the farthest node and back, without waiting. */
uint64_t traffic_flight(const struct traffic_setup *s);
/* The packets in flight at which a run ends as saturated. */
uint64_t traffic_most(const struct traffic_setup *s);
/* The cycle at which a run ends as saturated. */
uint64_t traffic_last(const struct traffic_setup *s);

struct traffic_cost {
    bool overloaded;  /* the average link is offered more than half of what it can carry */
    uint64_t hops;    /* flit-hops, and draws of nodes as 64 to a flit-hop; at most */
    uint64_t packets; /* in flight at most, if it is overloaded */
    uint64_t bytes;   /* queues of routers; packets too if it is overloaded */
};

/* The cost of a run at `rate`, a share of PPB_PER_ONE, from 4096 pairs of nodes drawn as the
 * traffic draws them.  O(1) */
struct traffic_cost traffic_cost_of(const struct traffic_setup *s, uint64_t rate);

/* Refuse what costs more than the request allows.  Errors: ERR_FIT, with the cost and the option
 * that allows it. */
int traffic_check_cost(const struct traffic_setup *s, const struct traffic_request *q,
                       struct err *err);
/* traffic_check_cost for messages; those that meet no other cost less than is assumed.  Errors:
 * also ERR_RANGE for more packets than the network can number. */
int traffic_check_messages(const struct traffic_setup *s, const struct traffic_request *q,
                           const struct message *m, size_t n, struct err *err);

#endif
