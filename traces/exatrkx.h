/* exatrkx.h - the published graph networks of Exa-TrkX, each the body of a training step. */
#ifndef TRACES_EXATRKX_H
#define TRACES_EXATRKX_H

#include "net.h"

#define EXATRKX_MAX_ITERATIONS 64

struct exatrkx_graph { /* all graphs of a step and core together, padded */
    uint64_t nodes, edges;
};

struct exatrkx_size {
    const struct exatrkx_graph *graph; /* of the steps, which take turns */
    uint64_t n_graphs;
    uint64_t hidden; /* columns inside an MLP */
    uint64_t latent; /* columns of an edge and of a node between the iterations */
    uint64_t iterations;
    bool own;   /* weights of each iteration instead of the same for all */
    bool remat; /* keep the latent columns alone and compute the rest again on the way back */
    const struct net_optimizer *optimizer;
    uint64_t combine; /* bytes of a bucket of gradients, 0: as the machine does */
    bool sharded;     /* each replica updates its share */
    uint64_t run; /* steps over which the compilation of all shapes is spread; 0: it is left out */
};

/* April 2020: edges first, received sums only, a decoder of the edges; `latent` is `hidden`. */
void exatrkx_2020(struct emit *e, const struct exatrkx_size *size);
/* June 2020: edges encoded from their nodes; nodes first, received and sent sums; no decoder. */
void exatrkx_vary2(struct emit *e, const struct exatrkx_size *size);

#endif
