#include "kernels/lower.h"
#include "base/plain.h"

#include "kernels/common/lowering.h"

#include "base/arith.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/common/layout.h"
#include "kernels/cpu/cpu_work.h"
#include "kernels/gpu/gpu.h"
#include "kernels/tpu/dtype.h"
#include "schedule/schedule_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct task *lowering_task(struct lowering *l, enum task_kind kind, uint32_t row)
{
    struct task_program *p = l->p;

    MEMORY_GROW(p->task, p->n_tasks + 1, l->cap_tasks);
    p->task[p->n_tasks] = (struct task){
        .kind = kind,
        .row = row,
        .stage = l->stage == TRACE_NO_STAGE ? TASK_ALL_STAGES : (uint32_t)l->stage,
    };
    return &p->task[p->n_tasks++];
}

struct task_call *lowering_call(struct lowering *l)
{
    struct task_program *p = l->p;

    MEMORY_GROW(p->call, p->n_calls + 1, l->cap_calls);
    return &p->call[p->n_calls++];
}

int lowering_refuse(struct lowering *l, const struct step_node *n, const char *fmt, ...)
{
    char why[256];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(why, sizeof why, fmt, ap);
    va_end(ap);
    return err_set(l->err, ERR_FIT, "%s:%u: %s '%s': %s", l->file, n->line,
                   step_text(l->step, n->kind_text), step_text(l->step, n->title), why);
}

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

#define MAX_TURNS UINT64_C(1000000000) /* of all loops around an operation */
#define MAX_FEEDS UINT64_C(1000000)

/* Sizes whose sums and products could pass 64 bits further on. */
static int check_size(struct lowering *l, const struct step_node *n)
{
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &l->step->op[i];
        for (uint32_t j = op->first_in; j < op->first_in + op->n_in; j++)
            if (step_bytes(l->step, l->step->ref[j]) > LOWER_MAX_VALUE_BYTES)
                return lowering_refuse(l, n, "an operand of more than 1 PiB");
        for (uint32_t j = op->first_out; j < op->first_out + op->n_out; j++)
            if (step_bytes(l->step, l->step->ref[j]) > LOWER_MAX_VALUE_BYTES)
                return lowering_refuse(l, n, "a result of more than 1 PiB");
        if (op->op.flops > LOWER_MAX_VALUE_BYTES * 1024 || op->op.writes > LOWER_MAX_VALUE_BYTES ||
            op->op.payload > LOWER_MAX_VALUE_BYTES)
            return lowering_refuse(l, n, "flops=, writes= or payload= beyond what a step can hold");
    }
    return 0;
}

