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
 * A small table is on chip while rows are picked or added: one made in this kernel, one of at most
 * half of VMEM, or one that leaves 1 MiB for the rows and has fewer bytes than they move, as XLA's
 * kernels keep theirs [xla-programs].  Each row is then picked by itself: an operation, a load (two
 * to add) and a store for each register that it is part of, and scalar work for its index.
 * Sorted indices go through the table once, in order.  A scatter in any order clears the table
 * first, unless it is given and the result is `at` it; with unique indices that cover it (a
 * permutation) it is only written, row by row.
 *
 * A table that is given to the step, or that the step gives back, lies as pads it the least, with
 * its rows along the lanes if that is shorter.  XLA copies all of it into rows of whole lanes
 * first, and back after a scatter, unless that makes it too large: at least twice as large (a
 * gather: more than twice) and cap->xla.turn_bytes larger.  Rows of such a table are taken from
 * where they lie.
 *
 *     vector operations = a select (gather) or an addition each: R * cols / elements of a register;
 *                         of a table on chip R * ceil(cols / lanes)
 *     a loop            = 3 operations a turn besides (a dynamic-slice, the row's work, a
 *                         dynamic-update-slice): R * 3 * (op_overhead + vector_time)
 *
 * A loop is what XLA's expander makes of what the compiler has no kernel for.  The third way to sum
 * segments is a product with one-hot rows made on the fly, [table rows, R] x [R, cols]: gemm.c. */
#include "base/arith.h"
#include "kernels/common/layout.h"
#include "kernels/common/work.h"

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

/* Bytes of a table that the kernel of `op` can keep in VMEM: all of it but windows of the rows, or
 * half beside a product, whose blocks need room. */
static uint64_t count_room(const struct step *step, const struct step_op *op, const struct cap *cap)
{
    const struct step_node *n = &step->node[op->node];
    uint64_t half = cap->vmem_bytes / 2;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (trace_is_gemm(step->op[i].op.kind))
            return half;
    return half > LOWER_ROW_WINDOWS ? cap->vmem_bytes - LOWER_ROW_WINDOWS : half;
}

/* Bytes of a row of the table, as HBM moves them. */
static uint64_t count_row(const struct step *step, const struct step_op *op, const struct cap *cap)
{
    enum trace_dtype stored = step->value[find_table(step, op)].stored;

    return arith_round_up(op->op.cols * trace_dtype_bytes[stored], cap->dma_granule);
}

/* True if rows are added to a table where it is. */
static bool is_in_place(const struct step *step, const struct step_op *op)
{
    const struct step_value *v = &step->value[find_table(step, op)];

    return op->op.kind == TRACE_SCATTER && op->n_in > 2 && !op->op.sorted && v->placed &&
           v->at == step_operand(step, op, 2);
}

/* True if the rows of this gather or scatter are accesses to HBM: its table does not fit on chip,
 * or takes more than half of VMEM and more bytes than its rows; of one in place the latter is
 * enough. */
static bool is_large(const struct work *w, const struct step *step, const struct step_op *op,
                     const struct cap *cap)
{
    const struct step_value *v = &step->value[find_table(step, op)];
    /* what another member of the same fusion made is in VMEM */
    bool made_here = op->op.kind == TRACE_GATHER && !v->persistent && v->def == op->node;
    uint64_t all = step_bytes(step, find_table(step, op)), bytes = trace_dtype_bytes[v->stored];

    if (v->on_chip || made_here || w->resident[find_table(step, op)])
        return false;
    bool fewer = is_in_place(step, op) && all >= op->op.rows * count_row(step, op, cap);
    if (op->op.loop || all <= cap->vmem_bytes / 2)
        return op->op.loop || fewer;
    /* elements of fewer bits take 32 there */
    return (bytes < 4 ? all / bytes * 4 : all) > count_room(step, op, cap) ||
           all >= op->op.rows * count_row(step, op, cap);
}

/* True if someone else than the compiler's own kernels decides how the table lies. */
static bool is_outside(const struct step *step, const struct step_op *op)
{
    const struct step_value *v = &step->value[find_table(step, op)];

    if (op->op.kind == TRACE_GATHER)
        return v->persistent;
    if (op->n_in > 2 && step->value[step_operand(step, op, 2)].persistent)
        return true;
    return v->last_use == STEP_NONE;
}

