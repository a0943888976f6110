/* net.h - the variables of a network under training: weights, optimizer state, gradients, update.
 *
 * A variable is one f32 weight tensor with the optimizer's state tensors of the same shape. */
#ifndef TRACES_NET_H
#define TRACES_NET_H

#include "emit.h"

struct net_optimizer {
    const char *name;
    const char *state[2]; /* suffixes of the state tensors' names; NULL: fewer than two */
    uint64_t flops;       /* per parameter */
    const char *fn;       /* the function among them: "fn=rsqrt", or NULL */
};
/* Plain, with momentum, RMSprop, Adam. */
extern const struct net_optimizer net_sgd, net_momentum, net_rmsprop, net_adam;

struct net_variable {
    uint32_t w, state[2], gradient;
    uint32_t n_gradients; /* how many gradients it was given; `gradient` is the last */
};

struct net_part { /* one gradient of a variable; a variable that is used twice has two */
    size_t var;
    uint32_t gradient;
};

struct net {
    struct emit *e;
    const char *prefix; /* of the names of its update operations: "D." or "" */
    const struct net_optimizer *optimizer;
    uint64_t combine; /* bytes of a bucket of gradients; 0: the machine's parameter decides */
    bool sharded;     /* each replica updates its share of the weights */
    struct net_variable *var;
    struct net_part *part;
    uint32_t n_vars, cap_vars, n_parts, cap_parts;
    uint64_t parameters;
};

/* Make an empty network, whose variables have names that begin with `prefix`, which is borrowed. */
void net_init(struct net *net, struct emit *e, const char *prefix,
              const struct net_optimizer *optimizer);
void net_clear(struct net *net);

/* Declare a variable, named by the format.  Returns its index. */
size_t net_add(struct net *net, struct trace_shape shape, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Give variable `var` a gradient, of the variable's shape.  net_update sums up several. */
void net_gradient(struct net *net, size_t var, uint32_t gradient);

/* Attributes of the all-reduce of the gradients: combine=, sharded=; NULL: neither. */
const char *net_sums(const struct net *net);

/* Attributes of an optimizer operation: `fn` (may be NULL) and sharded=; NULL: neither. */
const char *net_fn(struct emit *e, const char *fn, bool sharded);

/* Append the update: the sums of gradients, where a variable has several, one all-reduce over all
 * gradients, in place, and one optimizer operation.  The sums have no flops and no bytes, as in the
 * tables of the published models. */
void net_update(struct net *net);

#endif
