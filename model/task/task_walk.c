#include "task/task_walk.h"

#include "base/arith.h"
#include "base/err.h"
#include "base/wide.h"

enum { B, OUTER, INNER, K };

static struct task_deal deal_out(uint64_t total, uint64_t n)
{
    uint64_t rest = total % n;

    return (struct task_deal){ total / n, rest, n - rest, 0 };
}

void task_reads_begin(struct task_reads *r, const struct task_kernel *k)
{
    *r = (struct task_reads){ deal_out(k->all.in.bytes, k->grid_steps),
                              deal_out(k->all.in.rows, k->grid_steps), k->all.in.row_bytes };
}

static void count_blocks(struct task_walk *w, int i, uint64_t extent, uint64_t block)
{
    w->count[i] = arith_ceil_div(extent, block);
    w->block[i] = block;
    w->last[i] = extent - (w->count[i] - 1) * block;
    w->next |= (uint32_t)(w->count[i] == 1) << i;
}

/* Deal out a total to a member of the step: here, if all shares are equal, else share by share. */
static void deal_share(struct task_walk *w, uint64_t *share, uint64_t total, uint64_t n)
{
    *share = total / n;
    if (total % n == 0)
        return;
    w->share[w->n_uneven] = share;
    w->uneven[w->n_uneven++] = deal_out(total, n);
}

void task_walk_begin(struct task_walk *w, const struct task_kernel *k)
{
    const struct task_grid_step *all = &k->all;
    const struct task_gemm *g = &all->gemm;
    const struct task_block *c = &k->block;
    uint64_t n = k->grid_steps;

    *w = (struct task_walk){ .kernel = k };
    deal_share(w, &w->step.out.bytes, all->out.bytes, n);
    deal_share(w, &w->step.out.rows, all->out.rows, n);
    deal_share(w, &w->step.loads, all->loads, n);
    deal_share(w, &w->step.stores, all->stores, n);
    deal_share(w, &w->step.picked, all->picked, n);
    deal_share(w, &w->step.xlu, all->xlu, n);
    deal_share(w, &w->step.feed, all->feed, n);
    for (int op = 0; op < N_VECTOR_OPS; op++)
        deal_share(w, &w->step.vpu[op], all->vpu[op], n);
    w->step.out.row_bytes = all->out.row_bytes;
    if (!g->b)
        return;
    count_blocks(w, B, g->b, c->b);
    count_blocks(w, OUTER, c->m_outer ? g->m : g->n, c->m_outer ? c->m : c->n);
    count_blocks(w, INNER, c->m_outer ? g->n : g->m, c->m_outer ? c->n : c->m);
    count_blocks(w, K, g->k, c->k);
    BUG_ON(w->count[B] * w->count[OUTER] * w->count[INNER] * w->count[K] != n);
    w->all = g->b * g->m * g->n * g->k;
    w->useful = g->useful == w->all;
}

/* The useful part of a block of `macs` multiply-accumulates. */
static uint64_t useful_work(struct task_walk *w, uint64_t macs)
{
    uint32_t s = w->shape;

    if (w->useful)
        return macs;
    if (!(w->known >> s & 1)) {
        u128 part = (u128)macs * w->kernel->all.gemm.useful;
        w->each[s] = (uint64_t)(part / w->all);
        w->extra[s] = (uint64_t)(part % w->all);
        w->known |= UINT32_C(1) << s;
    }
    bool whole = w->rest >= w->all - w->extra[s];
    w->rest = whole ? w->rest - (w->all - w->extra[s]) : w->rest + w->extra[s];
    return w->each[s] + whole;
}

/* The block at hand is of the shape w->shape. */
static void set_block(struct task_walk *w)
{
    bool m_outer = w->kernel->block.m_outer;
    uint64_t e[4];

    for (int i = B; i <= K; i++)
        e[i] = w->shape >> i & 1 ? w->last[i] : w->block[i];
    w->step.gemm = (struct task_gemm){
        .b = e[B], .m = e[m_outer ? OUTER : INNER], .n = e[m_outer ? INNER : OUTER], .k = e[K]
    };
    w->step.gemm.useful = useful_work(w, e[B] * e[OUTER] * e[INNER] * e[K]);
}

static void go_to_next_block(struct task_walk *w)
{
    uint32_t shape = w->next;

    /* blocks of one shape differ in nothing but the useful work, if not all of it is */
    if (shape != w->shape || !w->useful || !w->step.gemm.b) {
        w->shape = shape;
        set_block(w);
    }
    for (int i = K; i >= B; i--) {
        bool more = ++w->at[i] < w->count[i];
        if (!more)
            w->at[i] = 0;
        bool last = w->at[i] + 1 == w->count[i];
        w->next = (w->next & ~(UINT32_C(1) << i)) | (uint32_t)last << i;
        if (more)
            break;
    }
}

void task_walk_next(struct task_walk *w)
{
    uint32_t all_larger = 0;

    for (uint32_t i = 0; i < w->n_uneven; i++) {
        bool larger;
        *w->share[i] = task_deal_next(&w->uneven[i], &larger);
        all_larger |= (uint32_t)larger << i;
    }
    w->larger = all_larger;
    if (w->kernel->all.gemm.b)
        go_to_next_block(w);
}
