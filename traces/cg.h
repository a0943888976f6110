/* cg.h - the combined graph layer of MLPF: elements are sorted into bins by a hash of their place
 * in a learned space, and each bin exchanges messages between all its pairs [cuba-2022].
 *
 *   place    = dense(dense(x))                     [rows, dist]
 *   perm     = argsort(hash(place))                elements into bins; a permutation
 *   adj      = exp(-0.1 |place_a - place_b|)       all pairs of a bin, masked
 *   hom      = norm adj norm (x theta)
 *   y        = elu(gate hom + (1 - gate) x W_h),   gate = sigmoid(x W_t + b_t)
 *
 * All values are f32.  Rows are batch * bins * bin; binned tensors are
 * [batch * bins, bin, columns]. */
#ifndef TRACES_CG_H
#define TRACES_CG_H

#include "dense.h"

struct cg_size {
    uint64_t batch, bins, bin; /* events, bins per event, elements per bin */
    uint64_t rows;             /* elements of all events */
    uint64_t width, dist;      /* columns of the output, columns of a place */
};

struct cg {
    const char *name;
    struct net *net;
    struct cg_size size;
    uint64_t f;  /* input columns */
    bool passes; /* cg_backward computes the gradient of the input */
    struct dense d0, d1;
    size_t theta, w_h, w_t, b_t; /* variables */
    uint32_t codebook;           /* constant: the random directions of the hash */
    /* values that the backward pass needs */
    uint32_t x, hidden, perm, mask, features, place, pair, adj, degree;
    uint32_t theta_x, hom, w_h_x, w_t_x, y;
};

/* Declare the layer's variables; `f` is the number of input columns. */
void cg_declare(struct cg *l, struct net *net, const struct cg_size *size, const char *name,
                uint64_t f, bool passes);

/* Forward pass of x[rows, f]; mask[rows, 1] is 0 for padding.  Returns y[rows, width]. */
uint32_t cg_forward(struct cg *l, uint32_t x, uint32_t mask);

/* Backward pass from dy[rows, width].  Returns the gradient of x plus `more` (0: nothing to add),
 * or 0 if the layer does not pass one on. */
uint32_t cg_backward(struct cg *l, uint32_t dy, uint32_t more);

#endif
