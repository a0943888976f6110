/* Gather and scatter, segment-sums among them: rows of a table in HBM, by index.
 *
 *     gather    for each index i:  out[i, :] = table[index[i], :]
 *     scatter   for each index i:  table[index[i], :] += value[i, :]
 *
 * With R rows of B = cols * element bytes, P = B padded to the DMA granule and T the table's bytes;
 * indices, values and results stream besides:
 *
 *                  small table    sorted indices     any order          a loop (loop=1)
 *     gather       T in           min(R P, T) in     R accesses of P    R accesses of P
 *     scatter      T out          T out              T out, then R accesses of P each way
 *
 * A small table (half of VMEM, or made in this kernel) is on chip while rows are picked or added.
 * Sorted indices go through the table once, in order.  A scatter in any order clears the table
 * first; with unique indices that cover it (a permutation) it is only written, row by row.
 *
 *     vector operations = R * cols / elements of a register, a select (gather) or an addition each
 *     a loop            = 3 operations a turn besides (a dynamic-slice, the row's work, a
 *                         dynamic-update-slice): R * 3 * (op_overhead + vector_time)
 *
 * A loop is what XLA's expander makes of what the compiler has no kernel for.  The third way to sum
 * segments is a product with one-hot rows made on the fly, [table rows, R] x [R, cols]: gemm.c. */
#include "base/arith.h"
#include "kernels/lower.h"

#define TURN 3 /* operations */
#define FOREVER (UINT64_MAX / 4)

/* Registers that hold so many bytes. */
static uint64_t count_registers(uint64_t bytes, const struct cap *cap)
{
    return arith_ceil_div(bytes, 4 * cap->vector_elements);
}

/* The value a gather reads from or a scatter writes to. */
static uint32_t find_table(const struct step *step, const struct step_op *op)
{
    return step->ref[op->op.kind == TRACE_GATHER ? op->first_in : op->first_out];
}

/* True if the table of this gather or scatter is too large to be picked from on chip. */
static bool is_large(const struct work *w, const struct step *step, const struct step_op *op,
                     const struct cap *cap)
{
    const struct step_value *v = &step->value[find_table(step, op)];
    /* what another member of the same fusion made is in VMEM */
    bool made_here = op->op.kind == TRACE_GATHER && !v->persistent && v->def == op->node;

    return !v->on_chip && !made_here && !w->resident[find_table(step, op)] &&
           (op->op.loop || step_bytes(step, find_table(step, op)) > cap->vmem_bytes / 2);
}

bool lower_rows_apart(const struct work *w, const struct step *step, const struct step_op *op,
                      bool in, uint32_t j, const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    bool permutes = o->unique && o->rows >= o->table_rows && (o->loop || !o->sorted);

    if (j != 0 || !(in ? o->kind == TRACE_GATHER : o->kind == TRACE_SCATTER))
        return false;
    return is_large(w, step, op, cap) && (in || permutes);
}

/* Accesses of another row size count as so many of the first that the bytes are the same. */
static void add_rows(struct task_move *m, uint64_t rows, uint64_t row_bytes)
{
    if (m->rows == 0)
        m->row_bytes = row_bytes;
    m->rows += arith_ceil_div(rows * row_bytes, m->row_bytes);
}

void lower_rows(struct work *w, const struct step *step, const struct step_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    enum trace_dtype stored = step->value[find_table(step, op)].stored;
    uint64_t row = arith_round_up(o->cols * trace_dtype_bytes[stored], cap->dma_granule);
    uint64_t all = step_bytes(step, find_table(step, op));

    /* one operation per register moved or added, whatever the memory does; 64 bits take two lanes
     */
    w->vpu[o->kind == TRACE_GATHER ? VECTOR_SELECT : VECTOR_ADD] += arith_ceil_div(
        o->rows * o->cols * (trace_dtype_bytes[stored] > 4 ? 2 : 1), cap->vector_elements);
    w->loads += count_registers(o->rows * o->cols * trace_dtype_bytes[stored], cap);
    w->stores += count_registers(o->rows * o->cols * trace_dtype_bytes[stored], cap);
    uint64_t turns;
    if (o->loop &&
        !__builtin_mul_overflow(o->rows, TURN * (cap->op_cycles + cap->vector_cycles), &turns) &&
        turns < FOREVER - w->extra_cycles)
        w->extra_cycles += turns;
    else if (o->loop)
        w->extra_cycles = FOREVER; /* far beyond what a run takes */
    if (!is_large(w, step, op, cap))
        return;
    if (o->sorted && !o->loop) {
        if (o->kind == TRACE_GATHER)
            w->in.bytes += o->rows * row < all ? o->rows * row : all;
        return;
    }
    if (o->kind == TRACE_GATHER || !o->unique)
        add_rows(&w->in, o->rows, row);
    if (o->kind == TRACE_SCATTER)
        add_rows(&w->out, o->rows, row);
}
