/* Operations of a step to kernels of a GPU.
 *
 * Where fusions run as one kernel, a fusion is the kernel of its product and one for all of its
 * other members; else every member is a kernel of its own, which reads its operands from memory and
 * writes its results there.  The host dispatches each operation, and launches each of its kernels.
 */
#include <inttypes.h>

#include <string.h>

#include "kernels/common/move.h"
#include "kernels/gpu/gpu.h"

/* True if resident= names operand `i`, or the results. */
static bool is_held(const struct step_op *op, uint32_t i)
{
    uint32_t place = i == 0 ? TRACE_RESIDENT_LHS : i == 1 ? TRACE_RESIDENT_RHS : 0;

    return op->op.resident & place;
}

/* Bytes that HBM moves of an operand, and of a result.  Where all is said to be resident, the L2
 * has what fits. */
static uint64_t read_value(struct lowering *l, const struct step_op *op, uint32_t i, uint32_t v,
                           uint64_t bytes)
{
    l->cache.warm = op->op.resident & TRACE_RESIDENT_ALL;
    if (!is_held(op, i))
        return l->cache.warm ? gpu_cache_read(&l->cache, v, bytes)
                             : gpu_cache_find(&l->cache, v, bytes);
    gpu_cache_hold(&l->cache, v, bytes);
    return 0;
}

static uint64_t write_value(struct lowering *l, const struct step_op *op, uint32_t v,
                            uint64_t bytes)
{
    l->cache.warm = op->op.resident & TRACE_RESIDENT_ALL;
    if (!(op->op.resident & TRACE_RESIDENT_OUT))
        return gpu_cache_write(&l->cache, v, bytes);
    gpu_cache_hold(&l->cache, v, bytes);
    return 0;
}

/* Refuse operands and results that resident= names if they do not fit the L2 together. */
static int check_held(struct lowering *l, const struct step_node *n, const struct step_op *op)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < op->n_in; i++)
        bytes += is_held(op, i) ? step_bytes(l->step, step_operand(l->step, op, i)) : 0;
    for (uint32_t i = 0; op->op.resident & TRACE_RESIDENT_OUT && i < op->n_out; i++)
        bytes += step_bytes(l->step, step_result(l->step, op, i));
    if (bytes <= l->cache.room)
        return 0;
    return lowering_refuse(l, n,
                           "what is resident, %" PRIu64 " B, does not fit the L2 of %" PRIu64 " B",
                           bytes, l->cache.room);
}

/* Bytes of operands `[0, n_in)` and of the bias, or of results, of one operation. */
static struct task_flow read_operands(struct lowering *l, const struct step_op *op)
{
    struct task_flow f = { 0 };

    for (uint32_t i = 0; i < step_n_operands(op); i++) {
        uint32_t v = step_operand(l->step, op, i);
        uint64_t bytes = step_bytes(l->step, v);
        f.l2 += bytes;
        f.hbm += read_value(l, op, i, v, bytes);
    }
    return f;
}

static struct task_flow write_results(struct lowering *l, const struct step_op *op)
{
    struct task_flow f = { op->op.kind == TRACE_OPTIMIZER ? op->op.writes : 0, 0 };

    f.hbm = f.l2; /* in place: no results to count */
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(l->step, op, i);
        uint64_t bytes = step_bytes(l->step, v);
        f.l2 += bytes;
        f.hbm += write_value(l, op, v, bytes);
    }
    return f;
}

/* The wider of a product's operands. */
static enum trace_dtype dtype_of_product(const struct lowering *l, const struct step_op *op)
{
    const struct step *s = l->step;
    enum trace_dtype a = s->value[s->ref[op->first_in]].shape.dtype;
    enum trace_dtype b = s->value[s->ref[op->first_in + 1]].shape.dtype;

    return trace_dtype_bits[a] >= trace_dtype_bits[b] ? a : b;
}

