/* Kernels of compiled programs, as the program states them.
 *
 *     for each grid step, `steps` in all:   windows from HBM   MXU | VPU | XLU   windows to HBM
 *
 *     bytes in   sum of fetch; what is held comes before the first grid step
 *     bytes out  sum of store
 *     CMEM       bytes of operands and results that lie there; VMEM: none
 *     rows       rows of row_bytes at random, in or out; a scatter adds to what it reads first.
 *                A table that the kernel keeps in VMEM is read whole,
 *                and written whole if it changes
 *     sums       a grid step takes at least chain * add_latency, and sums * sum_cycles besides its
 *                bundles
 *     vector     elements of each class / elements of a register;
 *                loads, stores and xlu likewise; of lane-sums each register hand_cycles
 *
 * Products: stated_product.c.
 *
 * Kernels that state no windows, or whose windows this machine has no room or another array for,
 * are cut like those of other traces (stated_tiled.c). */
#include "kernels/tpu/stated.h"

#include <string.h>

#include "base/arith.h"
#include "base/wide.h"

#define REVISIT 3 /* bundles: a partial sum is loaded, added to and stored */

/* --- bytes and vector work ---------------------------------------------------------------- */

static bool is_on_chip(enum trace_space space)
{
    return space != TRACE_IN_HBM && space != TRACE_IN_HOST;
}

/* Add what one operand or result moves, where it is. */
static void add_value(struct work *w, const struct stated *c, uint32_t value, uint64_t bytes,
                      uint64_t *way)
{
    const struct trace_shape *s = &c->step->value[value].shape;
    enum trace_space space = trace_space(s);

    if (is_on_chip(space) && c->anew)
        *way += space == TRACE_IN_VMEM || space == TRACE_IN_CMEM ? trace_bytes(s) : 0;
    else if (space == TRACE_IN_CMEM)
        w->fed += bytes ? bytes : trace_bytes(s);
    else if (!is_on_chip(space))
        *way += bytes;
}

void stated_traffic(struct work *w, const struct stated *c, uint64_t *held)
{
    const struct step_op *op = c->op;
    const struct trace_compiled *k = c->kernel;

    *held = 0;
    for (uint32_t i = 0; i < op->n_in; i++)
        add_value(w, c, step_operand(c->step, op, i), k->fetch[i],
                  k->held[i] ? held : &w->in.bytes);
    uint64_t brought = c->brought < w->in.bytes ? c->brought : w->in.bytes;
    *held += brought;
    w->in.bytes += c->again - brought;
    for (uint32_t i = 0; i < op->n_out; i++)
        add_value(w, c, step_result(c->step, op, i), k->store[i], &w->out.bytes);
}

int stated_check_steps(uint64_t steps, struct err *err)
{
    if (steps > LOWER_MOST_STATED)
        return err_set(err, ERR_RANGE, "more than 2^40 grid steps");
    return 0;
}

static uint64_t count_registers(uint64_t elements, const struct cap *cap)
{
    return arith_ceil_div(elements, cap->vector_elements);
}

/* Cycles of `n` registers, or more than any run may take. */
static uint64_t count_cycles(uint64_t n, uint64_t each)
{
    u128 all = (u128)n * each;

    return all > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)all;
}

static void add_vector_work(struct work *w, const struct trace_compiled *k, const struct cap *cap)
{
#define V(id, text) w->vpu[VECTOR_##id] += count_registers(k->vector[TRACE_VECTOR_##id], cap);
    TRACE_VECTORS(V)
#undef V
    w->xlu += count_registers(k->xlu, cap);
    if (k->lane_sums)
        w->xlu += arith_ceil_div(count_cycles(count_registers(k->lane_sums, cap), cap->hand_cycles),
                                 cap->xlu_cycles);
    uint64_t taps = count_registers(k->channel_taps, cap);
    w->loads += count_registers(k->loads, cap) + taps * cap->xla.tap_loads;
    w->stores += count_registers(k->stores, cap) + taps * cap->xla.tap_stores;
}

/* True if a result has fewer elements than an operand: the kernel sums up, or takes a part. */
static bool has_smaller_result(const struct stated *c)
{
    const struct step_op *op = c->op;
    uint64_t most = 0, least = UINT64_MAX;

    for (uint32_t i = 0; i < op->n_in; i++) {
        uint64_t n = trace_elements(&c->step->value[step_operand(c->step, op, i)].shape);
        most = n > most ? n : most;
    }
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint64_t n = trace_elements(&c->step->value[step_result(c->step, op, i)].shape);
        least = n < least ? n : least;
    }
    return least < most;
}

