#include "task/task.h"

#include "base/arith.h"
#include "base/wide.h"

/* Part i of `count` of an extent dealt out in whole granules, the remainder to the first parts. */
static uint64_t part_of_extent(uint64_t extent, uint64_t granule, uint32_t i, uint32_t count)
{
    uint64_t granules = arith_ceil_div(extent, granule);
    uint64_t begin = granules * i / count * granule, end = granules * (i + 1) / count * granule;

    if (end > extent)
        end = extent;
    return end > begin ? end - begin : 0;
}

/* Cut one dimension of `s` to part i of `count`.  Useful work is spread like the work itself;
 * differences telescope, so the sum over the parts is exact. */
static void cut_dimension(struct task_gemm *s, uint64_t *extent, uint64_t granule, uint32_t i,
                          uint32_t count)
{
    uint64_t all = *extent, before = 0;

    for (uint32_t j = 0; j < i; j++)
        before += part_of_extent(all, granule, j, count);
    *extent = part_of_extent(all, granule, i, count);
    s->useful = (uint64_t)((u128)s->useful * (before + *extent) / all) -
                (uint64_t)((u128)s->useful * before / all);
}

struct task_gemm task_share(const struct task_gemm *g, const struct task_parts *parts, uint32_t i,
                            uint32_t granule, uint32_t size)
{
    struct task_gemm s = *g;

    if (i >= parts->b * parts->m * parts->k * parts->n)
        return (struct task_gemm){ 0 };
    cut_dimension(&s, &s.n, size, i % parts->n, parts->n);
    i /= parts->n;
    cut_dimension(&s, &s.k, size, i % parts->k, parts->k);
    i /= parts->k;
    cut_dimension(&s, &s.m, granule, i % parts->m, parts->m);
    cut_dimension(&s, &s.b, 1, i / parts->m, parts->b);
    if (s.b == 0 || s.m == 0 || s.k == 0 || s.n == 0)
        return (struct task_gemm){ 0 };
    return s;
}

static uint64_t largest_part(uint64_t extent, uint64_t granule, uint32_t count)
{
    uint64_t most = arith_ceil_div(arith_ceil_div(extent, granule), count) * granule;

    return most < extent ? most : extent;
}

struct task_gemm task_largest(const struct task_gemm *g, const struct task_parts *parts,
                              uint32_t granule, uint32_t size)
{
    return (struct task_gemm){ .b = largest_part(g->b, 1, parts->b),
                               .m = largest_part(g->m, granule, parts->m),
                               .k = largest_part(g->k, size, parts->k),
                               .n = largest_part(g->n, size, parts->n) };
}

/* Share i of n of a total; the shares add up to it. */
static uint64_t even_share(uint64_t total, uint64_t i, uint64_t n)
{
    return (uint64_t)((u128)total * (i + 1) / n) - (uint64_t)((u128)total * i / n);
}

static struct task_move even_move(const struct task_move *m, uint64_t i, uint64_t n)
{
    return (struct task_move){ even_share(m->bytes, i, n), even_share(m->rows, i, n),
                               m->row_bytes };
}

static uint64_t extent_of_block(uint64_t all, uint64_t block, uint64_t i)
{
    return all - i * block < block ? all - i * block : block;
}

struct task_gemm task_block_at(const struct task_kernel *k, uint64_t i)
{
    const struct task_gemm *g = &k->all.gemm;
    const struct task_block *c = &k->block;

    if (!g->b)
        return (struct task_gemm){ 0 };
    uint64_t nm = arith_ceil_div(g->m, c->m), nn = arith_ceil_div(g->n, c->n),
             nk = arith_ceil_div(g->k, c->k);
    uint64_t outer = i / nk / (c->m_outer ? nn : nm) % (c->m_outer ? nm : nn);
    uint64_t inner = i / nk % (c->m_outer ? nn : nm);

