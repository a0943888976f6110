/* Operations and fusions on a TensorCore, as a kernel that is cut into grid steps: what stays on
 * chip, what crosses HBM, and the work of each member. */
#include "kernels/common/lowering.h"

#include "kernels/common/layout.h"
#include "kernels/tpu/dtype.h"

#include <inttypes.h>

/* True if resident= names operand or result `j` of `op`; results follow the operands. */
static bool names_resident(const struct step_op *op, uint32_t j)
{
    uint32_t where = op->op.resident;

    if (where & TRACE_RESIDENT_ALL)
        return true;
    if (j >= op->n_in)
        return where & TRACE_RESIDENT_OUT;
    return (j == 0 && where & TRACE_RESIDENT_LHS) || (j == 1 && where & TRACE_RESIDENT_RHS);
}

/* Mark value `v` where its layout says that it is: the pass that placed it has seen to its room. */
static bool mark_placed(struct lowering *l, uint32_t v, struct work *w)
{
    enum trace_space space = step_space(l->step, v);

    if (space != TRACE_IN_CMEM && space != TRACE_IN_VMEM)
        return false;
    if (!l->resident[v] && space == TRACE_IN_VMEM)
        w->reserved += step_bytes(l->step, v);
    l->resident[v] = space == TRACE_IN_CMEM ? PLACE_CMEM : PLACE_VMEM;
    return true;
}

/* Mark what is resident in this kernel and where; all of it together must fit on chip. */
static int mark_resident(struct lowering *l, const struct step_node *n, struct work *w)
{
    uint64_t vmem = l->cap->halves * l->cap->vmem_bytes, cmem = l->cap->cmem_bytes;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &l->step->op[i];
        for (uint32_t j = 0; j < op->n_in + op->n_out; j++) {
            uint32_t v = l->step->ref[op->first_in + j];
            uint64_t bytes = step_bytes(l->step, v);
            if (mark_placed(l, v, w) || l->resident[v] || !names_resident(op, j))
                continue;
            if (bytes <= cmem) {
                l->resident[v] = PLACE_CMEM;
                cmem -= bytes;
                continue;
            }
            l->resident[v] = PLACE_VMEM;
            w->reserved += bytes;
            if (w->reserved > vmem)
                return lowering_refuse(
                    l, n, "what is resident does not fit on chip: %" PRIu64 " B of VMEM%s",
                    vmem + l->cap->cmem_bytes, l->cap->cmem_bytes ? " and CMEM" : "");
        }
    }
    return 0;
}

/* Two buffers each way of four registers: less is no room for tiles. */
static uint64_t least_room(const struct cap *cap)
{
    return 16 * 4 * (uint64_t)cap->vector_elements;
}

/* Resident values must leave room for what passes by. */
static int check_room(struct lowering *l, const struct step_node *n, const struct work *w)
{
    uint64_t left = l->cap->halves * l->cap->vmem_bytes - w->reserved;
    bool streams = w->in.bytes || w->in.rows || w->out.bytes || w->out.rows;

    if (!streams || left >= least_room(l->cap))
        return 0;
    return lowering_refuse(l, n,
                           "what is resident leaves %llu B of VMEM for tiles, %llu are needed",
                           (unsigned long long)left, (unsigned long long)least_room(l->cap));
}

static void unmark_resident(struct lowering *l, const struct step_node *n)
{
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &l->step->op[i];
        for (uint32_t j = 0; j < op->n_in + op->n_out; j++)
            l->resident[l->step->ref[op->first_in + j]] = PLACE_HBM;
    }
}

/* True if operand or result `j` of `op` crosses HBM otherwise than as a whole. */
static bool crosses_apart(const struct lowering *l, const struct work *w, const struct step_op *op,
                          bool in, uint32_t j)
{
    return lower_rows_apart(w, l->step, op, in, j, l->cap) ||
           lower_update_apart(l->step, op, in, j);
}

/* Bytes of operand `v` that `op` reads: a copy to something smaller, a slice, only what it keeps.
 */
static uint64_t bytes_read(const struct lowering *l, const struct step_op *op, uint32_t v)
{
    uint64_t all = layout_bytes(l->step, v, l->cap);

    if (op->op.kind != TRACE_COPY || op->n_in != 1 || op->n_out != 1)
        return all;
    const struct trace_shape *to = &l->step->value[l->step->ref[op->first_out]].shape;
    uint64_t kept = layout_of(to, l->step->value[v].stored, l->cap).bytes;
    return kept < all ? kept : all;
}

