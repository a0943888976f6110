/* Cutting a matrix product into grid steps: which operand stays in the arrays, blocks of b, m, n
 * and k, the order of their loops, and how cores and matrix units share a block.
 *
 *     time    = max(compute, HBM, turn) + first tile in + last tile out (core cycles)
 *     compute = grid steps * cost of one + max(MXU, vector unit, XLU, bundles)
 *     MXU     = grid steps * cycles of the largest share of a block / issue
 *     HBM     = (A * reads of A + B * reads of B + C + the rest) / rate
 *     turn    = (compute + HBM + wait) / 2 + grid steps * latency of a transfer
 *     wait    = HBM * (cores of the chip - 1) / cores of the chip
 *
 * `turn` is the way of a buffer, of which there are two each way: a tile is read, known of,
 * computed on, written, known of, and then the next but one is read.  `rate` is the fair share of a
 * core while all cores of its chip run the program; a transfer then finds those of the others in
 * service and waits for as much as they move in a grid step.  Tiles that are too small for this
 * make faster units slower.
 *
 * Either operand may stay (C^T = B^T A^T) where the machine lets it; here B is the one that does.
 * The cores of a device take halves of b, m or n (n in units of the array), and each reads what it
 * needs: an operand without that dimension is read by each.  The matrix units of a core are a grid
 * over b, m, k and n.
 * Each weight tile is loaded once per block of m, so short blocks cost loads; an operand is read
 * again for each block of the dimension it does not have, unless its block stays in VMEM meanwhile.
 * Candidates halve each dimension from its full size; two buffers for what streams, one for what
 * stays, and f32 sums where k is cut must fit the VMEM of each core beside what is resident there.
 * The cheapest is taken; ties go to fewer grid steps.
 */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/common/work.h"

#include <string.h>

#define MAX_CANDIDATES 64

/* `extent`, then halves in whole granules, down to one; returns how many. */
static unsigned list_halves(uint64_t extent, uint64_t granule, uint64_t v[MAX_CANDIDATES])
{
    unsigned n = 0;

    for (v[n++] = extent; v[n - 1] > granule && n < MAX_CANDIDATES; n++)
        v[n] = arith_ceil_div(arith_ceil_div(v[n - 1], 2), granule) * granule;
    return n;
}

struct plan {
    struct task_block block;
    struct task_parts parts, cores; /* cores: the part of `parts` that is cores */
    uint64_t steps;
    uint64_t reads_a, reads_b;      /* times the whole operand is read */
    bool stays_a, stays_b, stays_c; /* one block for the whole grid */
    uint64_t windows;               /* bytes of VMEM of one core */
    u128 bytes, ends;               /* that are moved in all; of the first and the last tile */
    uint64_t alone; /* cycles of transfers that overlap neither compute nor each other */
    u128 cost;
};

/* The parts of a block that the matrix units of a core share. */
struct share {
    struct task_parts parts;
    uint64_t cycles; /* of the slowest */
    struct bundle_need need;
};

/* The part of `bytes` that belongs to a block of x and y. */
static uint64_t bytes_of_block(uint64_t bytes, uint64_t x, uint64_t all_x, uint64_t y,
                               uint64_t all_y)
{
    return (uint64_t)((u128)bytes * x / all_x * y / all_y);
}

static void count_reads(struct plan *p, uint64_t nb, uint64_t nm, uint64_t nn, uint64_t nk)
{
    p->stays_a = nb * nm * nk == 1;
    p->stays_b = nb * nn * nk == 1;
    p->stays_c = nb * nm * nn == 1;
    /* with k whole, the block of the outer loop's operand stays while the inner loop runs */
    p->reads_a = (p->stays_a || (p->block.m_outer && nk == 1) ? 1 : nn) * p->cores.n;
    p->reads_b = (p->stays_b || (!p->block.m_outer && nk == 1) ? 1 : nm) * p->cores.m;
}

static u128 cycles_of_transfer(const struct cap *cap, u128 bytes)
{
    return bytes * cap->core_hz / cap->hbm_bytes_per_s;
}

