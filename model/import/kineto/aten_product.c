/* Products and convolutions of a recording, and fused attention. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/kineto/aten_write.h"

/* True if the last two dimensions lie the other way round in memory. */
static bool is_turned(const struct aten_arg *a)
{
    uint32_t r = a->rank;

    return a->strided && r >= 2 && a->stride[r - 2] == 1 && a->dim[r - 1] > 1 &&
           (a->stride[r - 1] != 1 || a->dim[r - 2] > 1) && a->stride[r - 1] >= a->dim[r - 2];
}

static struct trace_shape turn_shape(const struct aten_arg *a, bool turned)
{
    struct trace_shape s = aten_shape_of(a->dtype, a->rank, a->dim);

    if (turned) {
        s.dim[s.rank - 2] = a->dim[a->rank - 1];
        s.dim[s.rank - 1] = a->dim[a->rank - 2];
    }
    return s;
}

/* A vector as a matrix of one row, or of one column. */
static struct aten_arg as_matrix(const struct aten_arg *a, bool column)
{
    struct aten_arg m = *a;

    if (a->rank != 1)
        return m;
    m.rank = 2;
    m.dim[column] = 1;
    m.dim[!column] = a->dim[0];
    m.strided = false;
    return m;
}

bool aten_write_product(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x'), *y = aten_tensor(j, 'y');

    if (!x || !y || x->rank < 1 || y->rank < 1)
        return false;
    struct aten_arg a = as_matrix(x, false), b = as_matrix(y, true);
    if (a.rank != b.rank || a.dim[a.rank - 1] != b.dim[b.rank - 2])
        return false;
    bool ta = is_turned(&a), tb = is_turned(&b);
    struct trace_shape as = turn_shape(&a, ta), bs = turn_shape(&b, tb);
    struct trace_shape r = aten_shape_of(a.dtype, a.rank, a.dim);
    r.dim[r.rank - 1] = b.dim[b.rank - 1];
    if (r.dtype == TRACE_F8E4M3FN || r.dtype == TRACE_F8E5M2)
        r.dtype = TRACE_BF16;
    const struct aten_arg *bias = aten_tensor(j, 'b');
    bool weight = bias && bias->rank == 1;
    uint32_t in[2];
    in[0] = aten_operand(j, &as);
    in[1] = weight ? aten_weight(j, &bs) : aten_operand(j, &bs);
    struct trace_shape bias_shape = weight ? aten_shape(bias) : r;
    uint32_t bias_value = weight ? aten_weight(j, &bias_shape) : ATEN_NO_VALUE;
    uint32_t out = aten_result(j, &r);
    aten_begin(j, 1, "matmul", &out, 1, in, 2);
    if (ta)
        aten_attr(j, "ta=1");
    if (tb)
        aten_attr(j, "tb=1");
    if (weight && bias_shape.dim[0] == r.dim[r.rank - 1])
        aten_attr(j, "bias=%%v%" PRIu32, bias_value);
    aten_end(j, true);
    return true;
}

/* --- convolutions --------------------------------------------------------------------------- */

#define MOST_SIDE 1048576 /* of a window */

struct window {
    uint32_t rank;
    int64_t size[3], stride[3], pad[3], dilate[3];
    int64_t groups;
    bool transposed;
    uint64_t x[5], y[5]; /* images of the forward convolution that it is, before and behind */
};

/* False: a side that no window has. */
static bool read_side(const struct aten_job *j, char as, int64_t *to, uint32_t rank, int64_t usual)
{
    int64_t n[3];
    uint32_t count = aten_numbers(j, as, n, 3);

    for (uint32_t d = 0; d < rank; d++) {
        to[d] = count == 0 ? usual : n[d < count ? d : count - 1];
        if (to[d] < -MOST_SIDE || to[d] > MOST_SIDE)
            return false;
    }
    return true;
}

/* The window by the arguments, and the result `y` of `x`.  False: they contradict each other. */
static bool read_window(const struct aten_job *j, const struct aten_arg *x,
                        const struct aten_arg *w, struct window *v)
{
    int64_t more[3];

    *v = (struct window){ .rank = x->rank - 2, .groups = 1, .transposed = aten_flag(j, 'T') };
    if (x->rank < 3 || x->rank > 5 || w->rank != x->rank)
        return false;
    if (!read_side(j, 's', v->stride, v->rank, 1) || !read_side(j, 'p', v->pad, v->rank, 0) ||
        !read_side(j, 'l', v->dilate, v->rank, 1) || !read_side(j, 'o', more, v->rank, 0))
        return false;
    if (aten_numbers(j, 'g', &v->groups, 1) == 0 || v->groups < 1)
        v->groups = 1;
    v->transposed |= strstr(j->name, "transpose") != NULL;
    uint64_t groups = (uint64_t)v->groups;
    v->x[0] = v->y[0] = x->dim[0];
    v->x[1] = x->dim[1];
    v->y[1] = v->transposed ? w->dim[1] * groups : w->dim[0];
    for (uint32_t d = 0; d < v->rank; d++) {
        if (w->dim[d + 2] > MOST_SIDE || x->dim[d + 2] > INT32_MAX)
            return false;
        v->size[d] = (int64_t)w->dim[d + 2];
        int64_t reach = v->dilate[d] * (v->size[d] - 1), in = (int64_t)x->dim[d + 2];
        int64_t out = v->transposed ? (in - 1) * v->stride[d] - 2 * v->pad[d] + reach + more[d] + 1
                      : v->stride[d] > 0 ? (in + 2 * v->pad[d] - reach - 1) / v->stride[d] + 1
                                         : 0;
        if (out < 1 || v->stride[d] < 1 || v->dilate[d] < 1 || out > INT32_MAX)
            return false;
        v->x[d + 2] = x->dim[d + 2];
        v->y[d + 2] = (uint64_t)out;
    }
    return true;
}

