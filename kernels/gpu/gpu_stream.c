/* Kernels of a GPU without a product: they stream through the L2 and compute on the way.
 *
 *     bytes    operands and results once; a gather or scatter moves whole sectors of 32 B
 *     cycles   f32 operations / (SMs * rate), special functions likewise; the longer of the two
 *
 * Blocks of 1,024 elements of the longest operand or result. */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/common/move.h"
#include "kernels/common/vector.h"
#include "kernels/gpu/gpu.h"

#define BLOCK 1024        /* elements */
#define VECTOR 16         /* bytes that a thread moves at a time */
#define SECTOR 32         /* bytes that the L2 moves at least [nvidia-v100] */
#define STEPS 32          /* in which a long kernel is simulated */
#define STEP_BYTES 524288 /* a step of a shorter one moves at least: four are in flight */
#define STEP_CYCLES 500   /* or takes so many cycles at least */

/* Special functions that a function of an element takes, by the instructions that there are
 * [cuda-guide]. */
static const uint8_t sfu_of[TRACE_N_FNS] = {
    [TRACE_FN_DIVIDE] = 1, [TRACE_FN_SQRT] = 1,   [TRACE_FN_RSQRT] = 1,    [TRACE_FN_EXP] = 1,
    [TRACE_FN_LOG] = 1,    [TRACE_FN_TANH] = 2,   [TRACE_FN_LOGISTIC] = 2, [TRACE_FN_POWER] = 2,
    [TRACE_FN_SINE] = 2,   [TRACE_FN_COSINE] = 2, [TRACE_FN_ERF] = 2,
};

void gpu_cut(struct task_grid *g)
{
    uint64_t bytes = g->in.l2 + g->out.l2, most = 0;

    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        most = g->cycles[pipe] > most ? g->cycles[pipe] : most;
    uint64_t steps =
        bytes / STEP_BYTES > most / STEP_CYCLES ? bytes / STEP_BYTES : most / STEP_CYCLES;
    g->steps = steps < 1 ? 1 : steps > STEPS ? STEPS : steps;
}

uint64_t gpu_longest_value(const struct step *step, const struct step_op *op)
{
    uint64_t most = 1;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        uint64_t n = vector_elements(
            step, i < op->n_in ? op->first_in + i : op->first_out + (i - op->n_in), 1);
        most = n > most ? n : most;
    }
    return most;
}

static bool moves_rows(const struct step_op *op)
{
    return op->op.kind == TRACE_GATHER || op->op.kind == TRACE_SCATTER;
}

/* Elements that threads have at hand: of a table the rows that are moved. */
static uint64_t count_elements(const struct step *step, const struct step_op *op)
{
    return moves_rows(op) ? op->op.rows * op->op.cols : gpu_longest_value(step, op);
}

static bool is_wide(const struct step *step, const struct step_op *op)
{
    return op->n_in && step->value[step->ref[op->first_in]].shape.dtype == TRACE_F64;
}

/* Operations of all elements. */
static uint64_t count_flops(const struct step *step, const struct step_op *op)
{
    uint64_t n = count_elements(step, op);

    return op->op.flops > n ? op->op.flops : n;
}

static uint64_t row_bytes(const struct step *step, const struct step_op *op)
{
    uint32_t table = op->op.kind == TRACE_GATHER ? op->first_in : op->first_out;
    uint64_t bytes = op->op.cols * trace_dtype_bytes[step->value[step->ref[table]].stored];

    return arith_round_up(bytes, SECTOR);
}

/* Rows of a table are read one by one; a scatter adds to them in the L2, atomically. */
static void move_rows(struct task_grid *g, const struct step *step, const struct step_op *op,
                      const struct cap_gpu *gpu)
{
    uint64_t row = row_bytes(step, op), all = op->op.rows * row;
    bool adds = op->op.kind == TRACE_SCATTER && !op->op.sorted;

    if (adds) {
        uint64_t atomics = op->op.rows * op->op.cols;
        g->out.l2 += all;
        g->cycles[GRID_SMEM] =
            arith_ceil_div(atomics, (uint64_t)gpu->sms * gpu->library.stream.atomics);
    } else {
        uint64_t table = step_bytes(step, step->ref[op->first_in]);
        uint64_t missed = all > table && table <= gpu->l2_bytes ? table : all;
        g->in.l2 = g->in.l2 > table ? g->in.l2 - table + all : all;
        g->in.hbm = g->in.hbm > table ? g->in.hbm - table + missed : missed;
    }
}

