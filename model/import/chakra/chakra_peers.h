/* chakra_peers.h - sends and receives of one rank, as its share of permutes that all ranks take
 * part in.
 *
 * All ranks run the same program.  So when this rank sends to the rank `shift` further on, it
 * receives as much from the rank `shift` before it: the n-th send and the n-th receive of one
 * shift, size and tag are the two ends of one collective-permute. */
#ifndef IMPORT_CHAKRA_CHAKRA_PEERS_H
#define IMPORT_CHAKRA_CHAKRA_PEERS_H

#include "import/chakra/chakra_graph.h"

struct chakra_peer {
    uint64_t shift;
    uint32_t other; /* node of the other end; UINT32_MAX: it has none */
};

/* Find the shift and the other end of each send and receive: peer[node], for g->n nodes.  `ranks`
 * is how many there are, 0 if that is not known.  Errors: ERR_RANGE where the rank itself, the
 * other one or the number of ranks would have to be known.  O(n log n). */
int chakra_peers_find(const struct chakra_graph *g, uint64_t ranks, struct chakra_peer *peer,
                      struct err *err);

#endif
