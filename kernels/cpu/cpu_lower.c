/* Operations of a step to those of a node of CPUs.
 *
 * Where fusions run as one operation, a fusion is its products and one operation for all of its
 * other members; else every member is one by itself, or several (cpu_stream.c), which reads its
 * operands from memory and writes its results there.  A result that was not in the cache is read
 * before it is written, unless its pages are fresh and cleared. */
#include "kernels/common/move.h"
#include "kernels/cpu/cpu_work.h"

static void add_task(struct lowering *l, uint32_t row, const struct cpu_work *w)
{
    cpu_divide(&lowering_task(l, TASK_POOL, row)->pool, w, l->cap);
}

/* A part of a value that does not fit in the cache is another one than that which passed before. */
static void read_value(struct lowering *l, uint32_t v, uint64_t bytes, struct cpu_work *w)
{
    uint64_t whole = step_bytes(l->step, v), missed = gpu_cache_read(&l->cache, v, bytes);

    w->bytes += bytes;
    w->read += bytes < whole && whole > l->cap->cpu.l3_bytes ? bytes : missed;
}

/* Results of a kernel in the place of another value are in pages that were mapped for that. */
static void write_value(struct lowering *l, uint32_t v, const struct step_op *op, uint64_t bytes,
                        struct cpu_work *w)
{
    const struct cap_cpu *cpu = &l->cap->cpu;
    uint64_t missed = gpu_cache_write(&l->cache, v, bytes);
    bool placed = op->op.compiled && l->step->value[v].placed;
    bool fresh = !placed && cpu->fresh_bytes && bytes > cpu->fresh_bytes;

    w->bytes += bytes;
    w->written += missed;
    w->read += fresh || bytes <= cpu->l3_bytes ? 0 : missed;
    w->fresh += fresh ? bytes : 0;
}

/* True if the value is made by another member of the node. */
static bool is_inside(const struct lowering *l, const struct step_node *n, uint32_t v)
{
    uint32_t by = l->step->value[v].op;

    return by != STEP_NONE && by >= n->first_op && by < n->first_op + n->n_ops;
}

/* Add what `op` moves.  With `n` it is a member of that fusion: what other members without a
 * product make stays in registers. */
static void add_values(struct lowering *l, const struct step_node *n, const struct step_op *op,
                       struct cpu_work *w)
{
    const struct step *s = l->step;

    for (uint32_t i = 0; i < step_n_operands(op); i++) {
        uint32_t v = step_operand(s, op, i);
        if (n && is_inside(l, n, v) && !trace_is_gemm(s->op[s->value[v].op].op.kind))
            continue;
        read_value(l, v, cpu_operand_bytes(s, op, i), w);
    }
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(s, op, i);
        if (!n || !s->value[v].on_chip)
            write_value(l, v, op, cpu_result_bytes(s, op, i), w);
    }
    if (op->op.kind == TRACE_OPTIMIZER) { /* in place: no results to count */
        w->bytes += op->op.writes;
        w->written += op->op.writes;
    }
}

static void lower_product(struct lowering *l, const struct step_op *op, uint32_t row)
{
    const struct step *s = l->step;
    const struct trace_op *o = &op->op;
    uint32_t element = trace_dtype_bytes[s->value[s->ref[op->first_in]].stored];
    struct cpu_work w = { .useful = o->flops / 2 };

    add_values(l, NULL, op, &w);
    bool complex = s->value[s->ref[op->first_in]].shape.dtype == TRACE_C64 ||
                   s->value[s->ref[op->first_in]].shape.dtype == TRACE_C128;
    if (complex) /* four real ones */
        cpu_product(&w, o->b, o->m, 2 * o->n, 2 * o->k, element / 2, &l->cap->cpu);
    else
        cpu_product(&w, o->b, o->m, o->n, o->k, element, &l->cap->cpu);
    add_task(l, row, &w);
}

static void lower_alone(struct lowering *l, const struct step_op *op, uint32_t row)
{
    struct cpu_work w = { 0 };

    if (trace_is_gemm(op->op.kind) || (op->op.kind == TRACE_KERNEL && op->op.m && op->n_in)) {
        lower_product(l, op, row);
    } else if (op->op.kind == TRACE_COPY && move_of(l->step, op) == MOVE_VIEW) {
        lowering_task(l, TASK_SCALAR, row);
    } else {
        add_values(l, NULL, op, &w);
        cpu_stream(&w, l->step, op, &l->cap->cpu);
        add_task(l, row, &w);
    }
}

static void lower_fusion(struct lowering *l, const struct step_node *n, uint32_t row)
{
    struct cpu_work rest = { 0 };
    bool any = false;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &l->step->op[i];
        if (trace_is_gemm(op->op.kind)) {
            lower_product(l, op, row);
            continue;
        }
        add_values(l, n, op, &rest);
        cpu_stream(&rest, l->step, op, &l->cap->cpu);
        any = true;
    }
    if (any)
        add_task(l, row, &rest);
}

int cpu_lower(struct lowering *l, const struct step_node *n, uint32_t row)
{
    if (n->fusion && l->cap->cpu.fused) {
        lower_fusion(l, n, row);
        return 0;
    }
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        lower_alone(l, &l->step->op[i], row);
    return 0;
}

int cpu_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                 uint32_t row)
{
    (void)n;
    lower_alone(l, op, row);
    return 0;
}

/* Kernels that no compiler has cut state what any machine is told. */
int cpu_check(struct lowering *l, const struct step_node *n)
{
    const struct trace_program *p = &l->step->head.program;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct trace_op *o = &l->step->op[i].op;
        if ((o->kind == TRACE_KERNEL && !o->work.call_fs && trace_is_compiled(p)) ||
            (o->kind == TRACE_COPY && o->async != TRACE_SYNC))
            return lowering_refuse(l, n,
                                   "part of a program that %s; this machine "
                                   "has CPUs: give it before it is compiled, as "
                                   "`jax.jit(step).lower(...).as_text(dialect=\"hlo\")`",
                                   p->gpu ? "was compiled for a GPU"
                                   : strcmp(p->compiler, TRACE_UNKNOWN_COMPILER) == 0
                                       ? "a compiler has scheduled and that does not say for what, "
                                         "so that it is taken for one of TPUs"
                                       : "was compiled for a TPU");
    }
    return 0;
}
