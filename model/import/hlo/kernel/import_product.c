/* import_product.c - convolutions and dots as matrix products C[b,m,n] = A[b,m,k] B[b,k,n].
 *
 * XLA:TPU prints every product as a convolution.  Its dimensions:
 *
 *     feature of input and kernel              k
 *     batch                                    m
 *     output feature                           n
 *     spatial, window={size=B stride=B-1 lhs_dilate=B}: each output meets its own input and tap  b
 *     spatial of the kernel alone: input 1, output = size                                        n
 *     other spatial: output positions m, taps k
 *
 * Useful multiply-adds: features of the kernel x batch x output features x, for each spatial
 * dimension, the pairs of output position o and tap t whose input position exists:
 *
 *     p = o * stride + t * rhs_dilate - pad_low,  p >= 0,  lhs_dilate divides p,
 *     p / lhs_dilate < input size
 *
 * A dilated input (the gradient of a strided convolution) has holes, which the compiler does not
 * multiply: a tap meets only every lhs_dilate-th output, so m has so many times fewer rows.  The
 * estimates of such kernels are those of the multiply-adds that exist.
 *
 * cuDNN's convolutions have the window of the forward convolution, as the gradients of traces do.
 *
 * Complex operands: XLA:TPU makes three products of real ones,
 *
 *     x = (a + b) c    re = x - b (c + d)    im = x + a (d - c)    of (a + bi)(c + di)
 *
 * which count as a batch of three.  Libraries of GPUs multiply each part of one with each part of
 * the other, as a product of real ones twice as deep and twice as wide does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* x with a * x = 1 modulo m, for a and m without a common divisor, below 2^31. */
static int64_t invert_modulo(int64_t a, int64_t m)
{
    int64_t x = 1, y = 0, r = a % m, s = m;

    while (s) { /* r = a * x and s = a * y, modulo m */
        int64_t q = r / s, t = r - q * s, z = x - q * y;
        r = s;
        s = t;
        x = y;
        y = z;
    }
    return x < 0 ? x + m : x;
}

/* Outputs o in [0, n_out) for which tap t meets an input. */
static uint64_t count_outputs(int64_t from, int64_t stride, int64_t dilate, int64_t n_in,
                              int64_t n_out)
{
    /* 0 <= o * stride + from <= (n_in - 1) * dilate */
    int64_t lo = from >= 0 ? 0 : floor_div(-from + stride - 1, stride);
    int64_t hi = floor_div((n_in - 1) * dilate - from, stride);

    hi = hi < n_out - 1 ? hi : n_out - 1;
    if (hi < lo)
        return 0;
    /* dilate divides o * stride + from: where it does, every `period` outputs */
    int64_t g = (int64_t)common_divisor((uint64_t)dilate, (uint64_t)stride), period = dilate / g;
    if (from % g != 0)
        return 0;
    int64_t rest = (-(from / g) % period + period) % period;
    int64_t first = rest * invert_modulo(stride / g % period, period) % period;
    first = lo + ((first - lo) % period + period) % period;
    return first <= hi ? (uint64_t)((hi - first) / period + 1) : 0;
}

uint64_t import_product_phases(const struct import_product *p, uint32_t d)
{
    uint64_t dilate = p->w.dim[d].lhs_dilate;

    return p->spatial[d] == IMPORT_WINDOW && dilate
               ? dilate / common_divisor(dilate, p->w.dim[d].stride)
               : 1;
}

static uint64_t count_pairs(struct importing *im, const struct hlo_window *w, uint32_t d,
                            uint64_t n_in, uint64_t n_out, enum import_spatial kind)
{
    uint64_t n = 0, size = w->dim[d].size;

    if (kind == IMPORT_BATCH || kind == IMPORT_OWNED)
        return n_out;
    if (size == 1 && w->dim[d].pad_lo == 0 && w->dim[d].lhs_dilate == 1 && w->dim[d].stride == 1)
        return n_out < n_in ? n_out : n_in;
    if (!import_limit_work(im, size))
        return 0;
    for (uint64_t t = 0; t < size; t++)
        n += count_outputs((int64_t)(t * w->dim[d].rhs_dilate) - w->dim[d].pad_lo,
                           (int64_t)w->dim[d].stride, (int64_t)w->dim[d].lhs_dilate, (int64_t)n_in,
                           (int64_t)n_out);
    return n;
}