/* Matrix products that ask for nothing run in f32: in PyTorch, not in TensorFlow and JAX. */
static bool is_exact(const struct lowering *l)
{
    enum trace_framework f = l->step->head.framework;

    return l->cap->gpu.follows && f != TRACE_UNSTATED ? f == TRACE_PYTORCH : l->cap->gpu.exact;
}

/* PyTorch rounds the operands of convolutions to TF32, and those of matrix products where it is
 * asked for less than the highest precision. */
static enum gpu_math math_of(const struct lowering *l, const struct step_op *op, enum trace_dtype d)
{
    const struct cap_gpu *gpu = &l->cap->gpu;
    const struct trace_op *o = &op->op;
    enum gpu_math math = gpu_math_of_product(gpu, d, o->precision, o->m, o->n);
    bool exact = is_exact(l) && o->kind == TRACE_MATMUL && o->precision == TRACE_DEFAULT;

    return math == GPU_TF32 && exact ? GPU_F32 : math;
}

static uint64_t count_positions(const struct trace_shape *s, uint32_t rank)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < rank; d++)
        n *= s->dim[s->rank - rank + d];
    return n;
}

/* The convolution that `op` is: image and result from the shapes of its operands. */
static struct gpu_conv describe_conv(const struct step *s, const struct step_op *op)
{
    const struct trace_op *o = &op->op;
    const struct trace_shape *a = &s->value[s->ref[op->first_in]].shape;
    const struct trace_shape *b = &s->value[s->ref[op->first_in + 1]].shape;
    const struct trace_shape *r = &s->value[s->ref[op->first_out]].shape;
    bool dgrad = o->kind == TRACE_CONV_DGRAD, wgrad = o->kind == TRACE_CONV_WGRAD;
    const struct trace_shape *x = dgrad ? r : a, *y = dgrad ? a : wgrad ? b : r;
    uint32_t rank = o->win.rank;
    struct gpu_conv v = { .kind = o->kind,
                          .images = x->dim[0],
                          .groups = o->groups,
                          .c = x->dim[1] / o->groups,
                          .k = y->dim[1] / o->groups,
                          .in = count_positions(x, rank),
                          .out = count_positions(y, rank),
                          .taps = 1,
                          .side = { 1, 1, 1 },
                          .filter = { 1, 1, 1 },
                          .rank = rank,
                          .size = (uint32_t)o->win.size[0],
                          .useful = o->flops / 2 };

    const struct trace_shape *image = dgrad ? x : y;
    for (uint32_t d = 0; d < rank; d++) {
        v.taps *= o->win.size[d];
        v.strided |= o->win.stride[d] > 1;
        v.dilated |= o->win.dilate[d] > 1;
        v.size = o->win.size[d] == v.size && o->win.dilate[d] == 1 ? v.size : 0;
        v.side[d] = image->dim[image->rank - rank + d];
        v.filter[d] = o->win.size[d];
    }
    return v;
}

/* Adds the cheapest way of a convolution to what is planned before it. */
static void plan_conv(struct gpu_plan *plan, const struct lowering *l, const struct step_op *op,
                      const struct gpu_product *p)
{
    struct gpu_conv v = describe_conv(l->step, op);
    struct gpu_plan best = { 0 };

    v.math = p->math;
    v.channels_first = v.rank == 3;
    v.element = p->element;
    v.a_bytes = p->a_bytes;
    v.b_bytes = p->b_bytes;
    v.c_bytes = p->c_bytes;
    v.missed = p->missed;
    if (gpu_is_complex(dtype_of_product(l, op))) { /* four real ones */
        v.c *= 2;
        v.k *= 2;
    }
    gpu_conv(&best, &v, l->cap);
    BUG_ON(plan->n + best.n > GPU_PLAN_KERNELS);
    for (uint32_t i = 0; i < best.n; i++)
        plan->kernel[plan->n++] = best.kernel[i];
    plan->cost += best.cost;
    plan->workspace += best.workspace;
}

