/* Kernels of programs that were compiled for GPUs.
 *
 *     product        the kernels that the library would take (gpu_product.c, gpu_conv.c), with what
 *                    is fused in: its bytes and its work
 *     everything else
 *         bytes      those that are stated, at the share of HBM's rate that its pattern reaches
 *                    (gpu_stream.c), once a pass; rows by index in whole sectors
 *         cycles     instructions of the CUDA cores and special functions of each class of work
 *
 * The host launches graphs of kernels, and others one by one: no framework dispatches them. */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/gpu/gpu.h"

#define BLOCK 1024 /* elements */
#define STEP_BYTES (512 << 10)
#define SECTOR 32     /* bytes that the L2 moves at least [nvidia-v100] */
#define SIDE 32       /* columns, and rows at a time, of a block that sums across rows [xla-gpu] */
#define TILE_ROWS 128 /* ... and rows of its tile [xla-gpu] */
#define LEAST_ROWS 64 /* of such a sum; shorter ones are added up by a thread [xla-gpu] */
#define SUMMING 2     /* such blocks of an SM at a time, of 1,024 threads [xla-gpu] */
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
    [TRACE_VECTOR_SUBLANES] = { 0, 0 }, [TRACE_VECTOR_PACK] = { 2, 0 },
};

/* Add a kernel of a compiled program: the host launches it, unless it is a node of a graph that the
 * kernel before it has begun. */
static void add_kernel(struct lowering *l, uint32_t row, struct task_grid *g, bool node,
                       uint64_t workspace)
{
    g->node = node;
    gpu_add_kernel(l, row, g, node ? 0 : gpu_call_time(l), workspace);
}

static uint64_t limit_cycles(u128 cycles)
{
    return cycles > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)cycles;
}

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
            reads ? gpu_cache_find(&l->cache, v, bytes) : gpu_cache_write(&l->cache, v, bytes);
    }
    return longest;
}

/* The largest operand, or result, whose bytes are not stated: the table of the rows.  One that is
 * read as a whole besides may be it too. */
static uint64_t find_table(const struct lowering *l, const struct step_op *op)
{
    const struct trace_compiled *k = op->op.compiled;
    uint64_t most = 0, read = 0;

    for (uint32_t i = 0; i < (k->row_writes ? op->n_out : op->n_in); i++) {
        uint32_t v = k->row_writes ? step_result(l->step, op, i) : step_operand(l->step, op, i);
        uint64_t bytes = step_bytes(l->step, v);
        uint64_t *larger = (k->row_writes ? k->store : k->fetch)[i] ? &read : &most;
        *larger = bytes > *larger ? bytes : *larger;
    }
    return most ? most : read;
}

/* Additions are atomic in the L2, a sector at a time; elements that it cannot add are exchanged one
 * by one until nobody was faster. */
static uint64_t count_atomics(const struct lowering *l, const struct step_op *op, uint64_t sectors)
{
    uint32_t element =
        op->n_out ? trace_dtype_bytes[l->step->value[step_result(l->step, op, 0)].stored] : 4;
    uint64_t each = element && element < 4 ? op->op.compiled->row_bytes / element : 0;
    u128 all = each ? (u128)op->op.rows * each : sectors;

    return limit_cycles(all * PPB_PER_ONE / l->cap->gpu.sms / l->cap->gpu.library.compiled.atomics);
}