static enum import_spatial classify_spatial(const struct hlo_window *w, uint32_t d, uint64_t n_in,
                                            uint64_t n_out)
{
    uint64_t size = w->dim[d].size;

    if (size > 1 && w->dim[d].lhs_dilate == size && w->dim[d].stride == size - 1 && n_in == size &&
        n_out == size && w->dim[d].pad_lo == 0)
        return IMPORT_BATCH;
    if (size > 1 && n_in == 1 && n_out == size && w->dim[d].stride == 1 &&
        w->dim[d].pad_lo == (int64_t)size - 1)
        return IMPORT_OWNED;
    return IMPORT_WINDOW;
}

static uint64_t group_count(struct importing *im, const struct hlo_instruction *i)
{
    static const char *const key[] = { "feature_group_count", "batch_group_count" };
    int64_t n;

    for (int k = 0; k < 2; k++) {
        struct hlo_text t = hlo_attribute(im->m, i, key[k]);
        if (t.at && hlo_numbers(t, &n, 1) == 1 && n > 1)
            return (uint64_t)n;
    }
    return 1;
}

/* Dimensions of the convolution as the labels and the window say; roles of the shapes are set. */
static void fold_dimensions(struct importing *im, struct import_product *p, uint64_t groups)
{
    const struct hlo_dim_labels *l = &p->l;
    uint64_t i = p->kernel->dim[l->kernel_input];
    uint64_t pairs = 1;

    p->dim[TRACE_DIM_B] = groups;
    p->dim[TRACE_DIM_M] = p->out->dim[l->output_batch];
    p->dim[TRACE_DIM_N] = p->out->dim[l->output_feature] / groups;
    p->taps = 1;
    for (uint32_t d = 0; d < l->rank; d++) {
        uint64_t n_in = p->in->dim[l->input[d]], n_out = p->out->dim[l->output[d]];
        p->spatial[d] = classify_spatial(&p->w, d, n_in, n_out);
        pairs = import_multiply(pairs, count_pairs(im, &p->w, d, n_in, n_out, p->spatial[d]));
        enum trace_dim f = p->spatial[d] == IMPORT_BATCH   ? TRACE_DIM_B
                           : p->spatial[d] == IMPORT_OWNED ? TRACE_DIM_N
                                                           : TRACE_DIM_M;
        uint64_t phases = import_product_phases(p, d);
        p->dim[f] = import_multiply(p->dim[f], arith_ceil_div(n_out, phases ? phases : 1));
        if (p->spatial[d] == IMPORT_WINDOW)
            p->taps = import_multiply(p->taps, p->w.dim[d].size);
    }
    p->dim[TRACE_DIM_K] = import_multiply(i, p->taps);
    p->macs = import_multiply(import_multiply(i, p->out->dim[l->output_feature]),
                              import_multiply(p->out->dim[l->output_batch], pairs));
}

static bool labels_fit(const struct import_product *p)
{
    const struct hlo_dim_labels *l = &p->l;
    uint32_t rank = l->rank + 2;
    bool fit = p->w.rank == l->rank && p->in->rank == rank && p->kernel->rank == rank &&
               p->out->rank == rank && l->input_batch < rank && l->input_feature < rank &&
               l->kernel_input < rank && l->kernel_output < rank && l->output_batch < rank &&
               l->output_feature < rank;

    for (uint32_t d = 0; d < l->rank; d++)
        fit &= l->input[d] < rank && l->kernel[d] < rank && l->output[d] < rank;
    return fit;
}

#define MOST_POSITIONS (1 << 30) /* along a dimension, so that products of two fit 63 bits */

/* The first number of the window, or of what it slides over, that is larger; 0: there is none. */
static uint64_t find_large(const struct import_product *p)
{
    for (uint32_t d = 0; d < p->l.rank; d++) {
        int64_t lo = p->w.dim[d].pad_lo, hi = p->w.dim[d].pad_hi;
        const uint64_t n[] = { p->w.dim[d].size,
                               p->w.dim[d].stride,
                               p->w.dim[d].lhs_dilate,
                               p->w.dim[d].rhs_dilate,
                               lo < 0 ? -(uint64_t)lo : (uint64_t)lo,
                               hi < 0 ? -(uint64_t)hi : (uint64_t)hi,
                               p->in->dim[p->l.input[d]],
                               p->out->dim[p->l.output[d]] };
        for (size_t k = 0; k < sizeof n / sizeof *n; k++)
            if (n[k] > MOST_POSITIONS)
                return n[k];
    }
    return 0;
}