/* Kernels that convert both operands to f32. */
static void widen_operands(struct gpu_plan *plan, struct gpu_product *p, const struct cap *cap)
{
    gpu_plan_copy(plan, p->a_bytes, 2 * p->a_bytes, 1000, cap);
    gpu_plan_copy(plan, p->b_bytes, 2 * p->b_bytes, 1000, cap);
    p->a_bytes *= 2;
    p->b_bytes *= 2;
    p->element *= 2;
    p->missed = p->a_bytes + p->b_bytes > cap->gpu.l2_bytes / 2 ? p->a_bytes + p->b_bytes : 0;
}

/* Four real products, as one of twice k and n. */
static void split_complex(struct gpu_product *p)
{
    p->k *= 2;
    p->n *= 2;
    p->element /= 2;
    p->useful *= 4;
}

static struct gpu_product describe_product(struct lowering *l, const struct step_op *op)
{
    const struct step *s = l->step;
    const struct trace_op *o = &op->op;
    struct gpu_product p = { .b = o->b, .m = o->m, .n = o->n, .k = o->k, .ta = o->ta, .tb = o->tb };
    enum trace_dtype d = dtype_of_product(l, op);

    p.math = math_of(l, op, d);
    p.useful = o->b * o->m * o->n * o->k;
    p.a_bytes = step_bytes(s, s->ref[op->first_in]);
    p.b_bytes = step_bytes(s, s->ref[op->first_in + 1]);
    p.c_bytes = step_bytes(s, s->ref[op->first_out]);
    p.element = trace_dtype_bytes[s->value[s->ref[op->first_in]].stored];
    p.missed = read_operands(l, op).hbm;
    p.kept = p.c_bytes - write_results(l, op).hbm;
    if (gpu_is_complex(d))
        split_complex(&p);
    return p;
}

static int lower_product(struct lowering *l, const struct step_node *n, const struct step_op *op,
                         uint32_t row, uint64_t host_fs)
{
    enum trace_dtype d = dtype_of_product(l, op);
    const char *why = gpu_refuses(&l->cap->gpu, d);
    struct gpu_plan plan = { 0 };

    if (why)
        return lowering_refuse(l, n, "%s", why);
    struct gpu_product p = describe_product(l, op);
    const struct gpu_tiles *lib = gpu_tiles(&l->cap->gpu, p.math);
    if (!lib)
        return lowering_refuse(l, n, "no unit of this GPU multiplies these operands");
    if (gpu_widens(&l->cap->gpu, d))
        widen_operands(&plan, &p, l->cap);
    if (op->op.kind == TRACE_MATMUL && gpu_is_streamed(&p))
        gpu_product_streamed(&plan, &p, l->cap);
    else if (op->op.kind == TRACE_MATMUL)
        gpu_product(&plan, &p, lib, l->cap);
    else
        plan_conv(&plan, l, op, &p);
    for (uint32_t i = 0; i < plan.n; i++)
        gpu_add_kernel(l, row, &plan.kernel[i], i ? l->cap->gpu.call_fs : host_fs, plan.workspace);
    return 0;
}

/* A framework gives the same bytes another shape without a kernel. */
static bool is_view(const struct step *step, const struct step_op *op)
{
    return op->op.kind == TRACE_COPY && move_of(step, op) == MOVE_VIEW;
}

static int lower_alone(struct lowering *l, const struct step_node *n, const struct step_op *op,
                       uint32_t row)
{
    if (trace_is_gemm(op->op.kind))
        return lower_product(l, n, op, row, gpu_host_time(l));
    if (is_view(l->step, op)) {
        lowering_task(l, TASK_SCALAR, row);
        return 0;
    }
    struct task_flow in = read_operands(l, op), out = write_results(l, op);
    if (op->op.kind == TRACE_SORT && op->n_in && op->op.passes <= 1)
        gpu_sort(l, op, row, &in, &out);
    else
        gpu_passes(l, op, row, &in, &out);
    return 0;
}

