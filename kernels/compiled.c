/* Kernels of compiled programs, as the program states them.
 *
 *     for each grid step, `steps` in all:   windows from HBM   MXU | VPU | XLU   windows to HBM
 *
 *     bytes in   sum of fetch; what is held comes before the first grid step
 *     bytes out  sum of store
 *     CMEM       bytes of operands and results that lie there; VMEM: none
 *     rows       rows of row_bytes at random, in or out; a scatter adds to what it reads first
 *     vector     elements of each class / elements of a register; loads, stores and xlu likewise
 *
 * A product C[b,m,n] = A[b,m,k] B[b,k,n] executes whole tiles:
 *
 *     blocks     one tile a grid step, cut to the product where there is one of it
 *     passes     each tap of a convolution by itself: ceil(channels / rows of the array), each of
 * so many rows; packed: taps share passes, eight rows for each of fewer channels where k is on
 * lanes of B, else as many as they have stays      B; where C has m on its lanes, A: the product is
 * C^T = B^T A^T turned     the operand that stays, if k is on its lanes; one that streams without k
 * on its lanes goes through the XLU, each window once for all taps pushes     rows of the operand
 * that stays are pushed behind the rows of the tile before, at cap->push_rows a cycle; 0: as the
 * array loads halves     of a device take halves of the loop that the program divides, the larger
 * first: a grid step has a tile of each; with partial sums, they go through HBM once each way;
 * undivided, one half works
 *
 * Kernels that state no windows, or whose windows this machine has no room or another array for,
 * are cut like those of other traces (compiled_tiled.c).  How the arrays of a core share a tile is
 * decided as for those. */
#include "kernels/compiled.h"

#include "base/arith.h"
#include "base/wide.h"

/* --- bytes and vector work ---------------------------------------------------------------- */

static bool is_on_chip(enum trace_space space)
{
    return space != TRACE_IN_HBM && space != TRACE_IN_HOST;
}

/* Add what one operand or result moves, where it is. */
static void add_value(struct work *w, const struct compiled *c, uint32_t value, uint64_t bytes,
                      uint64_t *way)
{
    const struct trace_shape *s = &c->step->value[value].shape;
    enum trace_space space = trace_space(s);

    if (is_on_chip(space) && c->anew)
        *way += space == TRACE_IN_VMEM || space == TRACE_IN_CMEM ? trace_bytes(s) : 0;
    else if (space == TRACE_IN_CMEM)
        w->fed += bytes ? bytes : trace_bytes(s);
    else if (!is_on_chip(space))
        *way += bytes;
}

void compiled_traffic(struct work *w, const struct compiled *c, uint64_t *held)
{
    const struct step_op *op = c->op;
    const struct trace_compiled *k = c->stated;

    *held = 0;
    for (uint32_t i = 0; i < op->n_in; i++)
        add_value(w, c, step_operand(c->step, op, i), k->fetch[i],
                  k->held[i] ? held : &w->in.bytes);
    for (uint32_t i = 0; i < op->n_out; i++)
        add_value(w, c, step_result(c->step, op, i), k->store[i], &w->out.bytes);
}

static uint64_t count_registers(uint64_t elements, const struct cap *cap)
{
    return arith_ceil_div(elements, cap->vector_elements);
}

static void add_vector_work(struct work *w, const struct trace_compiled *k, const struct cap *cap)
{
#define V(id, text) w->vpu[VECTOR_##id] += count_registers(k->vector[TRACE_VECTOR_##id], cap);
    TRACE_VECTORS(V)
#undef V
    w->xlu += count_registers(k->xlu, cap);
    w->loads += count_registers(k->loads, cap);
    w->stores += count_registers(k->stores, cap);
}

/* --- rows by index, sorts ----------------------------------------------------------------- */

/* Bytes of the largest value in HBM of which nothing is fetched or stored as a whole: the table. */
static uint64_t find_table(const struct compiled *c)
{
    const struct step_op *op = c->op;
    bool writes = c->stated->row_writes;
    uint64_t most = 0;

    for (uint32_t i = 0; i < (writes ? op->n_out : op->n_in); i++) {
        uint32_t v = writes ? step_result(c->step, op, i) : step_operand(c->step, op, i);
        const struct trace_shape *s = &c->step->value[v].shape;
        bool whole = (writes ? c->stated->store : c->stated->fetch)[i] != 0;
        if (!whole && trace_space(s) == TRACE_IN_HBM && trace_bytes(s) > most)
            most = trace_bytes(s);
    }
    return most;
}

