#include "kernels/tpu/window.h"

#include "base/arith.h"
#include "base/wide.h"

#include <string.h>

#define MAX_CUTS 96
#define SCALE 1024         /* of cycles in an estimate */
#define LEAST_RATE 1000000 /* B/s of HBM, in an estimate */

/* Core cycles that the compiler counts between the rows of one tile of weights and those of the
 * next, and for halves to exchange partial sums [calibrated: xla-estimates, of the products
 * compiled for TPU v2 to v7, all of them in view]. */
#define PASS 16
#define EXCHANGE 100
/* The part of the room of windows that those have besides whose result takes the sums [calibrated:
 * xla-programs, windows of products of complex numbers compiled for TPU v3, v5e and v6e]. */
#define WIDER 8

/* Ways to cut one dimension: units of a window, and windows. */
struct cuts {
    uint64_t unit, window[MAX_CUTS], count[MAX_CUTS];
    uint32_t n;
};

/* The two dimensions of an operand, and of all three. */
static const uint8_t dims[3][2] = { { TRACE_DIM_M, TRACE_DIM_K },
                                    { TRACE_DIM_K, TRACE_DIM_N },
                                    { TRACE_DIM_M, TRACE_DIM_N } };

static bool has_dim(int operand, int d)
{
    return dims[operand][0] == d || dims[operand][1] == d;
}

/* A window is the same number of elements in all operands: where one has the dimension on its
 * lanes, whole lanes. */
static uint64_t unit_of(const struct trace_compiled *k, int d, const struct cap *cap)
{
    for (int i = 0; i < 3; i++)
        if (has_dim(i, d) && k->lanes[i] == d)
            return cap->lanes;
    return cap->sublanes;
}

/* Windows of 1/1, 1/2, 1/3 ... of a dimension; from 1/32 on in larger strides. */
static void list_cuts(struct cuts *c, uint64_t extent, uint64_t unit)
{
    uint64_t units = arith_ceil_div(extent, unit);

    c->n = 0;
    c->unit = unit;
    for (uint64_t parts = 1; parts <= units && c->n < MAX_CUTS; parts += 1 + parts / 32) {
        uint64_t window = arith_ceil_div(units, parts);
        if (c->n && c->window[c->n - 1] == window)
            continue;
        c->window[c->n] = window;
        c->count[c->n++] = arith_ceil_div(units, window);
    }
}

/* Bytes of the window of an operand, in whole registers. */
static uint64_t window_bytes(const struct trace_compiled *k, int operand,
                             const struct window_operands *o, const struct cap *cap)
{
    uint64_t bytes = k->tile[TRACE_DIM_B] * o->element[operand];

    for (int i = 0; i < 2; i++) {
        int d = dims[operand][i];
        bytes *= arith_round_up(k->tile[d], k->lanes[operand] == d ? cap->lanes : cap->sublanes);
    }
    return bytes;
}

bool window_stays(const struct trace_compiled *k, int operand)
{
    return k->counts[TRACE_DIM_B] * k->counts[dims[operand][0]] * k->counts[dims[operand][1]] == 1;
}

/* Windows along `d` of one half of the device. */
static uint64_t count_own(const struct trace_compiled *k, int d, const struct cap *cap)
{
    static const int divided[] = { [TRACE_SPLIT_B] = TRACE_DIM_B,
                                   [TRACE_SPLIT_M] = TRACE_DIM_M,
                                   [TRACE_SPLIT_N] = TRACE_DIM_N,
                                   [TRACE_SPLIT_K] = TRACE_DIM_K };
    bool split = k->split != TRACE_SPLIT_UNSAID && k->split != TRACE_SPLIT_NONE;

    return split && divided[k->split] == d ? arith_ceil_div(k->counts[d], cap->halves)
                                           : k->counts[d];
}

uint64_t window_reads(const struct trace_compiled *k, int operand, const struct cap *cap)
{
    bool later = count_own(k, TRACE_DIM_K, cap) > 1;

    if (operand == 0) /* n is outside of m and k */
        return later || count_own(k, TRACE_DIM_M, cap) > 1 ? count_own(k, TRACE_DIM_N, cap) : 1;
    return later ? count_own(k, TRACE_DIM_M, cap) : 1;
}

/* --- the estimate of one choice --------------------------------------------------------------- */

/* Cycles, times SCALE: to fetch a window of A and of B, 0 for one on chip; to store one of C; of a
 * transfer besides its bytes, and how many of those nothing hides; to compute on a grid step. */
