/* dense.h - dense layers: forward and backward pass of y = act(x w + b), all f32.
 *
 * Every call appends operations to the step under construction, in the kernels in which XLA runs
 * them on a TPU, and returns the handle of a value. */
#ifndef TRACES_DENSE_H
#define TRACES_DENSE_H

#include "net.h"

struct dense_activation {
    const char *forward;                    /* name of the operation after the matmul, or NULL */
    const char *backward;                   /* name of its gradient, or NULL */
    uint64_t forward_flops, backward_flops; /* per element, the bias included */
    const char *fn; /* the function that the forward operation evaluates: "fn=exponential" */
};
/* Rectifier, exponential linear unit, bias alone (linear), neither (bare). */
extern const struct dense_activation dense_relu, dense_elu, dense_linear, dense_bare;

struct dense { /* y[rows, n] = act(x[rows, k] w[k, n] + b[n]) */
    const char *name;
    uint64_t rows, k, n;
    const struct dense_activation *act;
    size_t w, b; /* indices of the variables w[k, n] and b[n] */
};

/* Declare the variables NAME.w and NAME.b.  `rows` may be set later, in the struct. */
struct dense dense_add(struct net *net, const char *name, uint64_t rows, uint64_t k, uint64_t n,
                       const struct dense_activation *act);

/* Matmul and activation, one kernel, which joins the kernel before it if `joins` is set.  x is
 * [rows, k].  Returns y[rows, n]. */
uint32_t dense_forward(struct net *net, const struct dense *d, uint32_t x, bool joins);

/* The kernel that runs the gradients of the activation and of the bias. */
enum dense_fusion {
    DENSE_AFTER_GEMM, /* that of the matmul before them, on its output */
    DENSE_BEGIN,      /* that of the weight gradient, which they begin */
    DENSE_CONTINUE,   /* that of the weight gradient, which an earlier operation began */
};

/* Gradients of the variables, from dy[rows, n]: that of the activation, which reads the layer's
 * output y, the sum over rows for b, x^T dz for w.  Returns dz[rows, n], the gradient of the
 * matmul's result. */
uint32_t dense_backward(struct net *net, const struct dense *d, uint32_t x, uint32_t y, uint32_t dy,
                        enum dense_fusion fusion);

/* The gradient of x, dz w^T: [rows, k]. */
uint32_t dense_input_gradient(struct net *net, const struct dense *d, uint32_t dz);

#endif
