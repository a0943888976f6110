/* op_kind.h - the operations that `cyclotron op` knows: their keys, and the trace each one is. */
#ifndef STUDY_OP_KIND_H
#define STUDY_OP_KIND_H

#include <stdio.h>

#include "study/op_key.h"

struct op_kind;

/* An operation being written. */
struct op_draft {
    const struct op_kind *kind;
    const struct op_value *value; /* [OP_N_KEYS], dtype filled in */
    enum trace_dtype dtype;
    enum trace_dtype result; /* of a reduction: `dtype`, or that of places */
    uint32_t cores;          /* replicas that a collective joins */
    FILE *out;
};

/* Write the tensors and the step of the trace.  Errors: ERR_FORMAT, ERR_RANGE when the values do
 * not go together; the message lacks the operation. */
typedef int op_write_fn(const struct op_draft *d, struct err *err);

struct op_kind {
    const char *name, *group;
    uint64_t required, optional; /* OP_BIT of its keys; dtype= is for all and in neither */
    const char *doc;
    op_write_fn *write;
    const char *trace; /* what it is in a trace */
    uint32_t inputs;   /* operands (element-wise), state of each weight (optimizers) */
    uint32_t flops;    /* an element, where it is not the kind itself that says so */
    const char *fn;    /* which function one of them is, NULL: all are additions */
};
extern const struct op_kind op_kinds[];
extern const size_t op_n_kinds;

/* The kind called `name`, or NULL.  Errors: ERR_UNKNOWN with the nearest. */
const struct op_kind *op_kind_find(const char *name, struct err *err);

/* op_gemm.c */
op_write_fn op_write_matmul, op_write_conv, op_write_pool;
/* op_vector.c */
op_write_fn op_write_elementwise, op_write_reduce, op_write_sort, op_write_top_k,
    op_write_optimizer;
/* op_move.c */
op_write_fn op_write_copy, op_write_transpose, op_write_reshape, op_write_broadcast,
    op_write_upsample, op_write_pad, op_write_slice, op_write_concatenate;
op_write_fn op_write_gather, op_write_scatter;
/* op_compose.c: several operations or a fusion */
op_write_fn op_write_fusion, op_write_dense, op_write_softmax, op_write_layer_norm,
    op_write_batch_norm, op_write_cross_entropy, op_write_one_hot, op_write_argmax,
    op_write_update_slice, op_write_one_hot_rows;
op_write_fn op_write_collective, op_write_barrier, op_write_feed, op_write_host;

/* --- for the writers ---------------------------------------------------------------------- */

/* A line such as "tensor %lhs bf16[8,128] constant". */
void op_tensor(const struct op_draft *d, const char *name, enum trace_dtype dtype,
               const uint64_t *dim, uint32_t rank, const char *role);
/* The step: "RESULTS = KIND(OPERANDS) name=KIND" with resident= and flops=, `flops` unless that was
 * given, 0 for none; `extra` are more attributes. */
void op_step(const struct op_draft *d, const char *results, const char *operands, uint64_t flops,
             const char *extra);
/* What a product of operands of `dtype` is kept in: s32 of 8-bit integers, bf16 of 8-bit floating
 * point, else the same. */
enum trace_dtype op_product(enum trace_dtype dtype);
/* "bf16[8,128]". */
#define OP_SHAPE_TEXT 200
char *op_shape(char buf[OP_SHAPE_TEXT], enum trace_dtype dtype, const uint64_t *dim, uint32_t rank);

#endif