static void move_rows(struct task_grid *g, const struct lowering *l, const struct step_op *op)
{
    const struct trace_compiled *k = op->op.compiled;
    uint64_t row = arith_round_up(k->row_bytes, SECTOR), table = find_table(l, op);
    u128 wide = (u128)row * op->op.rows;
    uint64_t all = wide > MOST_ELEMENTS ? MOST_ELEMENTS : (uint64_t)wide;
    uint64_t missed = table && all > table ? table : all;

    if (table > l->cap->gpu.l2_bytes && !k->row_writes && k->row_bytes >= SECTOR)
        missed += op->op.rows * l->cap->gpu.library.compiled.row_more;
    g->in.l2 += k->row_writes ? 0 : all;
    g->in.hbm += missed; /* a scatter adds to what is there */
    if (!k->row_writes)
        return;
    g->out.l2 += all;
    g->out.hbm += missed;
    g->cycles[GRID_SMEM] = count_atomics(l, op, all / SECTOR);
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

/* Share of HBM's rate that a kernel reaches, parts per 1e9, by how it passes through memory. */
static uint64_t share_of(const struct trace_compiled *k, const struct compiled_params *c)
{
    if (k->form == TRACE_FORM_GATHER || k->form == TRACE_FORM_SCATTER)
        return c->rows;
    switch (k->pattern) {
    case TRACE_PATTERN_STRIDED: return c->strided;
    case TRACE_PATTERN_TRANSPOSED: return c->transposed;
    case TRACE_PATTERN_REDUCTION: return c->reduction;
    case TRACE_PATTERN_COLUMNS: return c->columns;
    case TRACE_PATTERN_WINDOWS: return c->windows;
    default: return PPB_PER_ONE;
    }
}

/* Sums across rows: a block has SIDE columns, of which it adds up SIDE rows at a time.  Rows that
 * do not fill its tiles are read with care, which shows at the end of a block. */
static void add_columns(struct task_grid *g, const struct trace_compiled *k, const struct cap *cap)
{
    const struct compiled_params *c = &cap->gpu.library.compiled;
    uint64_t blocks = arith_ceil_div(k->sums, SIDE), rows = arith_ceil_div(k->chain, SIDE);
    uint64_t rounds = arith_ceil_div(blocks, (uint64_t)cap->gpu.sms * SUMMING);
    u128 all = (u128)k->sums * k->chain;
    u128 wait = (u128)rounds * rows * (g->out.l2 >= all ? c->storing_time : c->adding_time);
    u128 work = all * c->adding / ((u128)cap->gpu.sms * cap->gpu.f32);

    if (k->chain < LEAST_ROWS)
        return;
    if (k->chain % TILE_ROWS)
        g->fixed_cycles += limit_cycles((u128)rounds * c->ending_time * cap->core_hz / FS_PER_S);
    wait = wait * cap->core_hz / FS_PER_S;
    wait = wait > work ? wait : work;
    if (wait > g->cycles[GRID_FMA])
        g->cycles[GRID_FMA] = limit_cycles(wait);
}

/* Cut a kernel into steps of so many bytes that those in flight keep the memory busy. */
static void cut_stream(struct task_grid *g)
{
    uint64_t steps = (g->in.l2 + g->out.l2) / STEP_BYTES;

    gpu_cut(g);
    g->steps = steps < 1 ? 1 : steps < g->steps ? steps : g->steps;
}

static uint64_t divide_share(uint64_t bytes, uint64_t share)
{
    u128 n = (u128)bytes * PPB_PER_ONE / share;

    return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

/* Rates that are not reached count as more bytes. */
static void limit_rates(struct task_grid *g, uint64_t share, const struct compiled_params *c)
{
    g->in.hbm = divide_share(g->in.hbm, share);
    g->out.hbm = divide_share(g->out.hbm, share);
    g->in.l2 = divide_share(g->in.l2, c->cached);
    g->out.l2 = divide_share(g->out.l2, c->cached);
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
    if (k->sums && k->chain)
        add_columns(&g, k, l->cap);
    limit_rates(&g, share_of(k, &l->cap->gpu.library.compiled), &l->cap->gpu.library.compiled);
    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        most = g.cycles[pipe] > most ? g.cycles[pipe] : most;
    g.sm_cycles = most * (g.blocks < l->cap->gpu.sms ? g.blocks : l->cap->gpu.sms);
    cut_stream(&g);
    for (uint64_t i = 0; i < k->rounds && i < MOST_ROUNDS; i++)
        add_kernel(l, row, &g, k->node, 0);
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
    return gpu_math_of_product(gpu, d, op->op.precision, op->op.m, op->op.n);
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
                          .side = { 1, 1, 1 },
                          .filter = { 1, 1, 1 },
                          .rank = k->image.n - 2,
                          .size = (uint32_t)k->filter.dim[2],
                          .channels_first = k->channels_first,
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
        v.side[d] = image->dim[2 + d];
        v.filter[d] = k->filter.dim[2 + d];
        v.strided |= k->strides.n && k->strides.dim[d] > 1;
        v.dilated |= k->dilates.n && k->dilates.dim[d] != 1;
        if (v.filter[d] != v.size || v.dilated)
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
    if (!k->queries) /* exponentials of attention are in its rate */
        add_work(last, k, cap);
    gpu_cut(last);
}

/* Bytes of operands that are added to the result: those of its size, besides A and B. */
static uint64_t count_added(const struct step_op *op, const struct gpu_product *p, uint64_t read)
{
    uint64_t more = read > p->a_bytes + p->b_bytes ? read - p->a_bytes - p->b_bytes : 0;
    uint64_t added = 0;

    for (uint32_t i = 0; i < op->n_in; i++)
        if (op->op.compiled->fetch[i] == p->c_bytes && added + p->c_bytes <= more)
            added += p->c_bytes;
    return added;
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
    p.added = count_added(op, &p, in.l2);
    if (k->queries) {
        p.a_bytes = in.l2, p.b_bytes = 0, p.c_bytes = out.l2; /* scores stay on chip */
        gpu_attention(&plan, &p, k, l->cap);
    } else if (k->counts[TRACE_DIM_B]) {
        gpu_written(&plan, &p, k, l->cap);
    } else if (k->conv == TRACE_PASS_NONE && gpu_is_streamed(&p)) {
        gpu_product_streamed(&plan, &p, l->cap);
    } else if (k->conv == TRACE_PASS_NONE) {
        gpu_product(&plan, &p, lib, l->cap);
    } else {
        struct gpu_conv v = describe_conv(k, op, &p);
        p.a_bytes = v.a_bytes, p.b_bytes = v.b_bytes, p.c_bytes = v.c_bytes;
        gpu_conv(&plan, &v, l->cap);
    }
    add_fused(&plan, k, &in, &out, &p, l->cap);
    for (uint32_t i = 0; i < plan.n; i++)
        add_kernel(l, row, &plan.kernel[i], k->node, plan.workspace);
    return 0;
}

int gpu_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                 uint32_t row)
{
    l->dispatch = op->op.dispatch;
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
    limit_rates(&g, PPB_PER_ONE, &l->cap->gpu.library.compiled);
    cut_stream(&g);
    gpu_add_kernel(l, row, &g, l->cap->gpu.call_fs, 0);
    return 0;
}
