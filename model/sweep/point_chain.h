/* point_chain.h - points that need one and the same replay, one behind the other. */
#ifndef SWEEP_POINT_CHAIN_H
#define SWEEP_POINT_CHAIN_H

#include "sweep/plan.h"

#define POINT_CHAIN_END SIZE_MAX /* nothing is behind it */

/* Chains of the points ids[0..n): each point is in one.  Points that differ in prices, power and
 * proxies alone are in the same (point.h, point_replay()). */
struct point_chain {
    size_t *first; /* [n_first] indices into ids, in their order */
    size_t n_first;
    size_t *next; /* [n] the index behind this one; POINT_CHAIN_END: none */
};

/* O(n log n), O(n) where no axis is a price. */
void point_chain_make(struct point_chain *c, const struct plan *p, const size_t *ids, size_t n);
void point_chain_free(struct point_chain *c);

#endif
