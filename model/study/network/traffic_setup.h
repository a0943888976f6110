/* traffic_setup.h - from the keys of `cyclotron network` to a grid, its routers, its links and a
 * load.
 *
 * Private to traffic.c and transfer.c. */
#ifndef STUDY_NETWORK_TRAFFIC_SETUP_H
#define STUDY_NETWORK_TRAFFIC_SETUP_H

#include "hw/noc/network_show.h"
#include "machine/spec/spec.h"
#include "study/network/traffic.h"

/* clang-format off */
#define TRAFFIC_PARAMS(P)                                                                          \
    P(ENUM, topology, "mesh|torus|twisted", "torus", "", "", "axes that are open, closed, or closed with a twist") \
    P(ENUM, pattern, "uniform|neighbour|tornado|transpose", "uniform", "", "",                     \
      "destinations: any node, the next on each axis, nearly half-way round each, or (x,y) to (y,x)") \
    P(PPB,  rate,   "ratio",    "0.1",   "0", "1",        "flits offered per node and cycle")           \
    P(U32,  flits,  "flit",     "1",     "1", "1024",     "flits per packet")                           \
    P(U64,  warmup, "cycle",    "3000",  "0", "10000000", "cycles before measuring")                      \
    P(U64,  cycles, "cycle",    "10000", "1", "10000000", "cycles measured")                              \
    P(U64,  seed,   "",         "42",    "0", "1000000000000000000", "of the random generator")
/* clang-format on */

struct traffic_params {
    TRAFFIC_PARAMS(PARAM_FIELD)
};
/* Names by the enums below and by enum network_routing. */
extern const char *const traffic_topologies[], *const traffic_patterns[], *const traffic_routings[];
enum traffic_topology { TRAFFIC_MESH, TRAFFIC_TORUS, TRAFFIC_TWISTED };
enum traffic_pattern { TRAFFIC_UNIFORM, TRAFFIC_NEIGHBOUR, TRAFFIC_TORNADO, TRAFFIC_TRANSPOSE };

struct traffic_setup {
    struct traffic_params par;
    struct network_params network;
    const char *radix, *dead, *slow, *send;
    struct topology topology;
    struct machine_spec *machine;
    uint64_t hz;
    char grid[TRAFFIC_TEXT]; /* radix of the machine */
    uint32_t side;           /* of the square of nodes; transpose: node s*a + b sends to s*b + a */
};

/* Errors: as traffic_run; call traffic_set_down then too. */
int traffic_set_up(struct traffic_setup *s, const struct traffic_request *q, struct err *err);
void traffic_set_down(struct traffic_setup *s);

/* splitmix64: small, fast and the same everywhere. */
uint64_t traffic_draw(uint64_t *random);
/* Where a packet of `node` goes; a uniform pattern draws it. */
uint32_t traffic_destination(const struct traffic_setup *s, uint64_t *random, uint32_t node);

/* The network as a simulation that the observers of a request can watch; `show` is NULL without
 * observers.  It will run for at least `cycles`.  Errors: those of the observers. */
struct traffic_view {
    struct des *sim;
    struct network_show *show;
    bool begun;
};
int traffic_view_begin(struct traffic_view *v, const struct traffic_setup *s,
                       const struct traffic_request *q, uint64_t cycles, struct err *err);
void traffic_view_end(struct traffic_view *v, const struct traffic_request *q);

/* Give a network its slow links. */
int traffic_slow(const struct traffic_setup *s, struct network *n, struct err *err);

/* Read a pair of nodes "0-1" at *p and move *p behind it.  With `sep` it is followed by that
 * character and a count of at least 1: "0-1:4".  Returns whether it is one. */
bool traffic_pair(const char **p, uint32_t *a, uint32_t *b, char sep, uint32_t *count);

#endif
