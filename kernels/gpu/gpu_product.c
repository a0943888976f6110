/* Matrix products on the SMs of a GPU: which kernel of the library, and what it costs.
 *
 * With tiles of tn x tm, k in s parts, and S SMs:
 *
 *     blocks = ceil(n / tn) * ceil(m / tm) * b * s
 *     cycles = ceil(blocks / S) * tn * tm * (ceil(k / s) + k_more) / (rate * share)     of an SM
 *     L2     = blocks * (tn + tm) * ceil(k / s) elements
 *     HBM    = A, B and C; A and B again for each group of blocks in flight, unless they fit half
 *              of the L2
 *
 * Fewer cycles than k_time a step of k no block takes.
 *
 * The library takes the kernel of the least time by its own reckoning: cycles or bytes, whichever
 * takes longer, and for parts of k a kernel more that adds them up. */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/gpu/gpu.h"

#define THOUSAND 1000u
#define LINE 128u /* bytes of the L2 [jia-2018] */
#define THIN 128u
#define THREADS 128u     /* of a block that multiplies vectors, a result each [hta-diff] */
#define STEPS 32         /* in which a long kernel is simulated */
#define STEP_CYCLES 500  /* that a step of a shorter one takes at least */
#define MILLION 1000000u /* parts per 1e9 in those per 1,000 */

/* A kernel that could do the product. */
struct choice {
    struct gpu_tile tile;
    uint64_t split, blocks, read;
    uint64_t cycles, latency; /* of the SM with the most blocks: in its units, and at least */
    u128 cost;                /* by the library's reckoning, fs */
};

/* `share`: of that rate, parts per 1e9. */
static u128 fs_of_bytes(u128 bytes, uint64_t per_s, uint64_t share)
{
    return bytes * FS_PER_S / per_s * PPB_PER_ONE / share;
}

static bool is_aligned(const struct gpu_product *p)
{
    uint64_t granule = 16 / (p->element < 16 ? p->element : 16);

    return p->n % granule == 0 && p->k % granule == 0 && (!p->ta || p->m % granule == 0);
}

static enum grid_pipe pipe_of(enum gpu_math math, const struct cap_gpu *gpu)
{
    if (math == GPU_F64)
        return gpu->f64_tensor ? GRID_TENSOR : GRID_F64;
    return math == GPU_F32 ? GRID_FMA : GRID_TENSOR;
}

/* k with what a tile pads it to: the channels of each tap, where it goes tap by tap. */
static uint64_t padded_k(const struct gpu_product *p, const struct gpu_tile *t)
{
    if (!t->step || !p->taps || p->m_taps)
        return p->k;
    return arith_round_up(p->k / p->taps, t->step) * p->taps;
}

/* Blocks down m, of which each is of one tap where the tile goes tap by tap. */
static uint64_t count_down(const struct gpu_product *p, const struct gpu_tile *t)
{
    if (!t->step || !p->m_taps)
        return arith_ceil_div(p->m, t->m);
    return arith_ceil_div(p->m / p->taps, t->m) * p->taps;
}

/* Steps of k that a block goes through, one after the other. */
static uint64_t count_steps(const struct gpu_product *p, const struct choice *c)
{
    return arith_round_up(arith_ceil_div(padded_k(p, &c->tile), c->split),
                          p->k_granule ? p->k_granule : 1);
}