/* True if the result is a row: an array of one dimension, whose elements lie along lanes. */
static bool has_row(const struct stated *c)
{
    const struct step_op *op = c->op;

    return op->n_out == 1 && c->step->value[step_result(c->step, op, 0)].shape.rank == 1;
}

/* True if other elements of the array lie along the lanes of the result than of the operand. */
static bool turns_lanes(const struct stated *c)
{
    const struct trace_shape *in, *out;

    if (c->op->n_in != 1 || c->op->n_out != 1)
        return false;
    in = &c->step->value[step_operand(c->step, c->op, 0)].shape;
    out = &c->step->value[step_result(c->step, c->op, 0)].shape;
    return in->rank == out->rank && in->rank > 0 && in->layout.given && out->layout.given &&
           memcmp(in->dim, out->dim, in->rank * sizeof in->dim[0]) == 0 &&
           in->layout.minor_first[0] != out->layout.minor_first[0];
}

/* A sum along the lanes ends with rotations and additions that wait for each other. */
static void add_lane_sum(struct work *w, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;

    if (k->form == TRACE_FORM_COPY && k->xlu && !c->anew && turns_lanes(c)) {
        w->extra_cycles += c->cap->xla.lane_reduce_time;
        return;
    }
    if (!k->sums &&
        (k->form != TRACE_FORM_VECTOR || trace_has_product(k) || !has_smaller_result(c)))
        return;
    if (k->xlu)
        w->extra_cycles +=
            c->cap->xla.lane_reduce_time + (k->sums && has_row(c) ? c->cap->xla.row_time : 0);
}

/* Sums as windows state them: additions to one register wait for each other, and each register of
 * sums has a begin and an end.  Halves that divide the kernel exchange partial sums; for a row they
 * meet first, which no read from HBM hides. */
static void add_sums(struct work *w, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;
    const struct cap *cap = c->cap;

    if (!k->sums || trace_has_product(k) || c->anew)
        return;
    w->chain_cycles = count_cycles(k->chain, cap->bundle.add_latency);
    w->sum_cycles = count_cycles(k->sums, k->xlu ? cap->lane_cycles : cap->bundle.sum_cycles);
    if (k->sum_steps > 1 && !has_row(c)) /* those of a row stay in registers */
        w->sum_cycles += k->xlu ? cap->xla.lane_reduce_time : count_cycles(k->sums, REVISIT);
    if (cap->lane_cycles)
        w->xlu = arith_ceil_div(w->xlu, cap->xlu_cycles); /* a cycle each */
    if (k->split_bytes && cap->halves > 1)
        w->extra_cycles += cap->xla.join_time;
    if (k->split_bytes && cap->halves > 1 && has_row(c) && w->in.bytes) /* else lower_meet() */
        w->extra_cycles += cap->meet_cycles;
}

/* Registers whose sublanes are lanes of an operand come through the XLU one behind the other; rows
 * of lanes that a change of shape moves are turned to their places row by row. */
static void add_moved_lanes(struct work *w, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;
    const struct cap *cap = c->cap;
    uint64_t windows = k->steps ? k->steps : 1; /* halves take one each at a time */

    if (c->anew)
        return;
    if (k->spread && cap->lane_cycles) {
        w->extra_cycles += cap->xla.lane_reduce_time;
        w->sum_cycles += arith_ceil_div(count_cycles(k->spread, cap->lane_cycles), windows);
    }
    uint64_t rows = arith_ceil_div(count_cycles(k->row_stores, cap->bundle.row_store), windows);
    w->chain_cycles = w->chain_cycles > rows ? w->chain_cycles : rows;
    if (k->lane_rows && cap->rows_cycles) {
        w->xlu = arith_ceil_div(k->lane_rows, cap->sublanes * cap->xlu_cycles); /* a cycle each */
        w->sum_cycles +=
            arith_ceil_div(count_cycles(k->lane_rows, cap->rows_cycles) / cap->sublanes, windows);
    }
}

/* --- rows by index, sorts ----------------------------------------------------------------- */

/* The table that rows come from or go to: the largest value in HBM whose bytes are not stated.  A
 * scatter that makes its table writes all of it.  NULL: there is none. */
