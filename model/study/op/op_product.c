/* op_product.c - matrix products for `cyclotron op`: matmul, convolutions and their gradients,
 * dense layers.
 *
 * A new one is a function and a row below. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_window.h"
#include "study/op/op_write.h"

static int write_matmul(const struct op_draft *d, struct err *err)
{
    const struct op_value *v = d->value;
    uint64_t m = v[OP_KEY_M].number, n = v[OP_KEY_N].number, k = v[OP_KEY_K].number;
    bool ta = v[OP_KEY_TA].number, tb = v[OP_KEY_TB].number;
    uint64_t b = v[OP_KEY_BATCH].given ? v[OP_KEY_BATCH].number : 1;
    uint32_t lead = b > 1 ? 0 : 1; /* where the dimensions begin: without a batch of one */
    uint64_t lhs[] = { b, ta ? k : m, ta ? m : k }, rhs[] = { b, tb ? n : k, tb ? k : n };
    char extra[16];

    (void)err;
    op_tensor(d, "lhs", d->dtype, lhs + lead, 3 - lead, "constant");
    op_tensor(d, "rhs", d->dtype, rhs + lead, 3 - lead, "constant");
    snprintf(extra, sizeof extra, "%s%s", ta ? " ta=1" : "", tb ? " tb=1" : "");
    op_step_out(d, op_product_dtype(d->dtype), (uint64_t[]){ b, m, n } + lead, 3 - lead,
                "%lhs, %rhs", 0, extra);
    return 0;
}

static char *print_dims(char buf[80], const char *key, const uint64_t *v, uint32_t rank)
{
    size_t at = (size_t)snprintf(buf, 80, " %s=", key);

    for (uint32_t i = 0; i < rank; i++)
        at += (size_t)snprintf(buf + at, 80 - at, "%s%" PRIu64, i ? "x" : "", v[i]);
    return buf;
}

static char *print_pads(char buf[80], const struct trace_window *w)
{
    size_t at = (size_t)snprintf(buf, 80, " pad=");

    for (uint32_t i = 0; i < w->rank; i++)
        at += (size_t)snprintf(buf + at, 80 - at, "%s%" PRId64 "_%" PRId64, i ? "x" : "",
                               w->pad_lo[i], w->pad_hi[i]);
    return buf;
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

static int write_conv(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_IN], *filter = &d->value[OP_KEY_FILTER];
    bool dgrad = strcmp(d->kind->name, "conv-dgrad") == 0;
    bool wgrad = strcmp(d->kind->name, "conv-wgrad") == 0;
    bool transposed = strcmp(d->kind->name, "conv-transpose") == 0;
    uint64_t groups = d->value[OP_KEY_GROUPS].given ? d->value[OP_KEY_GROUPS].number : 1;
    uint32_t rank = in->rank;
    char b[4][80], extra[4 * 80 + 40];
    uint64_t out[5] = { 0 };
    struct trace_window w;

    if (op_window_check_image(in, "in", err) != 0 ||
        check_filter(in, filter, groups, transposed, err) != 0 ||
        op_window_read(&w, &d->value[OP_KEY_WINDOW], filter->dim + 2, rank - 2, err) != 0 ||
        (transposed ? op_window_image : op_window_positions)(&w, in->dim + 2, out + 2, err) != 0)
        return -1;
    out[0] = in->dim[0];
    out[1] = transposed ? filter->dim[1] * groups : filter->dim[0];
    snprintf(extra, sizeof extra, "%s%s%s%s groups=%" PRIu64,
             print_dims(b[0], "size", w.size, w.rank), print_dims(b[1], "stride", w.stride, w.rank),
             print_pads(b[2], &w), print_dims(b[3], "dilate", w.dilate, w.rank), groups);
    if (!dgrad)
        op_tensor(d, "in", d->dtype, in->dim, rank, "constant");
    if (!wgrad)
        op_tensor(d, "filter", d->dtype, filter->dim, rank, "constant");
    if (dgrad || wgrad)
        op_tensor(d, "dout", d->dtype, out, rank, "constant");
    op_step_out(d, op_product_dtype(d->dtype),
                dgrad   ? in->dim
                : wgrad ? filter->dim
                        : out,
                rank,
                dgrad   ? "%dout, %filter"
                : wgrad ? "%in, %dout"
                        : "%in, %filter",
                0, extra);
    return 0;
}

static int write_dense(const struct op_draft *d, struct err *err)
{
    const struct op_value *v = d->value;
    uint64_t m = v[OP_KEY_M].number, n = v[OP_KEY_N].number, k = v[OP_KEY_K].number;
    char text[OP_SHAPE_TEXT];
    uint64_t each;

    if (__builtin_mul_overflow(m, 2 * n, &each))
        return err_set(err, ERR_RANGE, "more than 2^64 operations");
    op_tensor(d, "x", d->dtype, (uint64_t[]){ m, k }, 2, "constant");
    op_tensor(d, "w", d->dtype, (uint64_t[]){ k, n }, 2, "weight");
    op_tensor(d, "b", d->dtype, &n, 1, "weight");
    op_shape(text, op_product_dtype(d->dtype), (uint64_t[]){ m, n }, 2);
    op_step_begin(d);
    fprintf(d->out,
            "  fusion %%out name=\"dense\" {\n    %%y %s = matmul(%%x, %%w) bias=%%b%s%s\n"
            "    %%out %s = elementwise(%%y) flops=%" PRIu64 "\n  }\n",
            text, v[OP_KEY_PRECISION].given ? " precision=" : "", v[OP_KEY_PRECISION].text, text,
            each);
    op_step_end(d);
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

#define GEMM_KEYS (KEY(BATCH) | KEY(TA) | KEY(TB) | KEY(PRECISION) | KEY(RESIDENT))
#define CONV_KEYS (KEY(WINDOW) | KEY(GROUPS) | KEY(PRECISION) | KEY(RESIDENT))

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name              required                  optional        writer        in a trace    inputs  flops  fn    meaning */
    { "matmul",          KEY(M) | KEY(N) | KEY(K), GEMM_KEYS,      write_matmul, "matmul",     2,      0,     NULL, "C[m,n] = A[m,k] B[k,n]" },
    { "conv",            KEY(IN) | KEY(FILTER),    CONV_KEYS,      write_conv,   "conv",       0,      0,     NULL, "convolution of 1 to 3 dimensions" },
    { "conv-dgrad",      KEY(IN) | KEY(FILTER),    CONV_KEYS,      write_conv,   "conv-dgrad", 0,      0,     NULL, "its gradient with respect to the image" },
    { "conv-wgrad",      KEY(IN) | KEY(FILTER),    CONV_KEYS,      write_conv,   "conv-wgrad", 0,      0,     NULL, "its gradient with respect to the filter" },
    { "conv-transpose",  KEY(IN) | KEY(FILTER),    CONV_KEYS,      write_conv,   "conv-dgrad", 0,      0,     NULL, "transposed convolution; filter= channels x outputs x size" },
    { "dense",           KEY(M) | KEY(N) | KEY(K), KEY(PRECISION), write_dense,  "matmul",     0,      0,     NULL, "matmul, bias and ReLU in one kernel" },
};
/* clang-format on */
const struct op_group op_group_product = { "matrix products", kinds, sizeof kinds / sizeof *kinds };
