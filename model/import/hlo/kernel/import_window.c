/* import_window.c - the loop nest and the windows of a matrix product, as backend_config states
 * them.
 *
 * A list of window bounds is in the physical order of its operand, major first, in units: elements
 * of the major dimensions, groups of 8 of the second-minor and of 128 of the minor one, of 1024 of
 * an array of one dimension.  Loop counts stand in the order
 *
 *     [batch-like spatial ..., n, spatial of the kernel alone ..., m, other output spatial ...,
 *      kernel spatial (one each; 1 for those of the first two kinds) ..., k]
 *
 * An operand is fetched anew whenever a loop that its window depends on advances, or a loop outside
 * of such a one:
 *
 *     bytes = sum of its windows, clipped to the padded array
 *             * counts of the loops outside its innermost dependent loop that it does not depend on
 */
#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"

enum loop_kind { LOOP_BATCH, LOOP_N, LOOP_OWNED, LOOP_M, LOOP_OUT, LOOP_TAP, LOOP_K };

struct loop {
    enum loop_kind kind;
    uint32_t spatial;
    uint64_t count;
};

#define MAX_LOOPS (3 + 2 * HLO_MAX_WINDOW)

static uint32_t add_spatial(struct loop *l, uint32_t n, const struct import_product *p,
                            enum import_spatial which, enum loop_kind kind)
{
    for (uint32_t d = 0; d < p->l.rank; d++)
        if (p->spatial[d] == which)
            l[n++] = (struct loop){ kind, d, 1 };
    return n;
}

/* The loops in the order of iteration_bounds; 0 if there is another number of them. */
static uint32_t list_loops(const struct import_product *p, const struct import_config *c,
                           struct loop *l)
{
    uint32_t n = add_spatial(l, 0, p, IMPORT_BATCH, LOOP_BATCH);

    l[n++] = (struct loop){ LOOP_N, 0, 1 };
    n = add_spatial(l, n, p, IMPORT_OWNED, LOOP_OWNED);
    l[n++] = (struct loop){ LOOP_M, 0, 1 };
    n = add_spatial(l, n, p, IMPORT_WINDOW, LOOP_OUT);
    for (uint32_t d = 0; d < p->l.rank; d++)
        l[n++] = (struct loop){ LOOP_TAP, d, 1 };
    l[n++] = (struct loop){ LOOP_K, 0, 1 };
    if (n != c->n_grid)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        l[i].count = c->grid[i] ? c->grid[i] : 1;
    return n;
}

/* Elements of the window in dimension `d` of the shape.  A dimension of 1 takes no sublanes. */
static uint64_t window_of(const struct import_physical *p, const uint64_t *bounds, uint32_t d)
{
    uint32_t at = p->place[d];

    if (p->dim[at] == 1)
        return 1;
    return import_multiply(bounds[at], p->unit[at]);
}

static uint8_t lane_dim(const struct hlo_shape *s, uint32_t m, uint32_t k, uint32_t n,
                        const struct import_product *p, const uint32_t *spatial, uint8_t other)
{
    struct import_physical y;

    if (s->rank == 0 || !import_shape_physical(s, &y))
        return other;
    uint32_t d = y.logical[y.rank - 1];
    if (d == m)
        return TRACE_DIM_M;
    if (d == k)
        return TRACE_DIM_K;
    if (d == n)
        return TRACE_DIM_N;
    for (uint32_t i = 0; i < p->l.rank; i++)
        if (spatial[i] == d && p->spatial[i] == IMPORT_OWNED && other != TRACE_DIM_K)
            return TRACE_DIM_N;
    return other;
}

static void read_lanes(struct import_kernel *k, const struct import_product *p)
{
    const struct hlo_dim_labels *l = &p->l;

    k->facts.lanes[0] =
        lane_dim(p->in, l->input_batch, l->input_feature, IMPORT_NONE, p, l->input, TRACE_DIM_M);
    k->facts.lanes[1] = lane_dim(p->kernel, IMPORT_NONE, l->kernel_input, l->kernel_output, p,
                                 l->kernel, TRACE_DIM_K);
    k->facts.lanes[2] = lane_dim(p->out, l->output_batch, IMPORT_NONE, l->output_feature, p,
                                 l->output, TRACE_DIM_M);
    /* a spatial dimension of the kernel alone counts to n wherever it is */
    struct import_physical y;
    if (import_shape_physical(p->kernel, &y))
        for (uint32_t d = 0; d < l->rank; d++)
            if (l->kernel[d] == y.logical[y.rank - 1] && p->spatial[d] == IMPORT_OWNED)
                k->facts.lanes[1] = TRACE_DIM_N;
    k->facts.has_lanes = true;
}

/* True if dimension `d` is the minor one.  With the batch there, taps share passes of the array:
 * XLA has no other kernel for that layout. */
static bool lies_in_lanes(const struct hlo_shape *s, uint32_t d)
{
    struct import_physical y;

    return s->layout.n_tiles && s->rank && import_shape_physical(s, &y) &&
           y.logical[y.rank - 1] == d;
}

