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
 * Fourier transforms, f32, three dimensions, neither stride nor dilation, not for filters: tiles of
 * 16 x 16 x 16 positions, of which 16 - (filter - 1) along each dimension are of the result.  For
 * each place of a tile, of all images: transform, transposition, products of complex numbers point
 * by point, transposition, transform back.  Two copies of everything are in memory, as the
 * workspaces of a recorded step have it [openlab-3dgan].
 *
 * How much of it there is, and at what rates, the library of the chip says. */
#include "base/arith.h"
#include "base/units.h"
#include "kernels/gpu/gpu.h"

#define THOUSAND 1000u
#define POINTS 36    /* of a tile of 6 x 6, which Winograd multiplies point by point */
#define MASK_BITS 32 /* of taps */
#define TILE 16      /* positions of a tile of a Fourier transform along each dimension */
#define WAVES (TILE * TILE * (TILE / 2 + 1)) /* complex values of one; the others mirror them */
#define COMPLEX 8u                           /* bytes */
#define VECTOR 16 /* bytes that the channels of a position are padded to, on tensor cores */

static uint32_t per_thousand(uint64_t ppb)
{
    return (uint32_t)(ppb * THOUSAND / PPB_PER_ONE);
}

static bool is_f32(const struct gpu_conv *v)
{
    return v->math == GPU_F32 || v->math == GPU_F64;
}

/* Share of the rate of its tiles, parts per 1,000. */
static uint32_t share_of(const struct gpu_conv *v, const struct gpu_tiles *lib)
{
    bool dgrad = v->kind == TRACE_CONV_DGRAD, cores = is_f32(v);
    u128 share = lib->rate;

    if (v->taps == 1)
        share = share * lib->one_tap / PPB_PER_ONE;
    if (dgrad)
        share = share * lib->gradient / PPB_PER_ONE;
    if (dgrad && v->strided && !cores)
        share = share * lib->strided / PPB_PER_ONE;
    if (!cores && !lib->change && v->c % 8)
        share = share * lib->odd / PPB_PER_ONE;
    return (uint32_t)(share * THOUSAND / PPB_PER_ONE);
}

/* True if a kernel that goes tap by tap has too few bits for them: 32 for those of three dimensions
 * together, for those of one or two along each. */
static bool is_masked(const struct gpu_conv *v)
{
    return v->rank == 3 ? v->taps > MASK_BITS
                        : v->size > MASK_BITS || v->taps > MASK_BITS * MASK_BITS;
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
                             .k_granule = is_f32(v) ? 8 : 0,
                             .taps = v->taps,
                             .m_taps = v->kind == TRACE_CONV_WGRAD,
                             .masked = is_masked(v) };

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

/* A kernel that pads the channels of `positions`, and changes their layout on the way. */
static void change_values(struct gpu_plan *x, const struct gpu_conv *v, const struct gpu_tiles *lib,
                          uint64_t positions, uint64_t channels, const struct cap *cap)
{
    uint64_t each = positions * v->element * v->groups;
    uint64_t whole = arith_round_up(channels, VECTOR / v->element);
    bool pads = whole != channels, changes = v->channels_first && v->taps > 1;

    if (pads || changes)
        gpu_plan_copy(x, each * channels, each * whole,
                      per_thousand(!pads     ? lib->change
                                   : changes ? lib->change_pad
                                             : lib->pad),
                      cap);
}

/* The kernels for tensor cores read and write channels last, in whole vectors. */
static struct gpu_conv change_layouts(struct gpu_plan *x, const struct gpu_conv *v,
                                      const struct gpu_tiles *lib, const struct cap *cap)
{
    struct gpu_conv w = *v;

    if (!lib->change)
        return w;
    change_values(x, v, lib, v->images * v->in, v->c, cap);
    change_values(x, v, lib, v->images * v->out, v->k, cap);
    if (v->channels_first && v->taps > 1)
        change_values(x, v, lib, v->taps * v->k, v->c, cap);
    w.c = arith_round_up(v->c, VECTOR / v->element);
    w.k = arith_round_up(v->k, VECTOR / v->element);
    return w;
}