/* Registers of results: one set for each pass of rows, n padded; where the matrix units add up, one
 * for all passes over k. */
static uint64_t count_sums(const struct task_gemm *g, const struct array_mode *mode,
                           const struct cap *cap)
{
    uint64_t passes =
        (1 + mode->more_passes) * arith_ceil_div(g->k, array_depth(cap->mxu.size, mode));
    uint64_t rows = mode->twin ? arith_ceil_div(g->m, 2) : g->m;

    return (cap->array_sums ? 1 : passes) * g->b *
           arith_ceil_div(rows * arith_ceil_div(g->n, array_columns(cap->mxu.size, mode)) *
                              cap->mxu.size,
                          cap->vector_elements);
}

/* Sums that wait in VMEM for the next passes over k.  `together` tiles of k are added up as they
 * leave the arrays, if there are as many. */
static void add_waiting_sums(struct task_grid_step *all, const struct work *w, uint64_t together,
                             const struct cap *cap)
{
    uint64_t tiles = arith_ceil_div(w->gemm.k, array_depth(cap->mxu.size, &w->mode));

    if (cap->array_sums || w->sums_stay || (tiles <= 1 && !w->mode.more_passes))
        return;
    BUG_ON(tiles == 0 || together == 0);
    uint64_t sums = count_sums(&w->gemm, &w->mode, cap) / (together < tiles ? together : tiles);
    all->loads += sums;
    all->stores += sums;
}

/* Work of the vector unit and the XLU that depends on how often operands are read. */
static void add_vector_work(uint64_t vpu[N_VECTOR_OPS], uint64_t *xlu, const struct plan *p,
                            const struct work *w, const struct cap *cap)
{
    uint64_t split = w->a_elements * p->reads_a + w->b_elements * p->reads_b;

    vpu[VECTOR_CAST] += arith_ceil_div(w->casts * split, cap->vector_elements);
    vpu[VECTOR_ADD] += arith_ceil_div(w->differences * split, cap->vector_elements);
    vpu[VECTOR_ADD] += count_sums(&w->gemm, &w->mode, cap);
    if (w->mode.turned && !cap->mxu.turned_rows_per_cycle)
        *xlu += arith_ceil_div(w->b_bytes * p->reads_b, 4 * (uint64_t)cap->vector_elements);
}

/* Slots of bundles of the whole kernel. */
static struct bundle_need count_slots(const struct plan *p, const struct work *w,
                                      const struct share *share, const struct cap *cap)
{
    struct bundle_need need = share->need;
    struct task_grid_step rest = {
        .in = w->in, .out = w->out, .loads = w->loads, .stores = w->stores
    };

    need.load *= p->steps;
    need.push *= p->steps;
    need.pop *= p->steps;
    add_waiting_sums(&rest, w, 1, cap);
    bundle_step(&need, &rest, &cap->bundle);
    return need;
}

/* Cycles of all grid steps on the units of a core, which work side by side, and of their bundles.
 */
static u128 count_units(const struct plan *p, const struct work *w, const struct share *share,
                        const struct cap *cap)
{
    uint64_t vpu[N_VECTOR_OPS], xlu = w->xlu;
    u128 slots = 0, most = (u128)p->steps * share->cycles;
    struct bundle_need need = count_slots(p, w, share, cap);
    uint64_t bundles = bundle_count(&need, &cap->bundle);

    memcpy(vpu, w->vpu, sizeof vpu);
    add_vector_work(vpu, &xlu, p, w, cap);
    for (int i = 0; i < N_VECTOR_OPS; i++)
        slots += (u128)vpu[i] * cap->vector_slots[i];
    slots /= cap->vector_alus;
    most = most > slots ? most : slots;
    u128 functions = (u128)vpu[VECTOR_DIVIDE] + vpu[VECTOR_EXP];
    functions = cap->vector_functions ? functions / cap->vector_functions : 0;
    most = most > functions ? most : functions;
    most = most > bundles ? most : bundles;
    return most > (u128)xlu * cap->xlu_cycles ? most : (u128)xlu * cap->xlu_cycles;
}

