/* Operations that move data on a core: copy, transpose, reshape, pad, slice, concatenate,
 * broadcast, upsample.
 *
 *     for each tile of the result:  y[i] = x[place(i)]
 *
 * With n elements of the operand, m of the result, R of a register, S sublanes:
 *     bytes        of the operand what the result keeps (a slice less than all), result out
 *     operations   select         m / R: moved within registers
 *                  XLU            a copy that widens (m > 2 n) replicates across lanes: n / R
 *                  registers
 *     cycles       max(bytes / HBM, slots / alus, XLU registers * cycles_per_register) + grid steps
 *
 * Where arrays lie in tiles, relayout_cycles more if operand and result order their dimensions
 * differently; a transpose only renames them.  There a kernel by itself is as XLA:TPU makes it:
 *
 *     broadcast, slice, pad   loads and stores of whole tiles; lanes of the operand that become
 *                             sublanes of the result come through the XLU one by one (w->spread)
 *     concatenate             each operand padded to the result (select), converted, their maximum,
 *                             converted back: of registers of the result select 2 (of 16 sublanes
 *                             where it has 16 bits), add 1, cast 3 where it has 16 bits; along
 *                             another dimension than those of the tiles it only moves
 *     reshape                 of its two shapes' rows along the lanes, 128 at a time, those of the
 *                             shape with more are turned to their places, rows_cycles for 8 of
 * them, in one window; an operand that lies otherwise than it is written is turned by a kernel of
 * its own first, and stays on chip */
#include "base/arith.h"
#include "kernels/common/layout.h"
#include "kernels/common/move.h"
#include "kernels/common/vector.h"

/* The last dimension that is larger than 1, or the first. */
static uint32_t find_last(const struct trace_shape *s)
{
    uint32_t d = s->rank ? s->rank - 1 : 0;

    while (d > 0 && s->dim[d] == 1)
        d--;
    return d;
}

/* Rows of lanes, 128 at a time, with dimension `d` on them. */
static uint64_t count_rows(const struct trace_shape *s, uint32_t d, const struct cap *cap)
{
    uint64_t lanes = s->rank ? s->dim[d] : 1;

    return trace_elements(s) / lanes * arith_ceil_div(lanes, cap->lanes);
}

/* True if both shapes have dimension `d` and all before it, and another one behind it. */
static bool keeps_dim(const struct trace_shape *in, const struct trace_shape *out, uint32_t d)
{
    bool same = d < find_last(in) && d < find_last(out);

    for (uint32_t i = 0; i <= d && same; i++)
        same = in->dim[i] == out->dim[i];
    return same;
}

/* The dimension of the operand that is on the lanes while its shape changes: one that both shapes
 * have, where the result has it there or where it pads less than the last one; else the last. */
static uint32_t find_lanes(const struct trace_shape *in, const struct trace_shape *out,
                           uint32_t minor, const struct cap *cap)
{
    uint64_t last = in->dim[find_last(in)], first = in->dim[0];

    if (minor < out->rank && keeps_dim(in, out, minor))
        return minor;
    bool less = arith_ceil_div(first, cap->lanes) * last < arith_ceil_div(last, cap->lanes) * first;
    return less && first > 1 && keeps_dim(in, out, 0) ? 0 : find_last(in);
}

/* Bring the operand on chip with `lanes` on its lanes and `second` on its sublanes, if it lies in
 * another order. */
static void turn_operand(struct work *w, const struct step_value *in, uint32_t lanes,
                         uint32_t second, const struct cap *cap)
{
    struct tiling_order l = layout_of_value(in, cap);

    if (in->shape.rank < 2 ||
        (l.minor == lanes && (l.second == second || in->shape.dim[second] == 1)))
        return;
    w->turn_in = w->turn_stays = true;
    w->turned = l.bytes;
    w->wide = tiling_bytes(&in->shape, lanes, second, in->stored,
                           (struct tiling){ cap->lanes, cap->sublanes });
    w->in.bytes -= w->turned < w->in.bytes ? w->turned : w->in.bytes;
}

/* A change of shape. */
static void reshape_value(struct work *w, const struct step_value *in, const struct step_value *out,
                          const struct cap *cap)
{
    uint32_t minor = out->shape.rank > 1 ? layout_of_value(out, cap).minor : 0;
    uint32_t lanes = find_lanes(&in->shape, &out->shape, minor, cap), last = find_last(&in->shape);
    bool kept = lanes != last;
    uint64_t a = count_rows(&in->shape, lanes, cap);
    uint64_t b = count_rows(&out->shape, kept ? lanes : find_last(&out->shape), cap);
    uint64_t rows = a > b ? a : b;

    if (kept && in->shape.dim[last] % cap->sublanes == 0)
        rows = 0; /* whole registers */
    w->steps = 1;
    w->xlu += arith_ceil_div(rows, cap->sublanes * (uint64_t)cap->xlu_cycles);
    w->sum_cycles += rows * cap->rows_cycles / cap->sublanes;
    w->loads += vector_loads(in, true, cap);
    w->stores += vector_stores(out, cap);
    turn_operand(w, in, lanes, kept ? last : last ? last - 1 : in->shape.rank - 1, cap);
    if (kept && minor != lanes) { /* and back to the lanes of the result */
        w->xlu += layout_tiles(out, cap->sublanes, cap);
        w->extra_cycles += rows ? cap->xla.relayout_time : 0;
    }
}

