/* exatrkx.h - the published graph networks of Exa-TrkX: each function appends a training step. */
#ifndef TRACES_EXATRKX_H
#define TRACES_EXATRKX_H

#include "net.h"

#define EXATRKX_MAX_ITERATIONS 64 /* of message passing */

struct exatrkx_graph { /* all graphs of one step on one core together, padded */
    uint64_t nodes, edges;
};

struct exatrkx_size {
    const struct exatrkx_graph *graph; /* n_graphs sizes; each is a step, run in turn */
    uint64_t n_graphs;
    uint64_t hidden; /* columns inside an MLP */
    uint64_t latent; /* columns of an edge and of a node between the iterations */
    uint64_t iterations;
    bool own;   /* each iteration has weights of its own; else all share one set */
    bool remat; /* keep only the latent columns; the backward pass recomputes the rest */
    const struct net_optimizer *optimizer;
    uint64_t combine; /* bytes of a bucket of gradients; 0: the machine's parameter decides */
    bool sharded;     /* each replica updates its share of the weights */
    uint64_t run;     /* steps per compilation of all sizes; 0: compilation is left out */
};

/* April 2020 [ju-2020]: updates edges, then nodes from the sum of received edges; decodes edges.
 * `latent` equals `hidden`. */
void exatrkx_2020(struct emit *e, const struct exatrkx_size *size);
/* June 2020 [exatrkx-iml2020]: encodes edges from their nodes; updates nodes from the sums of
 * received and sent edges, then edges; has no decoder. */
void exatrkx_vary2(struct emit *e, const struct exatrkx_size *size);

#endif
