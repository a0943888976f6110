/* Kernels of programs that were compiled for GPUs.
 *
 *     product        the kernels that the library would take (gpu_product.c, gpu_conv.c), with what
 *                    is fused in: its bytes and its work
 *     everything else
 *         bytes      those that are stated, at the share of HBM's rate that its pattern reaches
 *                    (gpu_stream.c), once a pass; rows by index in whole sectors
 *         cycles     instructions of the CUDA cores and special functions of each class of work
 *
 * The host launches a compiled program kernel by kernel: no framework dispatches them. */
#include "base/arith.h"
#include "base/wide.h"
#include "kernels/gpu.h"

#define BLOCK 1024 /* elements */
#define SECTOR 32  /* bytes that the L2 moves at least [nvidia-v100] */
#define ATOMICS 16 /* additions of an SM a cycle, in the L2 [unverified] */
#define MOST_ROUNDS 4096
#define MOST_ELEMENTS (UINT64_C(1) << 50) /* of an operand or result of a product */

/* Instructions for an element of an operation of each class: means over its functions, of the PTX
 * that the compiler writes for f32 [xla-gpu]. */
static const struct {
    uint8_t fma, sfu;
} instructions[TRACE_N_VECTORS] = {
    [TRACE_VECTOR_ADD] = { 1, 0 },      [TRACE_VECTOR_SELECT] = { 1, 0 },
    [TRACE_VECTOR_CAST] = { 1, 0 },     [TRACE_VECTOR_DIVIDE] = { 2, 1 },
    [TRACE_VECTOR_EXP] = { 20, 1 },     [TRACE_VECTOR_SINE] = { 25, 1 },
    [TRACE_VECTOR_SUBLANES] = { 0, 0 },
};

static const enum gpu_stream_class classes[TRACE_N_PATTERNS] = {
    [TRACE_PATTERN_CONTIGUOUS] = GPU_VECTOR,    [TRACE_PATTERN_STRIDED] = GPU_STRIDED,
    [TRACE_PATTERN_TRANSPOSED] = GPU_TRANSPOSE, [TRACE_PATTERN_REDUCTION] = GPU_REDUCE,
    [TRACE_PATTERN_WINDOWS] = GPU_POOL,
};

/* --- bytes and work ------------------------------------------------------------------------- */

/* Bytes that the kernel reads and writes, and elements of the longest part of a value. */
static uint64_t move_values(struct lowering *l, const struct step_op *op, struct task_flow *in,
                            struct task_flow *out)
{
    const struct trace_compiled *k = op->op.compiled;
    uint64_t longest = 1;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        bool reads = i < op->n_in;
        uint32_t v = reads ? step_operand(l->step, op, i) : step_result(l->step, op, i - op->n_in);
        uint64_t bytes = reads ? k->fetch[i] : k->store[i - op->n_in];
        uint64_t n = bytes / trace_dtype_bytes[l->step->value[v].stored];
        longest = n > longest ? n : longest;
        struct task_flow *way = reads ? in : out;
        way->l2 += bytes;
        way->hbm +=
            reads ? gpu_cache_read(&l->cache, v, bytes) : gpu_cache_write(&l->cache, v, bytes);
    }
    return longest;
}

