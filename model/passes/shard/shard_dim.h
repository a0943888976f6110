/* shard_dim.h - the dimension of a result that belongs to a dimension of an operand. */
#ifndef PASSES_SHARD_SHARD_DIM_H
#define PASSES_SHARD_SHARD_DIM_H

#include "passes/shard/shard_impl.h"

/* The role of a dimension of an operand in a product. */
enum shard_role { SHARD_NO_ROLE, SHARD_BATCH, SHARD_ROW, SHARD_COLUMN, SHARD_SUM };

/* A kind of product: of dimension `dim` of operand `in`, ... */
struct shard_product {
    enum shard_role (*role)(const struct shard *s, const struct shard_op *op, uint32_t in, int dim);
    /* ... and where it is in the result, if it is one of a batch, a row or a column */
    int (*result)(const struct shard *s, const struct shard_op *op, uint32_t in, int dim);
};
extern const struct shard_product shard_matmul, shard_conv;

/* Dimension `dim` of `from` in `to`, element by element: in the same place, or counted from the
 * last one where the ranks differ; -1 if there is none of that size. */
int shard_same_dim(const struct trace_shape *from, int dim, const struct trace_shape *to);

/* Dimension `dim` of an operand in the result of a sum over the dimensions in `over`; -1: it is
 * one of them. */
int shard_kept_dim(const struct trace_shape *from, int dim, uint32_t over,
                   const struct trace_shape *to);

#endif