/* Refuse what no unit computes in. */
static int check_dtypes(struct lowering *l, const struct step_node *n)
{
    struct err why;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (dtype_check(l->step, &l->step->op[i], l->cap, &why) != 0)
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

static int lower_tiled(struct lowering *l, const struct step_node *n, uint32_t row)
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

static int copy_beside(struct lowering *l, const struct step_node *n, const struct step_op *op,
                       uint32_t row)
{
    (void)n;
    return lower_background(l, op, row);
}

/* Kernels by the kind of chip: what it cannot do, and a node as its tasks; a kernel of a compiled
 * program, and a copy in the background. */
static const struct {
    int (*check)(struct lowering *l, const struct step_node *n);
    int (*kernel)(struct lowering *l, const struct step_node *n, uint32_t row);
    int (*compiled)(struct lowering *l, const struct step_node *n, const struct step_op *op,
                    uint32_t row);
    int (*background)(struct lowering *l, const struct step_node *n, const struct step_op *op,
                      uint32_t row);
} of_kind[CHIP_N_KINDS] = {
    [CHIP_TPU] = { check_dtypes, lower_tiled, lower_compiled, copy_beside },
    [CHIP_GPU] = { gpu_check, gpu_lower, gpu_compiled, gpu_background },
    [CHIP_CPU] = { cpu_check, cpu_lower, cpu_compiled, copy_beside },
};

static int lower_kernel(struct lowering *l, const struct step_node *n, uint32_t row)
{
    return of_kind[l->cap->kind].kernel(l, n, row);
}

enum task_async lowering_async(enum trace_async a)
{
    return a == TRACE_START ? TASK_START : a == TRACE_DONE ? TASK_DONE : TASK_SYNC;
}

uint32_t lowering_start(const struct lowering *l, const struct step_op *op)
{
    return l->task_of[l->step->value[l->step->ref[op->first_in]].def];
}

/* Each replica updates its share of the weights, then all gather them. */
static int lower_sharded(struct lowering *l, const struct step_node *n, const struct step_op *op,
                         uint32_t row)
{
    return lower_kernel(l, n, row) == 0 ? lower_gather_weights(l, n, op, row) : -1;
}

/* Refuse what the cores of one stage cannot do by themselves: the host answers when all its cores
 * have called, and shares are those of all replicas. */
static int check_staged(struct lowering *l, const struct step_node *n, const struct step_op *op)
{
    bool waits = trace_is_host(op->op.kind);

    if (l->stage == TRACE_NO_STAGE)
        return 0;
    if (op->op.sharded)
        return lowering_refuse(l, n, "sharded=1 in a stage of a pipeline");
    if (!waits && !op->op.sync)
        return 0;
    return lowering_refuse(l, n, "a stage of a pipeline cannot wait for the host by itself");
}

/* A kernel that takes the time that it took where it was recorded. */
static int lower_measured(struct lowering *l, const struct step_node *n, uint64_t fs, uint32_t row)
{
    u128 cycles = ((u128)fs * l->cap->core_hz + FS_PER_S - 1) / FS_PER_S;

    if (cycles > LOWER_MOST_CYCLES)
        return lowering_refuse(l, n, "it takes longer than a run can hold");
    lowering_task(l, TASK_SCALAR, row)->scalar.cycles = (uint64_t)cycles;
    return 0;
}

static int lower_feed(struct lowering *l, const struct step_node *n, const struct step_op *op,
                      uint32_t row)
{
    struct task *t =
        lowering_task(l, op->op.kind == TRACE_INFEED ? TASK_INFEED : TASK_OUTFEED, row);

    t->async = lowering_async(op->op.async);
    t->feed.bytes = op->op.payload;
    t->feed.handled = op->op.reads ? op->op.reads : op->op.payload;
    t->feed.sync = op->op.sync;
    if (lower_cpu(l, n, op, &t->feed.work) != 0)
        return -1;
    if (t->async == TASK_DONE)
        t->start = lowering_start(l, op);
    return 0;
}

static int lower_node(struct lowering *l, const struct step_node *n, uint32_t row)
{
    const struct step_op *op = &l->step->op[n->first_op];

    if (check_size(l, n) != 0 || of_kind[l->cap->kind].check(l, n) != 0 ||
        check_staged(l, n, op) != 0)
        return -1;
    if (n->fusion)
        return lower_kernel(l, n, row);
    switch (trace_kinds[op->op.kind].family) {
    case TRACE_OF_COLLECTIVE: return lower_collective(l, n, op, row);
    case TRACE_OF_SEND: return lower_send(l, n, op, row);
    case TRACE_OF_FEED: return lower_feed(l, n, op, row);
    case TRACE_OF_HOST: return lower_host(l, n, op, &lowering_task(l, TASK_HOST, row)->host);
    case TRACE_OF_RETURN: lowering_task(l, TASK_SCALAR, row); return 0;
    case TRACE_OF_STATED:
        return op->op.work.call_fs ? lower_measured(l, n, op->op.work.call_fs, row)
                                   : of_kind[l->cap->kind].compiled(l, n, op, row);
    case TRACE_OF_PRODUCT:
    case TRACE_OF_VECTOR:
    case TRACE_OF_BLOCK:
    case TRACE_OF_UNKNOWN: break;
    }
    if (op->op.async != TRACE_SYNC) /* a copy beside other work */
        return of_kind[l->cap->kind].background(l, n, op, row);
    return op->op.sharded ? lower_sharded(l, n, op, row) : lower_kernel(l, n, row);
}

/* The stages of a pipeline have as many cores each, of one slice. */
static int check_stages(const struct lowering *l)
{
    uint64_t stages = l->step->head.stages;

    if (l->cap->replicas % stages)
        return err_set(l->err, ERR_FIT, "%s: %llu stages, which %u cores cannot be cut into evenly",
                       l->file, (unsigned long long)stages, l->cap->replicas);
    if (stages > 1 && l->cap->net.slices > 1)
        return err_set(l->err, ERR_FIT, "%s: a pipeline runs on one slice, not on %u joined ones",
                       l->file, l->cap->net.slices);
    return 0;
}

int lower_step(struct task_program *p, const struct step *step, const struct cap *cap,
               const char *file, struct err *err)
{
    struct lowering l = { .p = p, .step = step, .cap = cap, .file = file, .err = err };
    uint32_t open[64], depth = 0;
    uint64_t turns[65] = { 1 }, feeds = 0;
    int rc = 0;

    *p = (struct task_program){ .stages = (uint32_t)step->head.stages };
    if (check_stages(&l) != 0)
        return -1;
    l.task_of = memory_zeroed(step->n_nodes + 1, sizeof *l.task_of);
    l.seen = memory_zeroed(step->n_values + 1, sizeof *l.seen);
    l.resident = memory_zeroed(step->n_values + 1, sizeof *l.resident);
    l.goes_on = memory_zeroed(step->n_refs + 1, sizeof *l.goes_on);
    lower_find_gathers(&l);
    gpu_cache_init(&l.cache, step->n_values, cap->cache_bytes, cap->alone && cap->kind == CHIP_CPU);
    lower_overlap_find(&l.overlap, step, &cap->overlap);
    for (uint32_t i = 0; i < step->n_nodes && rc == 0; i++) {
        const struct step_node *n = &step->node[i];
        if ((rc = lower_overlap_begin(&l, i)) != 0)
            break;
        l.task_of[i] = p->n_tasks;
        l.stage = n->stage;
        l.peers = n->stage == TRACE_NO_STAGE ? cap->replicas
                                             : cap->replicas / (uint32_t)step->head.stages;
        if (n->kind == STEP_REPEAT) {
            open[depth++] = p->n_tasks;
            lowering_task(&l, TASK_REPEAT, 0)->loop.trips = n->count;
            if (__builtin_mul_overflow(turns[depth - 1], n->count, &turns[depth]) ||
                turns[depth] > MAX_TURNS)
                rc = err_set(err, ERR_FIT, "%s:%u: repeat: more than %llu turns in all", file,
                             n->line, (unsigned long long)MAX_TURNS);
        } else if (n->kind == STEP_END) {
            BUG_ON(depth == 0);
            if (p->n_tasks == open[depth - 1] + 1)
                rc = err_set(err, ERR_FORMAT, "%s:%u: repeat: the block is empty", file,
                             step->node[n->match].line);
            lowering_task(&l, TASK_END, 0)->loop.begin = open[--depth];
        } else {
            feeds += step->op[n->first_op].op.kind == TRACE_INFEED ? turns[depth] : 0;
            rc = feeds > MAX_FEEDS ? lowering_refuse(&l, n, "more than 1,000,000 batches a step")
                                   : lower_node(&l, n, p->n_rows++);
        }
    }
    lower_overlap_free(&l.overlap);
    gpu_cache_free(&l.cache);
    free(l.goes_on);
    free(l.resident);
    free(l.seen);
    free(l.task_of);
    if (rc == 0 && p->n_rows == 0)
        rc = err_set(err, ERR_FORMAT, "%s: a step without operations", file);
    if (rc != 0)
        lower_free(p);
    return rc;
}

void lower_free(struct task_program *p)
{
    for (uint32_t i = 0; i < p->n_calls; i++)
        schedule_list_free(p->call[i].schedule.list);
    free(p->task);
    free(p->call);
    *p = (struct task_program){ 0 };
}
