/* Convolutions on a GPU: the fastest of the algorithms that cuDNN has for it.
 *
 * Implicit products: the im2col matrix is never in memory.  With P output positions of all images,
 * I input positions, S taps, C and K channels of a group, which are a batch:
 *
 *               m       k       n
 *     conv      P       S * C   K
 *     dgrad     I       S * K   C     on tensor cores, and by the slow kernel, strided: P for I
 *     wgrad     S * C   P       K     in parts of P
 *
 * Winograd, f32, filters of 3 x 3 without stride, of images of two dimensions: fused, for blocks of
 * 8 x 16 positions and 32 channels; or not fused, as a batch of 36 products of tiles of 4 x 4
 * positions between kernels that transform images, filters and results (filters of 5 x 5: 2 x 2).
 *
 * Shares are fitted on one half of measured convolutions [gpu-conv]. */
#include "base/arith.h"
#include "base/units.h"
#include "kernels/gpu.h"

#define THOUSAND 1000u

static bool is_f32(const struct gpu_conv *v)
{
    return v->math == GPU_F32 || v->math == GPU_F64;
}

/* Share of the forward kernel's rate that the kernel of a pass reaches, parts per 1,000. */
static uint32_t share_of_pass(const struct gpu_conv *v, const struct cap_gpu *gpu)
{
    static const uint32_t wgrad[CAP_GPU_N_ISAS][2] = { [CAP_GPU_VOLTA] = { 660, 860 },
                                                       [CAP_GPU_AMPERE] = { 500, 650 },
                                                       [CAP_GPU_HOPPER] = { 450, 600 } };
    uint32_t share = 1000;

    if (v->kind == TRACE_CONV_WGRAD)
        share = is_f32(v) ? wgrad[gpu->isa][v->taps > 1] : 905;
    else if (v->kind == TRACE_CONV_DGRAD)
        share = is_f32(v) ? 880 : 855;
    if (!is_f32(v) && v->c % 8)
        share = share * (gpu->isa == CAP_GPU_HOPPER ? 250 : 214) / THOUSAND;
    if (!is_f32(v) && gpu->isa == CAP_GPU_HOPPER && v->rank == 2)
        share /= 2;
    return share;
}

static struct gpu_product implicit_product(const struct gpu_conv *v)
{
    uint64_t c = is_f32(v) ? v->c : arith_round_up(v->c, 8);
    struct gpu_product p = { .b = v->groups,
                             .math = v->math,
                             .element = v->element,
                             .useful = v->useful,
                             .a_bytes = v->a_bytes,
                             .b_bytes = v->b_bytes,
                             .c_bytes = v->c_bytes,
                             .missed = v->missed,
                             .k_granule = is_f32(v) ? 8 : 0 };

    if (v->kind == TRACE_CONV_WGRAD) {
        p.m = c * v->taps;
        p.n = v->k;
        p.k = v->images * v->out;
    } else if (v->kind == TRACE_CONV_DGRAD) {
        p.m = v->images * (v->strided && !is_f32(v) ? v->out : v->in);
        p.n = c;
        p.k = v->k * v->taps;
    } else {
        p.m = v->images * v->out;
        p.n = v->k;
        p.k = c * v->taps;
    }
    return p;
}

static void keep_better(struct gpu_plan *best, const struct gpu_plan *x)
{
    if (!best->n || x->cost < best->cost)
        *best = *x;
}

static void try_implicit(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct gpu_tiles *lib = gpu_conv_tiles(&cap->gpu, v->math, v->kind == TRACE_CONV_WGRAD);
    struct gpu_product p = implicit_product(v);
    struct gpu_plan x = { 0 };

    p.share = share_of_pass(v, &cap->gpu);
    gpu_product(&x, &p, lib, cap);
    keep_better(best, &x);
    if (v->kind != TRACE_CONV_DGRAD || !v->strided || !is_f32(v))
        return;
    /* the slow kernel goes through positions of the result, and clears the image before */
    x = (struct gpu_plan){ 0 };
    p.m = v->images * v->out;
    p.share = 760;
    gpu_plan_copy(&x, 0, v->c_bytes, 750, cap);
    gpu_product(&x, &p, lib, cap);
    keep_better(best, &x);
}

/* Channels that a product sums over, and those of its result. */
static uint64_t channels_in(const struct gpu_conv *v)
{
    return v->kind == TRACE_CONV_DGRAD ? v->k : v->c;
}

static uint64_t channels_out(const struct gpu_conv *v)
{
    return v->kind == TRACE_CONV_DGRAD ? v->c : v->k;
}