/* Set the cost of `p` where the matrix units share a block as `share` says. */
static void time_plan(struct plan *p, const struct work *w, const struct share *share,
                      const struct cap *cap)
{
    u128 control = (u128)p->steps * cap->step_cycles;
    u128 mxu = (u128)p->steps * share->cycles + control;
    u128 compute = count_units(p, w, share, cap) + control;
    u128 hbm = cycles_of_transfer(cap, p->bytes), most = compute > hbm ? compute : hbm;
    u128 wait = hbm * (cap->hbm_cores - 1) / cap->hbm_cores;
    u128 turn = (compute + hbm + wait) / 2 + (u128)p->steps * cap->dma_cycles;
    /* where transfers are what takes time, those of the ends go on while nothing else does */
    u128 alone =
        cycles_of_transfer(cap, p->ends < cap->xla.exposed_gemm ? p->ends : cap->xla.exposed_gemm);

    if (mxu >= hbm)
        p->alone = 0;
    else
        p->alone = (uint64_t)(alone < hbm - mxu ? alone : hbm - mxu);
    most += p->alone;
    p->cost = (most > turn ? most : turn) + cycles_of_transfer(cap, p->ends);
}

/* Fill in what `p` reads, moves and keeps in VMEM, given its block, order and cores; false when it
 * does not fit. */
static bool measure_plan(struct plan *p, const struct work *w, const struct cap *cap)
{
    const struct task_gemm *g = &w->gemm;
    const struct task_block *c = &p->block;
    const struct task_parts *o = &p->cores;
    uint64_t nb = arith_ceil_div(g->b, c->b), nm = arith_ceil_div(g->m, c->m),
             nn = arith_ceil_div(g->n, c->n);
    uint64_t nk = arith_ceil_div(g->k, c->k);

    p->steps = nb * nm * nn * nk;
    BUG_ON(nb == 0 || p->steps == 0);
    uint64_t a = bytes_of_block(arith_ceil_div(w->a_bytes, nb), c->m, g->m, c->k, g->k);
    uint64_t b = bytes_of_block(arith_ceil_div(w->b_bytes, nb), c->k, g->k, c->n, g->n);
    uint64_t rest_in = w->in.bytes + w->in.rows * w->in.row_bytes - w->a - w->b;
    uint64_t rest_out = w->out.bytes + w->out.rows * w->out.row_bytes - w->c;
    uint64_t out = bytes_of_block(arith_ceil_div(w->c_bytes, nb), c->m, g->m, c->n, g->n);
    uint64_t sums = nk > 1 ? c->b * c->m * c->n * 4 : 0;
    uint64_t cores = o->b * o->m * o->n;

    count_reads(p, nb, nm, nn, nk);
    /* what else a fusion reads and writes passes by with whatever dimension is cut */
    uint64_t rest = arith_ceil_div(rest_in + rest_out, p->steps);
    uint64_t a_room = w->a_in_vmem ? 0 : a * (p->stays_a ? 1 : 2);
    uint64_t b_room = w->b_in_vmem ? 0 : b * (p->stays_b ? 1 : 2);
    uint64_t c_room = w->c_in_vmem ? 0 : out * (p->stays_c ? 1 : 2);
    p->windows = a_room / (o->b * o->m) + b_room / (o->b * o->n) +
                 (c_room + 2 * rest + sums) / cores + w->reserved / cap->halves;
    if (p->windows > cap->vmem_bytes)
        return false;

    p->bytes = (u128)w->a * p->reads_a + (u128)w->b * p->reads_b + w->c + rest_in + rest_out;
    p->bytes += 2 * (u128)cap->request_bytes * p->steps; /* in and out */
    p->ends = (u128)(w->a ? a * o->n : 0) + (w->b ? b * o->m : 0) + (w->c ? out : 0) + rest;
    return true;
}

