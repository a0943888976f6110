/* gemm_rule.c - rules of matmul and convolutions: shapes must agree; b, m, k, n and FLOPs follow.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/attr.h"
#include "trace/rule.h"
#include "trace/shape.h"

/* A value, and its place in the line for messages. */
struct operand {
    const struct trace_tensor *tensor;
    const struct trace_shape *shape;
    size_t at;
};

static struct operand operand_in(const struct trace *t, const struct trace_op *op, uint32_t i)
{
    const struct trace_tensor *v = trace_tensor(t, op->in[i]);

    return (struct operand){ v, &v->shape, t->in_at[i] };
}

static struct operand operand_out(const struct trace *t, const struct trace_op *op)
{
    const struct trace_tensor *v = trace_tensor(t, op->out[0]);

    return (struct operand){ v, &v->shape, t->out_at[0] };
}

/* FLOPs of a multiplication and an addition: of complex numbers four of each. */
static uint64_t flops_of_pair(const struct trace_shape *s)
{
    return s->dtype == TRACE_C64 || s->dtype == TRACE_C128 ? 8 : 2;
}

/* The dimensions of `o` must be those of `want`; dtypes may differ. */
static int expect_shape(const struct trace *t, const struct operand *o,
                        const struct trace_shape *want)
{
    char found[SHAPE_TEXT_MAX], expected[SHAPE_TEXT_MAX];

    if (o->shape->rank == want->rank &&
        memcmp(o->shape->dim, want->dim, want->rank * sizeof *want->dim) == 0)
        return 0;
    struct trace_shape w = *want;
    w.dtype = o->shape->dtype;
    return lex_fail(&t->lex, o->at, ERR_FORMAT, "%%%.64s is %s, expected %s", o->tensor->name,
                    shape_text(found, o->shape), shape_text(expected, &w));
}

static int expect_rank(const struct trace *t, const struct operand *o, uint32_t min, uint32_t max)
{
    char found[SHAPE_TEXT_MAX], many[32];

    if (o->shape->rank >= min && o->shape->rank <= max)
        return 0;
    snprintf(many, sizeof many, min == max ? "%" PRIu32 : "at least %" PRIu32, min);
    return lex_fail(&t->lex, o->at, ERR_FORMAT, "%%%.64s is %s, expected %s dimensions",
                    o->tensor->name, shape_text(found, o->shape), many);
}

static int multiply_dims(const struct trace *t, uint64_t *to, const char *what, const uint64_t *v,
                         size_t n)
{
    *to = 1;
    for (size_t i = 0; i < n; i++)
        if (!shape_mul(to, v[i]))
            return lex_fail(&t->lex, t->kind_at, ERR_RANGE, "%s does not fit 64 bits", what);
    return 0;
}

static int check_bias(const struct trace *t, const struct trace_op *op, uint64_t n)
{
    if (!op->has_bias)
        return 0;
    const struct trace_tensor *v = trace_tensor(t, op->bias);
    char found[SHAPE_TEXT_MAX];
    if (trace_elements(&v->shape) == n)
        return 0;
    return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                    "bias %%%.64s is %s, expected %" PRIu64 " elements", v->name,
                    shape_text(found, &v->shape), n);
}

int rule_matmul(struct trace *t, struct trace_op *op)
{
    struct operand a = operand_in(t, op, 0), b = operand_in(t, op, 1), c = operand_out(t, op);

    if (expect_rank(t, &a, 2, TRACE_MAX_RANK) != 0 || expect_rank(t, &b, 2, TRACE_MAX_RANK) != 0)
        return -1;
    uint32_t lead = a.shape->rank - 2;
    const uint64_t *am = &a.shape->dim[lead], *bk = &b.shape->dim[b.shape->rank - 2];
    uint64_t m = am[op->ta], k = am[!op->ta], n = bk[!op->tb];

    /* B must have A's k and, if it has leading dimensions, A's */
    struct trace_shape want = { .rank = 2 };
    if (b.shape->rank != 2) {
        memcpy(want.dim, a.shape->dim, lead * sizeof *want.dim);
        want.rank = lead + 2;
    }
    want.dim[want.rank - 2 + op->tb] = k;
    want.dim[want.rank - 1 - op->tb] = n;
    if (expect_shape(t, &b, &want) != 0)
        return -1;

    /* leading dimensions of A are a batch; or, if B has none, rows of A; or, in the gradient of
     * weights (A transposed, no batch in C), part of the sum */
    bool rows = b.shape->rank == 2, summed = !rows && op->ta && lead > 0 && c.shape->rank == 2;
    uint64_t outer;
    if (multiply_dims(t, &outer, "the batch", a.shape->dim, lead) != 0)
        return -1;
    want.rank = 0;
    for (; !summed && want.rank < lead; want.rank++)
        want.dim[want.rank] = a.shape->dim[want.rank];
    want.dim[want.rank++] = m;
    want.dim[want.rank++] = n;
    if (expect_shape(t, &c, &want) != 0)
        return -1;
    op->b = rows || summed ? 1 : outer;
    op->n = n;
    if (multiply_dims(t, &op->m, "m", (uint64_t[]){ m, rows ? outer : 1 }, 2) != 0 ||
        multiply_dims(t, &op->k, "k", (uint64_t[]){ k, summed ? outer : 1 }, 2) != 0 ||
        check_bias(t, op, n) != 0)
        return -1;
    if (op->given & ATTR_BIT(FLOPS))
        return 0;
    return multiply_dims(t, &op->flops, "flops",
                         (uint64_t[]){ flops_of_pair(a.shape), op->b, op->m, op->k, op->n }, 5);
}

