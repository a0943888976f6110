#include "passes/shard/shard_dim.h"

static enum shard_role matmul_role(const struct shard *s, const struct shard_op *op, uint32_t in,
                                   int dim)
{
    const struct trace_shape *a = &shard_in(s, op, 0)->is->shape,
                             *b = &shard_in(s, op, 1)->is->shape;
    const struct trace_shape *x = in ? b : a;
    int rank = (int)x->rank;
    bool turned = in ? op->is->op.tb : op->is->op.ta;
    bool summed =
        op->is->op.ta && shard_out(s, op, 0)->is->shape.rank == 2; /* over all leading dimensions */

    if (dim < rank - 2)
        return summed ? SHARD_SUM : in == 0 && b->rank == 2 ? SHARD_ROW : SHARD_BATCH;
    bool last = (dim == rank - 1) != turned;
    if (in)
        return last ? SHARD_COLUMN : SHARD_SUM;
    return last ? SHARD_SUM : SHARD_ROW;
}

static int matmul_result(const struct shard *s, const struct shard_op *op, uint32_t in, int dim)
{
    const struct shard_value *c = shard_out(s, op, 0);
    int rank = (int)shard_in(s, op, in)->is->shape.rank;

    if (dim < rank - 2)
        return dim;
    return (int)c->is->shape.rank - (in ? 1 : 2);
}

static enum shard_role conv_role(const struct shard *s, const struct shard_op *op, uint32_t in,
                                 int dim)
{
    (void)s;
    if (dim > 1)
        return SHARD_NO_ROLE;
    bool forward = op->is->op.kind == TRACE_CONV, wgrad = op->is->op.kind == TRACE_CONV_WGRAD;
    if (in)
        return (dim == 1) == forward ? SHARD_SUM : SHARD_COLUMN;
    return (dim == 1) == wgrad ? SHARD_ROW : SHARD_SUM;
}

static int conv_result(const struct shard *s, const struct shard_op *op, uint32_t in, int dim)
{
    (void)s;
    (void)dim;
    if (op->is->op.kind == TRACE_CONV_WGRAD) /* dw[o, c] of x[b, c] and dy[b, o] */
        return in ? 0 : 1;
    return in ? 1 : 0;
}

const struct shard_product shard_matmul = { matmul_role, matmul_result };
const struct shard_product shard_conv = { conv_role, conv_result };

int shard_same_dim(const struct trace_shape *from, int dim, const struct trace_shape *to)
{
    int right = (int)to->rank - ((int)from->rank - dim);
    int first = from->rank == to->rank ? dim : right, second = from->rank == to->rank ? right : dim;
    uint64_t size = from->dim[dim];

    if (first >= 0 && first < (int)to->rank && to->dim[first] == size)
        return first;
    if (second >= 0 && second < (int)to->rank && to->dim[second] == size)
        return second;
    return -1;
}

int shard_kept_dim(const struct trace_shape *from, int dim, uint32_t over,
                   const struct trace_shape *to)
{
    int gone = to->rank < from->rank ? __builtin_popcount(over & ((UINT32_C(1) << dim) - 1)) : 0;

    if (over >> dim & 1)
        return -1;
    bool there = dim - gone < (int)to->rank && to->dim[dim - gone] == from->dim[dim];
    return there ? dim - gone : shard_same_dim(from, dim, to);
}
