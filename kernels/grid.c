/* Cutting a matrix product into grid steps: blocks of b, m, n and k, and the order of their loops.
 *
 *     time = max(MXU + steps * step, HBM) + first tile in + last tile out           (core cycles)
 *     MXU  = b * (m blocks * n blocks * k blocks) * tiles(k, n) * (load + rows(m)) / MXUs
 *     HBM  = (A * reads of A + B * reads of B + C + the rest) / rate
 * Each weight tile is loaded once per block of m, so short blocks cost loads; an operand is read
 * again for each block of the dimension it does not have, unless its block stays in VMEM meanwhile.
 * Candidates halve each dimension from its full size; two buffers for what streams, one for what
 * stays, and f32 sums where k is cut must fit VMEM.  The cheapest is taken; ties go to fewer steps.
 */
#include "kernels/lower.h"

__extension__ typedef unsigned __int128 u128;

#define MAX_CANDIDATES 64

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* `extent`, then halves in whole granules, down to one; returns how many. */
static unsigned halves(uint64_t extent, uint64_t granule, uint64_t v[MAX_CANDIDATES])
{
    unsigned n = 0;

    for (v[n++] = extent; v[n - 1] > granule && n < MAX_CANDIDATES; n++)
        v[n] = ceil_div(ceil_div(v[n - 1], 2), granule) * granule;
    return n;
}

struct plan {
    struct task_block block;
    uint64_t steps;
    uint64_t reads_a, reads_b;      /* times the whole operand is read */
    bool stays_a, stays_b, stays_c; /* one block for the whole grid */
    u128 cost;
};

/* The part of `bytes` that belongs to a block of x and y. */
static uint64_t part(uint64_t bytes, uint64_t x, uint64_t all_x, uint64_t y, uint64_t all_y)
{
    return (uint64_t)((u128)bytes * x / all_x * y / all_y);
}

static void reads(struct plan *p, uint64_t nb, uint64_t nm, uint64_t nn, uint64_t nk)
{
    p->stays_a = nb * nm * nk == 1;
    p->stays_b = nb * nn * nk == 1;
    p->stays_c = nb * nm * nn == 1;
    /* with k whole, the block of the outer loop's operand stays while the inner loop runs */
    p->reads_a = p->stays_a || (p->block.m_outer && nk == 1) ? 1 : nn;
    p->reads_b = p->stays_b || (!p->block.m_outer && nk == 1) ? 1 : nm;
}

/* Fill in `p` for its block and order; false when it does not fit VMEM. */
static bool weigh(struct plan *p, const struct work *w, const struct cap *cap)
{
    const struct task_gemm *g = &w->gemm;
    const struct task_block *c = &p->block;
    uint64_t nb = ceil_div(g->b, c->b), nm = ceil_div(g->m, c->m), nn = ceil_div(g->n, c->n);
    uint64_t nk = ceil_div(g->k, c->k);
    uint64_t a = part(ceil_div(w->a_bytes, nb), c->m, g->m, c->k, g->k);
    uint64_t b = part(ceil_div(w->b_bytes, nb), c->k, g->k, c->n, g->n);
    uint64_t rest_in = w->in.bytes + w->in.rows * w->in.row_bytes - w->a - w->b;
    uint64_t rest_out = w->out.bytes + w->out.rows * w->out.row_bytes - w->c;
    uint64_t out = part(ceil_div(w->c_bytes, nb), c->m, g->m, c->n, g->n);
    uint64_t sums = nk > 1 ? c->b * c->m * c->n * 4 : 0;

    reads(p, nb, nm, nn, nk);
    p->steps = nb * nm * nn * nk;
    /* what else a fusion reads and writes passes by with whatever dimension is cut */
    uint64_t rest = ceil_div(rest_in + rest_out, p->steps);
    if (a * (p->stays_a ? 1 : 2) + b * (p->stays_b ? 1 : 2) + out * (p->stays_c ? 1 : 2) +
            2 * rest + sums >
        cap->vmem_bytes)
        return false;

    struct task_gemm step = { c->b, c->m, c->k, c->n, 0 };
    u128 mxu = (u128)p->steps * task_stream_cycles(&step, cap->mxu_row_granule, &cap->mxu) /
               cap->mxu_count;
    u128 bytes = (u128)w->a * p->reads_a + (u128)w->b * p->reads_b + w->c + rest_in + rest_out;
    u128 hbm = bytes * cap->core_hz / cap->hbm_bytes_per_s;
    u128 ends = ((u128)(w->a ? a : 0) + (w->b ? b : 0) + (w->c ? out : 0) + rest) * cap->core_hz /
                cap->hbm_bytes_per_s;
    u128 compute = mxu + (u128)p->steps * cap->step_cycles;
    p->cost = (compute > hbm ? compute : hbm) + ends;
    return true;
}

