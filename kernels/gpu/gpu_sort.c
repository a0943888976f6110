/* Sorts of a GPU.
 *
 * A library has a radix sort: a histogram of all digits, then one kernel for each digit of 8 bits,
 * which reads keys and values and writes them where they belong [onesweep].
 *
 * XLA has a bitonic sort, rows of up to a tile in one kernel: for each power of two above it as
 * many kernels as it is above, and one for the distances within a tile; each reads and writes
 * everything. 65,536 keys are 15 kernels [xla-gpu]. */
#include "base/arith.h"
#include "kernels/gpu/gpu.h"

#define DIGIT 8       /* bits */
#define TILE_BITS 12u /* of the row that a block sorts */

static uint64_t row_of(const struct step *step, const struct step_op *op)
{
    const struct trace_shape *s = &step->value[step->ref[op->first_in]].shape;

    return s->rank ? s->dim[s->rank - 1] : 1;
}

/* Powers of two up to a row. */
static uint32_t levels_of(uint64_t row)
{
    uint32_t n = 0;

    while (n < 63 && UINT64_C(1) << n < row)
        n++;
    return n;
}

static uint64_t count_kernels(const struct lowering *l, const struct step_op *op)
{
    enum trace_dtype d = l->step->value[l->step->ref[op->first_in]].shape.dtype;
    uint32_t levels = levels_of(row_of(l->step, op));
    uint64_t above = levels > TILE_BITS ? levels - TILE_BITS : 0;

    return l->cap->gpu.fused ? 1 + above * (above + 3) / 2
                             : arith_ceil_div(trace_dtype_bits[d], DIGIT);
}

/* Reads the keys, and writes a few counts. */
static void add_histogram(struct lowering *l, const struct step_op *op, uint32_t row)
{
    uint64_t keys = step_bytes(l->step, l->step->ref[op->first_in]);
    const struct task_flow in = { keys, keys }, out = { 0 };
    struct task_grid g;

    gpu_pass(&g, l->step, op, &in, &out, l->cap);
    gpu_add_kernel(l, row, &g, gpu_host_time(l), 0);
}

void gpu_sort(struct lowering *l, const struct step_op *op, uint32_t row,
              const struct task_flow *in, const struct task_flow *out)
{
    uint64_t kernels = count_kernels(l, op), moved = in->l2 + out->l2;
    bool radix = !l->cap->gpu.fused, stays = moved <= l->cap->gpu.l2_bytes;
    struct task_flow again_in = { in->l2, stays ? 0 : in->l2 },
                     again_out = { out->l2, again_in.hbm };
    struct task_grid g;

    if (radix)
        add_histogram(l, op, row);
    for (uint64_t i = 0; i < kernels; i++) {
        gpu_stream(&g, l->step, op, i || radix ? &again_in : in, i + 1 < kernels ? &again_out : out,
                   l->cap);
        gpu_add_kernel(l, row, &g, i || radix ? l->cap->gpu.call_fs : gpu_host_time(l),
                       kernels > 1 ? out->l2 : 0);
    }
}
