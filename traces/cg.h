/* cg.h - a combined graph layer: bins of elements that are near each other, messages within a bin.
 *
 *   place    = dense(dense(x))                     [rows, dist]
 *   perm     = argsort(hash(place))                elements into bins; a permutation
 *   adj      = exp(-0.1 |place_a - place_b|)       all pairs of a bin, masked
 *   hom      = norm adj norm (x theta)
 *   y        = elu(gate hom + (1 - gate) x W_h),   gate = sigmoid(x W_t + b_t)
 *
 * Rows are batch * bins * bin; binned tensors are [batch * bins, bin, columns]. */
#ifndef TRACES_CG_H
#define TRACES_CG_H

#include "net.h"

struct cg_size {
    uint64_t batch, bins, bin; /* events, bins an event, elements a bin */
    uint64_t rows, width, dist;
};

struct cg {
    const char *name;
    struct net *net;
    struct cg_size size;
    uint64_t f;  /* input columns */
    bool passes; /* its input has a gradient */
    struct dense d0, d1;
    size_t theta, w_h, w_t, b_t; /* variables */
    uint32_t codebook;
    /* values that the backward pass needs */
    uint32_t x, hidden, perm, mask, features, place, pair, adj, degree;
    uint32_t theta_x, hom, w_h_x, w_t_x, y;
};

void cg_declare(struct cg *l, struct net *net, const struct cg_size *size, const char *name,
                uint64_t f, bool passes);

/* Returns y[rows, width]; `mask` is that of the elements, [rows, 1]. */
uint32_t cg_forward(struct cg *l, uint32_t x, uint32_t mask);

/* `dy` is the gradient of y.  Returns that of x, `more` added unless 0, or 0 if none passes. */
uint32_t cg_backward(struct cg *l, uint32_t dy, uint32_t more);

#endif
