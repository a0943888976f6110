/* lower_host.c - operations of the CPU of a host: its own work, starts of programs, and the end of
 * a training loop, after which variables are copied to the host and back. */
#include "base/units.h"
#include "base/wide.h"
#include "kernels/common/lowering.h"

_Static_assert(TASK_MAX_STALENESS == TRACE_MAX_STALENESS, "wires have room for all that is open");

#define MAX_CPU_FS (UINT64_C(3600) * FS_PER_S)

int lower_cpu(struct lowering *l, const struct step_node *n, const struct step_op *op,
              struct task_work *w)
{
    const struct trace_work *a = &op->op.work;
    uint64_t fs[3], sum;

    if (__builtin_mul_overflow(a->calls, a->call_fs, &fs[0]) ||
        __builtin_mul_overflow(a->items, a->item_fs, &fs[1]) ||
        __builtin_mul_overflow(a->bytes, a->byte_fs, &fs[2]) ||
        __builtin_add_overflow(fs[0], fs[1], &sum) || __builtin_add_overflow(sum, fs[2], &sum) ||
        sum > MAX_CPU_FS)
        return lowering_refuse(l, n, "the time of its CPU is beyond an hour");
    if (a->bytes > LOWER_MAX_VALUE_BYTES)
        return lowering_refuse(l, n, "bytes= of more than 1 PiB");
    *w = (struct task_work){
        .cpu_fs = sum,
        .threads = (uint32_t)(a->threads < UINT32_MAX ? a->threads : UINT32_MAX),
        .readers = (uint32_t)(a->readers < UINT32_MAX ? a->readers : UINT32_MAX),
        .cause = a->fallback ? CAUSE_FALLBACK : CAUSE_HOST,
        .client = a->client,
        .staleness = (uint32_t)a->staleness,
    };
    if (op->op.kind == TRACE_LOAD || op->op.kind == TRACE_INFEED) {
        w->load_bytes = a->bytes;
        w->loads = a->calls;
    }
    return 0;
}

/* Femtoseconds to copy a variable to the host and back, `bytes` in both directions together. */
static u128 copy_time(const struct cap_variable *v, u128 bytes)
{
    u128 fs = bytes * FS_PER_S / v->bytes_per_s;

    if (bytes <= 2 * (u128)v->message_bytes)
        return fs > v->message_fs ? fs : v->message_fs;
    if (bytes > 2 * (u128)v->reused_bytes)
        fs += bytes * FS_PER_S / v->fresh_bytes_per_s;
    return 3 * (u128)v->message_fs + fs;
}

/* Time to copy each operand to the host and back.  The bytes of `w` are those of all operands, or
 * what the trace states instead. */
static int add_copies(struct lowering *l, const struct step_node *n, const struct step_op *op,
                      struct task_work *w)
{
    const uint32_t *in = &l->step->ref[op->first_in];
    u128 all = 0, sum = 0;

    for (uint32_t i = 0; i < op->n_in; i++)
        all += step_bytes(l->step, in[i]);
    for (uint32_t i = 0; i < op->n_in && sum <= MAX_CPU_FS; i++) {
        u128 bytes = all ? step_bytes(l->step, in[i]) * (u128)w->copied / all : 0;
        sum += copy_time(&l->cap->variable, bytes);
    }
    if (sum > MAX_CPU_FS)
        return lowering_refuse(l, n, "copies variables for more than an hour");
    w->copy_fs = (uint64_t)sum;
    return 0;
}

int lower_host(struct lowering *l, const struct step_node *n, const struct step_op *op,
               struct task_work *w)
{
    if (lower_cpu(l, n, op, w) != 0)
        return -1;
    if (op->op.kind == TRACE_RESTART) {
        /* the copies cross PCIe piece by piece, in the shade of the CPU's part */
        w->restart = true;
        w->copied = op->op.reads + op->op.writes;
        return add_copies(l, n, op, w);
    }
    if (op->op.kind == TRACE_COMPILE) {
        if (__builtin_mul_overflow(op->op.work.items, l->cap->xla.compile_op_time,
                                   &w->compile_fs) ||
            __builtin_add_overflow(w->compile_fs, l->cap->xla.compile_time, &w->compile_fs) ||
            __builtin_mul_overflow(w->compile_fs, op->op.work.calls, &w->compile_fs) ||
            w->compile_fs > 24 * MAX_CPU_FS)
            return lowering_refuse(l, n, "compiles for more than a day");
        return 0;
    }
    w->launch = op->op.kind == TRACE_LAUNCH;
    w->up = op->op.reads;
    w->down = op->op.writes;
    return 0;
}
