/* conv_layer.h - a 3-D convolution layer with its activation, batch norm and dropout.
 *
 * Volumes are f32[batch, channels, x, y, z]; the stride is 1.  The forward pass pads the input by
 * an operation of its own.  The backward pass pads by its window, because only the input without
 * padding is kept. */
#ifndef TRACES_CONV_LAYER_H
#define TRACES_CONV_LAYER_H

#include "net.h"

struct conv {
    const char *name;
    struct net *net;
    bool is_same;                      /* the output is as large as the input */
    bool has_norm;                     /* batch norm follows */
    uint64_t batch, c, o;              /* images, channels in, channels out */
    uint64_t size[3], pad[3];          /* of the window; zeros added on either side */
    uint64_t in[3], padded[3], out[3]; /* cells along x, y and z */
    size_t w, b, gamma, beta;          /* variables */
    uint32_t moving_mean, moving_var;  /* state */
    /* values of the latest forward pass: input, activation, output, statistics */
    uint32_t x, act, y, mean, var;
};

/* Cells of a volume; the shape f32[batch, c, x, y, z]. */
uint64_t conv_volume(const uint64_t dim[3]);
struct trace_shape conv_shape(uint64_t batch, uint64_t c, const uint64_t dim[3]);

/* Set l->in to `in`, and from it l->padded and l->out.  Window and padding are set. */
void conv_place(struct conv *l, const uint64_t in[3]);
/* Declare the layer's variables and state.  Name, channels, window and has_norm are set. */
void conv_declare(struct conv *l);

/* Each of the following appends operations and returns the handle of their result. */

/* Padding, if any, and convolution with its bias. */
uint32_t conv_forward(struct conv *l, uint32_t x);
/* An element-wise operation on x, and on x2 unless that is 0, of the output's size, with `flops`
 * per element and attributes, or NULL; it joins the kernel before it. */
uint32_t conv_follow(const struct conv *l, const char *what, uint32_t x, uint32_t x2,
                     uint64_t flops, const char *attr, bool gradient);
/* Batch norm with the given statistics, [o] each. */
uint32_t conv_norm(struct conv *l, uint32_t x, uint32_t mean, uint32_t var, bool joins);
/* Batch norm with the statistics of this replica's batch; updates the moving averages. */
uint32_t conv_train_norm(struct conv *l, uint32_t x);
uint32_t conv_dropout(const struct conv *l, uint32_t x);

/* Gradients of filter and bias, from dy of the output's shape. */
void conv_filter_gradient(struct conv *l, uint32_t dy);
uint32_t conv_input_gradient(const struct conv *l, uint32_t dy);
/* The gradient of the normalised volume's input.  `keeps`: gamma and beta are trained, so their
 * gradients are given to the variables too. */
uint32_t conv_norm_gradient(struct conv *l, uint32_t dy, bool keeps);

#endif