/* Multiply-accumulates of the direct convolution that the fused kernel does in the time of one. */
static void try_fused(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    static const uint32_t gain[CAP_GPU_N_ISAS] = {
        [CAP_GPU_VOLTA] = 2000, [CAP_GPU_AMPERE] = 1570, [CAP_GPU_HOPPER] = 1400
    };
    static const uint32_t block[2][3] = { { 1, 8, 16 }, { 4, 8, 4 } };
    const struct cap_gpu *gpu = &cap->gpu;
    uint32_t shapes = gpu->isa == CAP_GPU_VOLTA ? 1 : 2;

    for (uint32_t i = 0; i < shapes; i++) {
        uint64_t blocks = arith_ceil_div(v->images, block[i][0]) *
                          arith_ceil_div(v->first, block[i][1]) *
                          arith_ceil_div(v->second, block[i][2]) *
                          arith_ceil_div(channels_out(v), 32) * v->groups;
        uint64_t waves = arith_ceil_div(blocks, gpu->sms);
        uint64_t each = 128 * 32 * (72 * arith_ceil_div(channels_in(v), 8) + 110);
        u128 cycles = (u128)waves * each * THOUSAND / gain[gpu->isa] / gpu->f32;
        struct gpu_plan x = { .n = 1 };
        struct task_grid *g = &x.kernel[0];
        cycles = cycles * THOUSAND / gpu->f32_share;
        *g = (struct task_grid){ .blocks = blocks,
                                 .waves = waves,
                                 .useful = v->useful,
                                 .in = { v->a_bytes + v->b_bytes, v->missed },
                                 .out = { v->c_bytes, v->c_bytes } };
        g->cycles[GRID_FMA] = (uint64_t)cycles;
        g->sm_cycles = (uint64_t)(cycles * blocks / waves);
        g->fixed_cycles = 2 * cap->core_hz / 1000000;
        gpu_cut(g);
        x.cost = cycles * FS_PER_S / cap->core_hz + 2 * FS_PER_US;
        keep_better(best, &x);
    }
}

/* Passes over memory of its transforms, and what a batch of its products takes of one of the
 * library's, parts per 1,000 [gpu-conv]. */
struct unfused {
    uint32_t data, result, filter, filter_odd, product;
};
static const struct unfused unfused[CAP_GPU_N_ISAS] = {
    [CAP_GPU_VOLTA] = { 1500, 1400, 1400, 5500, 880 },
    [CAP_GPU_AMPERE] = { 1600, 1100, 2100, 2100, 1310 },
    [CAP_GPU_HOPPER] = { 1600, 1100, 2000, 2000, 1200 },
};

static void try_unfused(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct unfused *u = &unfused[cap->gpu.isa];
    bool wgrad = v->kind == TRACE_CONV_WGRAD;
    uint64_t side = v->size == 3 ? 4 : 2, c = channels_in(v), k = channels_out(v);
    uint64_t images = wgrad ? v->images : arith_round_up(v->images, 16);
    uint64_t tiles = images * arith_ceil_div(v->first, side) * arith_ceil_div(v->second, side);
    uint64_t positions = v->images * v->first * v->second;
    uint32_t filter = c % 8 ? u->filter_odd : u->filter;
    struct gpu_product p = { .b = 36,
                             .m = k,
                             .n = wgrad ? c : tiles,
                             .k = wgrad ? tiles : c,
                             .math = v->math,
                             .element = 4,
                             .useful = v->useful,
                             .a_bytes = 4 * 36 * k * (wgrad ? tiles : c),
                             .b_bytes = 4 * 36 * tiles * c,
                             .c_bytes = 4 * 36 * k * (wgrad ? c : tiles),
                             .share = THOUSAND * THOUSAND / u->product };
    struct gpu_plan x = { 0 };

    p.missed = p.a_bytes + p.b_bytes > cap->gpu.l2_bytes ? p.a_bytes + p.b_bytes : 0;
    x.workspace = p.a_bytes + p.b_bytes + p.c_bytes;
    gpu_plan_copy(&x, 4 * positions * c, 4 * 36 * tiles * c, 950 * THOUSAND / u->data, cap);
    gpu_plan_copy(&x, 4 * (uint64_t)v->size * v->size * c * k, 4 * 36 * c * k,
                  950 * THOUSAND / filter, cap);
    gpu_product(&x, &p, gpu_tiles(&cap->gpu, v->math), cap);
    gpu_plan_copy(&x, 4 * 36 * tiles * k, 4 * positions * k, 950 * THOUSAND / u->result, cap);
    keep_better(best, &x);
}

/* Groups of so few channels that a block of the implicit product would be nearly empty: a thread
 * computes a position of a channel, at a quarter of the rate of the CUDA cores [unverified]. */
static void try_direct(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    uint64_t each = (uint64_t)cap->gpu.sms * cap->gpu.f32;
    u128 cycles = (u128)4 * v->useful / each * THOUSAND / cap->gpu.f32_share;
    struct gpu_plan x = { 0 };

    gpu_plan_copy(&x, v->a_bytes + v->b_bytes, v->c_bytes, 850, cap);
    struct task_grid *g = &x.kernel[0];
    g->useful = v->useful;
    g->cycles[GRID_FMA] = (uint64_t)cycles + 1;
    g->sm_cycles = g->cycles[GRID_FMA] * cap->gpu.sms;
    gpu_cut(g);
    u128 compute = cycles * FS_PER_S / cap->core_hz;
    x.cost = compute > x.cost ? compute : x.cost;
    keep_better(best, &x);
}

void gpu_conv(struct gpu_plan *plan, const struct gpu_conv *v, const struct cap *cap)
{
    bool plain = is_f32(v) && v->rank == 2 && !v->strided && v->groups == 1;

    try_implicit(plan, v, cap);
    if (v->groups > 1 && v->kind != TRACE_CONV_WGRAD)
        try_direct(plan, v, cap);
    if (plain && v->size == 3 && v->kind != TRACE_CONV_WGRAD)
        try_fused(plan, v, cap);
    if (plain && (v->size == 3 || v->size == 5))
        try_unfused(plan, v, cap);
}
