/* Matrix products, convolutions and what else slides a window, from their sizes. */
#include <inttypes.h>
#include <string.h>

#include "study/op_kind.h"

int op_write_matmul(const struct op_draft *d, struct err *err)
{
    const struct op_value *v = d->value;
    uint64_t m = v[OP_KEY_M].number, n = v[OP_KEY_N].number, k = v[OP_KEY_K].number;
    bool ta = v[OP_KEY_TA].number, tb = v[OP_KEY_TB].number;
    uint64_t b = v[OP_KEY_BATCH].given ? v[OP_KEY_BATCH].number : 1;
    uint32_t lead = b > 1 ? 0 : 1; /* where the dimensions begin: without a batch of one */
    uint64_t lhs[] = { b, ta ? k : m, ta ? m : k }, rhs[] = { b, tb ? n : k, tb ? k : n };
    char out[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8], extra[16];

    (void)err;
    op_tensor(d, "lhs", d->dtype, lhs + lead, 3 - lead, "constant");
    op_tensor(d, "rhs", d->dtype, rhs + lead, 3 - lead, "constant");
    op_shape(out, op_product(d->dtype), (uint64_t[]){ b, m, n } + lead, 3 - lead);
    snprintf(result, sizeof result, "%%out %s", out);
    snprintf(extra, sizeof extra, "%s%s", ta ? " ta=1" : "", tb ? " tb=1" : "");
    op_step(d, result, "%lhs, %rhs", 0, extra);
    return 0;
}

/* The window that `size` and window= together say, all its dimensions filled in. */
static int read_window(struct trace_window *w, const struct op_value *window, const uint64_t *size,
                       uint32_t rank, struct err *err)
{
    *w = (struct trace_window){ .rank = rank, .stride = { 1, 1, 1 }, .dilate = { 1, 1, 1 } };
    if (window->given && window->window.rank != 0) {
        if (window->window.rank != rank)
            return err_set(err, ERR_FORMAT,
                           "window = %s: %" PRIu32 " dimensions, expected %" PRIu32
                           ", the positions of the image",
                           window->text, window->window.rank, rank);
        *w = window->window;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (size && w->size[i] != 0 && w->size[i] != size[i])
            return err_set(err, ERR_FORMAT,
                           "window = %s: the filter has size %" PRIu64 " in dimension %" PRIu32,
                           window->text, size[i], i);
        if (size)
            w->size[i] = size[i];
        if (w->size[i] == 0)
            return err_set(err, ERR_FORMAT, "window = %s: no size, such as window=3x3,stride=2x2",
                           window->text);
        if (w->size[i] > UINT32_MAX)
            return err_set(err, ERR_RANGE, "a window of %" PRIu64 ": outside [1, %" PRIu32 "]",
                           w->size[i], UINT32_MAX);
    }
    return 0;
}

/* What the window covers in each dimension. */
static uint64_t reach(const struct trace_window *w, uint32_t i)
{
    return w->dilate[i] * (w->size[i] - 1) + 1;
}

/* Where the window fits: (in + low + high - reach) / stride + 1 positions in each dimension. */
static int positions(const struct trace_window *w, const uint64_t *in, uint64_t *out,
                     struct err *err)
{
    for (uint32_t i = 0; i < w->rank; i++) {
        int64_t padded = (int64_t)in[i] + w->pad_lo[i] + w->pad_hi[i];
        if (padded < 0 || (uint64_t)padded < reach(w, i))
            return err_set(err, ERR_RANGE,
                           "a window over %" PRIu64 " positions does not fit the %" PRId64
                           " of dimension %" PRIu32 ", padding included",
                           reach(w, i), padded, i + 2);
        out[i] = ((uint64_t)padded - reach(w, i)) / w->stride[i] + 1;
    }
    return 0;
}

/* The smallest image that the window takes to `in` positions: what a transposed convolution makes.
 */
static int image(const struct trace_window *w, const uint64_t *in, uint64_t *out, struct err *err)
{
    for (uint32_t i = 0; i < w->rank; i++) {
        uint64_t whole;
        if (__builtin_mul_overflow(in[i] - 1, w->stride[i], &whole) ||
            __builtin_add_overflow(whole, reach(w, i), &whole) || whole > OP_MOST / 2)
            return err_set(err, ERR_RANGE, "a result of more than 2^62 positions");
        int64_t left = (int64_t)whole - w->pad_lo[i] - w->pad_hi[i];
        if (left < 1)
            return err_set(err, ERR_RANGE,
                           "padding takes off all %" PRIu64 " positions of dimension %" PRIu32,
                           whole, i + 2);
        out[i] = (uint64_t)left;
    }
    return 0;
}

static char *dims(char buf[80], const char *key, const uint64_t *v, uint32_t rank)
{
    size_t at = (size_t)snprintf(buf, 80, " %s=", key);

    for (uint32_t i = 0; i < rank; i++)
        at += (size_t)snprintf(buf + at, 80 - at, "%s%" PRIu64, i ? "x" : "", v[i]);
    return buf;
}