/* Cycles of the SM with the most blocks. */
static uint64_t count_cycles(const struct gpu_product *p, const struct gpu_tiles *lib,
                             const struct choice *c, const struct cap_gpu *gpu)
{
    bool slow = p->element < 8 && p->math != GPU_F32 && !is_aligned(p);
    u128 steps = (u128)count_steps(p, c) * PPB_PER_ONE; /* in those of full speed */

    steps = (slow ? steps * PPB_PER_ONE / lib->unaligned : steps) + c->tile.k_more * PPB_PER_ONE;
    u128 each = steps * c->tile.n * c->tile.m;
    u128 work = each * arith_ceil_div(c->blocks, gpu->sms) / c->tile.share;

    if (p->share)
        work = work * THOUSAND / p->share;
    if (p->masked && c->tile.step)
        work = work * PPB_PER_ONE / lib->masked;
    if (p->masked && !p->m_taps && !c->tile.step &&
        c->blocks < (uint64_t)gpu->sms * c->tile.resident)
        work = work * c->tile.resident / arith_ceil_div(c->blocks, gpu->sms);
    if (p->tb && !p->ta)
        work = work * PPB_PER_ONE / lib->both_along_k;
    u128 cycles = (work + gpu_rate(gpu, p->math) - 1) / gpu_rate(gpu, p->math);
    bool tensor = pipe_of(p->math, gpu) == GRID_TENSOR;
    return (uint64_t)(cycles * THOUSAND / (tensor ? gpu->tensor_share : gpu->f32_share));
}

/* Cycles of that SM at least: as many of its blocks as it holds go through k side by side, each
 * step no faster than its latency lets it. */
static uint64_t count_latency(const struct gpu_product *p, const struct gpu_tiles *lib,
                              const struct choice *c, const struct cap *cap)
{
    uint64_t turns = arith_ceil_div(arith_ceil_div(c->blocks, cap->gpu.sms), c->tile.resident);

    return (uint64_t)((u128)turns * (count_steps(p, c) + c->tile.k_more) * lib->k_time *
                      cap->core_hz / FS_PER_S);
}

/* Bytes of A and B where `columns` x `rows` blocks are in flight together: an operand too large for
 * half of the L2 comes again for each group of them. */
static uint64_t count_again(const struct gpu_product *p, const struct choice *c, uint64_t columns,
                            uint64_t rows, const struct cap_gpu *gpu)
{
    uint64_t across = arith_ceil_div(p->n, c->tile.n), down = arith_ceil_div(p->m, c->tile.m);
    uint64_t a = p->a_bytes, b = p->b_bytes;

    if (p->b == 1 && b > gpu->l2_bytes / 2 && down > rows)
        b *= arith_ceil_div(down, rows);
    if (p->b == 1 && a > gpu->l2_bytes / 2)
        a *= arith_ceil_div(across, columns);
    return a + b;
}

/* Bytes that sectors of scattered rows of A take more, as their lines crowd the L2. */
static uint64_t count_scattered(const struct gpu_product *p, const struct gpu_tiles *lib,
                                const struct choice *c, uint64_t rows, const struct cap_gpu *gpu)
{
    uint64_t lines = rows * (c->tile.m < p->m ? c->tile.m : p->m) * LINE;
    uint64_t least = lib->crowd_from, most = lib->crowd_to > least ? lib->crowd_to : least + 1;
    u128 crowd = (u128)lines * PPB_PER_ONE / gpu->l2_bytes; /* of the L2 */

    crowd = crowd < least ? 0 : (crowd < most ? crowd : most) - least;
    uint64_t worse = lib->crowded > lib->scattered ? lib->crowded - lib->scattered : 0;
    return (uint64_t)(p->a_bytes * (lib->scattered + worse * crowd / (most - least)) / PPB_PER_ONE);
}

/* Bytes of A and B that HBM moves at most. */
static uint64_t count_reads(const struct gpu_product *p, const struct gpu_tiles *lib,
                            const struct choice *c, const struct cap_gpu *gpu)
{
    uint64_t across = arith_ceil_div(p->n, c->tile.n);
    uint64_t flight = (uint64_t)gpu->sms * c->tile.resident;
    uint64_t act = c->blocks < flight ? c->blocks : flight;
    uint64_t columns = across < act ? across : act;
    uint64_t read = count_again(p, c, columns, act / columns, gpu);

    if (lib->scattered && !p->ta && !p->tb)
        read += count_scattered(p, lib, c, act / columns, gpu);
    for (uint64_t side = 1; lib->swizzled && side <= columns; side *= 2) {
        uint64_t other = count_again(p, c, side, act / side, gpu);
        read = other < read ? other : read;
    }
    return read;
}

