/* Matrix products of compiled programs, in the windows that the program states.
 *
 * C[b,m,n] = A[b,m,k] B[b,k,n] executes whole tiles:
 *
 *     blocks   one tile a grid step, cut to the product where there is one of it
 *     stays    B; where C has m on its lanes, A: the product is C^T = B^T A^T
 *     passes   each tap of a convolution by itself, in ceil(channels / array) passes of
 *              equally many rows; packed: taps share passes, with eight rows for fewer
 *              channels where k is on the lanes of B, else with as many as there are
 *     columns  where a dimension of the operand that stays fills part of its lanes, each 128
 *              of them are a pass with so many columns
 *     rows     of a dimension that fills at most half of its sublanes only those stream
 *     twice    a tile of one register each way lies in an array of several: two rows stream side
 *              by side
 *     equal    columns of the passes of a turned operand, which pushes each of its columns once
 *     turned   the operand that stays, if k is on its lanes; one that streams without k on its
 *              lanes goes through the XLU, each window once for all taps, and the first rows wait
 *              for the XLU's latency
 *     own      weights of each position (position-rows): a push for each, where the compiler's
 *              model counts pushes (cap->xla.push_rows)
 *     pushes   of the operand that stays go on behind the rows of the tile before, at
 *              cap->xla.push_rows a cycle; 0: as the array loads by itself, of a last tile of k no
 * more rows than there are halves   of a device take halves of the loop that the program divides,
 * the larger first: a grid step has a tile of each.  Partial sums go through HBM, once each way.
 *              Undivided, one half works
 *
 * Columns, rows and pushes are those that explain the cycles which XLA's cost model gives kernels
 * on TPU v2 and v3 that are limited by their matrix unit.  How the arrays of a core share a tile is
 * decided as for other traces (tile_product.c). */
#include "base/arith.h"
#include "base/wide.h"
#include "kernels/tpu/fill.h"
#include "kernels/tpu/stated.h"

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

/* The k that a pass over the array takes; *all: that of all taps, each padded to its passes. */
static uint32_t cut_depth(const struct trace_compiled *k, struct taps t, const struct cap *cap,
                          uint64_t *all)
{
    uint64_t size = cap->mxu.size, rows = t.channels;

    if (k->packed) {
        if (k->has_lanes && k->lanes[1] == TRACE_DIM_K)
            rows = arith_round_up(rows, cap->sublanes);
        *all = rows * t.taps;
        return (uint32_t)(*all < size ? *all : size);
    }
    uint64_t passes = arith_ceil_div(rows, size), each = arith_ceil_div(rows, passes);
    each = arith_round_up(each, cap->sublanes);
    each = each < size && (passes == 1 || t.taps > 1) ? each : size;
    *all = t.taps > 1 ? t.taps * passes * each : rows;
    return (uint32_t)each;
}

uint32_t stated_depth(const struct trace_compiled *k, bool whole, const struct cap *cap,
                      uint64_t *padded)
{
    struct taps all = { k->product[TRACE_DIM_K] / k->taps, k->taps };

    return cut_depth(k, whole ? all : cut_taps(k), cap, padded);
}

