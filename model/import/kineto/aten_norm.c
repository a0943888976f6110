/* Norms and softmax of a recording: kernels of the framework's library. */
#include <inttypes.h>
#include <string.h>

#include "import/kineto/aten_write.h"

/* A line inside a fusion. */
static void write_inner(struct aten_job *j, const char *kind, const uint32_t *out, uint32_t n_out,
                        const uint32_t *in, uint32_t n_in, uint32_t over, enum trace_fn fn,
                        uint64_t flops)
{
    bool first = true;

    aten_begin(j, 2, kind, out, n_out, in, n_in);
    if (fn != TRACE_FN_ADD)
        aten_attr(j, "fn=%s", trace_fn_name[fn]);
    for (uint32_t d = 0; over >> d; d++)
        if (over >> d & 1) {
            fprintf(j->w->out, first ? " dims=%" PRIu32 : "+%" PRIu32, d);
            first = false;
        }
    aten_attr(j, "flops=%" PRIu64, flops);
    aten_end(j, false);
}

/* Bits of the last `n` dimensions of `rank`. */
static uint32_t last_dims(uint32_t rank, uint32_t n)
{
    return ((UINT32_C(1) << n) - 1) << (rank - n);
}

/* --- softmax -------------------------------------------------------------------------------- */

static bool find_axis(const struct aten_job *j, const struct trace_shape *s, uint32_t *over)
{
    int64_t d = -1;

    aten_numbers(j, 'd', &d, 1);
    d = d < 0 ? d + (int64_t)s->rank : d;
    *over = UINT32_C(1) << (d >= 0 ? d : 0);
    return d >= 0 && d < (int64_t)s->rank;
}

bool aten_write_softmax(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');
    uint32_t over;

    if (!x)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim);
    if (!find_axis(j, &s, &over))
        return false;
    struct trace_shape r = aten_reduced(&s, over);
    uint64_t n = aten_elements(&s);
    uint32_t in = aten_operand(j, &s), most = aten_inner(j, &r), sum = aten_inner(j, &r);
    uint32_t e = aten_inner(j, &s), y = aten_result(j, &s);
    aten_open(j, &y, 1);
    write_inner(j, "reduce", &most, 1, &in, 1, over, TRACE_FN_ADD, n);
    write_inner(j, "elementwise", &e, 1, (uint32_t[]){ in, most }, 2, 0, TRACE_FN_EXP, 2 * n);
    write_inner(j, "reduce", &sum, 1, &e, 1, over, TRACE_FN_ADD, n);
    write_inner(j, "elementwise", &y, 1, (uint32_t[]){ e, sum }, 2, 0, TRACE_FN_ADD, n);
    aten_close(j);
    return true;
}

bool aten_write_softmax_gradient(struct aten_job *j)
{
    const struct aten_arg *dy = aten_tensor(j, 'x'), *y = aten_tensor(j, 'y');
    uint32_t over, in[2];

    if (!dy || !y)
        return false;
    struct trace_shape s[2] = { aten_shape_of(dy->dtype, dy->rank, dy->dim), aten_shape(y) };
    if (!find_axis(j, &s[0], &over))
        return false;
    struct trace_shape r = aten_reduced(&s[0], over);
    uint64_t n = aten_elements(&s[0]);
    aten_operands(j, s, 2, in);
    uint32_t sum = aten_inner(j, &r), dx = aten_result(j, &s[0]);
    aten_open(j, &dx, 1);
    write_inner(j, "reduce", &sum, 1, in, 2, over, TRACE_FN_ADD, 2 * n);
    write_inner(j, "elementwise", &dx, 1, (uint32_t[]){ in[0], in[1], sum }, 3, 0, j->row->fn,
                3 * n);
    aten_close(j);
    return true;
}

/* --- norms of rows -------------------------------------------------------------------------- */

/* The weight and the bias, where there are some. */
static uint32_t add_factors(struct aten_job *j, uint32_t *in, uint32_t n)
{
    static const char letters[] = "wb";

    for (int i = 0; i < 2; i++) {
        const struct aten_arg *a = aten_tensor(j, letters[i]);
        if (a) {
            struct trace_shape s = aten_shape(a);
            in[n++] = aten_weight(j, &s);
        }
    }
    return n;
}

static bool write_row_norm(struct aten_job *j, const struct trace_shape *s, uint32_t over)
{
    struct trace_shape r = aten_reduced(s, over);
    uint64_t n = aten_elements(s);
    uint32_t in[5], sums[2], n_in = 1;

    in[0] = aten_operand(j, s);
    n_in = add_factors(j, in, n_in);
    for (int i = 0; i < 2; i++)
        sums[i] = aten_result(j, &r);
    uint32_t y = aten_result(j, s), listed[3] = { y, sums[0], sums[1] };
    in[n_in++] = sums[0];
    in[n_in++] = sums[1];
    aten_open(j, listed, 3);
    write_inner(j, "reduce", sums, 2, in, 1, over, TRACE_FN_ADD, 3 * n);
    write_inner(j, "elementwise", &y, 1, in, n_in, 0, TRACE_FN_RSQRT, 4 * n);
    aten_close(j);
    return true;
}

bool aten_write_norm(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');
    int64_t dim[TRACE_MAX_RANK];
    uint32_t n = aten_numbers(j, 'd', dim, TRACE_MAX_RANK);

    if (!x || x->rank == 0 || n > x->rank)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim);
    return write_row_norm(j, &s, last_dims(s.rank, n ? n : 1));
}