static void try_implicit(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct gpu_tiles *lib = gpu_conv_tiles(&cap->gpu, v);
    struct gpu_plan x = { 0 };
    struct gpu_conv w = change_layouts(&x, v, lib, cap);
    struct gpu_product p = implicit_product(&w);

    const struct convolution_params *how = &cap->gpu.library.convolution;

    p.share = share_of(v, lib);
    gpu_product(&x, &p, lib, cap);
    keep_better(best, &x);
    if (v->kind != TRACE_CONV_DGRAD || !v->strided || !is_f32(v))
        return;
    /* the slow kernel goes through positions of the result, and clears the image before */
    x = (struct gpu_plan){ 0 };
    p.m = v->images * v->out;
    p.share = per_thousand(how->slow);
    gpu_plan_copy(&x, 0, v->c_bytes, per_thousand(how->clear), cap);
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

/* Blocks of 8 x 16 positions of an image, or of 4 x 8 of four images. */
static void try_fused(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct convolution_params *how = &cap->gpu.library.convolution;
    static const uint32_t block[2][3] = { { 1, 8, 16 }, { 4, 8, 4 } };
    const struct cap_gpu *gpu = &cap->gpu;
    uint32_t shapes = how->several_images ? 2 : 1;

    for (uint32_t i = 0; i < shapes; i++) {
        uint64_t blocks = arith_ceil_div(v->images, block[i][0]) *
                          arith_ceil_div(v->side[0], block[i][1]) *
                          arith_ceil_div(v->side[1], block[i][2]) *
                          arith_ceil_div(channels_out(v), 32) * v->groups;
        uint64_t waves = arith_ceil_div(blocks, gpu->sms);
        uint64_t each =
            128 * 32 * (how->fused_step * arith_ceil_div(channels_in(v), 8) + how->fused_more);
        u128 cycles = (u128)waves * each * PPB_PER_ONE / how->fused / gpu->f32;
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
        g->fixed_cycles = (uint64_t)((u128)how->kernel_time * cap->core_hz / FS_PER_S);
        gpu_cut(g);
        x.cost = cycles * FS_PER_S / cap->core_hz + how->kernel_time;
        keep_better(best, &x);
    }
}

/* The share of HBM's rate at which a transform looks as if it made so many passes. */
static uint32_t share_of_passes(uint64_t passes, const struct cap *cap)
{
    return (uint32_t)(cap->gpu.library.stream.best * THOUSAND / passes);
}

static void try_unfused(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct convolution_params *u = &cap->gpu.library.convolution;
    bool wgrad = v->kind == TRACE_CONV_WGRAD;
    uint64_t side = v->size == 3 ? 4 : 2, c = channels_in(v), k = channels_out(v);
    uint64_t images = wgrad ? v->images : arith_round_up(v->images, 16);
    uint64_t tiles = images * arith_ceil_div(v->side[0], side) * arith_ceil_div(v->side[1], side);
    uint64_t positions = v->images * v->side[0] * v->side[1];
    uint64_t filter = c % 8 ? u->filter_odd : u->filter;
    struct gpu_product p = { .b = POINTS,
                             .m = k,
                             .n = wgrad ? c : tiles,
                             .k = wgrad ? tiles : c,
                             .math = v->math,
                             .element = 4,
                             .useful = v->useful,
                             .a_bytes = 4 * POINTS * k * (wgrad ? tiles : c),
                             .b_bytes = 4 * POINTS * tiles * c,
                             .c_bytes = 4 * POINTS * k * (wgrad ? c : tiles),
                             .share = (uint32_t)(THOUSAND * PPB_PER_ONE / u->product) };
    struct gpu_plan x = { 0 };

    p.missed = p.a_bytes + p.b_bytes > cap->gpu.l2_bytes ? p.a_bytes + p.b_bytes : 0;
    x.workspace = p.a_bytes + p.b_bytes + p.c_bytes;
    gpu_plan_copy(&x, 4 * positions * c, 4 * POINTS * tiles * c, share_of_passes(u->image, cap),
                  cap);
    gpu_plan_copy(&x, 4 * (uint64_t)v->size * v->size * c * k, 4 * POINTS * c * k,
                  share_of_passes(filter, cap), cap);
    gpu_product(&x, &p, gpu_tiles(&cap->gpu, v->math), cap);
    gpu_plan_copy(&x, 4 * POINTS * tiles * k, 4 * positions * k, share_of_passes(u->result, cap),
                  cap);
    keep_better(best, &x);
}

static bool has_fourier(const struct gpu_conv *v)
{
    for (uint32_t d = 0; d < 3; d++)
        if (v->filter[d] > TILE)
            return false;
    return v->math == GPU_F32 && v->kind != TRACE_CONV_WGRAD && v->rank == 3 && !v->strided &&
           !v->dilated && v->groups == 1;
}

/* The last kernel runs so many times more. */
static void add_launches(struct gpu_plan *x, uint64_t more, const struct cap *cap)
{
    uint64_t time = more * cap->gpu.library.convolution.kernel_time;

    x->kernel[x->n - 1].fixed_cycles += (uint64_t)((u128)time * cap->core_hz / FS_PER_S);
    x->cost += time;
}

/* A kernel of a Fourier transform, which runs once for each place of a tile. */
static void add_transform(struct gpu_plan *x, uint64_t places, uint64_t in, uint64_t out,
                          enum gpu_stream_class class, const struct cap *cap)
{
    gpu_plan_copy(x, in, out, per_thousand(cap->gpu.library.stream.best), cap);
    gpu_stream_limit(&x->kernel[x->n - 1], class, out / COMPLEX, false, cap);
    add_launches(x, places - 1, cap);
}

static void try_fourier(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    uint64_t c = channels_in(v), k = channels_out(v), places = 1, read = 4 * v->images * c;
    struct gpu_plan x = { 0 };

    for (uint32_t d = 0; d < 3; d++) {
        uint64_t tiles = arith_ceil_div(v->side[d], TILE + 1 - v->filter[d]);
        places *= tiles;
        read *= v->side[d] + tiles * (v->filter[d] - 1);
    }
    uint64_t in = COMPLEX * WAVES * v->images * c, out = COMPLEX * WAVES * v->images * k;
    uint64_t filter = COMPLEX * WAVES * c * k;
    /* four real products for a complex one: twice k, and twice n */
    struct gpu_product p = { .b = WAVES * places,
                             .m = v->images,
                             .n = 2 * k,
                             .k = 2 * c,
                             .math = v->math,
                             .element = 4,
                             .useful = v->useful,
                             .a_bytes = in * places,
                             .b_bytes = filter * places,
                             .c_bytes = out * places };

    x.workspace = 2 * filter + 4 * (in > out ? in : out);
    p.missed = p.a_bytes + p.b_bytes;
    add_transform(&x, places, read + v->b_bytes, in * places + filter, GPU_VECTOR, cap);
    add_transform(&x, places, in * places + filter, in * places + filter, GPU_TRANSPOSE, cap);
    gpu_product(&x, &p, gpu_tiles(&cap->gpu, v->math), cap);
    add_launches(&x, places - 1, cap);
    add_transform(&x, places, out * places, out * places, GPU_TRANSPOSE, cap);
    add_transform(&x, places, out * places, v->c_bytes, GPU_VECTOR, cap);
    keep_better(best, &x);
}

/* A thread computes a position of a channel, where a block of the implicit product would be nearly
 * empty because there are so few channels. */
static void try_direct(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct convolution_params *how = &cap->gpu.library.convolution;
    uint64_t each = (uint64_t)cap->gpu.sms * cap->gpu.f32;
    bool deep = v->rank == 3 && v->groups == 1;
    u128 cycles = (u128)(deep ? how->direct_3d : how->direct) * v->useful / each * THOUSAND /
                  cap->gpu.f32_share;
    struct gpu_plan x = { 0 };

    gpu_plan_copy(&x, v->a_bytes + v->b_bytes, v->c_bytes, per_thousand(how->direct_memory), cap);
    struct task_grid *g = &x.kernel[0];
    g->useful = v->useful;
    g->cycles[GRID_FMA] = (uint64_t)cycles + 1;
    g->sm_cycles = g->cycles[GRID_FMA] * cap->gpu.sms;
    gpu_cut(g);
    u128 compute = cycles * FS_PER_S / cap->core_hz;
    x.cost = compute > x.cost ? compute : x.cost;
    keep_better(best, &x);
}

/* Filters of one tap are a product of the library where the channels of a position lie together. */
static void try_product(struct gpu_plan *best, const struct gpu_conv *v, const struct cap *cap)
{
    const struct gpu_tiles *lib = gpu_tiles(&cap->gpu, v->math);
    struct gpu_product p = implicit_product(v);
    struct gpu_plan x = { 0 };

    p.k_granule = 0;
    gpu_product(&x, &p, lib, cap);
    keep_better(best, &x);
}

/* True if a gradient of an image has so few channels that it is computed directly. */
static bool is_direct(const struct gpu_conv *v, const struct convolution_params *how)
{
    if (v->groups > 1)
        return v->kind != TRACE_CONV_WGRAD;
    return v->kind == TRACE_CONV_DGRAD && v->c <= (v->rank == 3 ? how->few > 0 : how->few);
}

void gpu_conv(struct gpu_plan *plan, const struct gpu_conv *v, const struct cap *cap)
{
    const struct convolution_params *how = &cap->gpu.library.convolution;
    bool plain = is_f32(v) && v->rank == 2 && !v->strided && v->groups == 1;

    try_implicit(plan, v, cap);
    if (how->mixed && v->math == GPU_TF32) {
        struct gpu_conv w = *v;
        w.math = GPU_F32;
        try_implicit(plan, &w, cap);
    }
    if (how->mixed && !is_f32(v) && v->taps == 1 && !v->strided)
        try_product(plan, v, cap);
    if (is_direct(v, how))
        try_direct(plan, v, cap);
    if (plain && how->fused && v->size == 3 && v->kind != TRACE_CONV_WGRAD)
        try_fused(plan, v, cap);
    if (plain && (v->size == 3 || v->size == 5))
        try_unfused(plan, v, cap);
    if (how->fourier && has_fourier(v))
        try_fourier(plan, v, cap);
}