static int read_convolution(struct importing *im, const struct hlo_instruction *i,
                            struct import_product *p)
{
    if (hlo_window(im->m, i, &p->w, im->err) != 0 || hlo_dim_labels(im->m, i, &p->l, im->err) != 0)
        return -1;
    if (p->w.rank == 0 && p->l.rank) { /* window={} left out: all 1 */
        p->w.rank = p->l.rank;
        for (uint32_t d = 0; d < p->l.rank; d++) {
            p->w.dim[d].size = p->kernel->dim[p->l.kernel[d]];
            p->w.dim[d].stride = p->w.dim[d].lhs_dilate = p->w.dim[d].rhs_dilate = 1;
        }
    }
    if (!labels_fit(p))
        return hlo_error(im->m, i, im->err,
                         "a convolution of %u, %u and %u dimensions, a window of %u and labels of "
                         "%u spatial ones",
                         p->in->rank, p->kernel->rank, p->out->rank, p->w.rank, p->l.rank);
    uint64_t large = find_large(p);
    if (large)
        return hlo_error(im->m, i, im->err,
                         "a convolution with %" PRIu64 " in its window or along a dimension of it, "
                         "expected at most %d",
                         large, MOST_POSITIONS);
    fold_dimensions(im, p, group_count(im, i));
    return 1;
}

/* Product of the dimensions of `s` whose bits are in `set`, or of the others. */
static uint64_t multiply_dims(const struct hlo_shape *s, uint64_t set, bool in)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < s->rank; d++)
        if ((d < 64 && (set >> d & 1)) == in)
            n = import_multiply(n, s->dim[d]);
    return n;
}

static uint64_t dims_of(const struct hlo_module *m, const struct hlo_instruction *i,
                        const char *key)
{
    int64_t n[64];
    struct hlo_text t = hlo_attribute(m, i, key);
    uint32_t count = t.at ? hlo_numbers(t, n, 64) : 0;
    uint64_t set = 0;

    for (uint32_t k = 0; k < count && k < 64; k++)
        set |= n[k] >= 0 && n[k] < 64 ? UINT64_C(1) << n[k] : 0;
    return set;
}

static void fold_dot(struct import_product *p, const struct hlo_shape *a, const struct hlo_shape *b,
                     const uint64_t set[4])
{
    p->dim[TRACE_DIM_B] = multiply_dims(a, set[0], true);
    p->dim[TRACE_DIM_K] = multiply_dims(a, set[1], true);
    p->dim[TRACE_DIM_M] = multiply_dims(a, set[0] | set[1], false);
    p->dim[TRACE_DIM_N] = multiply_dims(b, set[2] | set[3], false);
    p->taps = 1;
    p->macs = import_multiply(import_multiply(p->dim[TRACE_DIM_B], p->dim[TRACE_DIM_K]),
                              import_multiply(p->dim[TRACE_DIM_M], p->dim[TRACE_DIM_N]));
}

/* The enum trace_dim along which an array lies: `a` if `first` has its minor one, else `b`. */
static uint8_t lane_of(const struct hlo_shape *s, uint64_t first, uint8_t a, uint8_t b)
{
    struct import_physical p;

    if (!import_shape_physical(s, &p) || p.rank == 0)
        return b;
    return first >> p.logical[p.rank - 1] & 1 ? a : b;
}

/* Dimensions along which A, B and the result of a dot lie, as the libraries of GPUs ask for it. */
static void find_lanes(struct import_product *p, const struct hlo_shape *a,
                       const struct hlo_shape *b, const struct hlo_shape *c, const uint64_t set[4])
{
    uint32_t batch = (uint32_t)__builtin_popcountll(set[0]);
    uint32_t rows = a->rank - batch - (uint32_t)__builtin_popcountll(set[1]);

    p->lanes[0] = lane_of(a, set[1], TRACE_DIM_K, TRACE_DIM_M);
    p->lanes[1] = lane_of(b, set[3], TRACE_DIM_K, TRACE_DIM_N);
    p->lanes[2] = lane_of(c, batch + rows < 64 ? (UINT64_C(1) << (batch + rows)) - 1 : 0,
                          TRACE_DIM_M, TRACE_DIM_N);
    p->has_lanes = true;
}

static int read_dot(struct importing *im, const struct hlo_instruction *i,
                    const struct hlo_shape *a, const struct hlo_shape *b, struct import_product *p)
{
    uint64_t set[4] = { dims_of(im->m, i, "lhs_batch_dims"),
                        dims_of(im->m, i, "lhs_contracting_dims"),
                        dims_of(im->m, i, "rhs_batch_dims"),
                        dims_of(im->m, i, "rhs_contracting_dims") };

    if (i->opcode == HLO_OP_RAGGED_DOT) /* each row meets the matrix of its group alone */
        set[3] |= dims_of(im->m, i, "rhs_group_dims");
    fold_dot(p, a, b, set);
    find_lanes(p, a, b, i->shape, set);
    return 1;
}