/* Bytes of A and B that blocks fetch through the L2: each row of blocks all of B, each column of
 * blocks all of A. */
static uint64_t count_passed(const struct gpu_product *p, const struct gpu_tiles *lib,
                             const struct choice *c)
{
    uint64_t once = p->a_bytes + p->b_bytes;
    uint64_t across = arith_ceil_div(p->n, c->tile.n), down = arith_ceil_div(p->m, c->tile.m);
    u128 all = (u128)(down * p->n + across * p->m) * p->b * p->k * p->element;

    if (p->taps) /* what pads channels is fetched as well */
        all = (u128)c->blocks * (c->tile.n + c->tile.m) *
              arith_ceil_div(padded_k(p, &c->tile), c->split) * p->element;
    uint64_t passed = (uint64_t)(all * lib->fetched / PPB_PER_ONE);

    return passed > once ? passed : once;
}

/* Share of HBM's rate that the operands reach, parts per 1e9. */
static uint64_t share_of_hbm(const struct gpu_product *p, const struct gpu_tiles *lib)
{
    bool thin = p->m <= THIN || p->n <= THIN, whole = !p->tb && p->n % 8 == 0;

    if (!lib->thin || !thin || whole)
        return lib->memory;
    return (p->k & (p->k - 1)) == 0 ? lib->thin_power : lib->thin;
}

static uint64_t longest_cycles(const struct choice *c)
{
    return c->cycles > c->latency ? c->cycles : c->latency;
}

static void rate_choice(const struct gpu_product *p, const struct gpu_tiles *lib, struct choice *c,
                        const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    uint64_t parts = p->b * p->m * p->n * 4 * c->split;

    c->blocks = arith_ceil_div(p->n, c->tile.n) * count_down(p, &c->tile) * p->b * c->split;
    c->cycles = count_cycles(p, lib, c, gpu);
    c->latency = count_latency(p, lib, c, cap);
    c->read = count_reads(p, lib, c, gpu);
    u128 compute = (u128)longest_cycles(c) * FS_PER_S / cap->core_hz;
    u128 memory =
        fs_of_bytes((u128)c->read + p->c_bytes, cap->hbm_bytes_per_s, share_of_hbm(p, lib));
    u128 cache = fs_of_bytes((u128)count_passed(p, lib, c), gpu->l2_bytes_per_s, PPB_PER_ONE);
    u128 longest = compute > memory ? compute : memory;
    c->cost = (longest > cache ? longest : cache) * c->tile.believed / PPB_PER_ONE;
    if (lib->long_k && p->k > lib->long_k && !c->tile.sliced)
        c->cost = c->cost * lib->long_believed / PPB_PER_ONE;
    if (c->split > 1)
        c->cost += (u128)lib->split_time + fs_of_bytes((u128)parts * lib->split_bytes,
                                                       cap->hbm_bytes_per_s, lib->split_memory);
}

static const uint16_t splits[] = { 1,  2,  3,  4,  5,  6,  7,  8,   9,  10,
                                   12, 14, 16, 20, 24, 32, 64, 128, 256 };

static bool may_split(const struct gpu_product *p, const struct gpu_tiles *lib,
                      const struct gpu_tile *t, uint64_t split, const struct cap_gpu *gpu)
{
    uint64_t blocks = arith_ceil_div(p->n, t->n) * count_down(p, t) * p->b;
    uint64_t most = lib->most_split ? lib->most_split : 32;

    if (split == 1)
        return true;
    if (lib->most_split && (split & (split - 1)))
        return false;
    if ((lib->split_from && p->k < lib->split_from) ||
        (lib->split_most && p->b * p->m * p->n > lib->split_most))
        return false;
    return (p->b == 1 || lib->split_batches) && split <= most && p->k / split >= lib->least_k &&
           (!lib->split_blocks || (u128)blocks * PPB_PER_ONE < (u128)gpu->sms * lib->split_blocks);
}

