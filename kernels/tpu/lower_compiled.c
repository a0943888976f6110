/* Operations of compiled programs as tasks: kernels, and what goes on beside them.
 *
 *     kernel             TASK_KERNEL as stated (stated.c), in windows chosen for it
 *                        (stated_chosen.c), or cut anew (stated_tiled.c, tile.c); several, of
 *                        complex numbers and f64 (parts.c)
 *       form=scalar      TASK_SCALAR
 *     copy-start, -done  TASK_COPY: bytes from HBM, to HBM, or both; to or from the host over PCIe
 *     kernel-start, -done with unit=sparsecore
 *                        TASK_SPARSE; a kernel of the core where it has no SparseCores
 *     return             nothing
 *
 * A copy that the program before may begin (early=1) is begun where it stands, which is at the
 * begin of a program; of a lone kernel (cap->alone) the run before made it.
 *
 * A kernel is cut anew if all are to be (cap->retile), if it is a product without windows, if the
 * program states windows for arrays of which those of this machine are no multiple, or more VMEM
 * than there is. */
#include "base/arith.h"
#include "base/wide.h"
#include "kernels/common/lowering.h"
#include "kernels/tpu/parts.h"
#include "kernels/tpu/stated.h"

/* True if the whole program is cut for this machine. */
static bool is_anew(const struct cap *cap)
{
    return cap->retile || (cap->stated_array && cap->mxu.size % cap->stated_array);
}

/* True if `k` is cut anew; `why` is counted then, if the program had cut it. */
static bool needs_tiles(const struct trace_compiled *k, const struct cap *cap,
                        enum task_retiled *why)
{
    bool product = trace_has_product(k), tiles = product ? k->counts[TRACE_DIM_B] : k->steps;

    if (cap->retile)
        *why = TASK_RETILED_ASKED;
    else if (is_anew(cap))
        *why = TASK_RETILED_ARRAY;
    else if (product && !tiles)
        *why = TASK_RETILED_UNSTATED;
    else if (k->vmem > cap->vmem_bytes)
        *why = TASK_RETILED_VMEM;
    else
        *why = TASK_N_RETILED;
    return *why < TASK_N_RETILED || !tiles;
}

/* Bytes that a kernel without a product writes after its last grid step: sums that several grid
 * steps add to, or a result of which each grid step would write less than a row access moves. */
static uint64_t take_sums(struct work *w, const struct trace_compiled *k, uint64_t grid_steps,
                          const struct cap *cap)
{
    uint64_t bytes = w->out.bytes;

    if (k->sum_steps <= 1 && bytes / grid_steps >= cap->dma_granule)
        return 0;
    w->out.bytes = 0;
    return bytes;
}

/* The fixed cost of a kernel after another that finds its operands on chip, so that it pays no
 * transfer's latency, with a grid step. */
static uint64_t launch_cycles(const struct cap *cap)
{
    uint64_t transfers = 2 * cap->dma_cycles;

    return (cap->op_cycles > transfers ? cap->op_cycles - transfers : 0) + cap->gap_cycles +
           cap->step_cycles;
}

/* Add control of so many cycles in all, shared by the grid steps. */
static void add_control(struct task_kernel *out, u128 cycles)
{
    cycles = cycles / out->grid_steps + out->joined_cycles;
    out->joined_cycles = cycles > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)cycles;
}

/* Results of a kernel by hand that wait for each other, and grid steps that do nothing. */
static void add_waits(struct task_kernel *out, const struct trace_compiled *k,
                      const struct cap *cap)
{
    add_control(out, (u128)k->waits * cap->hand_wait + (u128)k->idle * cap->step_cycles);
}

/* The kernels that follow the first. */
static void add_launches(struct task_kernel *out, const struct trace_compiled *k,
                         const struct cap *cap)
{
    if (k->launches > 1)
        add_control(out, (u128)(k->launches - 1) * launch_cycles(cap));
}

/* Say that the kernel is not cut as the program cut it. */
static void note_cut(struct lowering *l, struct task *t, enum task_retiled why)
{
    if (why == TASK_N_RETILED)
        return;
    l->p->notes.retiled[why]++;
    t->retiled = (uint8_t)(1 + why);
}