static enum trace_dim fold_of(enum loop_kind kind)
{
    switch (kind) {
    case LOOP_BATCH: return TRACE_DIM_B;
    case LOOP_N:
    case LOOP_OWNED: return TRACE_DIM_N;
    case LOOP_M:
    case LOOP_OUT: return TRACE_DIM_M;
    default: return TRACE_DIM_K;
    }
}

/* The loop that two cores share, as a dimension of the product. */
static void read_split(struct import_kernel *k, const struct loop *l, uint32_t n,
                       const struct import_config *c)
{
    static const enum trace_split along[] = { TRACE_SPLIT_B, TRACE_SPLIT_M, TRACE_SPLIT_K,
                                              TRACE_SPLIT_N };

    if (!c->divided)
        return;
    k->facts.split =
        c->split >= 0 && c->split < n ? along[fold_of(l[c->split].kind)] : TRACE_SPLIT_NONE;
    k->facts.split_bytes = c->split_bytes;
}

static bool bounds_fit(const struct import_product *p, const struct import_config *c)
{
    return c->n_input == p->in->rank && c->n_kernel == p->kernel->rank &&
           c->n_output == p->out->rank;
}

static uint64_t take_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* True if positions of the result have weights of their own: between strides, or where the kernel
 * is the gradient of a filter whose taps share passes. */
static bool has_own_weights(const struct import_product *p, const struct import_config *c)
{
    bool own = c->summed;

    for (uint32_t d = 0; d < p->l.rank; d++)
        own |= import_product_phases(p, d) > 1;
    return own;
}

void import_window_tile(struct import_kernel *k, const struct import_product *p,
                        const struct import_config *c)
{
    struct loop l[MAX_LOOPS];
    struct import_physical in, kernel, out;

    read_lanes(k, p);
    k->facts.n_parts = k->facts.k_parts = 1;
    for (uint32_t d = 0; d < p->l.rank; d++) {
        uint64_t size = p->out->dim[p->l.output[d]];
        if (p->spatial[d] == IMPORT_OWNED)
            k->facts.n_parts = import_multiply(k->facts.n_parts, size);
        else if (p->spatial[d] == IMPORT_WINDOW && size == 1)
            k->facts.k_parts = import_multiply(k->facts.k_parts, p->w.dim[d].size);
    }
    k->facts.packed |= c->n_grid == 0 && lies_in_lanes(p->in, p->l.input_batch);
    uint32_t n = list_loops(p, c, l);
    if (n == 0 || !bounds_fit(p, c) || !import_shape_physical(p->in, &in) ||
        !import_shape_physical(p->kernel, &kernel) || !import_shape_physical(p->out, &out))
        return;
    k->tiled = true;
    for (int f = 0; f < 4; f++)
        k->facts.counts[f] = k->facts.tile[f] = 1;
    for (uint32_t i = 0; i < n; i++)
        k->facts.counts[fold_of(l[i].kind)] =
            import_multiply(k->facts.counts[fold_of(l[i].kind)], l[i].count);
    /* a dimension has one window; where it is on lanes its unit is larger */
    k->facts.tile[TRACE_DIM_M] = take_smaller(window_of(&in, c->input, p->l.input_batch),
                                              window_of(&out, c->output, p->l.output_batch));
    if (has_own_weights(p, c))
        k->facts.position_rows = k->facts.tile[TRACE_DIM_M];
    k->facts.tile[TRACE_DIM_N] = take_smaller(window_of(&kernel, c->kernel, p->l.kernel_output),
                                              window_of(&out, c->output, p->l.output_feature));
    k->facts.tile[TRACE_DIM_K] = take_smaller(window_of(&in, c->input, p->l.input_feature),
                                              window_of(&kernel, c->kernel, p->l.kernel_input));
    if (c->dense)
        k->facts.tile[TRACE_DIM_K] =
            take_smaller(k->facts.tile[TRACE_DIM_K], p->kernel->dim[p->l.kernel_input]);
    for (uint32_t d = 0; d < p->l.rank; d++) {
        enum trace_dim f = p->spatial[d] == IMPORT_BATCH   ? TRACE_DIM_B
                           : p->spatial[d] == IMPORT_OWNED ? TRACE_DIM_N
                                                           : TRACE_DIM_M;
        uint64_t wide = window_of(&out, c->output, p->l.output[d]);
        k->facts.tile[f] =
            import_multiply(k->facts.tile[f], arith_ceil_div(wide, import_product_phases(p, d)));
        if (p->spatial[d] == IMPORT_WINDOW)
            k->facts.tile[TRACE_DIM_K] = import_multiply(
                k->facts.tile[TRACE_DIM_K], window_of(&kernel, c->kernel, p->l.kernel[d]));
    }
    for (int f = 0; f < 4; f++) /* windows of another operation */
        k->tiled &= import_multiply(k->facts.tile[f], k->facts.counts[f]) >= p->dim[f];
    read_split(k, l, n, c);
}

/* --- traffic ------------------------------------------------------------------------------- */