/* Slots of bundles that the parts of a block take on as many cores, each like the largest. */
static struct bundle_need need_of_parts(const struct task_gemm *block, const struct task_gemm *most,
                                        uint64_t cores, const struct work *w, const struct cap *cap)
{
    struct bundle_shape shape = {
        cap->mxu.size, cap->lanes,   cap->sublanes, cap->array_sums,
        w->a_element,  w->b_element, w->mode,       cap->vector_elements
    };
    struct bundle_need need = { 0 };
    uint64_t parts = cores * arith_ceil_div(block->b, most->b) * arith_ceil_div(block->m, most->m) *
                     arith_ceil_div(block->k, most->k) * arith_ceil_div(block->n, most->n);

    bundle_gemm(&need, most, &shape);
    need.load *= parts;
    need.push *= parts;
    need.pop *= parts;
    return need;
}

/* The grid of `count` matrix units whose slowest share of `block`, or the bundles of all shares,
 * take least. */
static struct share share_block(const struct task_gemm *block, uint64_t cores, const struct work *w,
                                const struct cap *cap)
{
    uint32_t count = cap->mxu_count / cap->halves;
    struct share best = { 0 };
    uint64_t least = UINT64_MAX;

    for (uint32_t m = 1; m <= count; m++)
        for (uint32_t k = 1; m * k <= count; k++)
            for (uint32_t n = 1; m * k * n <= count; n++) {
                struct task_parts p = { count / (m * k * n), m, k, n };
                if (p.b * m * k * n != count || (p.b > 1 && block->b == 1))
                    continue;
                if (k > 1 && cap->mxu.size % array_depth(cap->mxu.size, &w->mode))
                    continue; /* parts of k are whole tiles */
                struct task_gemm most =
                    task_largest(block, &p, cap->mxu_row_granule, cap->mxu.size);
                uint64_t c = task_stream_cycles(&most, cap->mxu_row_granule, &cap->mxu, &w->mode);
                c = (uint64_t)((u128)c * PPB_PER_ONE / cap->mxu_issue);
                if (c >= least)
                    continue;
                struct bundle_need need = need_of_parts(block, &most, cores, w, cap);
                uint64_t bundles = bundle_count(&need, &cap->bundle);
                if (bundles >= least)
                    continue;
                least = c > bundles ? c : bundles;
                best = (struct share){ p, c, need };
            }
    return best;
}

/* Grid steps in which blocks are computed. */
static uint64_t count_steps(const struct task_gemm *g, const struct task_block *c)
{
    return arith_ceil_div(g->b, c->b) * arith_ceil_div(g->m, c->m) * arith_ceil_div(g->n, c->n) *
           arith_ceil_div(g->k, c->k);
}

/* The least that `p` costs, however its units share a block: see time_plan(). */
static u128 least_cost(const struct plan *p, const struct cap *cap)
{
    u128 control = (u128)p->steps * cap->step_cycles, hbm = cycles_of_transfer(cap, p->bytes);
    u128 turn = (control + hbm) / 2 + (u128)p->steps * cap->dma_cycles;
    u128 most = control > hbm ? control : hbm;

    return (most > turn ? most : turn) + cycles_of_transfer(cap, p->ends);
}

/* Weigh a block in both orders of its loops, for one way to share it between the cores. */
static void try_block(struct plan *best, const struct task_block *block,
                      const struct task_parts *cores, const struct work *w, const struct cap *cap)
{
    struct task_gemm whole = { block->b, block->m, block->k, block->n, 0 };
    struct plan p = { .block = *block, .cores = *cores };
    struct task_gemm most = task_largest(&whole, cores, cap->mxu_row_granule, cap->mxu.size);
    struct share share = { 0 };

    /* most blocks are so small that their steps alone take longer than the best plan so far */
    if (best->steps && (u128)count_steps(&w->gemm, block) * cap->step_cycles > best->cost)
        return;
    for (int order = 0; order < 2; order++) {
        p.block.m_outer = order;
        if (!measure_plan(&p, w, cap)) /* in neither order */
            return;
        if (best->steps && least_cost(&p, cap) > best->cost)
            continue;
        if (!share.parts.b)
            share = share_block(&most, cores->b * cores->m * cores->n, w, cap);
        p.parts = (struct task_parts){ share.parts.b * cores->b, share.parts.m * cores->m,
                                       share.parts.k, share.parts.n * cores->n };
        time_plan(&p, w, &share, cap);
        if (!best->steps || p.cost < best->cost || (p.cost == best->cost && p.steps < best->steps))
            *best = p;
    }
}