static void try_tile(struct choice *best, const struct gpu_product *p, const struct gpu_tiles *lib,
                     const struct gpu_tile *t, const struct cap *cap)
{
    if (p->masked && t->step && !lib->masked)
        return;
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        struct choice c = { .tile = *t, .split = splits[i] };
        if (!may_split(p, lib, t, c.split, &cap->gpu))
            continue;
        rate_choice(p, lib, &c, cap);
        if (!best->split || c.cost < best->cost)
            *best = c;
    }
}

/* Rows of the tiles that a library takes by m alone, whatever n and k: the fewest that are as many;
 * 0: tiles for any number. */
static uint32_t find_most(const struct gpu_product *p, const struct gpu_tiles *lib)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < lib->n; i++) {
        uint32_t t = lib->tile[i].most;
        if (t >= p->m && (!most || t < most))
            most = t;
    }
    return most;
}

static struct choice choose_kernel(const struct gpu_product *p, const struct gpu_tiles *lib,
                                   const struct cap *cap)
{
    struct choice best = { 0 };
    enum gpu_serves other = p->b > 1 ? GPU_SERVES_LONE : GPU_SERVES_BATCH;
    uint32_t most = find_most(p, lib);

    for (uint32_t i = 0; i < lib->n; i++) {
        struct gpu_tile t = lib->tile[i];
        if (t.serves == other || t.most != most)
            continue;
        try_tile(&best, p, lib, &t, cap);
        if (!lib->turns || t.m == t.n)
            continue;
        t.n = lib->tile[i].m;
        t.m = lib->tile[i].n;
        try_tile(&best, p, lib, &t, cap);
    }
    return best;
}

static uint64_t cycles_of_fs(uint64_t fs, const struct cap *cap)
{
    return (uint64_t)((u128)fs * cap->core_hz / FS_PER_S);
}

/* Steps of so many bytes that those in flight hide the latency of the L2, which takes 40 ns for one
 * of them, or of so many cycles. */
static void cut_product(struct task_grid *g, const struct cap *cap)
{
    uint64_t bytes = arith_ceil_div(g->in.l2 + g->out.l2, cap->gpu.l2_bytes_per_s / 25000000 + 1);
    uint64_t most = 0;

    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        most = g->cycles[pipe] > most ? g->cycles[pipe] : most;
    uint64_t steps = most / STEP_CYCLES > bytes ? most / STEP_CYCLES : bytes;
    g->steps = steps < 1 ? 1 : steps > STEPS ? STEPS : steps;
}

/* The kernel that adds up parts of k. */
static void add_parts(struct gpu_plan *plan, const struct gpu_product *p,
                      const struct gpu_tiles *lib, const struct choice *c, const struct cap *cap)
{
    uint64_t parts = p->b * p->m * p->n * 4 * c->split;
    struct task_grid *rest = &plan->kernel[plan->n++];

    *rest = (struct task_grid){ .blocks = arith_ceil_div(p->b * p->m * p->n, 1024),
                                .in = { parts, parts > cap->gpu.l2_bytes / 2 ? parts : 0 },
                                .out = { p->c_bytes, p->c_bytes },
                                .fixed_cycles = cycles_of_fs(lib->reduce_time, cap) };
    rest->waves = arith_ceil_div(rest->blocks, cap->gpu.sms);
    cut_product(rest, cap);
}

void gpu_plan_copy(struct gpu_plan *plan, uint64_t in, uint64_t out, uint32_t share,
                   const struct cap *cap)
{
    struct task_grid *g = &plan->kernel[plan->n++];
    bool stays = in + out <= cap->gpu.l2_bytes / 2;
    uint64_t best = cap->gpu.library.stream.best / MILLION;

    BUG_ON(plan->n > GPU_PLAN_KERNELS);
    *g = (struct task_grid){ .blocks = arith_ceil_div(in > out ? in : out, 4096),
                             .in = { in, stays ? 0 : in * best / share },
                             .out = { out, stays ? 0 : out * best / share } };
    g->waves = arith_ceil_div(g->blocks, cap->gpu.sms);
    gpu_cut(g);
    plan->cost += fs_of_bytes((u128)in + out, cap->hbm_bytes_per_s, (uint64_t)share * MILLION) +
                  cap->gpu.library.convolution.kernel_time;
}

