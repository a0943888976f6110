/* gpu.h - kernels of a GPU: what the files that make them share; private to kernels.
 *
 * A framework runs each operation as one kernel or a few of its libraries (`eager`, `graph`), or
 * what a compiler has fused as one (`xla`).  gpu_lower.c decides which kernels an operation is,
 * gpu_product.c and gpu_tiles.c which kernel of the library a matrix product takes, gpu_conv.c
 * which product a convolution is, gpu_stream.c what kernels without products cost, gpu_cache.c
 * which bytes are in the L2 when a kernel reads them. */
#ifndef KERNELS_GPU_GPU_H
#define KERNELS_GPU_GPU_H

#include "base/wide.h"
#include "kernels/common/gpu_cache.h"
#include "kernels/common/gpu_library.h"
#include "kernels/common/lowering.h"

/* Units that do a product, in the order in which tables list them. */
enum gpu_math { GPU_F32, GPU_F64, GPU_TF32, GPU_HALF, GPU_F8, GPU_S8, GPU_N_MATHS };

/* C[b,m,n] = A[b,m,k] B[b,k,n], operands of `element` bytes. */
struct gpu_product {
    uint64_t b, m, n, k;
    enum gpu_math math;
    uint32_t element;                   /* bytes of an element of the operands */
    bool ta, tb;                        /* stored transposed */
    uint64_t useful;                    /* multiply-accumulates */
    uint64_t a_bytes, b_bytes, c_bytes; /* operands and result, each once */
    uint64_t missed;                    /* of A and B, that are not in the L2 */
    uint64_t kept;                      /* of the result, that HBM does not get */
    uint64_t added; /* bytes of operands that blocks meet at their end, as large as the result */
    uint32_t share; /* of the rate of its tiles, parts per 1,000; 0 counts as 1,000 */
    uint32_t k_granule;  /* k is padded to; 0 counts as 1 */
    uint64_t taps;       /* k, or m of a gradient of a filter, is so many taps; 0 counts as 1 */
    bool m_taps, masked; /* m is taps, not k; there are more of them than bits of a mask */
};

/* The kernels of a library for a product on this chip; NULL: no unit does it. */
const struct gpu_tiles *gpu_tiles(const struct cap_gpu *gpu, enum gpu_math math);

/* Multiply-accumulates of an SM a cycle; 0: it has no unit for it. */
uint32_t gpu_rate(const struct cap_gpu *gpu, enum gpu_math math);
/* The unit for operands of that dtype: f32 in TF32 where the chip has it, unless gpu->strict
 * (gpu_math.c). */
enum gpu_math gpu_math_of(const struct cap_gpu *gpu, enum trace_dtype d);
/* The unit for a product of m x n results: one with a vector never runs in TF32, nor one of highest
 * precision. */
enum gpu_math gpu_math_of_product(const struct cap_gpu *gpu, enum trace_dtype d,
                                  enum trace_precision precision, uint64_t m, uint64_t n);
/* The reason why no unit multiplies operands of that dtype; NULL: one does. */
const char *gpu_refuses(const struct cap_gpu *gpu, enum trace_dtype d);
/* Operands of that dtype are converted to f32 by kernels of their own before a product, as XLA does
 * where the chip has no unit for bf16. */
bool gpu_widens(const struct cap_gpu *gpu, enum trace_dtype d);
/* A product of such operands is four real ones: twice k, and twice n. */
bool gpu_is_complex(enum trace_dtype d);

/* The kernels that an operation takes, one after the other, and the time that the library reckons
 * with, fs. */
#define GPU_PLAN_KERNELS 8
struct gpu_plan {
    struct task_grid kernel[GPU_PLAN_KERNELS];
    uint32_t n;
    u128 cost;
    uint64_t workspace; /* bytes of HBM that its kernels need besides operands and results */
};

/* A product by the kernels of `lib`: the bytes of its operands and result as they cross the L2, and
 * a second kernel where parts of k are added up. */
void gpu_product(struct gpu_plan *plan, const struct gpu_product *p, const struct gpu_tiles *lib,
                 const struct cap *cap);
/* A batch whose products have a vector for an operand, or sum nothing: the library takes kernels
 * without tiles (gemv, gemmk1), which read each operand once [hta-diff] [param-dlrm]. */
bool gpu_is_streamed(const struct gpu_product *p);
void gpu_product_streamed(struct gpu_plan *plan, const struct gpu_product *p,
                          const struct cap *cap);
/* Steps in which the last block of a sum over rows of `step` adds what other blocks left, as
 * PyTorch runs it (gpu_sum.c); 0: one block has all rows, or it is another operation or framework.
 */
uint64_t gpu_sum_steps(const struct step *step, const struct step_op *op, uint32_t sms);

/* Blocks of a sum as TensorFlow runs it where a dimension stays between others, each of an SM, and
 * the cycles of the SM with the most (gpu_sum.c); 0: another sum or framework. */