/* The best plan with B stationary. */
static struct plan choose_plan(const struct work *w, const struct cap *cap)
{
    const struct task_gemm *g = &w->gemm;
    const struct task_parts cores[] = {
        { 1, cap->halves, 1, 1 }, { 1, 1, 1, cap->halves }, { cap->halves, 1, 1, 1 }, { 1, 1, 1, 1 }
    };
    uint64_t b[MAX_CANDIDATES], m[MAX_CANDIDATES], n[MAX_CANDIDATES], k[MAX_CANDIDATES];
    unsigned bs = list_halves(g->b, 1, b), ms = list_halves(g->m, cap->mxu_row_granule, m);
    unsigned ns = list_halves(g->n, cap->mxu.size, n), ks = list_halves(g->k, cap->mxu.size, k);
    struct plan best = { 0 };

    for (unsigned c = 0; c < (cap->halves > 1 ? sizeof cores / sizeof *cores : 1); c++) {
        if (cores[c].b > g->b || (g->b == 1 && cores[c].b > 1))
            continue;
        /* several whole products a step, or one product in parts */
        for (unsigned i = 0; i < bs; i++)
            try_block(&best, &(struct task_block){ b[i], g->m, g->n, g->k, false }, &cores[c], w,
                      cap);
        for (unsigned i = 0; i < ms; i++)
            for (unsigned j = 0; j < ns; j++)
                for (unsigned l = 0; l < ks; l++)
                    try_block(&best, &(struct task_block){ 1, m[i], n[j], k[l], false }, &cores[c],
                              w, cap);
    }
    if (!best.steps) { /* not even the smallest block fits: take it all the same */
        struct task_gemm small = { 1, m[ms - 1], k[ks - 1], n[ns - 1], 0 };
        best.block = (struct task_block){ 1, small.m, small.n, small.k, false };
        best.cores = (struct task_parts){ 1, 1, 1, 1 };
        struct share share = share_block(&small, 1, w, cap);
        best.parts = share.parts;
        measure_plan(&best, w, cap);
        time_plan(&best, w, &share, cap);
    }
    return best;
}

/* The product computed as C^T = B^T A^T: the operand that was streamed stays in the arrays, and is
 * needed transposed. */
static struct work swap_operands(const struct work *w)
{
    struct work s = *w;

    s.gemm.m = w->gemm.n;
    s.gemm.n = w->gemm.m;
    s.a = w->b;
    s.b = w->a;
    s.a_bytes = w->b_bytes;
    s.b_bytes = w->a_bytes;
    s.a_elements = w->b_elements;
    s.b_elements = w->a_elements;
    s.a_element = w->b_element;
    s.b_element = w->a_element;
    s.a_in_vmem = w->b_in_vmem;
    s.b_in_vmem = w->a_in_vmem;
    s.a_turned = !w->b_turned;
    s.b_turned = s.mode.turned = !w->a_turned;
    return s;
}

void lower_swap(struct work *w)
{
    *w = swap_operands(w);
}

void lower_grid(struct task_kernel *k, const struct work *given, const struct cap *cap)
{
    struct work turned = swap_operands(given);
    const struct work *w = given;
    struct plan p = choose_plan(w, cap);

    if (cap->mxu_free && !w->oriented) {
        struct plan q = choose_plan(&turned, cap);
        if (q.cost < p.cost) {
            p = q;
            w = &turned;
        }
    }
    k->grid_steps = p.steps;
    k->block = p.block;
    k->parts = p.parts;
    k->extra_cycles += p.alone;
    k->windows = p.windows * cap->halves;
    k->all = lower_sum_work(w);
    k->all.gemm = w->gemm;
    k->mode = w->mode;
    add_vector_work(k->all.vpu, &k->all.xlu, &p, w, cap);
    add_waiting_sums(&k->all, w, 1, cap);
    k->streamed = w->a_element;
    k->stationary = w->b_element;
    uint64_t a = w->a * p.reads_a, b = w->b * p.reads_b;
    k->all.in.bytes += a + b - w->a - w->b;
    /* what has one block for the whole grid is read before the first or written after the last step
     */
    if (p.stays_a && p.steps > 1) {
        k->all.in.bytes -= a;
        k->resident_in += a;
    }
    if (p.stays_b && p.steps > 1) {
        k->all.in.bytes -= b;
        k->resident_in += b;
    }
    if (p.stays_c && p.steps > 1) {
        k->all.out.bytes -= w->c;
        k->resident_out += w->c;
    }
}