/* True if all operands with more than one element have as many as the result. */
static bool is_contiguous(const struct step *step, const struct step_op *op)
{
    uint64_t n = gpu_longest_value(step, op);

    for (uint32_t i = 0; i < op->n_in; i++) {
        uint64_t x = vector_elements(step, op->first_in + i, 1);
        if (x > 1 && x < n)
            return false;
    }
    return true;
}

/* True if no operand has more than one element. */
static bool is_fill(const struct step *step, const struct step_op *op)
{
    for (uint32_t i = 0; i < op->n_in; i++)
        if (vector_elements(step, op->first_in + i, 1) > 1)
            return false;
    return true;
}

static enum gpu_stream_class class_of(const struct step *step, const struct step_op *op)
{
    switch (trace_kinds[op->op.kind].gpu) {
    case TRACE_GPU_REDUCE: return GPU_REDUCE;
    case TRACE_GPU_POOL: return GPU_POOL;
    case TRACE_GPU_SORT: return GPU_SORT;
    case TRACE_GPU_GATHER: return GPU_GATHER;
    case TRACE_GPU_SCATTER: return op->op.sorted ? GPU_GATHER : GPU_SCATTER; /* no additions meet */
    case TRACE_GPU_MOVE:
        return is_fill(step, op)                      ? GPU_FILL
               : move_of(step, op) == MOVE_TRANSPOSED ? GPU_TRANSPOSE
                                                      : GPU_STRIDED;
    case TRACE_GPU_ELEMENTS: return is_contiguous(step, op) ? GPU_VECTOR : GPU_STRIDED;
    case TRACE_GPU_NONE:
    case TRACE_GPU_PRODUCT:
    case TRACE_GPU_PLAIN: break;
    }
    return GPU_VECTOR;
}

/* The line of a class in the library; one that it does not name is as contiguous. */
static struct gpu_stream_line find_class(const struct stream_params *s, enum gpu_stream_class class)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->line[i].class == class)
            return s->line[i];
    return (struct gpu_stream_line){ .share = PPB_PER_ONE };
}

static uint64_t add_missing(uint64_t bytes, uint64_t share)
{
    return (uint64_t)((u128)bytes * PPB_PER_ONE / share);
}

/* The rate that a class does not reach counts as more bytes, or as cycles of its instructions. */
void gpu_stream_limit(struct task_grid *g, enum gpu_stream_class class, uint64_t n, bool fixed,
                      const struct cap *cap)
{
    const struct stream_params *s = &cap->gpu.library.stream;
    struct gpu_stream_line c = find_class(s, class);

    g->in.hbm = add_missing(g->in.hbm, c.share);
    g->out.hbm = add_missing(g->out.hbm, c.share);
    g->in.l2 = add_missing(g->in.l2, s->l2);
    g->out.l2 = add_missing(g->out.l2, s->l2);
    if (fixed)
        g->fixed_cycles += (uint64_t)((u128)c.time * cap->core_hz / FS_PER_S);
    u128 bytes = (u128)n * c.element / PPB_PER_ONE;
    uint64_t cycles = (uint64_t)(bytes * cap->core_hz / cap->hbm_bytes_per_s);
    g->cycles[GRID_FMA] = cycles > g->cycles[GRID_FMA] ? cycles : g->cycles[GRID_FMA];
}

