/* Cutting the work of a kernel into grid steps.
 *
 * A step costs a fixed `step_cycles`, and the first tile in and the last tile out are exposed, so
 * with T steps a kernel of V bytes at rate R loses T * step + V / (T * R): least at
 * T = sqrt(V / (R * step)).  VMEM (two buffers each way beside what is resident) and the shape
 * bound T. */
#include "kernels/lower.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t isqrt(uint64_t v)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) <= v / (root | bit))
            root |= bit;
    return root;
}

static uint64_t move_bytes(const struct task_move *m)
{
    return m->bytes + m->rows * m->row_bytes;
}

static uint64_t steps_wanted(const struct work *w, const struct cap *cap)
{
    uint64_t bytes = move_bytes(&w->in) + move_bytes(&w->out);
    uint64_t step_bytes = (uint64_t)((u128)cap->hbm_bytes_per_s * cap->step_cycles / cap->core_hz);
    uint64_t resident = w->resident_in + w->resident_out;
    /* what is resident was blocked to leave at least half of VMEM to the streams */
    uint64_t room =
        resident < cap->vmem_bytes / 2 ? cap->vmem_bytes - resident : cap->vmem_bytes / 2;
    uint64_t steps = isqrt(bytes / (step_bytes ? step_bytes : 1));
    uint64_t least = ceil_div(2 * bytes, room);

    if (steps < least)
        steps = least;
    return steps ? steps : 1;
}

/* The share of `total` that falls on `chunk` of `extent`. */
static uint64_t scale(uint64_t total, uint64_t chunk, uint64_t extent)
{
    return (uint64_t)((u128)total * chunk / extent);
}

static struct task_move scale_move(const struct task_move *m, uint64_t chunk, uint64_t extent)
{
    return (struct task_move){ scale(m->bytes, chunk, extent), scale(m->rows, chunk, extent),
                               m->row_bytes };
}

static struct task_move rest_move(const struct task_move *all, const struct task_move *body,
                                  uint64_t n)
{
    return (struct task_move){ all->bytes - n * body->bytes, all->rows - n * body->rows,
                               all->row_bytes };
}

static void set_extent(struct task_gemm *g, enum task_split grid, uint64_t v)
{
    switch (grid) {
    case TASK_SPLIT_M: g->m = v; break;
    case TASK_SPLIT_K: g->k = v; break;
    case TASK_SPLIT_N: g->n = v; break;
    case TASK_SPLIT_B: g->b = v; break;
    }
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
                                            cap->mxu_row_granule, cap->mxu_size);
            uint64_t c = s.b ? task_stream_cycles(&s, cap->mxu_row_granule, cap->mxu_size,
                                                  cap->mxu_load_cycles)
                             : 0;
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

void tile(struct task *t, const struct work *w, const struct cap *cap)
{
    uint64_t extent, granule, steps = steps_wanted(w, cap);
    const struct task_gemm *g = &w->gemm;

    if (g->b) {
        extent = w->grid == TASK_SPLIT_M   ? g->m
                 : w->grid == TASK_SPLIT_K ? g->k
                 : w->grid == TASK_SPLIT_N ? g->n
                                           : g->b;
        granule = w->grid == TASK_SPLIT_M   ? cap->mxu_row_granule
                  : w->grid == TASK_SPLIT_B ? 1
                                            : cap->mxu_size;
    } else {
        extent = steps;
        granule = 1;
    }
    uint64_t chunk = ceil_div(ceil_div(extent, granule), steps) * granule;
    if (chunk > extent)
        chunk = extent;
    t->steps = ceil_div(extent, chunk);
    uint64_t n = t->steps - 1;

    t->body = (struct task_step){ .in = scale_move(&w->in, chunk, extent),
                                  .out = scale_move(&w->out, chunk, extent),
                                  .gemm = *g,
                                  .vpu = scale(w->vpu, chunk, extent),
                                  .xlu = scale(w->xlu, chunk, extent) };
    t->last = (struct task_step){ .in = rest_move(&w->in, &t->body.in, n),
                                  .out = rest_move(&w->out, &t->body.out, n),
                                  .gemm = *g,
                                  .vpu = w->vpu - n * t->body.vpu,
                                  .xlu = w->xlu - n * t->body.xlu };
    if (g->b) {
        set_extent(&t->body.gemm, w->grid, chunk);
        set_extent(&t->last.gemm, w->grid, extent - n * chunk);
        t->body.gemm.useful = scale(g->useful, chunk, extent);
        t->last.gemm.useful = g->useful - n * t->body.gemm.useful;
        t->split = best_split(&t->body.gemm, cap);
    }
    t->resident_in = w->resident_in;
    t->resident_out = w->resident_out;
}
