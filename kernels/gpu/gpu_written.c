/* Products that a compiler writes itself, by tiles that its tuner has chosen (tile=, warps=,
 * stages=): a block of the grid has one tile of the result and goes along k.
 *
 *     at work   blocks of an SM together, as their shared memory, registers and warps allow
 *     cycles    the longer of the multiplications of an SM's blocks, at the share of its rate that
 *               such kernels reach, and what they wait for their results to be written; and of the
 *               time that a tile of k is on its way, over the stages that hide it, for each round
 *               of blocks
 *     L2        the panels of all blocks
 *     HBM       operands as far as they are missed, and the result
 *
 * An operand that is added to the result is read when a block has gone along k.  Where all blocks
 * are at work at once, nothing else is on its way by then, and memory takes both at its own rate.
 *
 * Rows of an operand along k that are not whole vectors of 16 B are fetched in parts. */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/gpu/gpu.h"

#define THOUSAND 1000u
#define VECTOR 16            /* bytes of an access */
#define REGISTERS 65536u     /* of an SM, of 32 bits [nvidia-v100] */
#define WARPS 64u            /* of an SM at most [nvidia-v100] */
#define WARP_REGISTERS 2048u /* of a warp, besides the results that it holds [unverified] */

static uint64_t share_of(enum gpu_math math, const struct compiled_params *c)
{
    switch (math) {
    case GPU_TF32: return c->share_tf32;
    case GPU_HALF: return c->share_half;
    case GPU_F8:
    case GPU_S8: return c->share_eight;
    default: return c->share_f32;
    }
}

/* a * b, or a number beyond what any SM holds. */
static uint64_t multiply_capped(uint64_t a, uint64_t b)
{
    u128 x = wide_mul(a, b);

    return x > UINT32_MAX ? UINT32_MAX : (uint64_t)x;
}

static uint64_t at_work(const struct trace_compiled *k, const struct gpu_product *p,
                        const struct cap_gpu *gpu)
{
    uint64_t m = k->tile[TRACE_DIM_M], n = k->tile[TRACE_DIM_N], depth = k->tile[TRACE_DIM_K];
    uint64_t warps = k->warps ? k->warps : 4, stages = k->stages ? k->stages : 1;
    uint64_t tiles = multiply_capped(multiply_capped(m + n, depth), p->element);
    uint64_t shared = multiply_capped(tiles, stages);
    uint64_t by_shared = shared ? gpu->shared_bytes / shared : WARPS;
    uint64_t registers = multiply_capped(m, n) + multiply_capped(warps, WARP_REGISTERS);
    uint64_t by_registers = REGISTERS / registers, by_warps = WARPS / warps;
    uint64_t least = by_shared < by_registers ? by_shared : by_registers;

    least = least < by_warps ? least : by_warps;
    return least ? least : 1;
}

static bool is_aligned(const struct gpu_product *p)
{
    bool along_k = !p->ta || p->tb;

    return !along_k || p->k * p->element % VECTOR == 0;
}

static u128 scale_work(u128 x, uint64_t by, uint64_t of)
{
    return x * by / of;
}

/* Cycles of the SM with the most blocks. */
static uint64_t count_cycles(const struct trace_compiled *k, const struct gpu_product *p,
                             uint64_t blocks, const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    const struct compiled_params *c = &gpu->library.compiled;
    uint64_t steps = k->counts[TRACE_DIM_K], stages = k->stages ? k->stages : 1;
    uint64_t together = at_work(k, p, gpu), all = blocks * THOUSAND / gpu->sms;
    u128 tile = (u128)k->tile[TRACE_DIM_M] * k->tile[TRACE_DIM_N] * k->tile[TRACE_DIM_K] * steps;
    bool pipe = p->math == GPU_F32 || p->math == GPU_F64;

    /* of many rounds the last is half full on average, as blocks do not end together */
    uint64_t rounds = all > 2 * together * THOUSAND ? all + THOUSAND / 2
                                                    : arith_ceil_div(blocks, gpu->sms) * THOUSAND;
    u128 work = scale_work(scale_work(tile, rounds, THOUSAND), PPB_PER_ONE, share_of(p->math, c));
    if (!is_aligned(p))
        work = scale_work(work, PPB_PER_ONE, c->unaligned);
    work = work / gpu_rate(gpu, p->math);
    work = scale_work(work, THOUSAND, pipe ? gpu->f32_share : gpu->tensor_share);
    u128 end = (u128)(p->c_bytes + p->added) * cap->core_hz / cap->hbm_bytes_per_s;
    u128 wait = (u128)arith_ceil_div(blocks, gpu->sms * together) * steps * c->step_time / stages;
    wait = wait * cap->core_hz / FS_PER_S;
    if (p->added && blocks <= gpu->sms * together)
        work = (work > wait ? work : wait) + scale_work(end, PPB_PER_ONE, c->memory);
    else
        work += scale_work(end, c->epilogue, PPB_PER_ONE);
    u128 most = work > wait ? work : wait;
    return most > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)most;
}

void gpu_written(struct gpu_plan *plan, const struct gpu_product *p, const struct trace_compiled *k,
                 const struct cap *cap)
{
    const struct compiled_params *c = &cap->gpu.library.compiled;
    struct task_grid *g = &plan->kernel[plan->n++];
    uint64_t blocks = k->counts[TRACE_DIM_B] * k->counts[TRACE_DIM_M] * k->counts[TRACE_DIM_N];
    uint64_t once = p->a_bytes + p->b_bytes;
    uint64_t sides = k->tile[TRACE_DIM_M] + k->tile[TRACE_DIM_N];
    u128 panels = scale_work((u128)blocks * sides * p->k * p->element, c->panels, PPB_PER_ONE);

    *g = (struct task_grid){ .blocks = blocks,
                             .waves = arith_ceil_div(blocks, cap->gpu.sms),
                             .useful = p->useful,
                             .fixed_cycles =
                                 (uint64_t)((u128)c->product_time * cap->core_hz / FS_PER_S) };
    uint64_t cycles = count_cycles(k, p, blocks, cap);
    g->cycles[p->math == GPU_F32 ? GRID_FMA : p->math == GPU_F64 ? GRID_F64 : GRID_TENSOR] = cycles;
    g->sm_cycles = (uint64_t)((u128)cycles * blocks / g->waves);
    g->in.l2 = panels > once && panels <= UINT64_MAX ? (uint64_t)panels : once;
    g->in.hbm = (uint64_t)scale_work(p->missed, PPB_PER_ONE, c->memory);
    g->out.l2 = p->c_bytes;
    g->out.hbm = (uint64_t)scale_work(p->c_bytes, PPB_PER_ONE, c->memory);
    gpu_cut(g);
}