/* Add the bytes that the members of a kernel read from HBM and write to it, each value once. */
static void add_traffic(struct lowering *l, const struct step_node *n, struct work *w)
{
    const struct step *step = l->step;

    for (int clear = 0; clear < 2; clear++)
        for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
            const struct step_op *op = &step->op[i];
            uint32_t n_in = op->n_in + (op->bias != STEP_NONE);
            for (uint32_t j = 0; j < n_in + op->n_out; j++) {
                bool in = j < n_in;
                uint32_t v = j < op->n_in ? step->ref[op->first_in + j]
                             : in         ? op->bias
                                          : step->ref[op->first_out + (j - n_in)];
                /* a value made here is on chip for the members that follow, whether or not it
                 * also leaves the kernel */
                if (clear) {
                    l->seen[v] = false;
                } else if (crosses_apart(l, w, op, in, in ? j : j - n_in)) {
                    continue;
                } else if (!l->seen[v]) {
                    l->seen[v] = true;
                    uint64_t *way = w->resident[v] ? &w->fed : in ? &w->in.bytes : &w->out.bytes;
                    if (!step->value[v].on_chip && w->resident[v] != PLACE_VMEM)
                        *way += in ? bytes_read(l, op, v) : layout_bytes(step, v, l->cap);
                }
            }
        }
}

/* Adds the work of one member of a kernel on a TensorCore. */
typedef void core_lowering(struct work *w, const struct step *step, const struct step_op *op,
                           const struct cap *cap);
static core_lowering *const on_core[] = {
#define C(id, name) [TRACE_CORE_##id] = lower_##name,
    TRACE_CORES(C)
#undef C
};

static int add_member(struct lowering *l, const struct step_node *n, const struct step_op *op,
                      struct work *w)
{
    enum trace_on_core core = trace_kinds[op->op.kind].core;
    struct err why;

    if (core == TRACE_CORE_NONE)
        return lowering_refuse(l, n, "not an operation that a fusion can hold");
    if (core != TRACE_CORE_PRODUCT) {
        on_core[core](w, l->step, op, l->cap);
        return 0;
    }
    if (w->gemm.b)
        return lowering_refuse(l, n, "a fusion holds at most one matmul or convolution");
    if (lower_gemm(w, l->step, op, l->cap, &why) != 0)
        return lowering_refuse(l, n, "%s", why.msg);
    return 0;
}

static uint64_t share_of(uint64_t all, uint32_t of)
{
    return (all + of - 1) / of;
}

/* The work of one replica of `n` that part an update between them. */
static void take_share(struct work *w, uint32_t n)
{
    w->in.bytes = share_of(w->in.bytes, n);
    w->out.bytes = share_of(w->out.bytes, n);
    w->fed = share_of(w->fed, n);
    w->loads = share_of(w->loads, n);
    w->stores = share_of(w->stores, n);
    for (int op = 0; op < N_VECTOR_OPS; op++)
        w->vpu[op] = share_of(w->vpu[op], n);
}

void lowering_turn(struct lowering *l, uint32_t row, const struct work *w, bool back)
{
    struct task *t = lowering_task(l, TASK_KERNEL, row);

    t->workspace = w->wide;
    lower_turn(&t->kernel, w, back, l->cap);
}

int lower_tiled(struct lowering *l, const struct step_node *n, uint32_t row)
{
    struct work w = { .resident = l->resident, .fused = n->n_ops > 1 };

    if (mark_resident(l, n, &w) != 0)
        return -1;
    add_traffic(l, n, &w);
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (add_member(l, n, &l->step->op[i], &w) != 0)
            return -1;
    unmark_resident(l, n);
    if (l->step->op[n->first_op].op.kind == TRACE_OPTIMIZER && l->step->op[n->first_op].op.sharded)
        take_share(&w, l->peers);
    if (check_room(l, n, &w) != 0)
        return -1;
    if (w.turn_in)
        lowering_turn(l, row, &w, false);
    struct task *t = lowering_task(l, TASK_KERNEL, row);
    t->workspace = w.workspace + w.wide;
    lower_tile(&t->kernel, &w, l->cap);
    if (w.steps != 1 && stream_units(&w.streamed) != 1) /* else one half runs it alone */
        lower_meet(&t->kernel, l->cap);
    if (w.turn_out)
        lowering_turn(l, row, &w, true);
    return 0;
}

/* Refuse values in a common memory that the machine does not have, unless a program is cut anew. */
static int check_spaces(struct lowering *l, const struct step_node *n, const struct step_op *op)
{
    bool program = l->step->head.program.given;

    if (l->cap->cmem_bytes || (program && l->cap->retile))
        return 0;
    for (uint32_t j = 0; j < op->n_in + op->n_out; j++) {
        uint32_t v = l->step->ref[op->first_in + j];
        if (step_space(l->step, v) == TRACE_IN_CMEM)
            return lowering_refuse(l, n,
                                   "'%s' lies in CMEM (S(3)), which this machine does not have%s",
                                   step_name(l->step, v),
                                   program ? "; --retile lets the simulator cut its kernels for "
                                             "this machine"
                                           : "");
    }
    return 0;
}

int lower_check(struct lowering *l, const struct step_node *n)
{
    struct err why;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        if (dtype_check(l->step, &l->step->op[i], l->cap, &why) != 0)
            return lowering_refuse(l, n, "%s", why.msg);
        if (check_spaces(l, n, &l->step->op[i]) != 0)
            return -1;
    }
    return 0;
}
