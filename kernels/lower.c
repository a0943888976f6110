#include "kernels/lower.h"

#include "kernels/common/lowering.h"

#include "base/arith.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/cpu/cpu_work.h"
#include "kernels/gpu/gpu.h"
#include "schedule/schedule_list.h"

#include <stdlib.h>
#include <string.h>

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

/* A copy in the background, on chips whose copies need no kernel. */
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
    [CHIP_TPU] = { lower_check, lower_tiled, lower_compiled, copy_beside },
    [CHIP_GPU] = { gpu_check, gpu_lower, gpu_compiled, gpu_background },
    [CHIP_CPU] = { cpu_check, cpu_lower, cpu_compiled, copy_beside },
};

static int lower_kernel(struct lowering *l, const struct step_node *n, uint32_t row)
{
    return of_kind[l->cap->kind].kernel(l, n, row);
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