static bool depends_on(const struct loop *l, const struct import_product *p, uint32_t operand)
{
    switch (l->kind) {
    case LOOP_BATCH:
    case LOOP_K: return true;
    case LOOP_N:
    case LOOP_OWNED: return operand == 1;
    case LOOP_M:
    case LOOP_OUT: return operand == 0;
    case LOOP_TAP: return operand == 1 || p->spatial[l->spatial] == IMPORT_WINDOW;
    }
    return true;
}

/* Input positions [from, from + n) of a dilated, padded dimension that exist. */
static uint64_t clip_window(int64_t from, int64_t n, int64_t dilate, int64_t size)
{
    int64_t lo = from <= 0 ? 0 : (from + dilate - 1) / dilate;
    int64_t hi = from + n - 1 < 0 ? -1 : (from + n - 1) / dilate;

    hi = hi < size - 1 ? hi : size - 1;
    return hi < lo ? 0 : (uint64_t)(hi - lo + 1);
}

static uint64_t count_of(const struct loop *l, uint32_t n, enum loop_kind kind, uint32_t d)
{
    for (uint32_t i = 0; i < n; i++)
        if (l[i].kind == kind && l[i].spatial == d)
            return l[i].count;
    return 1;
}

#define MAX_WINDOWS (1 << 20) /* along one dimension, that are added up one by one */

/* Input positions along spatial dimension `d` that all windows together bring, halos included. */
static uint64_t sum_windows(struct importing *im, const struct import_product *p,
                            const struct import_config *c, const struct loop *l, uint32_t n,
                            uint32_t d)
{
    const struct hlo_window *w = &p->w;
    struct import_physical kernel, out;
    uint64_t outs = count_of(l, n, LOOP_OUT, d), taps = count_of(l, n, LOOP_TAP, d), sum = 0;
    uint64_t size = p->in->dim[p->l.input[d]], n_out = p->out->dim[p->l.output[d]];

    import_shape_physical(p->kernel, &kernel);
    import_shape_physical(p->out, &out);
    uint64_t wide = window_of(&out, c->output, p->l.output[d]);
    uint64_t tall = take_smaller(window_of(&kernel, c->kernel, p->l.kernel[d]), w->dim[d].size);
    if (outs > MAX_WINDOWS || taps > MAX_WINDOWS || outs * taps > MAX_WINDOWS || wide == 0 ||
        tall == 0 || wide > n_out * 128 || !import_limit_work(im, outs * taps))
        return import_multiply(size, taps);
    for (uint64_t o = 0; o < outs && o * wide < n_out; o++)
        for (uint64_t t = 0; t < taps && t * tall < w->dim[d].size; t++) {
            uint64_t rows = n_out - o * wide < wide ? n_out - o * wide : wide;
            uint64_t cols = w->dim[d].size - t * tall;
            cols = cols < tall ? cols : tall;
            int64_t from =
                (int64_t)(o * wide * w->dim[d].stride + t * tall * w->dim[d].rhs_dilate) -
                w->dim[d].pad_lo;
            int64_t length =
                (int64_t)((rows - 1) * w->dim[d].stride + (cols - 1) * w->dim[d].rhs_dilate + 1);
            sum += clip_window(from, length, (int64_t)w->dim[d].lhs_dilate, (int64_t)size);
        }
    return sum;
}

uint64_t import_window_fetch(struct importing *im, const struct import_product *p,
                             const struct import_config *c, uint32_t operand, bool *held)
{
    const struct hlo_shape *s = operand == 0 ? p->in : p->kernel;
    struct import_physical y;
    struct loop l[MAX_LOOPS];
    uint32_t n = list_loops(p, c, l), last = 0;
    uint64_t bits = import_shape_bits(s);

    *held = false;
    if (n == 0 || !bounds_fit(p, c) || !import_shape_physical(s, &y))
        return hlo_bytes(s);
    for (uint32_t i = 0; i < n; i++)
        if (l[i].count > 1 && depends_on(&l[i], p, operand))
            last = i + 1;
    *held = last == 0;
    for (uint32_t d = 0; operand == 0 && d < p->l.rank; d++) {
        uint64_t *extent = &y.padded[y.place[p->l.input[d]]];
        bool loops = count_of(l, n, LOOP_OUT, d) > 1 || count_of(l, n, LOOP_TAP, d) > 1;
        if (p->spatial[d] == IMPORT_WINDOW && loops) {
            uint64_t sum = sum_windows(im, p, c, l, n, d);
            /* padding of a tiled dimension comes along with the last window */
            *extent = *extent - y.dim[y.place[p->l.input[d]]] + sum;
        }
    }
    for (uint32_t i = 0; i < y.rank; i++)
        bits = import_multiply(bits, y.padded[i]);
    uint64_t bytes = bits / 8 + (bits % 8 != 0);
    for (uint32_t i = 0; i < last; i++)
        if (!depends_on(&l[i], p, operand))
            bytes = import_multiply(bytes, l[i].count);
    return bytes;
}
