/* mlp.h - a perceptron of two dense layers with a ReLU each, as message-passing networks use it. */
#ifndef TRACES_MLP_H
#define TRACES_MLP_H

#include "dense.h"

struct mlp { /* dense, ReLU, dense, ReLU */
    struct dense fc[2];
};

struct mlp_pass { /* values of a forward pass that the backward pass reads */
    uint32_t x, hidden, y;
};

/* Declare the layers NAME.fc0, `in` to `hidden` columns, and NAME.fc1, `hidden` to `out`.  Call
 * mlp_rows before the first pass of each step. */
struct mlp mlp_add(struct net *net, const char *name, uint64_t in, uint64_t hidden, uint64_t out);
void mlp_rows(struct mlp *l, uint64_t rows);
/* x is [rows, in], the result's y [rows, out]. */
struct mlp_pass mlp_forward(struct net *net, const struct mlp *l, uint32_t x, bool joins);
/* Gradients of the variables, from dy[rows, out].  Returns the gradient of the first matmul's
 * result, [rows, hidden]; the caller takes it to x by dense_input_gradient, if x needs one. */
uint32_t mlp_backward(struct net *net, const struct mlp *l, const struct mlp_pass *p, uint32_t dy,
                      enum dense_fusion fusion);

#endif
