/* message.h - a message-passing network on a graph of nodes and directed edges: infeed of the
 * graph, gather of node rows by edges, sums of edge rows by nodes, loss of an edge classifier.
 *
 * Every call appends operations to the step under construction and returns the handle of a value.
 * All values are f32, indices s32. */
#ifndef TRACES_MESSAGE_H
#define TRACES_MESSAGE_H

#include "mlp.h"

struct message_net {
    struct emit *e;
    struct net net;
    uint64_t nodes, edges;
    uint32_t senders, receivers; /* s32[edges]: the node at either end of each edge */
    uint32_t target;             /* f32[edges, 1] */
    uint32_t loss;               /* of this step so far, a scalar; 0: none yet */
    bool begun;
};

struct message_loss { /* the loss operation of a published model */
    const char *name;
    uint64_t flops; /* per edge, one of them a logarithm */
};

/* Begin a step on a graph of this size.  A trace with several steps runs them in turn. */
void message_step(struct message_net *m, uint64_t nodes, uint64_t edges);
/* After the last step: compile the programs of all `shapes` once in `run` steps; 0: never. */
void message_compile(struct message_net *m, uint64_t shapes, uint64_t run);

/* The graph of a step from the host: node and edge features, senders, receivers, and the target in
 * the same form.  Returns the node features [nodes, node_columns]; the edge features
 * [edges, edge_columns] follow as the next value. */
uint32_t message_infeed(struct message_net *m, uint64_t node_columns, uint64_t edge_columns);

/* Columns of a, b and c side by side, [rows, columns]; a handle of 0 is left out. */
uint32_t message_concat(struct message_net *m, const char *name, uint64_t rows, uint64_t columns,
                        uint32_t a, uint32_t b, uint32_t c);
/* For every edge the row of `table`[nodes, columns] at `index`[edges]: [edges, columns]. */
uint32_t message_gather(struct message_net *m, const char *name, uint32_t table, uint32_t index,
                        uint64_t columns, bool gradient);
/* For every node the sum of the rows of `values`[edges, columns] at whose `index`[edges] it
 * stands: [nodes, columns]. */
uint32_t message_sum(struct message_net *m, const char *name, uint32_t values, uint32_t index,
                     uint64_t columns, bool gradient);

/* Classify the edges: logit = out(x), p = sigmoid(logit), [edges, 1], and the loss, which is added
 * to m->loss.  Returns p. */
uint32_t message_classify(struct message_net *m, const struct dense *out,
                          const struct message_loss *loss, uint32_t x);
/* Backward pass of message_classify, from p to the gradients of out's variables.  Returns the
 * gradient of x. */
uint32_t message_classify_backward(struct message_net *m, const struct dense *out, uint32_t x,
                                   uint32_t p);

#endif