/* The gradient of the rows in one kernel, those of weight and bias in another. */
static bool write_row_gradient(struct aten_job *j, const struct trace_shape s[2], uint32_t over)
{
    struct trace_shape r = aten_reduced(&s[0], over);
    uint32_t all = (UINT32_C(1) << s[0].rank) - 1;
    struct trace_shape w = aten_reduced(&s[0], all & ~over);
    uint64_t n = aten_elements(&s[0]);
    uint32_t in[5], sums[2], dw[2];

    aten_operands(j, s, 2, in);
    bool factors = aten_tensor(j, 'w') != NULL;
    for (int i = 0; i < 2; i++)
        sums[i] = aten_inner(j, &r);
    uint32_t dx = aten_result(j, &s[0]);
    in[2] = sums[0];
    in[3] = sums[1];
    aten_open(j, &dx, 1);
    write_inner(j, "reduce", sums, 2, in, 2, over, TRACE_FN_ADD, 4 * n);
    write_inner(j, "elementwise", &dx, 1, in, 4, 0, TRACE_FN_ADD, 5 * n);
    aten_close(j);
    if (!factors || all == over)
        return true;
    for (int i = 0; i < 2; i++)
        dw[i] = aten_result(j, &w);
    aten_begin(j, 1, "reduce", dw, 2, in, 2);
    for (uint32_t d = 0; d < s[0].rank && !(over >> d & 1); d++)
        fprintf(j->w->out, d ? "+%" PRIu32 : " dims=%" PRIu32, d);
    aten_attr(j, "flops=%" PRIu64, 4 * n);
    aten_end(j, true);
    return true;
}

bool aten_write_norm_gradient(struct aten_job *j)
{
    const struct aten_arg *dy = aten_tensor(j, 'y'), *x = aten_tensor(j, 'x');
    int64_t dim[TRACE_MAX_RANK];
    uint32_t n = aten_numbers(j, 'd', dim, TRACE_MAX_RANK);

    if (!dy || !x || x->rank == 0 || n > x->rank || dy->rank != x->rank)
        return false;
    struct trace_shape s[2] = { aten_shape_of(dy->dtype, dy->rank, dy->dim),
                                aten_shape_of(x->dtype, x->rank, x->dim) };
    return write_row_gradient(j, s, last_dims(x->rank, n ? n : 1));
}

/* [n, channels, ...] as rows of the channels of a group. */
static bool find_groups(const struct aten_job *j, const struct aten_arg *x, struct trace_shape *s)
{
    int64_t groups = 0;

    if (!x || x->rank < 2 || aten_numbers(j, 'g', &groups, 1) != 1 || groups < 1)
        return false;
    uint64_t rows = x->dim[0] * (uint64_t)groups, n = aten_args_elements(x);
    if (rows == 0 || n % rows)
        return false;
    *s = aten_shape_of(x->dtype, 2, (uint64_t[]){ rows, n / rows });
    return true;
}

bool aten_write_group_norm(struct aten_job *j)
{
    struct trace_shape s;

    return find_groups(j, aten_tensor(j, 'x'), &s) && write_row_norm(j, &s, 2);
}

bool aten_write_group_norm_gradient(struct aten_job *j)
{
    struct trace_shape s[2];

    return find_groups(j, aten_tensor(j, 'y'), &s[0]) &&
           find_groups(j, aten_tensor(j, 'x'), &s[1]) && write_row_gradient(j, s, 2);
}

/* --- batch norm ----------------------------------------------------------------------------- */

/* All dimensions but that of the channels. */
static uint32_t but_channels(uint32_t rank)
{
    return ((UINT32_C(1) << rank) - 1) & ~UINT32_C(2);
}

bool aten_write_batch_norm(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');

    if (!x || x->rank < 2)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim);
    struct trace_shape c = aten_reduced(&s, but_channels(s.rank));
    uint64_t n = aten_elements(&s);
    uint32_t in[5], sums[2], n_in = 1;
    in[0] = aten_operand(j, &s);
    n_in = add_factors(j, in, n_in);
    c.dtype = TRACE_F32;
    for (int i = 0; i < 2; i++)
        sums[i] = in[n_in++] = aten_result(j, &c);
    uint32_t y = aten_result(j, &s), listed[3] = { y, sums[0], sums[1] };
    aten_open(j, listed, 3);
    write_inner(j, "reduce", sums, 2, in, 1, but_channels(s.rank), TRACE_FN_ADD, 3 * n);
    write_inner(j, "elementwise", &y, 1, in, n_in, 0, TRACE_FN_ADD, 4 * n);
    aten_close(j);
    return true;
}

bool aten_write_batch_norm_gradient(struct aten_job *j)
{
    const struct aten_arg *dy = aten_tensor(j, 'y'), *x = aten_tensor(j, 'x');

    if (!x || !dy || x->rank < 2 || dy->rank != x->rank)
        return false;
    struct trace_shape s[2] = { aten_shape_of(dy->dtype, dy->rank, dy->dim),
                                aten_shape_of(x->dtype, x->rank, x->dim) };
    struct trace_shape c = aten_reduced(&s[0], but_channels(s[0].rank));
    uint64_t n = aten_elements(&s[0]);
    uint32_t in[4], sums[2];
    aten_operands(j, s, 2, in);
    c.dtype = TRACE_F32;
    for (uint32_t i = 0; i < 2; i++)
        sums[i] = in[2 + i] = aten_result(j, &c);
    uint32_t dx = aten_result(j, &s[0]), listed[3] = { dx, sums[0], sums[1] };
    aten_open(j, listed, 3);
    write_inner(j, "reduce", sums, 2, in, 2, but_channels(s[0].rank), TRACE_FN_ADD, 4 * n);
    write_inner(j, "elementwise", &dx, 1, in, 4, 0, TRACE_FN_ADD, 5 * n);
    aten_close(j);
    return true;
}