/* Random accesses, or the table as a whole where it fits on chip and takes fewer bytes (rows.c). */
static void add_rows(struct work *w, const struct compiled *c)
{
    const struct trace_compiled *k = c->stated;
    const struct cap *cap = c->cap;
    uint64_t row = arith_round_up(k->row_bytes, cap->dma_granule), rows = c->op->op.rows;
    uint64_t table = find_table(c), elements = rows * arith_ceil_div(k->row_bytes, 4);
    bool adds = k->form == TRACE_FORM_SCATTER;

    if (!(w->vpu[VECTOR_ADD] + w->vpu[VECTOR_SELECT])) {
        w->vpu[adds ? VECTOR_ADD : VECTOR_SELECT] += count_registers(elements, cap);
        w->loads += count_registers(elements, cap);
        w->stores += count_registers(elements, cap);
    }
    if (table && table <= cap->vmem_bytes / 2 && table < rows * row) {
        *(k->row_writes ? &w->out.bytes : &w->in.bytes) += table;
        return;
    }
    struct task_move random = { 0, rows, row };
    if (!k->row_writes || adds)
        w->in.rows = random.rows, w->in.row_bytes = random.row_bytes;
    if (k->row_writes)
        w->out.rows = random.rows, w->out.row_bytes = random.row_bytes;
}

void compiled_work(struct work *w, const struct compiled *c, uint64_t *held)
{
    compiled_traffic(w, c, held);
    add_vector_work(w, c->stated, c->cap);
    if (c->stated->form == TRACE_FORM_SORT)
        lower_sort(w, c->step, c->op, c->cap);
    else if (c->stated->row_bytes)
        add_rows(w, c);
}

/* --- the product -------------------------------------------------------------------------- */

/* Channels of each tap, and how many taps, a tile of k holds: the most channels that the counts
 * allow. */
struct taps {
    uint64_t channels, taps;
};

static struct taps cut_taps(const struct trace_compiled *k)
{
    bool on_lanes = k->has_lanes && k->lanes[1] == TRACE_DIM_K;
    uint64_t all = k->product[TRACE_DIM_K] / k->taps, tile = k->tile[TRACE_DIM_K];
    uint64_t unit = on_lanes ? 128 : 8, padded = arith_round_up(all, unit);

    for (uint64_t c = padded; k->taps > 1 && c > 0; c -= unit) {
        uint64_t parts = arith_ceil_div(padded, c), taps = tile / c;
        if (tile % c == 0 && k->counts[TRACE_DIM_K] % parts == 0 &&
            k->counts[TRACE_DIM_K] / parts * taps >= k->taps)
            return (struct taps){ c < all ? c : all, taps < k->taps ? taps : k->taps };
    }
    if (k->taps > 1 && tile < all)
        return (struct taps){ tile, 1 };
    if (k->taps > 1)
        return (struct taps){ all, tile / all < k->taps ? tile / all : k->taps };
    return (struct taps){ tile < all ? tile : all, 1 };
}

/* k of a tile, and how many rows of the array a pass takes of it. */
static void cut_depth(const struct trace_compiled *k, const struct cap *cap, uint64_t *tile,
                      uint32_t *depth)
{
    struct taps t = cut_taps(k);
    uint64_t size = cap->mxu.size, rows = t.channels;

    if (k->packed) {
        if (k->has_lanes && k->lanes[1] == TRACE_DIM_K)
            rows = arith_round_up(rows, cap->sublanes);
        *tile = rows * t.taps;
        *depth = (uint32_t)(*tile < size ? *tile : size);
        return;
    }
    uint64_t passes = arith_ceil_div(rows, size), each = arith_ceil_div(rows, passes);
    each = arith_round_up(each, cap->sublanes);
    *depth = (uint32_t)(each < size && (passes == 1 || t.taps > 1) ? each : size);
    *tile = t.taps > 1 ? t.taps * passes * *depth : rows;
}