struct costs {
    uint64_t a, b, store, latency, shown, compute;
};

static uint64_t more_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t cycles_of(uint64_t bytes, const struct cap *cap)
{
    uint64_t rate = cap->hbm_bytes_per_s / cap->halves;

    /* below that every choice waits for memory alone, and sums would not fit */
    return wide_mul_div(bytes, cap->core_hz * SCALE, more_of(rate, LEAST_RATE));
}

/* Cycles to push a tile of weights: its rows, or its columns if they are on the lanes. */
static uint64_t load_cycles(const struct trace_compiled *k, bool swapped, const struct cap *cap)
{
    uint32_t rows = cap->xla.push_rows ? cap->xla.push_rows : cap->mxu.weight_rows_per_cycle;
    bool turned = k->lanes[swapped ? 0 : 1] == TRACE_DIM_K;
    uint64_t most = k->tile[!turned ? TRACE_DIM_K : swapped ? TRACE_DIM_M : TRACE_DIM_N];

    most = arith_round_up(most, cap->sublanes);
    return arith_ceil_div(most < cap->mxu.size ? most : cap->mxu.size, rows);
}

/* Cycles of the XLU to turn the window of the operand that streams, if k is not on its lanes; one
 * that never changes is turned once for all grid steps. */
static uint64_t count_turning(const struct trace_compiled *k, const struct window_operands *o,
                              const struct cap *cap)
{
    int streams = k->lanes[2] == TRACE_DIM_M ? 1 : 0;
    uint64_t cycles = window_bytes(k, streams, o, cap) * cap->xlu_cycles * cap->halves * SCALE /
                      (4 * (uint64_t)cap->vector_elements);

    if (k->lanes[streams] == TRACE_DIM_K)
        return 0;
    return window_stays(k, streams) ? cycles / k->counts[streams ? TRACE_DIM_M : TRACE_DIM_N]
                                    : cycles;
}

/* Cycles of the matrix units on a grid step of one core. */
static uint64_t count_compute(const struct trace_compiled *k, const struct window_operands *o,
                              const struct cap *cap)
{
    bool swapped = k->lanes[2] == TRACE_DIM_M;
    uint64_t rows = k->tile[swapped ? TRACE_DIM_N : TRACE_DIM_M];
    uint64_t stays = k->tile[swapped ? TRACE_DIM_M : TRACE_DIM_N];
    uint64_t tiles = k->tile[TRACE_DIM_B] * arith_ceil_div(k->tile[TRACE_DIM_K], cap->mxu.size) *
                     arith_ceil_div(stays, cap->mxu.size);
    uint64_t pass =
        arith_ceil_div(rows, cap->mxu.rows_per_cycle) + (cap->xla.window_step ? 0 : PASS);
    uint64_t cycles = tiles * more_of(pass, load_cycles(k, swapped, cap));

    if (k->counts[TRACE_DIM_K] > 1)
        cycles += k->tile[TRACE_DIM_B] * rows * stays / cap->vector_elements;
    cycles = cycles * SCALE / (cap->mxu_count / cap->halves);
    return more_of(cycles, count_turning(k, o, cap)) + cap->xla.window_step * SCALE;
}

/* Bytes of the windows of what is read beside C. */
static uint64_t beside_bytes(const struct trace_compiled *k, const struct window_operands *o)
{
    u128 tile = (u128)k->tile[TRACE_DIM_B] * k->tile[TRACE_DIM_M] * k->tile[TRACE_DIM_N];
    u128 all = (u128)k->product[TRACE_DIM_B] * k->product[TRACE_DIM_M] * k->product[TRACE_DIM_N];

    return o->beside && all ? (uint64_t)(tile * o->beside / all) : 0;
}

static struct costs count_costs(const struct trace_compiled *k, const struct window_operands *o,
                                const struct cap *cap, uint64_t latency)
{
    uint64_t out = window_bytes(k, 2, o, cap);

    if (o->element[2] < 4)
        out += out / o->element[2] * 4;
    out += beside_bytes(k, o);
    return (struct costs){
        .a = o->on_chip[0] ? 0 : cycles_of(window_bytes(k, 0, o, cap), cap),
        .b = o->on_chip[1] ? 0 : cycles_of(window_bytes(k, 1, o, cap), cap),
        .store = o->on_chip[2] ? 0 : latency + cycles_of(out, cap),
        .latency = latency,
        .shown = cap->xla.window_step ? 0 : latency,
        .compute = count_compute(k, o, cap),
    };
}