/* The largest operand, or result, whose bytes are not stated: the table of the rows. */
static uint64_t find_table(const struct lowering *l, const struct step_op *op)
{
    const struct trace_compiled *k = op->op.compiled;
    uint64_t most = 0;

    for (uint32_t i = 0; i < (k->row_writes ? op->n_out : op->n_in); i++) {
        uint32_t v = k->row_writes ? step_result(l->step, op, i) : step_operand(l->step, op, i);
        uint64_t bytes = (k->row_writes ? k->store : k->fetch)[i] ? 0 : step_bytes(l->step, v);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void move_rows(struct task_grid *g, const struct lowering *l, const struct step_op *op)
{
    const struct trace_compiled *k = op->op.compiled;
    uint64_t row = arith_round_up(k->row_bytes, SECTOR), table = find_table(l, op);
    u128 wide = (u128)row * op->op.rows;
    uint64_t all = wide > MOST_ELEMENTS ? MOST_ELEMENTS : (uint64_t)wide;
    uint64_t missed = table && all > table ? table : all;

    g->in.l2 += k->row_writes ? 0 : all;
    g->in.hbm += missed; /* a scatter adds to what is there */
    if (!k->row_writes)
        return;
    g->out.l2 += all;
    g->out.hbm += missed;
    g->cycles[GRID_SMEM] = arith_ceil_div(all / 4, (uint64_t)l->cap->gpu.sms * ATOMICS);
}

/* Cycles of the SM with the most blocks. */
static uint64_t share_of_sms(u128 work, uint64_t rate, const struct task_grid *g,
                             const struct cap_gpu *gpu)
{
    uint64_t sms = g->blocks < gpu->sms ? g->blocks : gpu->sms;
    u128 cycles = (work + sms * rate - 1) / (sms * rate);

    return cycles > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)cycles;
}

static void add_work(struct task_grid *g, const struct trace_compiled *k, const struct cap *cap)
{
    u128 fma = 0, sfu = 0;

    for (int c = 0; c < TRACE_N_VECTORS; c++) {
        fma += (u128)k->vector[c] * instructions[c].fma;
        sfu += (u128)k->vector[c] * instructions[c].sfu;
    }
    g->cycles[GRID_FMA] += share_of_sms(fma, cap->gpu.f32, g, &cap->gpu);
    g->cycles[GRID_SFU] += share_of_sms(sfu, cap->gpu.sfu, g, &cap->gpu);
}

/* --- kernels without a product -------------------------------------------------------------- */

static enum gpu_stream_class class_of(const struct trace_compiled *k)
{
    return k->form == TRACE_FORM_GATHER    ? GPU_GATHER
           : k->form == TRACE_FORM_SCATTER ? GPU_SCATTER
                                           : classes[k->pattern];
}

static void lower_stream(struct lowering *l, const struct step_op *op, uint32_t row)
{
    const struct trace_compiled *k = op->op.compiled;
    struct task_grid g = { 0 };
    uint64_t n = move_values(l, op, &g.in, &g.out), most = 0;

    g.blocks = arith_ceil_div(n, BLOCK);
    g.waves = arith_ceil_div(g.blocks, l->cap->gpu.sms);
    add_work(&g, k, l->cap);
    if (k->row_bytes)
        move_rows(&g, l, op);
    gpu_stream_limit(&g, class_of(k), n, false, l->cap);
    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        most = g.cycles[pipe] > most ? g.cycles[pipe] : most;
    g.sm_cycles = most * (g.blocks < l->cap->gpu.sms ? g.blocks : l->cap->gpu.sms);
    gpu_cut(&g);
    for (uint64_t i = 0; i < k->rounds && i < MOST_ROUNDS; i++)
        gpu_add_kernel(l, row, &g, l->cap->gpu.call_fs, 0);
}

/* --- products ------------------------------------------------------------------------------- */

static enum trace_dtype dtype_of(const struct step *s, const struct step_op *op)
{
    const struct trace_compiled *k = op->op.compiled;

    return k->operands ? (enum trace_dtype)(k->operands - 1)
           : op->n_in  ? s->value[step_operand(s, op, 0)].shape.dtype
                       : TRACE_F32;
}

static enum gpu_math math_of(const struct cap_gpu *gpu, const struct step_op *op,
                             enum trace_dtype d)
{
    enum gpu_math math = gpu_math_of_product(gpu, d, op->op.m, op->op.n);

    return math == GPU_TF32 && op->op.precision == TRACE_HIGHEST ? GPU_F32 : math;
}

/* C^T = B^T A^T, where C lies along m. */
static void turn_product(struct gpu_product *p)
{
    uint64_t m = p->m, a = p->a_bytes;
    bool ta = p->ta;

    p->m = p->n, p->n = m;
    p->a_bytes = p->b_bytes, p->b_bytes = a;
    p->ta = !p->tb, p->tb = !ta;
}

/* Bytes of an element of the product's result: complex ones are two each in it. */
static uint32_t bytes_of_result(const struct step *s, const struct step_op *op, uint32_t element)
{
    if (op->n_out == 0)
        return element;
    enum trace_dtype d = s->value[step_result(s, op, 0)].stored;
    return trace_dtype_bytes[d] / (d == TRACE_C64 || d == TRACE_C128 ? 2 : 1);
}

static struct gpu_product describe_product(const struct lowering *l, const struct step_op *op)
{
    const struct trace_compiled *k = op->op.compiled;
    enum trace_dtype d = dtype_of(l->step, op);
    const struct trace_op *o = &op->op;
    struct gpu_product p = { .b = o->b,
                             .m = o->m,
                             .n = o->n,
                             .k = o->k,
                             .math = math_of(&l->cap->gpu, op, d),
                             .element = trace_dtype_bytes[d],
                             .useful = o->b * o->m * o->n * o->k };

    p.a_bytes = p.b * p.m * p.k * p.element;
    p.b_bytes = p.b * p.k * p.n * p.element;
    p.c_bytes = p.b * p.m * p.n * bytes_of_result(l->step, op, p.element);
    p.ta = k->has_lanes && k->lanes[0] == TRACE_DIM_M;
    p.tb = k->has_lanes && k->lanes[1] == TRACE_DIM_K;
    if (k->has_lanes && k->lanes[2] == TRACE_DIM_M)
        turn_product(&p);
    return p;
}

static uint64_t multiply_sides(const struct trace_sides *s, uint32_t from)
{
    uint64_t n = 1;

    for (uint32_t d = from; d < s->n; d++)
        n *= s->dim[d];
    return n;
}

static struct gpu_conv describe_conv(const struct trace_compiled *k, const struct step_op *op,
                                     const struct gpu_product *p)
{
    static const enum trace_kind kinds[] = { [TRACE_PASS_FORWARD] = TRACE_CONV,
                                             [TRACE_PASS_DGRAD] = TRACE_CONV_DGRAD,
                                             [TRACE_PASS_WGRAD] = TRACE_CONV_WGRAD };
    uint64_t groups = k->image.dim[1] / k->filter.dim[1];
    const struct trace_sides *image = k->conv == TRACE_PASS_DGRAD ? &k->image : &k->result;
    struct gpu_conv v = { .kind = kinds[k->conv],
                          .math = p->math,
                          .images = k->image.dim[0],
                          .groups = groups,
                          .c = k->filter.dim[1],
                          .k = k->filter.dim[0] / groups,
                          .in = multiply_sides(&k->image, 2),
                          .out = multiply_sides(&k->result, 2),
                          .taps = multiply_sides(&k->filter, 2),
                          .first = image->dim[2],
                          .second = image->n > 3 ? image->dim[3] : 1,
                          .rank = k->image.n - 2,
                          .size = (uint32_t)k->filter.dim[2],
                          .element = p->element,
                          .missed = p->missed,
                          .useful = op->op.flops / 2 < p->useful ? op->op.flops / 2 : p->useful };
    uint64_t x = multiply_sides(&k->image, 0) * p->element;
    uint64_t w = multiply_sides(&k->filter, 0) * p->element;
    uint64_t y = multiply_sides(&k->result, 0) * p->element;

    v.a_bytes = k->conv == TRACE_PASS_DGRAD ? y : x;
    v.b_bytes = k->conv == TRACE_PASS_WGRAD ? y : w;
    v.c_bytes = k->conv == TRACE_PASS_DGRAD ? x : k->conv == TRACE_PASS_WGRAD ? w : y;
    for (uint32_t d = 0; d < v.rank; d++) {
        v.strided |= k->strides.n && k->strides.dim[d] > 1;
        if (k->filter.dim[2 + d] != v.size || (k->dilates.n && k->dilates.dim[d] != 1))
            v.size = 0;
    }
    return v;
}

/* Bytes and work that are fused into a product come with its first kernel's operands and its last
 * one's result. */
static void add_fused(struct gpu_plan *plan, const struct trace_compiled *k,
                      const struct task_flow *in, const struct task_flow *out,
                      const struct gpu_product *p, const struct cap *cap)
{
    uint64_t operands = p->a_bytes + p->b_bytes;
    struct task_grid *last = &plan->kernel[plan->n - 1];

    plan->kernel[0].in.l2 += in->l2 > operands ? in->l2 - operands : 0;
    last->out.l2 += out->l2 > p->c_bytes ? out->l2 - p->c_bytes : 0;
    last->out.hbm += out->l2 > p->c_bytes ? out->l2 - p->c_bytes : 0;
    add_work(last, k, cap);
    gpu_cut(last);
}

static bool is_beyond(const struct trace_op *o)
{
    u128 most = (u128)o->b * o->m * o->n, k = o->k;

    return most > MOST_ELEMENTS || (u128)o->b * o->m * k > MOST_ELEMENTS ||
           (u128)o->b * o->n * k > MOST_ELEMENTS || most * k > LOWER_MOST_CYCLES;
}

static int lower_product(struct lowering *l, const struct step_node *n, const struct step_op *op,
                         uint32_t row)
{
    const struct trace_compiled *k = op->op.compiled;
    const struct gpu_tiles *lib;
    struct task_flow in = { 0 }, out = { 0 };
    struct gpu_plan plan = { 0 };

    if (is_beyond(&op->op))
        return lowering_refuse(l, n, "a product beyond what a run can hold");
    struct gpu_product p = describe_product(l, op);
    lib = gpu_tiles(&l->cap->gpu, p.math);
    if (!lib)
        return lowering_refuse(l, n, "no unit of this GPU multiplies these operands");
    move_values(l, op, &in, &out);
    p.missed = in.hbm;
    if (k->conv == TRACE_PASS_NONE) {
        gpu_product(&plan, &p, lib, l->cap);
    } else {
        struct gpu_conv v = describe_conv(k, op, &p);
        p.a_bytes = v.a_bytes, p.b_bytes = v.b_bytes, p.c_bytes = v.c_bytes;
        gpu_conv(&plan, &v, l->cap);
    }
    add_fused(&plan, k, &in, &out, &p, l->cap);
    for (uint32_t i = 0; i < plan.n; i++)
        gpu_add_kernel(l, row, &plan.kernel[i], l->cap->gpu.call_fs, plan.workspace);
    return 0;
}

int gpu_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                 uint32_t row)
{
    if (op->op.compiled->unit != TRACE_ON_TENSORCORE)
        return lowering_refuse(l, n, "unit=sparsecore: a GPU has none");
    if (trace_has_product(op->op.compiled))
        return lower_product(l, n, op, row);
    lower_stream(l, op, row);
    return 0;
}

/* A copy in the background takes the SMs where it begins. */
int gpu_background(struct lowering *l, const struct step_node *n, const struct step_op *op,
                   uint32_t row)
{
    struct task_grid g = { 0 };

    if (op->op.async == TRACE_DONE) {
        lowering_task(l, TASK_SCALAR, row);
        return 0;
    }
    uint32_t from = step_operand(l->step, op, 0), to = step_result(l->step, op, 0);
    if (step_space(l->step, from) == TRACE_IN_HOST || step_space(l->step, to) == TRACE_IN_HOST)
        return lowering_refuse(l, n,
                               "copies between a GPU and the memory of its host are not "
                               "modelled");
    g.in = (struct task_flow){ op->op.payload, op->op.payload };
    g.out = g.in;
    g.blocks = arith_ceil_div(op->op.payload ? op->op.payload : 1, 4 * BLOCK);
    g.waves = arith_ceil_div(g.blocks, l->cap->gpu.sms);
    gpu_stream_limit(&g, GPU_VECTOR, 0, false, l->cap);
    gpu_cut(&g);
    gpu_add_kernel(l, row, &g, l->cap->gpu.call_fs, 0);
    return 0;
}