/* Rounded up, so that no product is above the peak of its dtype. */
static uint32_t rate_of_math(const struct cap_gpu *gpu, enum gpu_math math)
{
    uint32_t half = gpu_rate(gpu, GPU_HALF);
    uint32_t plain = half ? half : gpu_rate(gpu, GPU_F32);

    return plain ? (uint32_t)arith_ceil_div(gpu_rate(gpu, math), plain) : 1;
}

bool gpu_is_streamed(const struct gpu_product *p)
{
    return p->b > 1 && (p->m == 1 || p->n == 1 || p->k == 1);
}

void gpu_product_streamed(struct gpu_plan *plan, const struct gpu_product *p, const struct cap *cap)
{
    const struct cap_gpu *gpu = &cap->gpu;
    uint64_t each = arith_ceil_div(p->m * p->n, THREADS), work = p->b * p->m * p->n * p->k;
    bool wide = p->math == GPU_F64 && gpu->f64;
    struct task_grid *g = &plan->kernel[plan->n++];

    BUG_ON(plan->n > GPU_PLAN_KERNELS);
    *g = (struct task_grid){ .blocks = p->b * each,
                             .waves = arith_ceil_div(p->b * each, gpu->sms),
                             .useful = p->useful,
                             .product_rate = rate_of_math(gpu, p->math),
                             .in = { p->a_bytes + p->b_bytes, p->missed },
                             .out = { p->c_bytes, p->c_bytes - p->kept } };
    uint64_t cycles = arith_ceil_div(work, (uint64_t)gpu->sms * (wide ? gpu->f64 : gpu->f32));
    g->cycles[wide ? GRID_F64 : GRID_FMA] = cycles * THOUSAND / gpu->f32_share;
    g->cycles[GRID_SMEM] =
        (uint64_t)((u128)g->waves * gpu->library.stream.vectors * cap->core_hz / FS_PER_S);
    g->sm_cycles = cycles * (g->blocks < gpu->sms ? g->blocks : gpu->sms);
    gpu_stream_limit(g, GPU_VECTOR, 0, true, cap);
    gpu_cut(g);
}

void gpu_product(struct gpu_plan *plan, const struct gpu_product *p, const struct gpu_tiles *lib,
                 const struct cap *cap)
{
    struct choice c = choose_kernel(p, lib, cap);
    BUG_ON(c.split == 0);
    uint64_t once = p->a_bytes + p->b_bytes;
    struct task_grid *g = &plan->kernel[plan->n++];

    *g = (struct task_grid){ .blocks = c.blocks,
                             .waves = arith_ceil_div(c.blocks, cap->gpu.sms),
                             .useful = p->useful,
                             .product_rate = rate_of_math(&cap->gpu, p->math),
                             .fixed_cycles = cycles_of_fs(lib->time, cap) };
    g->cycles[pipe_of(p->math, &cap->gpu)] = c.cycles;
    g->cycles[GRID_SMEM] = c.latency;
    g->sm_cycles = (uint64_t)((u128)longest_cycles(&c) * c.blocks / g->waves);
    g->in.l2 = count_passed(p, lib, &c);
    /* HBM itself runs at its own best rate: what a kernel does not reach counts as more bytes */
    g->in.hbm = (uint64_t)((u128)(c.read - once + p->missed) * cap->gpu.library.stream.best /
                           share_of_hbm(p, lib));
    g->out.l2 = c.split > 1 ? p->b * p->m * p->n * 4 * c.split : p->c_bytes;
    if (c.split == 1)
        g->out.hbm = p->c_bytes - p->kept;
    else if (g->out.l2 > cap->gpu.l2_bytes / 2)
        g->out.hbm = g->out.l2;
    cut_product(g, cap);
    plan->cost += c.cost + lib->time;
    if (c.split > 1) {
        plan->workspace += p->b * p->m * p->n * 4 * c.split;
        add_parts(plan, p, lib, &c, cap);
    }
}