/* A tile of one dimension and how many there are, cut to the product where there is one. */
static uint64_t cut_tile(const struct trace_compiled *k, enum trace_dim d)
{
    bool cuts = k->counts[d] == 1 && k->product[d] < k->tile[d];

    return cuts ? k->product[d] : k->tile[d];
}

/* Columns of the array that the operand that stays fills, and the tile of that dimension without
 * the lanes that it leaves empty: executed are 128 lanes for each of its positions. */
static uint32_t cut_columns(const struct trace_compiled *k, enum trace_dim d, uint64_t *tile,
                            const struct cap *cap)
{
    uint64_t size = cap->mxu.size, all = k->counts[d] * k->tile[d], used = size;

    if (k->has_lanes && k->tile[d] % size == 0 && 2 * k->product[d] <= all) {
        used = arith_ceil_div((uint64_t)((u128)size * k->product[d] / all), cap->sublanes);
        used = used ? used * cap->sublanes : cap->sublanes;
        *tile = k->tile[d] / size * used;
    } else if (*tile < size) {
        used = arith_round_up(*tile, cap->sublanes);
    }
    return used < size ? (uint32_t)used : 0;
}

/* The rows of the operand that streams: of a dimension that fills at most half of its sublanes only
 * what there is streams. */
static void cut_rows(const struct trace_compiled *k, enum trace_dim d, uint64_t *tile,
                     const struct cap *cap)
{
    uint64_t all = k->counts[d] * k->tile[d], used;

    if (k->tile[d] % cap->sublanes || 2 * k->product[d] > all || *tile < k->tile[d])
        return;
    used = (uint64_t)(((u128)cap->sublanes * k->product[d] + all - 1) / all);
    *tile = k->tile[d] / cap->sublanes * used;
}

/* The halves of a device share the loop over *counts: a grid step has a tile of each. */
static void share_loop(uint64_t *counts, uint64_t *tile, uint32_t *cores, const struct cap *cap)
{
    *cores = cap->halves;
    *counts = arith_ceil_div(*counts, cap->halves);
    *tile *= cap->halves;
}

/* What one grid step of the device takes, how many there are along each dimension, and how its
 * halves divide it. */
struct grid {
    uint64_t counts[TRACE_N_DIMS], tile[TRACE_N_DIMS];
    struct task_parts cores;
};

static void split_grid(struct grid *g, enum trace_split split, const struct cap *cap)
{
    static const enum trace_dim dims[] = { [TRACE_SPLIT_B] = TRACE_DIM_B,
                                           [TRACE_SPLIT_M] = TRACE_DIM_M,
                                           [TRACE_SPLIT_N] = TRACE_DIM_N,
                                           [TRACE_SPLIT_K] = TRACE_DIM_K };
    uint32_t *const cores[] = { [TRACE_DIM_B] = &g->cores.b,
                                [TRACE_DIM_M] = &g->cores.m,
                                [TRACE_DIM_K] = &g->cores.k,
                                [TRACE_DIM_N] = &g->cores.n };

    g->cores = (struct task_parts){ 1, 1, 1, 1 };
    if (split == TRACE_SPLIT_UNSAID) /* as the compiler mostly does */
        split = g->counts[TRACE_DIM_M] > 1   ? TRACE_SPLIT_M
                : g->counts[TRACE_DIM_N] > 1 ? TRACE_SPLIT_N
                                             : TRACE_SPLIT_B;
    if (cap->halves == 1 || split == TRACE_SPLIT_NONE || g->counts[dims[split]] == 1)
        return;
    enum trace_dim d = dims[split];
    share_loop(&g->counts[d], &g->tile[d], cores[d], cap);
}

static void swap_dims(struct grid *g)
{
    uint64_t counts = g->counts[TRACE_DIM_M], tile = g->tile[TRACE_DIM_M];
    uint32_t cores = g->cores.m;

    g->counts[TRACE_DIM_M] = g->counts[TRACE_DIM_N];
    g->counts[TRACE_DIM_N] = counts;
    g->tile[TRACE_DIM_M] = g->tile[TRACE_DIM_N];
    g->tile[TRACE_DIM_N] = tile;
    g->cores.m = g->cores.n;
    g->cores.n = cores;
}

/* Registers of the streamed operand that the XLU turns: its windows of all grid steps, each once
 * for all taps. */