/* Make one grid step of several: their products one after the other, each with the first weights of
 * its own to load. */
static void join_steps(struct task_kernel *k, const struct cap *cap)
{
    struct array array = array_in_mode(&cap->mxu, &k->mode);
    struct task_gemm *g = &k->all.gemm;
    uint64_t beats = (uint64_t)((u128)array_beats(&array) * PPB_PER_ONE / cap->mxu_issue);

    k->joined = (uint32_t)arith_ceil_div(k->grid_steps, LOWER_MOST_STEPS);
    k->joined_cycles = (k->joined - 1) * (cap->step_cycles + beats);
    g->b = k->grid_steps * k->block.b;
    g->m = k->block.m;
    g->k = k->block.k;
    g->n = k->block.n;
    k->grid_steps = arith_ceil_div(k->grid_steps, k->joined);
    k->block.b *= k->joined;
}

/* Cycles of a grid step that adds its results to sums which wait in VMEM, on average over the steps
 * of a block: the first has none. */
static uint64_t resume_sums(const struct task_gemm *g, const struct task_block *block,
                            const struct cap *cap)
{
    uint64_t steps = g->k / block->k;
    u128 sums = arith_ceil_div(block->b * block->m * block->n, cap->vector_elements);

    return (uint64_t)(sums * cap->xla.resume_cycles * (steps - 1) / steps / cap->halves /
                      PPB_PER_ONE);
}

void lower_grid_stated(struct task_kernel *k, const struct work *w, const struct task_block *block,
                       const struct task_parts *cores, const struct cap *cap)
{
    struct task_gemm whole = { block->b, block->m, block->k, block->n, 0 };
    struct task_gemm most = task_largest(&whole, cores, cap->mxu_row_granule, cap->mxu.size);
    struct share share = share_block(&most, cores->b * cores->m * cores->k * cores->n, w, cap);
    struct plan once = { .reads_a = 1, .reads_b = 1 };
    const struct task_gemm *g = &w->gemm;

    k->grid_steps = g->b / block->b * (g->m / block->m) * (g->n / block->n) * (g->k / block->k);
    k->block = *block;
    k->parts = (struct task_parts){ share.parts.b * cores->b, share.parts.m * cores->m,
                                    share.parts.k * cores->k, share.parts.n * cores->n };
    k->extra_cycles = w->extra_cycles;
    k->all = lower_sum_work(w);
    k->all.gemm = *g;
    k->mode = w->mode;
    add_vector_work(k->all.vpu, &k->all.xlu, &once, w, cap);
    /* in the compiler's windows matrix units take tiles of k side by side; the estimates of its
     * convolutions are nearer without that */
    add_waiting_sums(&k->all, w, cap->mxu_count / cap->halves, cap);
    k->streamed = w->a_element;
    k->stationary = w->b_element;
    uint64_t resume = resume_sums(g, block, cap);
    if (k->grid_steps > LOWER_MOST_STEPS)
        join_steps(k, cap);
    k->joined_cycles += resume * (k->joined ? k->joined : 1);
}

void lower_expose_ends(struct task_kernel *k, const struct cap *cap)
{
    uint64_t ends = (k->all.in.bytes + k->all.out.bytes) / k->grid_steps + k->resident_in;

    ends = ends / 2 < cap->xla.exposed_gemm ? ends / 2 : cap->xla.exposed_gemm;
    k->extra_cycles += wide_mul_div(ends, cap->core_hz, cap->hbm_bytes_per_s);
}
