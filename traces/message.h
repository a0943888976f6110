/* message.h - a message-passing network under construction: two-layer MLPs, rows of a node table
 * gathered for the edges, sums of edge rows in the nodes, and the loss of an edge classifier. */
#ifndef TRACES_MESSAGE_H
#define TRACES_MESSAGE_H

#include "net.h"

struct mlp { /* dense, ReLU, dense, ReLU */
    struct dense fc[2];
};

struct passed { /* what the backward pass of an MLP needs */
    uint32_t x, hidden, y;
};

struct message_net {
    struct emit *e;
    struct net net;
    uint64_t nodes, edges;
    uint32_t senders, receivers, target; /* [edges] of the infeed */
    uint32_t loss;                       /* the sum so far, or 0 */
    bool begun;
};

struct message_loss { /* how a published model computes it */
    const char *name;
    uint64_t flops; /* an edge, one of them a logarithm */
};

/* Begin a step on a graph of this size: the first, or another that takes turns with it. */
void message_step(struct message_net *m, uint64_t nodes, uint64_t edges);
/* End the last: all `shapes` are compiled once in `run` steps, unless that is 0. */
void message_compile(struct message_net *m, uint64_t shapes, uint64_t run);

/* `in` columns to `hidden` to `out`.  Its rows are set by each step. */
struct mlp mlp_add(struct message_net *m, const char *name, uint64_t in, uint64_t hidden,
                   uint64_t out);
void mlp_rows(struct mlp *l, uint64_t rows);
struct passed mlp_forward(struct message_net *m, const struct mlp *l, uint32_t x, bool joins);
/* Returns the gradient of the result of the first layer's matmul; its input's is the caller's. */
uint32_t mlp_backward(struct message_net *m, const struct mlp *l, const struct passed *p,
                      uint32_t dy, enum dense_fusion fusion);

/* The graph of a step from the host: node and edge features, senders, receivers, and the target in
 * the same form.  Returns the node features [nodes, node_columns]; the edge features
 * [edges, edge_columns] follow as the next value. */
uint32_t message_infeed(struct message_net *m, uint64_t node_columns, uint64_t edge_columns);

/* a, b and c side by side; zeros are left out. */
uint32_t message_concat(struct message_net *m, const char *name, uint64_t rows, uint64_t columns,
                        uint32_t a, uint32_t b, uint32_t c);
/* Rows of a node table, one for every edge: [edges, columns]. */
uint32_t message_gather(struct message_net *m, const char *name, uint32_t table, uint32_t index,
                        uint64_t columns, bool gradient);
/* Sums of edge rows, one for every node: [nodes, columns]. */
uint32_t message_sum(struct message_net *m, const char *name, uint32_t values, uint32_t index,
                     uint64_t columns, bool gradient);

/* The classifier of the edges: `logit` = out(x), its sigmoid p [edges, 1], and the loss, which is
 * added to m->loss.  Returns p. */
uint32_t message_classify(struct message_net *m, const struct dense *out,
                          const struct message_loss *loss, uint32_t x);
/* Back through the loss and the sigmoid.  Gradients of
 * `out`; returns that of x. */
uint32_t message_classify_backward(struct message_net *m, const struct dense *out, uint32_t x,
                                   uint32_t p);

#endif
