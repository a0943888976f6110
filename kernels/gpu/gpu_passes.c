/* Operations that a framework without a compiler runs as several kernels.
 *
 * An operation of a trace stands for what a compiler makes of it; `passes=` says of how many
 * operations of the framework.  Each reads values of the longest operand's or result's size and
 * writes such, which is the workspace; the last one also reads the operands and writes the results.
 * `einsums=` of them are einsums that sum nothing: TensorFlow gives them to the library as a batch
 * of products, for each position of all dimensions but the last a vector by a number [tf-einsum].
 */
#include "base/arith.h"
#include "kernels/gpu/gpu.h"

/* Bytes of the longest operand or result, and those of them that another kernel finds missing in
 * the L2. */
static struct task_flow find_flow(const struct step *step, const struct step_op *op,
                                  const struct cap_gpu *gpu)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        uint32_t v = i < op->n_in ? step_operand(step, op, i) : step_result(step, op, i - op->n_in);
        uint64_t b = step_bytes(step, v);
        bytes = b > bytes ? b : bytes;
    }
    return (struct task_flow){ bytes, 2 * bytes <= gpu->l2_bytes ? 0 : bytes };
}

/* Elements of the last dimension of the longest operand or result. */
static uint64_t last_dimension(const struct step *step, const struct step_op *op)
{
    uint64_t most = 0, last = 1;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        uint32_t v = i < op->n_in ? step_operand(step, op, i) : step_result(step, op, i - op->n_in);
        const struct trace_shape *s = &step->value[v].shape;
        uint64_t b = step_bytes(step, v);
        if (b > most && s->rank) {
            most = b;
            last = s->dim[s->rank - 1];
        }
    }
    return last ? last : 1;
}

static void add_einsum(struct lowering *l, const struct step_op *op, uint32_t row,
                       const struct task_flow *flow)
{
    uint64_t n = gpu_longest_value(l->step, op), m = last_dimension(l->step, op);
    struct gpu_product p = { .b = arith_ceil_div(n, m),
                             .m = m,
                             .n = 1,
                             .k = 1,
                             .math =
                                 gpu_math_of_product(&l->cap->gpu, TRACE_F32, TRACE_DEFAULT, m, 1),
                             .element = 4,
                             .useful = n,
                             .a_bytes = flow->l2,
                             .c_bytes = flow->l2,
                             .missed = flow->hbm };
    struct gpu_plan plan = { 0 };

    p.b_bytes = p.b * p.element;
    gpu_product_streamed(&plan, &p, l->cap);
    for (uint32_t i = 0; i < plan.n; i++)
        gpu_add_kernel(l, row, &plan.kernel[i], i ? l->cap->gpu.call_fs : gpu_host_time(l),
                       flow->l2);
}

void gpu_passes(struct lowering *l, const struct step_op *op, uint32_t row,
                const struct task_flow *in, const struct task_flow *out)
{
    uint64_t passes = op->op.passes > 1 ? op->op.passes : 1;
    struct task_flow flow = find_flow(l->step, op, &l->cap->gpu);
    struct task_grid g;

    for (uint64_t i = 0; i < passes; i++) {
        if (i < op->op.einsums) {
            add_einsum(l, op, row, &flow);
            continue;
        }
        if (i + 1 < passes)
            gpu_pass(&g, l->step, op, &flow, &flow, l->cap);
        else
            gpu_stream(&g, l->step, op, in, out, l->cap);
        gpu_add_kernel(l, row, &g, gpu_host_time(l), passes > 1 ? flow.l2 : 0);
    }
}