static int fill_kernel(struct lowering *l, const struct stated *c, struct task *t, struct err *why)
{
    struct work w = { .resident = l->resident };
    const struct trace_compiled *k = c->kernel;
    enum task_retiled cut;
    uint64_t held;

    stated_work(&w, c, &held);
    t->kernel.moves = k->form == TRACE_FORM_COPY;
    if (k->lane_rows && !k->steps && !c->anew && c->cap->rows_cycles) {
        lower_tile_stated(&t->kernel, &w, 1, c->cap); /* the array is whole in VMEM */
        return 0;
    }
    if (needs_tiles(k, c->cap, &cut)) {
        w.in.bytes += held;
        note_cut(l, t, cut);
        if (trace_has_product(k)) {
            if (stated_tiled(&t->kernel, &w, c, why) != 0)
                return -1;
        } else {
            lower_tile(&t->kernel, &w, c->cap);
            t->kernel.resident_in = w.table_in;
            t->kernel.resident_out = w.table_out;
        }
        add_launches(&t->kernel, k, c->cap);
        return 0;
    }
    if (!trace_has_product(k)) {
        uint64_t grid_steps = arith_ceil_div(k->steps, c->cap->halves);
        if (stated_check_steps(grid_steps, why) != 0)
            return -1;
        w.table_out += grid_steps > 1 ? take_sums(&w, k, grid_steps, c->cap) : 0;
        lower_tile_stated(&t->kernel, &w, grid_steps, c->cap);
    } else if (stated_product(&t->kernel, &w, c, why) != 0)
        return -1;
    t->kernel.resident_in = held + w.table_in;
    t->kernel.resident_out += w.table_out;
    if (trace_has_product(k))
        lower_expose_ends(&t->kernel, c->cap);
    add_waits(&t->kernel, k, c->cap);
    add_launches(&t->kernel, k, c->cap);
    t->kernel.windows = k->vmem * c->cap->halves;
    return 0;
}

/* True if one half of a device runs the kernel alone, as it states. */
static bool is_alone(const struct trace_compiled *k)
{
    return (k->split == TRACE_SPLIT_NONE || (k->n_grid && k->steps == 1)) && (k->sums || !k->xlu);
}

/* Bytes of operands, or of results, that are in the memory of the host. */
static uint64_t count_host(const struct stated *c, bool in)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < (in ? c->op->n_in : c->op->n_out); i++) {
        uint32_t v = in ? step_operand(c->step, c->op, i) : step_result(c->step, c->op, i);
        if (trace_space(&c->step->value[v].shape) == TRACE_IN_HOST)
            bytes += (in ? c->kernel->fetch : c->kernel->store)[i];
    }
    return bytes;
}

/* They cross PCIe before the kernel, or after it, which waits for nothing else meanwhile. */
static void cross_host(struct lowering *l, uint32_t row, uint64_t bytes, bool in)
{
    uint32_t start = l->p->n_tasks;

    if (!bytes)
        return;
    for (int done = 0; done < 2; done++) {
        struct task *t = lowering_task(l, TASK_COPY, row);
        t->async = done ? TASK_DONE : TASK_START;
        t->start = done ? start : 0;
        if (!done)
            t->copy = (struct task_copy){ in ? 0 : bytes, in ? bytes : 0, true };
    }
}

/* An image that lies by groups, or back: two copies, as XLA has them. */
static void turn_image(struct lowering *l, uint32_t row, const struct work *image)
{
    for (int i = 0; i < 2 && (image->turn_in || image->turn_out); i++)
        lowering_turn(l, row, image, image->turn_out);
}

static int lower_kernel(struct lowering *l, const struct step_node *n, const struct step_op *op,
                        uint32_t row)
{
    struct stated c = { l->step, op, op->op.compiled, l->cap, is_anew(l->cap), 0, 0 };
    struct trace_compiled chosen;
    struct work table = { .resident = l->resident }, image = { 0 }, result = { 0 };
    struct err why;

    if (c.kernel->form == TRACE_FORM_SCALAR) {
        lowering_task(l, TASK_SCALAR, row)->scalar.cycles = l->cap->scalar_cycles;
        return 0;
    }
    if (parts_has(&c))
        return parts_lower(l, &c, row, &why) == 0 ? 0 : lowering_refuse(l, n, "%s", why.msg);
    cross_host(l, row, count_host(&c, true), true);
    bool turned = stated_turned(&table, &c);
    if (turned)
        lowering_turn(l, row, &table, false);
    stated_grouped(&image, &result, &c);
    turn_image(l, row, &image);
    struct task *t = lowering_task(l, TASK_KERNEL, row);
    t->workspace = turned                             ? table.wide
                   : image.turn_in || result.turn_out ? image.wide + result.wide
                                                      : 0;
    if (stated_choose(&chosen, &c))
        note_cut(l, t, TASK_RETILED_UNSTATED);
    if (fill_kernel(l, &c, t, &why) != 0)
        return lowering_refuse(l, n, "%s", why.msg);
    if (!is_alone(c.kernel))
        lower_meet(&t->kernel, l->cap);
    if (turned && table.turn_out)
        lowering_turn(l, row, &table, true);
    turn_image(l, row, &result);
    cross_host(l, row, count_host(&c, false), false);
    return 0;
}