    return (struct task_gemm){ .b = i / nk / nm / nn,
                               .m = c->m_outer ? outer : inner,
                               .n = c->m_outer ? inner : outer,
                               .k = i % nk };
}

static struct task_gemm gemm_block(const struct task_kernel *k, uint64_t i)
{
    const struct task_gemm *g = &k->all.gemm;
    const struct task_block *c = &k->block;
    struct task_gemm at = task_block_at(k, i);

    return (struct task_gemm){ .b = extent_of_block(g->b, c->b, at.b),
                               .m = extent_of_block(g->m, c->m, at.m),
                               .n = extent_of_block(g->n, c->n, at.n),
                               .k = extent_of_block(g->k, c->k, at.k) };
}

/* Multiply-accumulates of the blocks before step `i`: whole blocks of the outer loops, then what
 * the inner ones have done inside the block at hand. */
static u128 macs_before(const struct task_kernel *k, uint64_t i)
{
    const struct task_gemm *g = &k->all.gemm;
    const struct task_block *c = &k->block;
    uint64_t out = c->m_outer ? g->m : g->n, out_block = c->m_outer ? c->m : c->n;
    uint64_t in = c->m_outer ? g->n : g->m, in_block = c->m_outer ? c->n : c->m;
    uint64_t nk = arith_ceil_div(g->k, c->k), n_in = arith_ceil_div(in, in_block);
    uint64_t n_out = arith_ceil_div(out, out_block);

    if (i == k->grid_steps)
        return (u128)g->b * g->m * g->n * g->k;
    uint64_t ib = i / nk / n_in / n_out, io = i / nk / n_in % n_out, ii = i / nk % n_in;
    uint64_t eb = extent_of_block(g->b, c->b, ib), eo = extent_of_block(out, out_block, io);
    uint64_t ei = extent_of_block(in, in_block, ii);
    u128 sum = (u128)(ib * c->b) * g->m * g->n * g->k;
    sum += (u128)eb * (io * out_block) * in * g->k;
    sum += (u128)eb * eo * (ii * in_block) * g->k;
    return sum + (u128)eb * eo * ei * (i % nk * c->k);
}

struct task_grid_step task_grid_step(const struct task_kernel *k, uint64_t i)
{
    struct task_grid_step s = { .in = even_move(&k->all.in, i, k->grid_steps),
                                .out = even_move(&k->all.out, i, k->grid_steps),
                                .loads = even_share(k->all.loads, i, k->grid_steps),
                                .stores = even_share(k->all.stores, i, k->grid_steps),
                                .picked = even_share(k->all.picked, i, k->grid_steps),
                                .xlu = even_share(k->all.xlu, i, k->grid_steps),
                                .feed = even_share(k->all.feed, i, k->grid_steps) };
    const struct task_gemm *g = &k->all.gemm;

    for (int op = 0; op < N_VECTOR_OPS; op++)
        s.vpu[op] = even_share(k->all.vpu[op], i, k->grid_steps);
    if (!g->b)
        return s;
    s.gemm = gemm_block(k, i);
    /* useful work is spread like all work; differences telescope, so the sum is exact */
    u128 all = macs_before(k, k->grid_steps);
    s.gemm.useful = (uint64_t)(macs_before(k, i + 1) * g->useful / all) -
                    (uint64_t)(macs_before(k, i) * g->useful / all);
    return s;
}

uint64_t task_stream_cycles(const struct task_gemm *g, uint32_t granule, const struct array *a,
                            const struct array_mode *mode)
{
    struct array b = array_in_mode(a, mode);
    uint64_t tiles = g->b * array_tiles(a->size, mode, g->k, g->n);

    return array_cycles(&b, (1 + mode->more_passes) * tiles,
                        arith_ceil_div(g->m, granule) * granule);
}

bool task_needs_client(const struct task_program *p)
{
    for (uint32_t i = 0; i < p->n_tasks; i++)
        if (p->task[i].kind == TASK_HOST && p->task[i].host.client)
            return true;
    return false;
}