/* Padding behind differs from that in front in a transposed convolution. */
static void print_window(struct aten_job *j, const struct window *v)
{
    FILE *out = j->w->out;

    fputs(" size=", out);
    for (uint32_t d = 0; d < v->rank; d++)
        fprintf(out, "%s%" PRId64, d ? "x" : "", v->size[d]);
    static const char *const keys[] = { "stride", "dilate" };
    const int64_t *sides[] = { v->stride, v->dilate };
    for (int i = 0; i < 2; i++) {
        bool plain = true;
        for (uint32_t d = 0; d < v->rank; d++)
            plain = plain && sides[i][d] == 1;
        for (uint32_t d = 0; d < v->rank && !plain; d++)
            fprintf(out, "%s%s%s%" PRId64, d ? "" : " ", d ? "x" : keys[i], d ? "" : "=",
                    sides[i][d]);
    }
    const uint64_t *large = v->transposed ? v->y : v->x, *small = v->transposed ? v->x : v->y;
    for (uint32_t d = 0; d < v->rank; d++) {
        int64_t need = ((int64_t)small[d + 2] - 1) * v->stride[d] +
                       v->dilate[d] * (v->size[d] - 1) + 1 - (int64_t)large[d + 2];
        int64_t high = v->transposed ? need - v->pad[d] : v->pad[d];
        fprintf(out, "%s%" PRId64 "_%" PRId64, d ? "x" : " pad=", v->pad[d], high);
    }
    if (v->groups > 1)
        fprintf(out, " groups=%" PRId64, v->groups);
}

/* One product of a convolution.  What is a gradient of a transposed one is a forward one. */
static void write_conv(struct aten_job *j, const struct window *v, const char *kind,
                       const uint32_t *in, uint32_t out)
{
    aten_begin(j, 1, kind, &out, 1, in, 2);
    print_window(j, v);
}

static struct trace_shape shape_of_image(const struct aten_arg *x, const uint64_t *dim)
{
    return aten_shape_of(x->dtype, x->rank, dim);
}

bool aten_write_conv(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x'), *w = aten_tensor(j, 'w');
    struct window v;

    if (!x || !w || !read_window(j, x, w, &v))
        return false;
    struct trace_shape xs = shape_of_image(x, v.x), ws = aten_shape_of(w->dtype, w->rank, w->dim);
    struct trace_shape ys = shape_of_image(x, v.y);
    uint32_t in[2];
    in[0] = aten_operand(j, &xs);
    in[1] = aten_weight(j, &ws);
    const struct aten_arg *b = aten_tensor(j, 'b');
    struct trace_shape bs = b ? aten_shape(b) : ys;
    uint32_t bias = b ? aten_weight(j, &bs) : ATEN_NO_VALUE, out = aten_result(j, &ys);
    write_conv(j, &v, v.transposed ? "conv-dgrad" : "conv", in, out);
    if (b && b->rank == 1 && b->dim[0] == v.y[1] && !v.transposed)
        aten_attr(j, "bias=%%v%" PRIu32, bias);
    aten_end(j, true);
    return true;
}

/* The gradients of image, filter and bias that are wanted: "[True, True, False]". */
static void read_mask(const struct aten_job *j, bool *wanted)
{
    const struct aten_arg *m = aten_arg(j, 'm');
    const char *at = m ? m->value : "";

    wanted[0] = wanted[1] = true;
    wanted[2] = false;
    for (int i = 0; i < 3 && m; i++) {
        const char *word = strpbrk(at, "TF");
        if (!word || word >= m->value + m->n)
            return;
        wanted[i] = *word == 'T';
        at = word + 1;
    }
}