/* Operations on elements that a SparseCore does for the kernel. */
static uint64_t count_operations(const struct trace_compiled *k, const struct cap *cap)
{
    uint64_t sum = k->xlu;

    for (int i = 0; i < N_VECTOR_OPS; i++)
        sum += k->vector[i] * cap->vector_slots[i];
    return sum;
}

_Static_assert((int)TRACE_N_VECTORS == (int)N_VECTOR_OPS, "classes of vector work are the same");

static void lower_sparse(struct lowering *l, const struct step_op *op, uint32_t row)
{
    struct stated c = { l->step, op, op->op.compiled, l->cap, false, 0, 0 };
    struct work w = { .resident = l->resident };
    uint64_t held, row_bytes = c.kernel->row_bytes;
    struct task *t = lowering_task(l, TASK_SPARSE, row);

    stated_traffic(&w, &c, &held);
    w.in.bytes += held;
    *(c.kernel->row_writes ? &w.out.rows : &w.in.rows) = row_bytes ? op->op.rows : 0;
    w.in.row_bytes = w.out.row_bytes = row_bytes;
    if (c.kernel->form == TRACE_FORM_SCATTER && c.kernel->row_writes)
        w.in.rows = w.out.rows; /* it adds to what is there */
    t->async = lowering_async(op->op.async);
    t->sparse = (struct task_sparse){ w.in, w.out, count_operations(c.kernel, l->cap) };
}

/* A done: waits for the start, or does nothing where that was done at once. */
static void lower_done(struct lowering *l, const struct step_op *op, enum task_kind kind,
                       uint32_t row)
{
    uint32_t start = lowering_start(l, op);
    bool waits = l->p->task[start].kind == kind && l->p->task[start].async == TASK_START;
    struct task *t = lowering_task(l, waits ? kind : TASK_SCALAR, row);

    if (!waits)
        return;
    t->async = TASK_DONE;
    t->start = start;
}

int lower_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                   uint32_t row)
{
    if (op->op.async == TRACE_DONE) {
        lower_done(l, op, TASK_SPARSE, row);
        return 0;
    }
    if (op->op.compiled->unit == TRACE_ON_TENSORCORE)
        return lower_kernel(l, n, op, row);
    if (!l->cap->sparsecores) {
        l->p->notes.sparse_on_core++;
        return lower_kernel(l, n, op, row);
    }
    lower_sparse(l, op, row);
    return 0;
}

/* Bytes of a copy that a value has in HBM. */
static uint64_t bytes_in_hbm(const struct lowering *l, uint32_t value, uint64_t bytes)
{
    return trace_space(&l->step->value[value].shape) == TRACE_IN_HBM ? bytes : 0;
}

/* The ends of a copy in the background.  One that begins or ends in the memory of the host crosses
 * PCIe and ends or begins in HBM: nothing is known that copies between VMEM and a host. */
static void set_copy(const struct lowering *l, const struct step_op *op, struct task *t)
{
    uint32_t from = step_operand(l->step, op, 0), to = step_result(l->step, op, 0);
    bool from_host = step_space(l->step, from) == TRACE_IN_HOST,
         to_host = step_space(l->step, to) == TRACE_IN_HOST;
    uint64_t bytes = op->op.payload;

    t->async = lowering_async(op->op.async);
    t->copy.host = from_host != to_host;
    if (t->copy.host)
        *(to_host ? &t->copy.in : &t->copy.out) = bytes;
    if (from_host || to_host)
        return;
    t->copy.in = bytes_in_hbm(l, from, bytes);
    t->copy.out = bytes_in_hbm(l, to, bytes);
}

int lower_background(struct lowering *l, const struct step_op *op, uint32_t row)
{
    if (op->op.async == TRACE_DONE) {
        lower_done(l, op, TASK_COPY, row);
        return 0;
    }
    /* kernels that are cut anew read what they need where it was */
    if (is_anew(l->cap) || (op->op.early && l->cap->alone)) {
        lowering_task(l, TASK_SCALAR, row);
        return 0;
    }
    set_copy(l, op, lowering_task(l, TASK_COPY, row));
    return 0;
}