static const struct trace_shape *find_table(const struct stated *c, bool *made)
{
    const struct step_op *op = c->op;
    bool writes = c->kernel->row_writes;
    const struct trace_shape *table = NULL;

    *made = false;
    for (uint32_t i = 0; i < (writes ? op->n_out : op->n_in); i++) {
        uint32_t v = writes ? step_result(c->step, op, i) : step_operand(c->step, op, i);
        const struct trace_shape *s = &c->step->value[v].shape;
        bool whole = (writes ? c->kernel->store : c->kernel->fetch)[i] != 0;
        if (trace_space(s) != TRACE_IN_HBM || (whole && !writes) ||
            (table && trace_bytes(s) <= trace_bytes(table)))
            continue;
        table = s;
        *made = whole;
    }
    return table;
}

/* True if the kernel has VMEM for the whole table, with its elements in 32 bits, as the program
 * states it: it keeps the table there.  Without windows that hold on this machine, it is kept where
 * that takes fewer bytes and leaves room for windows of the rows. */
static bool keeps_table(const struct stated *c, uint64_t table, uint32_t bits, uint64_t row)
{
    uint64_t vmem = c->kernel->vmem;

    if (!c->anew && vmem && vmem <= c->cap->vmem_bytes)
        return table / (bits ? bits : 32) * 32 <= vmem;
    return table / (bits ? bits : 32) * 32 + LOWER_ROW_WINDOWS <= c->cap->vmem_bytes &&
           table < c->op->op.rows * row;
}

/* True if the table that the kernel takes rows from, or puts them into, is on chip: its bytes are
 * not stated. */
static bool has_table_on_chip(const struct stated *c)
{
    const struct step_op *op = c->op;
    bool writes = c->kernel->row_writes;

    for (uint32_t i = 0; !c->anew && i < (writes ? op->n_out : op->n_in); i++) {
        uint32_t v = writes ? step_result(c->step, op, i) : step_operand(c->step, op, i);
        const struct trace_shape *s = &c->step->value[v].shape;
        if (is_on_chip(trace_space(s)) && s->rank > 0 && trace_bytes(s) >= c->kernel->row_bytes &&
            s->dim[s->rank - 1] > 1)
            return writes || c->kernel->fetch[i] == 0;
    }
    return false;
}

/* A kernel of which nothing else is stated has an operation for each register of its rows. */
static void add_row_work(struct work *w, const struct stated *c)
{
    uint64_t elements = c->op->op.rows * arith_ceil_div(c->kernel->row_bytes, 4);
    bool adds = c->kernel->form == TRACE_FORM_SCATTER;

    if (w->vpu[VECTOR_ADD] + w->vpu[VECTOR_SELECT])
        return;
    w->vpu[adds ? VECTOR_ADD : VECTOR_SELECT] += count_registers(elements, c->cap);
    w->loads += count_registers(elements, c->cap);
    w->stores += count_registers(elements, c->cap);
}

/* Random accesses, or rows of a table that is brought as a whole, and taken away if it changes. */
static void add_rows(struct work *w, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;
    uint64_t row = arith_round_up(k->row_bytes, c->cap->dma_granule), rows = c->op->op.rows;
    bool made, adds = k->form == TRACE_FORM_SCATTER;
    const struct trace_shape *table = find_table(c, &made);
    uint64_t all = table ? trace_bytes(table) : 0;

    add_row_work(w, c);
    if (table == NULL && has_table_on_chip(c)) {
        w->picked += rows;
        return;
    }
    if (table && keeps_table(c, all, trace_dtype_bits[table->dtype], row)) {
        w->picked += rows;
        w->table_in = made ? 0 : all;
        w->table_out = k->row_writes ? all : 0;
        w->out.bytes -= made && w->out.bytes >= all ? all : 0;
        return;
    }
    struct task_move random = { 0, rows, row };
    if (!k->row_writes || adds)
        w->in.rows = random.rows, w->in.row_bytes = random.row_bytes;
    if (k->row_writes)
        w->out.rows = random.rows, w->out.row_bytes = random.row_bytes;
    else if (adds) /* with sorted indices: what is gathered is added row by row */
        w->picked += rows;
}

void stated_work(struct work *w, const struct stated *c, uint64_t *held)
{
    stated_traffic(w, c, held);
    add_vector_work(w, c->kernel, c->cap);
    add_lane_sum(w, c);
    add_sums(w, c);
    add_moved_lanes(w, c);
    if (c->kernel->form == TRACE_FORM_SORT || c->kernel->form == TRACE_FORM_TOP_K)
        lower_sort(w, c->step, c->op, c->cap);
    else if (c->kernel->row_bytes)
        add_rows(w, c);
    else if (c->kernel->form == TRACE_FORM_GATHER || c->kernel->form == TRACE_FORM_SCATTER)
        w->picked += c->op->op.rows;
}