static void consider(struct plan *best, const struct task_block *block, const struct work *w,
                     const struct cap *cap)
{
    for (int order = 0; order < 2; order++) {
        struct plan p = { .block = *block };
        p.block.m_outer = order;
        if (weigh(&p, w, cap) && (!best->steps || p.cost < best->cost ||
                                  (p.cost == best->cost && p.steps < best->steps)))
            *best = p;
    }
}

static struct plan choose(const struct work *w, const struct cap *cap)
{
    const struct task_gemm *g = &w->gemm;
    uint64_t b[MAX_CANDIDATES], m[MAX_CANDIDATES], n[MAX_CANDIDATES], k[MAX_CANDIDATES];
    unsigned bs = halves(g->b, 1, b), ms = halves(g->m, cap->mxu_row_granule, m);
    unsigned ns = halves(g->n, cap->mxu.size, n), ks = halves(g->k, cap->mxu.size, k);
    struct plan best = { 0 };

    /* several whole products a step, or one product in parts */
    for (unsigned i = 0; i < bs; i++)
        consider(&best, &(struct task_block){ b[i], g->m, g->n, g->k, false }, w, cap);
    for (unsigned i = 0; i < ms; i++)
        for (unsigned j = 0; j < ns; j++)
            for (unsigned l = 0; l < ks; l++)
                consider(&best, &(struct task_block){ 1, m[i], n[j], k[l], false }, w, cap);
    if (!best.steps) { /* not even the smallest block fits: take it all the same */
        best.block = (struct task_block){ 1, m[ms - 1], n[ns - 1], k[ks - 1], false };
        weigh(&best, w, cap);
    }
    return best;
}

/* The split between the MXUs whose slowest part is fastest. */
static enum task_split best_split(const struct task_gemm *g, const struct cap *cap)
{
    enum task_split best = TASK_SPLIT_M;
    uint64_t least = UINT64_MAX;

    for (int how = TASK_SPLIT_M; how <= TASK_SPLIT_B; how++) {
        uint64_t slowest = 0;
        for (uint32_t i = 0; i < cap->mxu_count; i++) {
            struct task_gemm s = task_share(g, (enum task_split)how, i, cap->mxu_count,
                                            cap->mxu_row_granule, cap->mxu.size);
            uint64_t c = s.b ? task_stream_cycles(&s, cap->mxu_row_granule, &cap->mxu) : 0;
            if (c > slowest)
                slowest = c;
        }
        if (slowest < least) {
            least = slowest;
            best = (enum task_split)how;
        }
    }
    return best;
}

void grid(struct task *t, const struct work *w, const struct cap *cap)
{
    struct plan p = choose(w, cap);

    t->steps = p.steps;
    t->block = p.block;
    t->all = (struct task_step){
        .in = w->in, .out = w->out, .gemm = w->gemm, .vpu = w->vpu, .xlu = w->xlu
    };
    t->all.in.bytes += w->a * (p.reads_a - 1) + w->b * (p.reads_b - 1);
    /* what has one block for the whole grid is read before the first or written after the last step
     */
    if (p.stays_a && p.steps > 1) {
        t->all.in.bytes -= w->a;
        t->resident_in += w->a;
    }
    if (p.stays_b && p.steps > 1) {
        t->all.in.bytes -= w->b;
        t->resident_in += w->b;
    }
    if (p.stays_c && p.steps > 1) {
        t->all.out.bytes -= w->c;
        t->resident_out += w->c;
    }
    struct task_gemm first = task_step(t, 0).gemm;
    t->split = best_split(&first, cap);
}