static uint64_t count_turned(const struct grid *g, uint64_t taps, uint32_t element,
                             const struct cap *cap)
{
    uint64_t bytes = g->tile[TRACE_DIM_B] * g->tile[TRACE_DIM_M] *
                     arith_ceil_div(g->tile[TRACE_DIM_K], taps) * element;
    uint64_t steps = 1;

    for (int d = 0; d < TRACE_N_DIMS; d++)
        steps *= g->counts[d];
    return steps * arith_ceil_div(bytes, 4 * (uint64_t)cap->vector_elements);
}

/* Lanes of the operand that stays and of the one that streams: turned as the array loads, or before
 * it streams. */
static void turn_operands(struct work *w, const struct compiled *c, const struct grid *g,
                          bool a_stays)
{
    const struct trace_compiled *k = c->stated;
    uint8_t stays = k->lanes[a_stays ? 0 : 1], streams = k->lanes[a_stays ? 1 : 0];

    if (!k->has_lanes)
        return;
    w->mode.turned = w->b_turned = stays == TRACE_DIM_K;
    if (streams != TRACE_DIM_K)
        w->xlu += count_turned(g, cut_taps(k).taps, w->a_element, c->cap);
}

/* Partial sums that the halves exchange: each writes its own and reads the other's. */
static void add_exchange(struct work *w, const struct trace_compiled *k, const struct grid *g)
{
    if (g->cores.k == 1)
        return;
    w->in.bytes += k->split_bytes;
    w->out.bytes += k->split_bytes;
}

/* All multiply-accumulates, or 0 if they are more than a run can hold. */
static uint64_t count_macs(const struct task_gemm *g)
{
    uint64_t all;

    if (__builtin_mul_overflow(g->b, g->m, &all) || __builtin_mul_overflow(all, g->k, &all) ||
        __builtin_mul_overflow(all, g->n, &all))
        return 0;
    return all <= LOWER_MAX_MACS ? all : 0;
}

/* The product as blocks of whole tiles; false if there is too much of it. */
static bool set_gemm(struct work *w, const struct grid *g, uint64_t flops)
{
    w->gemm = (struct task_gemm){
        .b = g->counts[TRACE_DIM_B] * g->tile[TRACE_DIM_B],
        .m = g->counts[TRACE_DIM_M] * g->tile[TRACE_DIM_M],
        .k = g->counts[TRACE_DIM_K] * g->tile[TRACE_DIM_K],
        .n = g->counts[TRACE_DIM_N] * g->tile[TRACE_DIM_N],
    };
    uint64_t all = count_macs(&w->gemm);
    w->gemm.useful = flops / 2 < all ? flops / 2 : all;
    return all > 0;
}

int compiled_product(struct task_kernel *out, struct work *w, const struct compiled *c,
                     struct err *err)
{
    const struct trace_compiled *k = c->stated;
    bool a_stays = k->has_lanes && k->lanes[2] == TRACE_DIM_M;
    struct grid g;

    for (int d = 0; d < TRACE_N_DIMS; d++) {
        g.counts[d] = k->counts[d];
        g.tile[d] = cut_tile(k, (enum trace_dim)d);
    }
    cut_depth(k, c->cap, &g.tile[TRACE_DIM_K], &w->mode.depth);
    enum trace_dim stays = a_stays ? TRACE_DIM_M : TRACE_DIM_N;
    enum trace_dim streams = a_stays ? TRACE_DIM_N : TRACE_DIM_M;
    w->mode.columns = cut_columns(k, stays, &g.tile[stays], c->cap);
    cut_rows(k, streams, &g.tile[streams], c->cap);
    w->mode.pushed = c->cap->push_rows;
    split_grid(&g, k->split, c->cap);
    compiled_operands(w, c, a_stays);
    if (a_stays)
        swap_dims(&g);
    turn_operands(w, c, &g, a_stays);
    add_exchange(w, k, &g);
    if (!set_gemm(w, &g, c->op->op.flops))
        return err_set(err, ERR_RANGE, "more than 2^61 multiply-accumulates");
    struct task_block block = { g.tile[TRACE_DIM_B], g.tile[TRACE_DIM_M], g.tile[TRACE_DIM_N],
                                g.tile[TRACE_DIM_K], a_stays };
    lower_grid_stated(out, w, &block, &g.cores, c->cap);
    return 0;
}