/* True if the value is made by another member of the node. */
static bool is_inside(const struct lowering *l, const struct step_node *n, uint32_t v)
{
    uint32_t by = l->step->value[v].op;

    return by != STEP_NONE && by >= n->first_op && by < n->first_op + n->n_ops;
}

/* Add what `op` moves across the border of the fusion, and its work. */
static void add_member(struct lowering *l, const struct step_node *n, const struct step_op *op,
                       struct task_grid *sum)
{
    struct task_flow in = { 0 }, out = { 0 };
    struct task_grid g;

    for (uint32_t i = 0; i < step_n_operands(op); i++) {
        uint32_t v = step_operand(l->step, op, i);
        bool product =
            is_inside(l, n, v) && trace_is_gemm(l->step->op[l->step->value[v].op].op.kind);
        if (is_inside(l, n, v) && !product)
            continue;
        uint64_t bytes = step_bytes(l->step, v);
        in.l2 += bytes;
        in.hbm += read_value(l, op, i, v, bytes);
    }
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(l->step, op, i);
        if (l->step->value[v].on_chip)
            continue;
        uint64_t bytes = step_bytes(l->step, v);
        out.l2 += bytes;
        out.hbm += write_value(l, op, v, bytes);
    }
    gpu_stream(&g, l->step, op, &in, &out, l->cap);
    sum->blocks = g.blocks > sum->blocks ? g.blocks : sum->blocks;
    sum->waves = g.waves > sum->waves ? g.waves : sum->waves;
    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        sum->cycles[pipe] += g.cycles[pipe];
    sum->sm_cycles += g.sm_cycles;
    sum->fixed_cycles = g.fixed_cycles > sum->fixed_cycles ? g.fixed_cycles : sum->fixed_cycles;
    sum->in.l2 += g.in.l2;
    sum->in.hbm += g.in.hbm;
    sum->out.l2 += g.out.l2;
    sum->out.hbm += g.out.hbm;
}

static int lower_fusion(struct lowering *l, const struct step_node *n, uint32_t row)
{
    struct task_grid sum = { 0 };
    uint64_t host_fs = gpu_host_time(l);

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &l->step->op[i];
        if (!trace_is_gemm(op->op.kind)) {
            add_member(l, n, op, &sum);
            continue;
        }
        if (lower_product(l, n, op, row, host_fs) != 0)
            return -1;
        host_fs = l->cap->gpu.call_fs;
    }
    if (!sum.blocks)
        return 0;
    gpu_cut(&sum);
    gpu_add_kernel(l, row, &sum, host_fs, 0);
    return 0;
}

static bool has_product(const struct step *step, const struct step_node *n)
{
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (trace_is_gemm(step->op[i].op.kind))
            return true;
    return false;
}

int gpu_lower(struct lowering *l, const struct step_node *n, uint32_t row)
{
    l->dispatch = 0;
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        if (check_held(l, n, &l->step->op[i]) != 0)
            return -1;
        l->dispatch += l->step->op[i].op.dispatch;
    }
    if (n->fusion && l->cap->gpu.fused)
        return lower_fusion(l, n, row);
    if (n->library && !has_product(l->step, n)) {
        gpu_norm(l, n, row);
        return 0;
    }
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (lower_alone(l, n, &l->step->op[i], row) != 0)
            return -1;
    return 0;
}

/* Kernels that no compiler has cut state what any machine is told. */
int gpu_check(struct lowering *l, const struct step_node *n)
{
    const struct trace_program *p = &l->step->head.program;

    if (!p->given || !p->scheduled || p->gpu)
        return 0;
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        if (l->step->op[i].op.kind == TRACE_KERNEL)
            return lowering_refuse(
                l, n,
                "a kernel %s; this machine has "
                "GPUs: compile the program for them, or give it before it is "
                "compiled",
                strcmp(p->compiler, TRACE_UNKNOWN_COMPILER) == 0
                    ? "of a program that a compiler has scheduled and that "
                      "does not say for what, so that it is taken for one of TPUs"
                    : "that was compiled for a TPU");
    return 0;
}