uint64_t lower_rows_wide(const struct step_value *v, const struct cap *cap)
{
    return tiling_bytes(&v->shape, 1, 0, v->stored, (struct tiling){ cap->lanes, cap->sublanes });
}

bool lower_rows_stay(const struct step_value *v, bool gathers, const struct cap *cap)
{
    struct tiling t = { cap->lanes, cap->sublanes };
    uint64_t lies = tiling_bytes(&v->shape, 0, 1, v->stored, t), wide = lower_rows_wide(v, cap);

    return wide - lies >= cap->xla.turn_bytes &&
           (gathers ? wide - lies > lies : wide - lies >= lies);
}

/* True if the table lies with its rows along the lanes and is copied into rows of whole lanes. */
static bool is_turned(const struct step *step, const struct step_op *op, const struct cap *cap)
{
    const struct step_value *v = &step->value[find_table(step, op)];

    return v->shape.rank == 2 && !v->shape.layout.given && !op->op.loop && is_outside(step, op) &&
           layout_minor(&v->shape, v->stored, cap) == 0 &&
           !lower_rows_stay(v, op->op.kind == TRACE_GATHER, cap);
}

/* True if rows are added to a table that is given: where it is, or in a copy that is made first. */
static bool adds_to_given(const struct step *step, const struct step_op *op, const struct cap *cap)
{
    if (op->op.kind != TRACE_SCATTER || op->n_in < 3 || op->op.loop || op->op.sorted)
        return false;
    return is_in_place(step, op) || is_turned(step, op, cap);
}

bool lower_rows_apart(const struct work *w, const struct step *step, const struct step_op *op,
                      bool in, uint32_t j, const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    bool permutes = o->unique && o->rows >= o->table_rows && (o->loop || !o->sorted);

    if (j == (in ? 2 : 0) && adds_to_given(step, op, cap))
        return is_large(w, step, op, cap);
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

/* Rows of a table on chip are picked one by one: a register holds one row, or a part of it.  Rows
 * that HBM moves lie densely; 64 bits take two lanes. */
static void add_row_work(struct work *w, const struct step *step, const struct step_op *op,
                         const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    bool adds = o->kind == TRACE_SCATTER, picks = !is_large(w, step, op, cap);
    uint64_t bytes = trace_dtype_bytes[step->value[find_table(step, op)].stored];
    uint64_t dense = count_registers(o->rows * o->cols * bytes, cap);
    uint64_t words = o->cols * (bytes > 4 ? 2 : 1), all = step_bytes(step, find_table(step, op));
    uint64_t picked = o->rows * arith_ceil_div(words, cap->lanes);

    w->vpu[adds ? VECTOR_ADD : VECTOR_SELECT] +=
        picks ? picked : arith_ceil_div(o->rows * words, cap->vector_elements);
    w->loads += picks ? picked * (adds ? 2 : 1) : dense;
    w->stores += picks ? picked : dense;
    w->picked += picks ? o->rows : 0;
    if (picks && all > cap->vmem_bytes / 2 &&
        w->reserved + all + LOWER_ROW_WINDOWS <= cap->vmem_bytes * cap->halves)
        w->reserved += all;
}

/* A table whose rows lie along the lanes: one that is given is copied into rows of whole lanes; one
 * that is added to, back. */
static void turn_table(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    uint32_t table = find_table(step, op);
    const struct step_value *v = &step->value[table];
    bool adds = op->op.kind == TRACE_SCATTER, given = !adds || op->n_in > 2;

    if (!is_turned(step, op, cap))
        return;
    w->turned = step_bytes(step, table);
    w->wide = lower_rows_wide(v, cap);
    w->turn_in = given;
    w->turn_out = adds;
    w->out.bytes += given ? 0 : w->wide - w->turned; /* zeros */
}

void lower_rows(struct work *w, const struct step *step, const struct step_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    uint64_t row = count_row(step, op, cap);
    uint64_t all = step_bytes(step, find_table(step, op));

    add_row_work(w, step, op, cap);
    uint64_t turns;
    if (o->loop &&
        !__builtin_mul_overflow(o->rows, TURN * (cap->op_cycles + cap->xla.vector_time), &turns) &&
        turns < FOREVER - w->extra_cycles)
        w->extra_cycles += turns;
    else if (o->loop)
        w->extra_cycles = FOREVER; /* far beyond what a run takes */
    if (!is_large(w, step, op, cap))
        return;
    turn_table(w, step, op, cap);
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