static uint64_t fetch_of(const struct costs *c, bool a, bool b)
{
    uint64_t bytes = (a ? c->a : 0) + (b ? c->b : 0);

    return bytes ? c->latency + bytes : 0;
}

/* The sum over the grid steps of one core, whose counts are given, in the order b, n, m, k. */
static uint64_t sum_steps(const uint64_t n[TRACE_N_DIMS], const struct costs *c)
{
    uint64_t m = n[TRACE_DIM_M], k = n[TRACE_DIM_K], tiles = n[TRACE_DIM_B] * n[TRACE_DIM_N] * m;
    /* how often a loop is the outermost that advances, and what is fetched then */
    uint64_t turns[3] = { tiles - tiles / m, tiles / m - n[TRACE_DIM_B], n[TRACE_DIM_B] - 1 };
    uint64_t fetch[3] = { fetch_of(c, true, k > 1), fetch_of(c, m * k > 1, true),
                          fetch_of(c, true, true) };
    uint64_t first = fetch_of(c, true, true), sum = first + c->store, store = k > 1 ? 0 : c->store;

    for (int i = 0; i < 3; i++) {
        uint64_t shown = fetch[i] ? c->shown : 0;
        sum += turns[i] * (shown + more_of(c->compute, fetch[i] + store));
    }
    sum += k > 1 ? tiles * (k - 1) * (first ? c->shown : 0) : 0;
    if (k == 1) {
        int i = turns[0] ? 0 : turns[1] ? 1 : 2;
        if (tiles == 1)
            return sum + c->compute;
        /* there is nothing to store yet in the first grid step, nothing to fetch in the last */
        return sum - more_of(c->compute, fetch[i] + store) + more_of(c->compute, fetch[i]) +
               more_of(c->compute, store);
    }
    return sum + c->compute + more_of(c->compute, first) +
           (tiles - 1) * more_of(c->compute, first + c->store) +
           tiles * (k - 2) * more_of(c->compute, first);
}

/* Bytes of VMEM of one core. */
static uint64_t count_room(const struct trace_compiled *k, const struct window_operands *o,
                           const struct cap *cap)
{
    uint64_t room = 0, sums = k->tile[TRACE_DIM_B] * k->tile[TRACE_DIM_M] * k->tile[TRACE_DIM_N];

    for (int i = 0; i < 3; i++)
        room += o->on_chip[i] ? 0 : window_bytes(k, i, o, cap) * (window_stays(k, i) ? 1 : 2);
    room += 2 * beside_bytes(k, o);
    if (o->summed)
        return room;
    return room + (o->element[2] < 4 || k->counts[TRACE_DIM_K] > 1 ? 4 * sums : 0);
}

/* --- the search ------------------------------------------------------------------------------- */

struct search {
    struct trace_compiled *at; /* the choice that is looked at */
    const struct window_operands *o;
    const struct cap *cap;
    uint64_t latency, limit;
    uint64_t least, steps;
    uint64_t tile[TRACE_N_DIMS], counts[TRACE_N_DIMS]; /* the best so far */
    enum trace_split split;
    uint64_t room;
};

static void keep_better(struct search *s, uint64_t cycles, enum trace_split split)
{
    const struct trace_compiled *k = s->at;
    uint64_t steps = 1;

    for (int d = 0; d < TRACE_N_DIMS; d++)
        steps *= k->counts[d];
    if (s->least < cycles || (s->least == cycles && s->steps <= steps))
        return;
    s->least = cycles;
    s->steps = steps;
    s->split = split;
    s->room = count_room(k, s->o, s->cap);
    memcpy(s->tile, k->tile, sizeof s->tile);
    memcpy(s->counts, k->counts, sizeof s->counts);
}