static char *pads(char buf[80], const struct trace_window *w)
{
    size_t at = (size_t)snprintf(buf, 80, " pad=");

    for (uint32_t i = 0; i < w->rank; i++)
        at += (size_t)snprintf(buf + at, 80 - at, "%s%" PRId64 "_%" PRId64, i ? "x" : "",
                               w->pad_lo[i], w->pad_hi[i]);
    return buf;
}

/* Batch, channels and 1 to 3 dimensions of positions. */
static int check_image(const struct op_value *v, const char *key, struct err *err)
{
    if (v->rank >= 3 && v->rank <= 5)
        return 0;
    return err_set(err, ERR_FORMAT,
                   "%s = %s: %" PRIu32
                   " dimensions, expected batch x channels x 1 to 3 of positions",
                   key, v->text, v->rank);
}

/* A filter has outputs x channels of a group x size; that of a transposed convolution, which is the
 * gradient of another one, takes them the other way round. */
static int check_filter(const struct op_value *in, const struct op_value *filter, uint64_t groups,
                        bool transposed, struct err *err)
{
    uint64_t channels = in->dim[1];

    if (channels % groups != 0)
        return err_set(err, ERR_RANGE,
                       "groups = %" PRIu64 ": does not divide the %" PRIu64 " channels of in = %s",
                       groups, channels, in->text);
    if (!transposed && filter->rank == in->rank && filter->dim[0] % groups != 0)
        return err_set(err, ERR_RANGE,
                       "groups = %" PRIu64 ": does not divide the %" PRIu64
                       " outputs of filter = %s",
                       groups, filter->dim[0], filter->text);
    if (filter->rank == in->rank &&
        filter->dim[!transposed] == (transposed ? channels : channels / groups))
        return 0;
    return err_set(
        err, ERR_FORMAT,
        "filter = %s: expected %s%" PRIu64 " channels x %ssize, %" PRIu32 " numbers for in = %s",
        filter->text, transposed ? "" : "outputs x ", transposed ? channels : channels / groups,
        transposed ? "outputs x " : "", in->rank, in->text);
}

int op_write_conv(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_IN], *filter = &d->value[OP_KEY_FILTER];
    bool dgrad = strcmp(d->kind->name, "conv-dgrad") == 0;
    bool wgrad = strcmp(d->kind->name, "conv-wgrad") == 0;
    bool transposed = strcmp(d->kind->name, "conv-transpose") == 0;
    uint64_t groups = d->value[OP_KEY_GROUPS].given ? d->value[OP_KEY_GROUPS].number : 1;
    uint32_t rank = in->rank;
    char shape[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8], b[4][80], extra[4 * 80 + 40];
    uint64_t out[5] = { 0 };
    struct trace_window w;

    if (check_image(in, "in", err) != 0 || check_filter(in, filter, groups, transposed, err) != 0 ||
        read_window(&w, &d->value[OP_KEY_WINDOW], filter->dim + 2, rank - 2, err) != 0 ||
        (transposed ? image : positions)(&w, in->dim + 2, out + 2, err) != 0)
        return -1;
    out[0] = in->dim[0];
    out[1] = transposed ? filter->dim[1] * groups : filter->dim[0];
    snprintf(extra, sizeof extra, "%s%s%s%s groups=%" PRIu64, dims(b[0], "size", w.size, w.rank),
             dims(b[1], "stride", w.stride, w.rank), pads(b[2], &w),
             dims(b[3], "dilate", w.dilate, w.rank), groups);
    if (!dgrad)
        op_tensor(d, "in", d->dtype, in->dim, rank, "constant");
    if (!wgrad)
        op_tensor(d, "filter", d->dtype, filter->dim, rank, "constant");
    if (dgrad || wgrad)
        op_tensor(d, "dout", d->dtype, out, rank, "constant");
    op_shape(shape, op_product(d->dtype), dgrad ? in->dim : wgrad ? filter->dim : out, rank);
    snprintf(result, sizeof result, "%%out %s", shape);
    op_step(d, result, dgrad ? "%dout, %filter" : wgrad ? "%in, %dout" : "%in, %filter", 0, extra);
    return 0;
}

int op_write_pool(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE];
    char shape[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];
    uint64_t out[5], flops = 1;
    struct trace_window w;
    bool fits = true;

    if (check_image(in, "shape", err) != 0 ||
        read_window(&w, &d->value[OP_KEY_WINDOW], NULL, in->rank - 2, err) != 0 ||
        positions(&w, in->dim + 2, out + 2, err) != 0)
        return -1;
    out[0] = in->dim[0];
    out[1] = in->dim[1];
    /* one operation for each element under each window */
    for (uint32_t i = 0; i < in->rank; i++)
        fits = fits && !__builtin_mul_overflow(flops, out[i], &flops);
    for (uint32_t i = 0; i < w.rank; i++)
        fits = fits && !__builtin_mul_overflow(flops, w.size[i], &flops);
    if (!fits)
        return err_set(err, ERR_RANGE, "more than 2^64 operations");
    op_tensor(d, "in", d->dtype, in->dim, in->rank, "constant");
    snprintf(result, sizeof result, "%%out %s", op_shape(shape, d->dtype, out, in->rank));
    op_step(d, result, "%in", flops, "");
    return 0;
}