static enum trace_precision precision_of(struct hlo_text t)
{
    if (t.size == 0)
        return TRACE_DEFAULT;
    return memmem(t.at, t.size, "highest", 7) || memmem(t.at, t.size, "HIGHEST", 7) ? TRACE_HIGHEST
           : memmem(t.at, t.size, "high", 4) || memmem(t.at, t.size, "HIGH", 4)     ? TRACE_HIGH
                                                                                    : TRACE_DEFAULT;
}

/* A matrix product of cuBLAS: its dimensions are in backend_config. */
static int read_gemm_call(struct importing *im, const struct hlo_instruction *i,
                          const struct hlo_shape *a, const struct hlo_shape *b,
                          struct import_product *p)
{
    static const char *const key[] = { "lhs_batch_dimensions", "lhs_contracting_dimensions",
                                       "rhs_batch_dimensions", "rhs_contracting_dimensions" };
    struct import_config c;
    char *storage;
    uint64_t set[4] = { 0 }, n[64];

    import_config_read(&c, hlo_attribute(im->m, i, "backend_config"), &storage);
    for (int k = 0; k < 4 && c.dot.at; k++) {
        uint32_t count = import_config_numbers(c.dot, key[k], n, 64);
        for (uint32_t j = 0; j < count; j++)
            set[k] |= n[j] < 64 ? UINT64_C(1) << n[j] : 0;
    }
    struct hlo_text said =
        c.dot.at ? import_config_text(c.precision, "operand_precision") : (struct hlo_text){ 0 };
    bool ok = c.dot.at != NULL;
    p->precision = precision_of(said);
    free(storage);
    if (!ok)
        return hlo_error(im->m, i, im->err,
                         "a matrix product of cuBLAS without dot_dimension_numbers in its "
                         "backend_config");
    for (int k = 0; k < 4; k++) {
        uint32_t rank = k < 2 ? a->rank : b->rank;
        if (rank > 63 || set[k] >> rank)
            return hlo_error(im->m, i, im->err,
                             "%s of a matrix product of cuBLAS whose operand has %u dimensions",
                             key[k], rank);
    }
    fold_dot(p, a, b, set);
    find_lanes(p, a, b, import_leaf_shape(i->shape, 0), set);
    return 1;
}

/* Gradients by cuDNN: the multiply-adds of the forward convolution, as a product of their own. */
static int read_conv_call(struct importing *im, const struct hlo_instruction *i,
                          const struct hlo_shape *const *operand, struct import_product *p)
{
    const struct hlo_shape *result = import_leaf_shape(i->shape, 0);
    bool dgrad = import_is_target(im, i, "__cudnn$convBackwardInput");
    bool wgrad = import_is_target(im, i, "__cudnn$convBackwardFilter");

    p->in = dgrad ? result : operand[0];
    p->kernel = wgrad ? result : operand[1];
    p->out = dgrad ? operand[0] : wgrad ? operand[1] : result;
    if (hlo_attribute(im->m, i, "dim_labels").at == NULL)
        return hlo_error(im->m, i, im->err, "a convolution of cuDNN without dim_labels");
    int rc = read_convolution(im, i, p);
    if (rc != 1)
        return rc;
    uint64_t inputs = p->kernel->dim[p->l.kernel_input], outputs = p->out->dim[p->l.output_feature];
    if (p->in->dim[p->l.input_feature] != import_multiply(inputs, p->dim[TRACE_DIM_B]) ||
        p->kernel->dim[p->l.kernel_output] != outputs || outputs % p->dim[TRACE_DIM_B])
        return hlo_error(im->m, i, im->err,
                         "a convolution of cuDNN of %" PRIu64 " channels whose filter has %" PRIu64
                         " and %" PRIu64 " outputs for %" PRIu64 ", in groups of %" PRIu64,
                         p->in->dim[p->l.input_feature], inputs, p->kernel->dim[p->l.kernel_output],
                         outputs, p->dim[TRACE_DIM_B]);
    if (p->taps == 0 || hlo_elements(p->in) == 0)
        return 0;
    uint64_t groups = p->dim[TRACE_DIM_B], o = p->dim[TRACE_DIM_N], m = p->dim[TRACE_DIM_M];
    uint64_t c = p->dim[TRACE_DIM_K] / p->taps;
    if (dgrad) {
        p->dim[TRACE_DIM_M] = import_multiply(
            p->in->dim[p->l.input_batch],
            hlo_elements(p->in) / (p->in->dim[p->l.input_batch] * p->in->dim[p->l.input_feature]));
        p->dim[TRACE_DIM_K] = import_multiply(o, p->taps);
        p->dim[TRACE_DIM_N] = c;
    } else if (wgrad) {
        p->dim[TRACE_DIM_M] = import_multiply(c, p->taps);
        p->dim[TRACE_DIM_K] = m;
        p->dim[TRACE_DIM_N] = o;
        p->taps = 1;
    }
    p->dim[TRACE_DIM_B] = groups;
    p->call = dgrad ? TRACE_PASS_DGRAD : wgrad ? TRACE_PASS_WGRAD : TRACE_PASS_FORWARD;
    p->conv = false; /* no loop nest is known of it */
    return 1;
}

