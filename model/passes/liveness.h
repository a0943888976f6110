/* liveness.h - pass: the nodes at which each value of a step is in memory.
 *
 * A value is alive from the node that makes it to its last use; the result of an update in place
 * lives in its operand, which then lives on.  Values `at` one place are one buffer, which may be
 * free between the last use of one and the next (liveness_place.c); what a program returns has its
 * memory from the begin of the step on.  Behind a sharded all-reduce a replica keeps only its share
 * of what was summed and of what is returned.  With `remat`, activations
 * that no other phase reads before the first gradient are given up after the forward pass and
 * computed again, a phase as a whole, before the first use of any of it; of a compiled program,
 * which has its own schedule, nothing is. */
#ifndef PASSES_LIVENESS_H
#define PASSES_LIVENESS_H

#include "step/step.h"

/* The life of a value in memory: one stretch of nodes, both ends included, or two if it is computed
 * again. */
struct liveness_life {
    uint32_t from, to, again, until; /* again = until = STEP_NONE: once */
    uint32_t place;                  /* value whose bytes these are */
    /* replicas that have a share each after node `summed`; STEP_NONE: it is one from the start */
    uint32_t replicas, summed;  /* 0: it stays whole */
    uint32_t first_gap, n_gaps; /* of a place: in liveness.gap, when it is free in between */
    bool returned;              /* of a place: the program returns it; it is never free */
    bool lent; /* of a place: it lies in an argument that is free meanwhile (liveness_lend.c) */
};

/* Nodes, both included, at which so many bytes of a place are free. */
struct liveness_gap {
    uint32_t from, to;
    uint64_t bytes; /* LIVENESS_WHOLE, or of pieces that have yet to arrive */
};
#define LIVENESS_WHOLE UINT64_MAX

struct liveness {
    const struct step *step;
    uint64_t stage;             /* whose memory it is, or TRACE_NO_STAGE: of all */
    uint32_t replicas;          /* cores that run the step */
    struct liveness_life *life; /* [value] */
    struct liveness_gap *gap;
    uint32_t n_gaps, cap_gaps;
    uint32_t turn; /* the first node that makes a gradient; n_nodes: none does */
};

/* Fill in `l` for the cores of `stage`, or all.  Cost: O(references + values x loops). */
void liveness_find(struct liveness *l, const struct step *step, uint64_t stage, uint32_t replicas,
                   bool remat);
void liveness_free(struct liveness *l);

/* True if a value or node of `stage` is on the cores that `l` is about. */
bool liveness_has_stage(const struct liveness *l, uint64_t stage);

/* True of a result in memory that is no gradient and does not come from a host. */
bool liveness_is_activation(const struct step *step, uint32_t value);

#endif