static void try_windows(struct search *s)
{
    static const enum trace_dim order[] = { TRACE_DIM_N, TRACE_DIM_M, TRACE_DIM_B, TRACE_DIM_K };
    static const enum trace_split splits[] = { TRACE_SPLIT_N, TRACE_SPLIT_M, TRACE_SPLIT_B,
                                               TRACE_SPLIT_K };
    struct costs c = count_costs(s->at, s->o, s->cap, s->latency);
    bool split = false;

    for (int i = 0; i < 4 && s->cap->halves > 1; i++) {
        uint64_t counts[TRACE_N_DIMS];
        if (s->at->counts[order[i]] == 1 || (order[i] == TRACE_DIM_K && split))
            continue;
        split = true;
        memcpy(counts, s->at->counts, sizeof counts);
        counts[order[i]] = arith_ceil_div(counts[order[i]], s->cap->halves);
        uint64_t meet = order[i] == TRACE_DIM_K ? EXCHANGE * SCALE : 0;
        keep_better(s, sum_steps(counts, &c) + meet, splits[i]);
    }
    if (!split)
        keep_better(s, sum_steps(s->at->counts, &c),
                    s->cap->halves > 1 ? TRACE_SPLIT_NONE : TRACE_SPLIT_UNSAID);
}

/* A dimension that is not cut is no longer than it is. */
static void set_cut(struct search *s, int d, const struct cuts *c, uint32_t i)
{
    struct trace_compiled *k = s->at;

    BUG_ON(i >= c->n);
    k->counts[d] = c->count[i];
    k->tile[d] = c->window[i] * c->unit;
    if (k->counts[d] == 1)
        k->tile[d] = arith_round_up(k->product[d], s->cap->sublanes);
}

/* Windows of one product at a time; the smallest of all are taken where none fits. */
static void search_windows(struct search *s, const struct cuts c[TRACE_N_DIMS])
{
    const struct cuts *m = &c[TRACE_DIM_M], *n = &c[TRACE_DIM_N], *k = &c[TRACE_DIM_K];

    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t j = 0; j < n->n; j++)
            for (uint32_t l = 0; l < k->n; l++) {
                bool last = i + 1 == m->n && j + 1 == n->n && l + 1 == k->n;
                set_cut(s, TRACE_DIM_M, m, i);
                set_cut(s, TRACE_DIM_N, n, j);
                set_cut(s, TRACE_DIM_K, k, l);
                if (count_room(s->at, s->o, s->cap) <= s->limit || (last && s->least == UINT64_MAX))
                    try_windows(s);
            }
}

/* Several whole products a grid step. */
static void search_batches(struct search *s, const struct cuts c[TRACE_N_DIMS])
{
    uint64_t all = s->at->product[TRACE_DIM_B];

    for (int d = TRACE_DIM_M; d < TRACE_N_DIMS; d++)
        set_cut(s, d, &c[d], 0);
    for (uint64_t b = all; b > 1; b = arith_ceil_div(b, 2)) {
        s->at->tile[TRACE_DIM_B] = b;
        s->at->counts[TRACE_DIM_B] = arith_ceil_div(all, b);
        if (count_room(s->at, s->o, s->cap) <= s->limit)
            try_windows(s);
    }
    s->at->tile[TRACE_DIM_B] = 1;
    s->at->counts[TRACE_DIM_B] = all;
}

void window_choose(struct trace_compiled *k, const struct window_operands *o, const struct cap *cap)
{
    struct search s = { .at = k, .o = o, .cap = cap, .least = UINT64_MAX, .steps = UINT64_MAX };
    struct cuts c[TRACE_N_DIMS];

    const uint64_t parts[TRACE_N_DIMS] = { [TRACE_DIM_M] = 1,
                                           [TRACE_DIM_N] = o->n_parts ? o->n_parts : 1,
                                           [TRACE_DIM_K] = o->k_parts ? o->k_parts : 1 };

    s.latency = cap->xla.window_time * SCALE;
    s.limit = cap->vmem_bytes > o->taken ? cap->vmem_bytes - o->taken : 0;
    uint64_t most = cap->xla.window_memory + (o->summed ? cap->xla.window_memory / WIDER : 0);
    s.limit = most < s.limit ? most : s.limit;
    for (int d = TRACE_DIM_M; d < TRACE_N_DIMS; d++) {
        list_cuts(&c[d], k->product[d] / parts[d], unit_of(k, d, cap));
        for (uint32_t i = 0; i < c[d].n; i++)
            c[d].count[i] *= parts[d];
    }
    search_batches(&s, c);
    search_windows(&s, c);
    memcpy(k->tile, s.tile, sizeof s.tile);
    memcpy(k->counts, s.counts, sizeof s.counts);
    k->split = s.split;
    k->split_bytes = s.split == TRACE_SPLIT_K ? 4 * k->tile[TRACE_DIM_M] * k->tile[TRACE_DIM_N] : 0;
    k->vmem = s.room;
}
