/* Kernels of compiled programs, as the program states them.
 *
 *     for each grid step, `steps` in all:   windows from HBM   MXU | VPU | XLU   windows to HBM
 *
 *     bytes in   sum of fetch; what is held comes before the first grid step
 *     bytes out  sum of store
 *     CMEM       bytes of operands and results that lie there; VMEM: none
 *     rows       rows of row_bytes at random, in or out; a scatter adds to what it reads first
 *     vector     elements of each class / elements of a register; loads, stores and xlu likewise
 *
 * Products: stated_product.c.
 *
 * Kernels that state no windows, or whose windows this machine has no room or another array for,
 * are cut like those of other traces (stated_tiled.c). */
#include "kernels/stated.h"

#include "base/arith.h"

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
    for (uint32_t i = 0; i < op->n_out; i++)
        add_value(w, c, step_result(c->step, op, i), k->store[i], &w->out.bytes);
}

static uint64_t count_registers(uint64_t elements, const struct cap *cap)
{
    return arith_ceil_div(elements, cap->vector_elements);
}

static void add_vector_work(struct work *w, const struct trace_compiled *k, const struct cap *cap)
{
#define V(id, text) w->vpu[VECTOR_##id] += count_registers(k->vector[TRACE_VECTOR_##id], cap);
    TRACE_VECTORS(V)
#undef V
    w->xlu += count_registers(k->xlu, cap);
    w->loads += count_registers(k->loads, cap);
    w->stores += count_registers(k->stores, cap);
}

/* --- rows by index, sorts ----------------------------------------------------------------- */

/* Bytes of the largest value in HBM of which nothing is fetched or stored as a whole: the table. */
static uint64_t find_table(const struct stated *c)
{
    const struct step_op *op = c->op;
    bool writes = c->kernel->row_writes;
    uint64_t most = 0;

    for (uint32_t i = 0; i < (writes ? op->n_out : op->n_in); i++) {
        uint32_t v = writes ? step_result(c->step, op, i) : step_operand(c->step, op, i);
        const struct trace_shape *s = &c->step->value[v].shape;
        bool whole = (writes ? c->kernel->store : c->kernel->fetch)[i] != 0;
        if (!whole && trace_space(s) == TRACE_IN_HBM && trace_bytes(s) > most)
            most = trace_bytes(s);
    }
    return most;
}

/* Random accesses, or the table as a whole where it fits on chip and takes fewer bytes (rows.c). */
static void add_rows(struct work *w, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;
    const struct cap *cap = c->cap;
    uint64_t row = arith_round_up(k->row_bytes, cap->dma_granule), rows = c->op->op.rows;
    uint64_t table = find_table(c), elements = rows * arith_ceil_div(k->row_bytes, 4);
    bool adds = k->form == TRACE_FORM_SCATTER;

    if (!(w->vpu[VECTOR_ADD] + w->vpu[VECTOR_SELECT])) {
        w->vpu[adds ? VECTOR_ADD : VECTOR_SELECT] += count_registers(elements, cap);
        w->loads += count_registers(elements, cap);
        w->stores += count_registers(elements, cap);
    }
    if (table && table <= cap->vmem_bytes / 2 && table < rows * row) {
        *(k->row_writes ? &w->out.bytes : &w->in.bytes) += table;
        return;
    }
    struct task_move random = { 0, rows, row };
    if (!k->row_writes || adds)
        w->in.rows = random.rows, w->in.row_bytes = random.row_bytes;
    if (k->row_writes)
        w->out.rows = random.rows, w->out.row_bytes = random.row_bytes;
}

void stated_work(struct work *w, const struct stated *c, uint64_t *held)
{
    stated_traffic(w, c, held);
    add_vector_work(w, c->kernel, c->cap);
    if (c->kernel->form == TRACE_FORM_SORT)
        lower_sort(w, c->step, c->op, c->cap);
    else if (c->kernel->row_bytes)
        add_rows(w, c);
}