void gpu_add_work(struct task_grid *g, const struct step *step, const struct step_op *op,
                  const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    uint64_t n = count_elements(step, op), flops = count_flops(step, op);
    enum grid_pipe pipe = is_wide(step, op) ? GRID_F64 : GRID_FMA;
    uint32_t rate = pipe == GRID_F64 ? gpu->f64 : gpu->f32;

    g->cycles[pipe] += arith_ceil_div(flops, (uint64_t)gpu->sms * rate);
    g->cycles[GRID_SFU] += arith_ceil_div(n * sfu_of[op->op.fn], (uint64_t)gpu->sms * gpu->sfu);
}

/* Rows of a gather that are vectors of 16 B have a block each. */
static void limit_rows(struct task_grid *g, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    uint64_t time = find_class(&cap->gpu.library.stream, GPU_GATHER).row;
    uint64_t row = op->op.cols * trace_dtype_bytes[step->value[step->ref[op->first_in]].stored];
    u128 waits = (u128)arith_ceil_div(op->op.rows, cap->gpu.sms) * time * cap->core_hz / FS_PER_S;

    if (op->op.kind == TRACE_GATHER && row >= VECTOR && row % VECTOR == 0 &&
        waits > g->cycles[GRID_FMA])
        g->cycles[GRID_FMA] = waits > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)waits;
}

/* The last block of a sum of columns adds what others left. */
static void add_steps(struct task_grid *g, const struct step *step, const struct step_op *op,
                      const struct cap *cap)
{
    uint64_t time = find_class(&cap->gpu.library.stream, GPU_REDUCE).row;
    u128 waits = (u128)gpu_sum_steps(step, op, cap->gpu.sms) * time * cap->core_hz / FS_PER_S;

    g->fixed_cycles += waits > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)waits;
}

/* Sums with so few blocks that their elements hold up the SMs that have one; a kernel for each
 * result. */
static void limit_places(struct task_grid *g, const struct step *step, const struct step_op *op,
                         uint64_t n, const struct cap_gpu *gpu)
{
    uint64_t places = gpu->fused ? 0 : gpu_sum_places(step, op);

    if (!places)
        return;
    uint64_t cycles = op->n_out * gpu_sum_cycles(n, places, gpu);
    g->blocks = places;
    g->waves = arith_ceil_div(places, gpu->sms);
    g->cycles[GRID_FMA] = cycles > g->cycles[GRID_FMA] ? cycles : g->cycles[GRID_FMA];
}

void gpu_stream(struct task_grid *g, const struct step *step, const struct step_op *op,
                const struct task_flow *in, const struct task_flow *out, const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    uint64_t n = count_elements(step, op);
    enum grid_pipe pipe = is_wide(step, op) ? GRID_F64 : GRID_FMA;

    *g = (struct task_grid){ .blocks = arith_ceil_div(n, BLOCK), .in = *in, .out = *out };
    g->waves = arith_ceil_div(g->blocks, gpu->sms);
    gpu_add_work(g, step, op, cap);
    if (moves_rows(op))
        move_rows(g, step, op, gpu);
    gpu_stream_limit(g, class_of(step, op), n, true, cap);
    limit_rows(g, step, op, cap);
    add_steps(g, step, op, cap);
    limit_places(g, step, op, n, gpu);
    uint64_t most = g->cycles[pipe] > g->cycles[GRID_SFU] ? g->cycles[pipe] : g->cycles[GRID_SFU];
    g->sm_cycles = most * (g->blocks < gpu->sms ? g->blocks : gpu->sms);
    gpu_cut(g);
}

void gpu_pass(struct task_grid *g, const struct step *step, const struct step_op *op,
              const struct task_flow *in, const struct task_flow *out, const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    uint64_t n = gpu_longest_value(step, op);

    *g = (struct task_grid){ .blocks = arith_ceil_div(n, BLOCK), .in = *in, .out = *out };
    g->waves = arith_ceil_div(g->blocks, gpu->sms);
    g->cycles[GRID_FMA] = arith_ceil_div(n, (uint64_t)gpu->sms * gpu->f32);
    gpu_stream_limit(g, GPU_VECTOR, n, true, cap);
    g->sm_cycles = g->cycles[GRID_FMA] * (g->blocks < gpu->sms ? g->blocks : gpu->sms);
    gpu_cut(g);
}