uint64_t gpu_sum_places(const struct step *step, const struct step_op *op);
uint64_t gpu_sum_cycles(uint64_t elements, uint64_t places, const struct cap_gpu *gpu);

/* Attention of a library, `queries` of each head (gpu_attention.c). */
void gpu_attention(struct gpu_plan *plan, const struct gpu_product *p,
                   const struct trace_compiled *k, const struct cap *cap);
/* A product by the tile that a compiler has chosen, which `k` states (gpu_written.c). */
void gpu_written(struct gpu_plan *plan, const struct gpu_product *p, const struct trace_compiled *k,
                 const struct cap *cap);
/* Add a kernel that reads `in` bytes, writes `out` and computes nothing, at a share of HBM's rate
 * in parts per 1,000. */
void gpu_plan_copy(struct gpu_plan *plan, uint64_t in, uint64_t out, uint32_t share,
                   const struct cap *cap);

/* A convolution or a gradient of one (gpu_conv.c). */
struct gpu_conv {
    enum trace_kind kind;
    enum gpu_math math;
    uint64_t images, groups, c, k; /* c: input channels of a group; k: output channels of it */
    uint64_t in, out, taps;        /* positions of an image, before and after; of the filter */
    uint64_t side[3];              /* positions of the result along each dimension; 1: no such */
    uint64_t filter[3];            /* taps along each */
    uint32_t rank, size;           /* dimensions; of the filter, if all are equal, else 0 */
    bool strided, dilated;
    bool channels_first; /* the positions of a channel lie together, not the channels of a position
                          */
    uint32_t element;
    uint64_t a_bytes, b_bytes, c_bytes, missed, useful;
};
void gpu_conv(struct gpu_plan *plan, const struct gpu_conv *v, const struct cap *cap);
/* The kernels of a library for such convolutions on this chip by implicit products. */
const struct gpu_tiles *gpu_conv_tiles(const struct cap_gpu *gpu, const struct gpu_conv *v);

/* Add the cycles of an operation's elements in the CUDA cores and of its special functions, all SMs
 * at work. */
void gpu_add_work(struct task_grid *g, const struct step *step, const struct step_op *op,
                  const struct cap *cap);
/* A kernel without a product (gpu_stream.c): `in` and `out` cross the L2. */
void gpu_stream(struct task_grid *g, const struct step *step, const struct step_op *op,
                const struct task_flow *in, const struct task_flow *out, const struct cap *cap);

/* The kernels of an operation without a product where nothing is fused (gpu_passes.c): one for each
 * of its passes. */
void gpu_passes(struct lowering *l, const struct step_op *op, uint32_t row,
                const struct task_flow *in, const struct task_flow *out);
/* A pass between others, over the longest operand or result (gpu_stream.c). */
void gpu_pass(struct task_grid *g, const struct step *step, const struct step_op *op,
              const struct task_flow *in, const struct task_flow *out, const struct cap *cap);
/* A sort of the last dimension, as a library or XLA does it (gpu_sort.c). */
void gpu_sort(struct lowering *l, const struct step_op *op, uint32_t row,
              const struct task_flow *in, const struct task_flow *out);
/* A fusion that is one kernel of a framework's library (gpu_norm.c). */
void gpu_norm(struct lowering *l, const struct step_node *n, uint32_t row);
/* Elements of the longest operand or result, at least 1. */
uint64_t gpu_longest_value(const struct step *step, const struct step_op *op);
/* A kernel of the operation of `row`, which takes the host `host_fs` and needs `workspace` bytes of
 * HBM besides operands and results (gpu_lower.c). */
void gpu_add_kernel(struct lowering *l, uint32_t row, const struct task_grid *g, uint64_t host_fs,
                    uint64_t workspace);
/* Time of the host for an operation of one kernel. */
uint64_t gpu_host_time(const struct lowering *l);
/* ... of an operation that no framework dispatches. */
uint64_t gpu_call_time(const struct lowering *l);

/* Apply what a class reaches of the rates of HBM and L2 to the bytes of a kernel, and its limit of
 * elements a second to its `n` elements; with `fixed` what a framework's kernel takes besides. */
void gpu_stream_limit(struct task_grid *g, enum gpu_stream_class class, uint64_t n, bool fixed,
                      const struct cap *cap);

/* Cut a kernel into the steps in which it is simulated. */
void gpu_cut(struct task_grid *g);

/* Operations of a node that a GPU runs (gpu_lower.c). */
int gpu_lower(struct lowering *l, const struct step_node *n, uint32_t row);
/* A kernel of a compiled program, and a copy in the background of one (gpu_compiled.c). */
int gpu_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                 uint32_t row);
int gpu_background(struct lowering *l, const struct step_node *n, const struct step_op *op,
                   uint32_t row);
/* ERR_FIT if a member is a kernel that was compiled for a TPU. */
int gpu_check(struct lowering *l, const struct step_node *n);

#endif
