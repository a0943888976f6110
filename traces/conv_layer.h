/* conv_layer.h - a 3-D convolution layer with what follows it: activation, batch norm, dropout.
 *
 * Volumes are [batch, channels, x, y, z] f32; the stride is 1.  Zeros around the input are an
 * operation of the forward pass and part of the window in the backward pass, since only the input
 * without them is kept. */
#ifndef TRACES_CONV_LAYER_H
#define TRACES_CONV_LAYER_H

#include "net.h"

struct conv {
    const char *name;
    struct net *net;
    bool is_same, has_norm;
    uint64_t batch, c, o;              /* channels in and out */
    uint64_t size[3], pad[3];          /* window; zeros added on both sides */
    uint64_t in[3], padded[3], out[3]; /* volumes */
    size_t w, b, gamma, beta;          /* variables */
    uint32_t moving_mean, moving_var;  /* state */
    /* values of the latest forward pass: input, activation, output, statistics */
    uint32_t x, act, y, mean, var;
};

uint64_t conv_volume(const uint64_t dim[3]);
struct trace_shape conv_shape(uint64_t batch, uint64_t c, const uint64_t dim[3]);

/* Work out the volumes from the input's, with name, channels and window set. */
void conv_place(struct conv *l, const uint64_t in[3]);
void conv_declare(struct conv *l);

/* Each appends the operations of one part and returns its result. */
uint32_t conv_forward(struct conv *l, uint32_t x);
/* An element-wise operation on the output volume that joins the kernel before it; x2 may be 0. */
uint32_t conv_follow(const struct conv *l, const char *what, uint32_t x, uint32_t x2,
                     uint64_t flops, bool gradient);
uint32_t conv_norm(struct conv *l, uint32_t x, uint32_t mean, uint32_t var, bool joins);
/* Batch norm with the statistics of this replica, which also move the moving ones. */
uint32_t conv_train_norm(struct conv *l, uint32_t x);
uint32_t conv_dropout(const struct conv *l, uint32_t x);

void conv_filter_gradient(struct conv *l, uint32_t dy);
uint32_t conv_input_gradient(const struct conv *l, uint32_t dy);
/* `keeps`: the gradients of gamma and beta are those of the variables, not only of the way. */
uint32_t conv_norm_gradient(struct conv *l, uint32_t dy, bool keeps);

#endif