static bool is_call_of(const struct importing *im, const struct hlo_instruction *i,
                       const char *prefix)
{
    struct hlo_text t = hlo_attribute(im->m, i, "custom_call_target");
    size_t n = strlen(prefix); /* behind a quote */

    return t.size > n && memcmp(t.at + 1, prefix, n) == 0;
}

static int read_product(struct importing *im, const struct hlo_instruction *i,
                        const struct hlo_shape *const *operand, uint32_t n,
                        struct import_product *p)
{
    if (n < 2)
        return 0;
    switch (i->opcode) {
    case HLO_OP_CONVOLUTION:
        p->in = operand[0];
        p->kernel = operand[1];
        p->out = i->shape;
        p->conv = true;
        return read_convolution(im, i, p);
    case HLO_OP_DOT:
    case HLO_OP_RAGGED_DOT:
    case HLO_OP_SCALED_DOT: return read_dot(im, i, operand[0], operand[1], p);
    case HLO_OP_CUSTOM_CALL:
        if (is_call_of(im, i, "__cudnn$conv"))
            return read_conv_call(im, i, operand, p);
        if (is_call_of(im, i, "__cublas$gemm") || is_call_of(im, i, "__cublas$lt$matmul"))
            return read_gemm_call(im, i, operand[0], operand[1], p);
        return 0;
    default: return 0;
    }
}

/* True if it is multiplied as f32 is. */
static bool is_f32(const struct hlo_shape *s)
{
    return s->dtype == HLO_F32 || s->dtype == HLO_C64;
}

/* The products of parts that one of complex operands, or of f64 on a TPU, is. */
static void part_operands(const struct importing *im, struct import_product *p)
{
    uint64_t n = import_parts_products(im, p->in->dtype);

    if (im->compiler->gpu && n > 1) {
        p->dim[TRACE_DIM_K] = import_multiply(p->dim[TRACE_DIM_K], 2);
        p->dim[TRACE_DIM_N] = import_multiply(p->dim[TRACE_DIM_N], 2);
        n = 4;
    } else {
        p->dim[TRACE_DIM_B] = import_multiply(p->dim[TRACE_DIM_B], n);
    }
    p->macs = import_multiply(p->macs, n);
}

/* XLA has f32 operands in bf16 parts where the program asks for it, and rounds them otherwise. */
static enum trace_precision read_precision(const struct importing *im,
                                           const struct hlo_instruction *i,
                                           const struct hlo_shape *const *operand)
{
    struct hlo_text t = hlo_attribute(im->m, i, "operand_precision");

    BUG_ON(!operand[0] || !operand[1]); /* it is a product */
    if (!is_f32(operand[0]) && !is_f32(operand[1]))
        return TRACE_DEFAULT;
    if (hlo_text_is(hlo_attribute(im->m, i, "algorithm"), "dot_f32_f32_f32"))
        return TRACE_HIGHEST;
    return precision_of(t);
}

int import_product_read(struct importing *im, const struct hlo_instruction *i,
                        const struct hlo_shape *const *operand, uint32_t n,
                        struct import_product *p)
{
    *p = (struct import_product){ .taps = 1 };
    int rc = read_product(im, i, operand, n, p);
    if (rc != 1)
        return rc;
    p->in = p->in ? p->in : operand[0];
    p->kernel = p->kernel ? p->kernel : operand[1];
    if (p->precision == TRACE_DEFAULT)
        p->precision = read_precision(im, i, operand);
    part_operands(im, p);
    uint64_t flops = 2;
    for (int f = 0; f < 4; f++)
        flops = import_multiply(flops, p->dim[f]);
    if (flops == 0 || p->taps == 0)
        return 0; /* of arrays without elements */
    if (flops <= INT64_MAX)
        return 1;
    hlo_error(im->m, i, im->err, "a product of more than 2^62 multiply-adds");
    im->err->code = ERR_RANGE;
    return -1;
}
