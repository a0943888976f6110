/* net.h - a network being trained: its variables, their gradients, the update, dense layers.
 *
 * A variable is one weight tensor with the optimizer's state tensors of the same shape. */
#ifndef TRACES_NET_H
#define TRACES_NET_H

#include "emit.h"

struct net_optimizer {
    const char *name;
    const char *state[2]; /* suffixes of its state tensors; NULL: fewer */
    uint64_t flops;       /* a parameter */
    const char *fn;       /* which function one of them is: "fn=rsqrt", or NULL */
};
extern const struct net_optimizer net_sgd, net_momentum, net_rmsprop, net_adam;

struct net_variable {
    uint32_t w, state[2], gradient;
    uint32_t n_gradients; /* summands that `gradient` is the latest of */
};

struct net_part { /* one summand of the gradient of a variable that is used several times */
    size_t var;
    uint32_t gradient;
};

struct net {
    struct emit *e;
    const char *prefix; /* of its update operations: "D." or "" */
    const struct net_optimizer *optimizer;
    uint64_t combine; /* bytes of a bucket of gradients, 0: as the machine does */
    bool sharded;     /* each replica updates its share */
    struct net_variable *var;
    struct net_part *part;
    size_t n_vars, cap, n_parts, cap_parts;
    uint64_t parameters;
};

void net_init(struct net *net, struct emit *e, const char *prefix,
              const struct net_optimizer *optimizer);
void net_clear(struct net *net);

/* Declare a variable; returns its index. */
size_t net_add(struct net *net, struct trace_shape shape, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Give variable `var` a gradient; several are summed up by net_update. */
void net_gradient(struct net *net, size_t var, uint32_t gradient);

/* How gradients are summed, as attributes of their all-reduce; NULL: as the machine does. */
const char *net_sums(const struct net *net);

/* Attributes of an optimizer operation, or NULL. */
const char *net_fn(struct emit *e, const char *fn, bool sharded);

/* The sums, if any, in one operation that counts nothing (tables of published models count none);
 * one all-reduce over all gradients, in place, and one optimizer operation. */
void net_update(struct net *net);

/* --- dense layers ------------------------------------------------------------------------- */

struct net_activation {
    const char *forward;                    /* operation after the matmul, or NULL */
    const char *backward;                   /* or NULL */
    uint64_t forward_flops, backward_flops; /* an element, the bias included */
    const char *fn;                         /* one of the former: "fn=exponential", or NULL */
};
extern const struct net_activation net_relu, net_elu, net_linear, net_bare;

struct dense { /* y[rows, n] = act(x[rows, k] w[k, n] + b[n]) */
    const char *name;
    uint64_t rows, k, n;
    const struct net_activation *act;
    size_t w, b; /* variables */
};

/* Declare its variables. */
struct dense dense_add(struct net *net, const char *name, uint64_t rows, uint64_t k, uint64_t n,
                       const struct net_activation *act);

/* The matmul with its activation, one kernel; it may join the one before.  Returns y. */
uint32_t dense_forward(struct net *net, const struct dense *d, uint32_t x, bool joins);

/* Where the activation's and the bias' backward run: on the output of the matmul before them, or
 * ahead of the weight gradient, whose kernel they begin or which an earlier operation began. */
enum dense_fusion { DENSE_AFTER_GEMM, DENSE_BEGIN, DENSE_CONTINUE };

/* Gradients of w and b: the activation's backward (needs its output y), the sum over rows, the
 * weight gradient.  Returns the gradient of the matmul's result. */
uint32_t dense_backward(struct net *net, const struct dense *d, uint32_t x, uint32_t y, uint32_t dy,
                        enum dense_fusion fusion);

/* Gradient of x. */
uint32_t dense_input_gradient(struct net *net, const struct dense *d, uint32_t dz);

#endif