bool aten_write_conv_gradients(struct aten_job *j)
{
    const struct aten_arg *y = aten_tensor(j, 'y'), *x = aten_tensor(j, 'x');
    const struct aten_arg *w = aten_tensor(j, 'w');
    bool wanted[3];
    struct window v;

    if (!x || !w || !y || !read_window(j, x, w, &v) || y->rank != x->rank)
        return false;
    read_mask(j, wanted);
    struct trace_shape xs = shape_of_image(x, v.x), ws = aten_shape_of(w->dtype, w->rank, w->dim);
    struct trace_shape ys = shape_of_image(y, v.y);
    uint32_t given = aten_operand(j, &ys); /* gradients stand first */
    uint32_t image = aten_operand(j, &xs);
    uint32_t filter = aten_weight(j, &ws);
    if (wanted[0]) {
        uint32_t out = aten_result(j, &xs), in[2] = { given, filter };
        write_conv(j, &v, v.transposed ? "conv" : "conv-dgrad", in, out);
        aten_end(j, true);
    }
    if (wanted[1]) {
        uint32_t out = aten_result(j, &ws);
        uint32_t in[2] = { v.transposed ? given : image, v.transposed ? image : given };
        write_conv(j, &v, "conv-wgrad", in, out);
        aten_end(j, true);
    }
    if (wanted[2]) {
        uint32_t over = 1;
        for (uint32_t d = 2; d < ys.rank; d++)
            over |= UINT32_C(1) << d;
        struct trace_shape bs = aten_reduced(&ys, over);
        uint32_t out = aten_result(j, &bs);
        aten_begin(j, 1, "reduce", &out, 1, &given, 1);
        aten_attr(j, "dims=0%s%s%s", ys.rank > 2 ? "+2" : "", ys.rank > 3 ? "+3" : "",
                  ys.rank > 4 ? "+4" : "");
        aten_end(j, true);
    }
    return wanted[0] || wanted[1] || wanted[2];
}

/* --- attention ------------------------------------------------------------------------------ */

/* Heads, queries, keys and the size of a head.  Rows named scaled_dot_product have heads before
 * positions, their kernels behind. */
static bool read_heads(const struct aten_arg *q, const struct aten_arg *k, bool outer,
                       uint64_t side[4])
{
    if (!q || !k || q->rank != 4 || k->rank != 4)
        return false;
    side[0] = q->dim[0] * q->dim[outer ? 1 : 2];
    side[1] = q->dim[outer ? 2 : 1];
    side[2] = k->dim[outer ? 2 : 1];
    side[3] = q->dim[3];
    return true;
}

/* A mask: a flag, or the number of a kind of them. */
static bool is_causal(const struct aten_job *j)
{
    int64_t kind;

    return aten_flag(j, 'c') || (aten_numbers(j, 'c', &kind, 1) == 1 && kind > 0);
}

static void end_attention(struct aten_job *j, const uint64_t side[4], uint32_t products,
                          enum trace_dtype dtype)
{
    uint64_t m = products * side[1] / (is_causal(j) ? 2 : 1);

    aten_attr(j, "product=%" PRIu64 "x%" PRIu64 "x%" PRIu64 "x%" PRIu64, side[0], m ? m : 1,
              side[2], side[3]);
    if (dtype == TRACE_F32)
        aten_attr(j, "precision=highest");
    aten_attr(j, "queries=%" PRIu64, side[1]);
    if (strstr(j->name, "flash"))
        aten_attr(j, "warps=4"); /* FlashAttention-2 */
    if (products > 2)
        aten_attr(j, "gradient=1");
}

bool aten_write_attention(struct aten_job *j)
{
    const struct aten_arg *q = aten_tensor(j, 'x'), *k = aten_tensor(j, 'y');
    const struct aten_arg *v = aten_tensor(j, 'z');
    uint64_t side[4];

    if (!v || !read_heads(q, k, strstr(j->name, "scaled_dot") != NULL, side))
        return false;
    struct trace_shape s[3] = { aten_shape(q), aten_shape(k), aten_shape(v) };
    struct trace_shape sums = aten_shape_of(TRACE_F32, 2, (uint64_t[]){ side[0], side[1] });
    uint32_t in[3], out[2];
    aten_operands(j, s, 3, in);
    out[0] = aten_result(j, &s[0]);
    out[1] = aten_result(j, &sums);
    aten_begin(j, 1, "kernel", out, 2, in, 3);
    end_attention(j, side, 2, q->dtype);
    aten_end(j, true);
    return true;
}

bool aten_write_attention_gradient(struct aten_job *j)
{
    const struct aten_arg *dy = aten_tensor(j, 'w'), *q = aten_tensor(j, 'x');
    const struct aten_arg *k = aten_tensor(j, 'y'), *v = aten_tensor(j, 'z');
    uint64_t side[4];

    if (!dy || !v || !read_heads(q, k, strstr(j->name, "scaled_dot") != NULL, side))
        return false;
    struct trace_shape s[5] = { aten_shape(dy), aten_shape(q), aten_shape(k), aten_shape(v),
                                aten_shape(q) };
    uint32_t in[5], out[3];
    aten_operands(j, s, 5, in);
    for (int i = 0; i < 3; i++)
        out[i] = aten_result(j, &s[i + 1]);
    aten_begin(j, 1, "kernel", out, 3, in, 5);
    end_attention(j, side, 5, q->dtype);
    aten_end(j, true);
    return true;
}
