#include "kernels/task.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Part i of `count` of an extent dealt out in whole granules, the remainder to the first parts. */
static uint64_t part(uint64_t extent, uint64_t granule, uint32_t i, uint32_t count)
{
    uint64_t granules = ceil_div(extent, granule);
    uint64_t begin = granules * i / count * granule, end = granules * (i + 1) / count * granule;

    if (end > extent)
        end = extent;
    return end > begin ? end - begin : 0;
}

struct task_gemm task_share(const struct task_gemm *g, enum task_split how, uint32_t i,
                            uint32_t count, uint32_t granule, uint32_t size)
{
    struct task_gemm s = *g;

    switch (how) {
    case TASK_SPLIT_M: s.m = part(g->m, granule, i, count); break;
    case TASK_SPLIT_K: s.k = part(g->k, size, i, count); break;
    case TASK_SPLIT_N: s.n = part(g->n, size, i, count); break;
    case TASK_SPLIT_B: s.b = part(g->b, 1, i, count); break;
    }
    if (s.b == 0 || s.m == 0 || s.k == 0 || s.n == 0)
        return (struct task_gemm){ 0 };
    /* useful work is spread like the work itself; differences telescope, so the sum is exact */
    uint64_t all = how == TASK_SPLIT_M   ? g->m
                   : how == TASK_SPLIT_K ? g->k
                   : how == TASK_SPLIT_N ? g->n
                                         : g->b;
    uint64_t unit = how == TASK_SPLIT_M ? granule : how == TASK_SPLIT_B ? 1 : size;
    uint64_t before = 0;
    for (uint32_t j = 0; j < i; j++)
        before += part(all, unit, j, count);
    uint64_t mine = part(all, unit, i, count);
    s.useful = (uint64_t)((u128)g->useful * (before + mine) / all) -
               (uint64_t)((u128)g->useful * before / all);
    return s;
}

/* Share i of n of a total; the shares add up to it. */
static uint64_t even(uint64_t total, uint64_t i, uint64_t n)
{
    return (uint64_t)((u128)total * (i + 1) / n) - (uint64_t)((u128)total * i / n);
}

static struct task_move even_move(const struct task_move *m, uint64_t i, uint64_t n)
{
    return (struct task_move){ even(m->bytes, i, n), even(m->rows, i, n), m->row_bytes };
}

static uint64_t extent(uint64_t all, uint64_t block, uint64_t i)
{
    return all - i * block < block ? all - i * block : block;
}

static struct task_gemm gemm_block(const struct task *t, uint64_t i)
{
    const struct task_gemm *g = &t->all.gemm;
    const struct task_block *c = &t->block;
    uint64_t nm = ceil_div(g->m, c->m), nn = ceil_div(g->n, c->n), nk = ceil_div(g->k, c->k);
    uint64_t outer = i / nk / (c->m_outer ? nn : nm) % (c->m_outer ? nm : nn);
    uint64_t inner = i / nk % (c->m_outer ? nn : nm);

    return (struct task_gemm){
        .b = extent(g->b, c->b, i / nk / nm / nn),
        .m = extent(g->m, c->m, c->m_outer ? outer : inner),
        .n = extent(g->n, c->n, c->m_outer ? inner : outer),
        .k = extent(g->k, c->k, i % nk),
    };
}

/* Multiply-accumulates of the blocks before step `i`: whole blocks of the outer loops, then what
 * the inner ones have done inside the block at hand. */
static u128 macs_before(const struct task *t, uint64_t i)
{
    const struct task_gemm *g = &t->all.gemm;
    const struct task_block *c = &t->block;
    uint64_t out = c->m_outer ? g->m : g->n, out_block = c->m_outer ? c->m : c->n;
    uint64_t in = c->m_outer ? g->n : g->m, in_block = c->m_outer ? c->n : c->m;
    uint64_t nk = ceil_div(g->k, c->k), n_in = ceil_div(in, in_block);
    uint64_t n_out = ceil_div(out, out_block);

    if (i == t->steps)
        return (u128)g->b * g->m * g->n * g->k;
    uint64_t ib = i / nk / n_in / n_out, io = i / nk / n_in % n_out, ii = i / nk % n_in;
    uint64_t eb = extent(g->b, c->b, ib), eo = extent(out, out_block, io);
    uint64_t ei = extent(in, in_block, ii);
    u128 sum = (u128)(ib * c->b) * g->m * g->n * g->k;
    sum += (u128)eb * (io * out_block) * in * g->k;
    sum += (u128)eb * eo * (ii * in_block) * g->k;
    return sum + (u128)eb * eo * ei * (i % nk * c->k);
}

struct task_step task_step(const struct task *t, uint64_t i)
{
    struct task_step s = { .in = even_move(&t->all.in, i, t->steps),
                           .out = even_move(&t->all.out, i, t->steps),
                           .vpu = even(t->all.vpu, i, t->steps),
                           .xlu = even(t->all.xlu, i, t->steps) };
    const struct task_gemm *g = &t->all.gemm;

    if (!g->b)
        return s;
    s.gemm = gemm_block(t, i);
    /* useful work is spread like all work; differences telescope, so the sum is exact */
    u128 all = macs_before(t, t->steps);
    s.gemm.useful = (uint64_t)(macs_before(t, i + 1) * g->useful / all) -
                    (uint64_t)(macs_before(t, i) * g->useful / all);
    return s;
}

uint64_t task_stream_cycles(const struct task_gemm *g, uint32_t granule, const struct array *a)
{
    uint64_t passes = g->b * ceil_div(g->k, a->size) * ceil_div(g->n, a->size);

    return array_cycles(a, passes, ceil_div(g->m, granule) * granule);
}