/* The dimension along which operands are concatenated. */
static uint32_t find_joined(const struct trace_shape *in, const struct trace_shape *out)
{
    uint32_t d = 0;

    while (d + 1 < out->rank && d < in->rank && in->dim[d] == out->dim[d])
        d++;
    return d;
}

static void join_values(struct work *w, const struct step_value *in, const struct step_value *out,
                        const struct cap *cap)
{
    struct tiling_order l = layout_of_value(out, cap);
    uint32_t d = find_joined(&in->shape, &out->shape);
    bool half = trace_dtype_bytes[out->stored] == 2;

    w->fused = true;
    if (out->shape.rank > 1 && d != l.minor && d != l.second) {
        w->moves = true;
        return;
    }
    uint64_t registers = layout_tiles(out, cap->sublanes, cap);
    w->vpu[VECTOR_SELECT] += 2 * (half ? layout_tiles(out, 2 * cap->sublanes, cap) : registers);
    w->vpu[VECTOR_ADD] += registers;
    w->vpu[VECTOR_CAST] += half ? 3 * registers : 0;
}

/* A concatenation in front of a product of its kernel: as join_values(), of any number of operands
 * that lie in whole tiles. */
static void join_operands(struct work *w, const struct step *step, const struct step_op *op,
                          const struct cap *cap)
{
    const struct step_value *out = &step->value[step->ref[op->first_out]];
    uint64_t registers = layout_tiles(out, cap->sublanes, cap);
    bool half = trace_dtype_bytes[out->stored] == 2;

    w->vpu[VECTOR_SELECT] +=
        op->n_in * (half ? layout_tiles(out, 2 * cap->sublanes, cap) : registers);
    w->vpu[VECTOR_ADD] += (op->n_in - 1) * registers;
    if (half && !cap->packed16) {
        w->vpu[VECTOR_CAST] += op->n_in * registers;
        w->vpu[VECTOR_PACK] += arith_ceil_div(registers, 2);
    }
    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct step_value *in = &step->value[step->ref[op->first_in + i]];
        if (!in->on_chip)
            w->loads += vector_loads(in, true, cap);
    }
    if (!out->on_chip)
        w->stores += vector_stores(out, cap);
}

/* A kernel by itself, where arrays lie in tiles. */
static void move_tiles(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    const struct step_value *in = &step->value[step->ref[op->first_in]];
    const struct step_value *out = &step->value[step->ref[op->first_out]];
    uint64_t n = trace_elements(&in->shape), m = trace_elements(&out->shape);

    if (op->n_in == 1 && n == m && cap->rows_cycles && move_of(step, op) == MOVE_VIEW &&
        in->shape.dim[find_last(&in->shape)] != out->shape.dim[find_last(&out->shape)]) {
        reshape_value(w, in, out, cap);
        return;
    }
    for (uint32_t i = 0; i < op->n_in; i++)
        vector_relay(w, &step->value[step->ref[op->first_in + i]], out, cap);
    if (op->n_in > 1) {
        join_values(w, in, out, cap);
    } else if (n != m) {
        w->moves = true;
        w->spread += m > n && cap->lane_cycles ? vector_spread(in, out, cap) : 0;
    } else {
        w->vpu[VECTOR_SELECT] += vector_registers(m, cap);
    }
    if (n != m)
        vector_window(w, out, cap);
    if (op->n_in == 1 && n > m) { /* what is kept */
        w->loads += vector_loads(out, true, cap);
        w->stores += vector_stores(out, cap);
    } else {
        vector_cross(w, step, op, cap);
    }
}

void lower_copy(struct work *w, const struct step *step, const struct step_op *op,
                const struct cap *cap)
{
    uint64_t in = vector_elements(step, op->first_in, op->n_in), ops = op->op.flops;
    uint64_t out = vector_elements(step, op->first_out, op->n_out);

    if (cap_compact(cap) && !w->fused && op->n_in && op->n_out == 1) {
        move_tiles(w, step, op, cap);
        return;
    }
    if (cap_compact(cap) && op->n_in > 1 && op->n_out == 1) {
        join_operands(w, step, op, cap);
        return;
    }
    uint64_t lanes = out; /* 64 bits take two */

    if (op->n_out && trace_dtype_bytes[step->value[step->ref[op->first_out]].stored] > 4)
        lanes *= 2;
    w->vpu[VECTOR_SELECT] += vector_registers(ops < lanes ? lanes : ops, cap);
    vector_cross(w, step, op, cap);
    if (cap_compact(cap) && op->n_in && op->n_out)
        for (uint32_t i = 0; i < op->n_in; i++)
            vector_relay(w, &step->value[step->ref[op->first_in + i]],
                         &step->value[step->ref[op->first_out]], cap);
    else if (!cap_compact(cap) && op->n_in == 1 && out > 2 * in)
        w->xlu += vector_registers(in, cap);
}