bool stated_swaps(const struct trace_compiled *k)
{
    return k->has_lanes && k->lanes[2] == TRACE_DIM_M;
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

/* A grid step of the device: tiles along each dimension, how many there are, and how its halves
 * divide them. */
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

/* Positions of the result that push weights of their own are products of their own, of few rows.
 * The weights of the gradient of a filter, whose k is on sublanes, are pushed as fast as the array
 * takes them.  Only where the compiler's model of pushes is known to hold (cap->xla.push_rows): on
 * others the words of such kernels push the weights of a tap once for a window. */
static void part_positions(struct grid *g, const struct trace_compiled *k, struct array_mode *mode,
                           const struct cap *cap)
{
    uint64_t rows = k->position_rows, all = k->tile[TRACE_DIM_M];

    if (rows == 0 || rows >= all || all % rows || !cap->xla.push_rows)
        return;
    if (k->packed)
        mode->pushed = cap->mxu.weight_rows_per_cycle;
    g->tile[TRACE_DIM_B] *= all / rows;
    g->tile[TRACE_DIM_M] = arith_ceil_div(g->tile[TRACE_DIM_M], all / rows);
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
 * for all taps; once in all if it has one window. */
static uint64_t count_turned(const struct grid *g, uint64_t taps, uint32_t element,
                             const struct cap *cap)
{
    uint64_t bytes = g->tile[TRACE_DIM_B] * g->tile[TRACE_DIM_M] *
                     arith_ceil_div(g->tile[TRACE_DIM_K], taps) * element;
    uint64_t steps = g->counts[TRACE_DIM_B] * g->counts[TRACE_DIM_M] * g->counts[TRACE_DIM_K];

    if (steps > 1)
        steps *= g->counts[TRACE_DIM_N];
    return steps * arith_ceil_div(bytes, 4 * (uint64_t)cap->vector_elements);
}

/* Where the array loads by itself, of the last tile of k only the rows that there are: a tile has
 * as many on average.  XLA's cost model counts whole ones on TPU v2 and v3. */
static void cut_pushes(struct array_mode *mode, uint64_t k, const struct cap *cap)
{
    uint64_t size = cap->mxu.size, rows;

    if (mode->pushed || mode->turned || mode->height || mode->depth != size || k <= size)
        return;
    rows = arith_round_up(arith_ceil_div(k, arith_ceil_div(k, size)), cap->sublanes);
    mode->height = rows < size ? (uint32_t)rows : 0;
}

/* Lanes of the operand that stays and of the one that streams: turned as the array loads, or before
 * it streams. */
static void turn_operands(struct work *w, const struct trace_compiled *k, const struct grid *g,
                          bool a_stays, const struct cap *cap)
{
    uint8_t stays = k->lanes[a_stays ? 0 : 1], streams = k->lanes[a_stays ? 1 : 0];

    if (!k->has_lanes)
        return;
    w->mode.turned = w->b_turned = stays == TRACE_DIM_K;
    if (streams != TRACE_DIM_K) {
        w->xlu += count_turned(g, cut_taps(k).taps, w->a_element, cap);
        w->extra_cycles += cap->xla.lane_reduce_time;
    }
}

/* Partial sums that the halves exchange: each writes its own and reads the other's, when both are
 * done with their products. */
static void add_exchange(struct work *w, const struct trace_compiled *k, const struct grid *g,
                         const struct cap *cap)
{
    if (g->cores.k == 1)
        return;
    w->extra_cycles += cap->xla.exchange_time;
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

int stated_blocks(struct task_kernel *out, struct work *w, const struct trace_compiled *k,
                  uint64_t flops, const struct cap *cap, struct err *err)
{
    bool a_stays = stated_swaps(k);
    enum trace_dim stays = a_stays ? TRACE_DIM_M : TRACE_DIM_N;
    enum trace_dim streams = a_stays ? TRACE_DIM_N : TRACE_DIM_M;
    struct grid g;

    for (int d = 0; d < TRACE_N_DIMS; d++) {
        g.counts[d] = k->counts[d];
        g.tile[d] = cut_tile(k, (enum trace_dim)d);
    }
    w->mode.depth = stated_depth(k, false, cap, &g.tile[TRACE_DIM_K]);
    w->mode.columns = cut_columns(k, stays, &g.tile[stays], cap);
    cut_rows(k, streams, &g.tile[streams], cap);
    w->mode.pushed = cap->xla.push_rows;
    if (!a_stays)
        part_positions(&g, k, &w->mode, cap);
    split_grid(&g, k->split, cap);
    if (a_stays)
        swap_dims(&g);
    turn_operands(w, k, &g, a_stays, cap);
    fill_registers(&w->mode, g.tile[TRACE_DIM_N], cap);
    cut_pushes(&w->mode, g.tile[TRACE_DIM_K], cap);
    add_exchange(w, k, &g, cap);
    if (!set_gemm(w, &g, flops))
        return err_set(err, ERR_RANGE, "more than 2^61 multiply-accumulates");
    /* a grid step has a multiply-accumulate at least, so the product is at most 2^61 */
    uint64_t steps = g.counts[TRACE_DIM_B] * g.counts[TRACE_DIM_M] * g.counts[TRACE_DIM_K] *
                     g.counts[TRACE_DIM_N];
    if (stated_check_steps(steps, err) != 0)
        return -1;
    struct task_block block = { g.tile[TRACE_DIM_B], g.tile[TRACE_DIM_M], g.tile[TRACE_DIM_N],
                                g.tile[TRACE_DIM_K], a_stays };
    lower_grid_stated(out, w, &block, &g.cores, cap);
    return 0;
}

int stated_product(struct task_kernel *out, struct work *w, const struct stated *c, struct err *err)
{
    stated_operands(w, c, stated_swaps(c->kernel));
    return stated_blocks(out, w, c->kernel, c->op->op.flops, c->cap, err);
}