/* Compute the shape of the output of a convolution: [b, o, positions]. */
static int shape_conv_output(const struct trace *t, const struct operand *x, uint64_t o,
                             const struct trace_window *win, struct trace_shape *y)
{
    *y = (struct trace_shape){ .rank = win->rank + 2, .dim = { x->shape->dim[0], o } };
    for (uint32_t i = 0; i < win->rank; i++) {
        /* dimensions have 63 bits; paddings, window and dilation 32 */
        int64_t padded;
        if (__builtin_add_overflow((int64_t)x->shape->dim[2 + i], win->pad_lo[i] + win->pad_hi[i],
                                   &padded))
            return lex_fail(&t->lex, x->at, ERR_RANGE, "the padded image does not fit 63 bits");
        uint64_t reach = win->dilate[i] * (win->size[i] - 1) + 1;
        if (padded < 0 || (uint64_t)padded < reach)
            return lex_fail(&t->lex, x->at, ERR_FORMAT,
                            "a window over %" PRIu64 " positions does not fit the %" PRId64
                            " of %%%.64s in dimension %" PRIu32 ", padding included",
                            reach, padded, x->tensor->name, 2 + i);
        y->dim[2 + i] = ((uint64_t)padded - reach) / win->stride[i] + 1;
    }
    return 0;
}

int rule_conv(struct trace *t, struct trace_op *op)
{
    const struct trace_window *win = &op->win;
    struct operand x = operand_in(t, op, 0), w = operand_in(t, op, 1), y = operand_out(t, op);
    struct trace_shape filter, output;
    uint64_t image, positions, size;

    if (op->kind == TRACE_CONV_DGRAD) {
        y = operand_in(t, op, 0);
        x = operand_out(t, op);
    } else if (op->kind == TRACE_CONV_WGRAD) {
        y = operand_in(t, op, 1);
        w = operand_out(t, op);
    }
    if (!(op->given & ATTR_BIT(SIZE)))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT, "'%s' needs size=, such as size=3x3",
                        op->kind_text);
    if (expect_rank(t, &x, win->rank + 2, win->rank + 2) != 0 ||
        expect_rank(t, &w, win->rank + 2, win->rank + 2) != 0)
        return -1;
    uint64_t b = x.shape->dim[0], c = x.shape->dim[1], o = w.shape->dim[0], groups = op->groups;
    if (c % groups != 0 || o % groups != 0)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "groups = %" PRIu64 ": %" PRIu64 " channels and %" PRIu64
                        " outputs do not fall into so many equal parts",
                        groups, c, o);
    filter = (struct trace_shape){ .rank = win->rank + 2, .dim = { o, c / groups } };
    memcpy(filter.dim + 2, win->size, win->rank * sizeof *win->size);
    if (expect_shape(t, &w, &filter) != 0 || shape_conv_output(t, &x, o, win, &output) != 0 ||
        expect_shape(t, &y, &output) != 0)
        return -1;
    /* these fit: they are parts of products of whole shapes, which fit */
    (void)multiply_dims(t, &image, "", x.shape->dim + 2, win->rank);
    (void)multiply_dims(t, &positions, "", output.dim + 2, win->rank);
    (void)multiply_dims(t, &size, "", win->size, win->rank);

    bool dgrad = op->kind == TRACE_CONV_DGRAD, wgrad = op->kind == TRACE_CONV_WGRAD;
    if (check_bias(t, op, o) != 0)
        return -1;
    c /= groups;
    o /= groups;
    op->b = groups;
    op->m = wgrad ? size * c : b * (dgrad ? image : positions);
    op->k = wgrad ? b * positions : size * (dgrad ? o : c);
    op->n = dgrad ? c : o;
    if (op->given & ATTR_BIT(FLOPS))
        return 0;
    return multiply_dims(t, &op->flops, "flops",
                         (uint64_t[]){ flops_of_pair(x.shape), b, positions, size, groups, c, o },
                         7);
}
