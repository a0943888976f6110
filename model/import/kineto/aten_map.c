/* Element-wise operations, sums, copies and lists of tensors of a recording. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/kineto/aten_write.h"

#define MOST_LAUNCHES 64 /* of a list */

/* --- shapes --------------------------------------------------------------------------------- */

/* Make *a the shape that a and b broadcast to.  False: they do not. */
static bool widen_shape(struct trace_shape *a, const struct trace_shape *b)
{
    struct trace_shape r = { .dtype = a->dtype, .rank = a->rank > b->rank ? a->rank : b->rank };

    for (uint32_t d = 0; d < r.rank; d++) {
        uint64_t x = d < a->rank ? a->dim[a->rank - 1 - d] : 1;
        uint64_t y = d < b->rank ? b->dim[b->rank - 1 - d] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        r.dim[r.rank - 1 - d] = x > y ? x : y;
    }
    *a = r;
    return true;
}

static bool is_floating(enum trace_dtype d)
{
    return d == TRACE_F32 || d == TRACE_BF16 || d == TRACE_F16 || d == TRACE_F64;
}

/* The type of a result: the widest floating one of arrays, else of whole numbers. */
static enum trace_dtype promote_types(enum trace_dtype a, enum trace_dtype b)
{
    if (is_floating(a) != is_floating(b))
        return is_floating(a) ? a : b;
    return trace_dtype_bits[b] > trace_dtype_bits[a] || a == TRACE_PRED ? b : a;
}

/* Operands of an element-wise operation: all its tensors; *result is what they broadcast to, as
 * large as they say, also along what is expanded. */
static uint32_t collect_tensors(const struct aten_job *j, struct trace_shape *s,
                                struct trace_shape *result)
{
    uint32_t n = 0;
    bool typed = false;

    *result = (struct trace_shape){ .dtype = TRACE_F32 };
    for (uint32_t i = 0; i < j->args.n && n < ATEN_MOST_OPERANDS; i++) {
        const struct aten_arg *a = &j->args.arg[i];
        if (a->kind != ATEN_TENSOR || a->empty || aten_letter(j, i) == '.')
            continue;
        struct trace_shape whole = aten_shape_of(a->dtype, a->rank, a->dim);
        if (!widen_shape(result, &whole))
            return 0;
        if (a->rank > 0 || !typed)
            result->dtype =
                typed && a->rank > 0 ? promote_types(result->dtype, a->dtype) : a->dtype;
        typed |= a->rank > 0;
        s[n++] = aten_shape(a);
    }
    return n;
}

static bool is_in_place(const struct aten_job *j)
{
    size_t n = strlen(j->name);

    return n > 0 && j->name[n - 1] == '_';
}

static void end_map(struct aten_job *j, const struct trace_shape *result)
{
    uint64_t flops = j->row->flops ? j->row->flops : 1;

    if (j->row->fn != TRACE_FN_ADD)
        aten_attr(j, "fn=%s", trace_fn_name[j->row->fn]);
    aten_attr(j, "flops=%" PRIu64, flops * aten_elements(result));
    aten_end(j, true);
}

static bool write_elements(struct aten_job *j, bool compares)
{
    struct trace_shape s[ATEN_MOST_OPERANDS], result;
    uint32_t in[ATEN_MOST_OPERANDS], n = collect_tensors(j, s, &result);

    if (n == 0)
        return false;
    if (compares)
        result.dtype = TRACE_PRED;
    else if (is_in_place(j))
        result.dtype = s[0].dtype;
    aten_operands(j, s, n, in);
    uint32_t out = aten_result(j, &result);
    aten_begin(j, 1, "elementwise", &out, 1, in, n);
    end_map(j, &result);
    return true;
}

bool aten_write_map(struct aten_job *j)
{
    return write_elements(j, false);
}

bool aten_write_compare(struct aten_job *j)
{
    return write_elements(j, true);
}

/* A function, and the mask of what it has dropped. */
bool aten_write_dropout(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');

    if (!x)
        return false;
    struct trace_shape s = aten_shape(x), mask = s;
    uint32_t in = aten_operand(j, &s), out[2];
    mask.dtype = TRACE_PRED;
    out[0] = aten_result(j, &s);
    out[1] = aten_result(j, &mask);
    aten_begin(j, 1, "elementwise", out, 2, &in, 1);
    end_map(j, &s);
    return true;
}

/* --- fills ---------------------------------------------------------------------------------- */

static bool write_filled(struct aten_job *j, const struct trace_shape *s)
{
    uint32_t in = aten_scalar(j, s->dtype);

    if (aten_elements(s) == 1)
        in = aten_scalar(j, s->dtype == TRACE_F32 ? TRACE_S32 : TRACE_F32);
    uint32_t out = aten_result(j, s);
    aten_begin(j, 1, "copy", &out, 1, &in, 1);
    aten_end(j, true);
    return true;
}

bool aten_write_fill(struct aten_job *j)
{
    const struct aten_arg *x = j->args.n > 0 ? &j->args.arg[0] : NULL;

    if (!x || x->kind != ATEN_TENSOR || x->empty)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim);
    return write_filled(j, &s);
}

/* arange(begin, end, step, out). */
bool aten_write_range(struct aten_job *j)
{
    int64_t begin = 0, end = 0, step = 1;
    uint32_t n = 0;

    for (uint32_t i = 0; i < j->args.n && n < 3; i++)
        if (j->args.arg[i].kind == ATEN_VALUE && aten_args_numbers(&j->args.arg[i],
                                                                   n == 0   ? &end
                                                                   : n == 1 ? &begin
                                                                            : &step,
                                                                   1) == 1)
            n++;
    if (n > 1) {
        int64_t first = end;
        end = begin;
        begin = first;
    }
    if (n == 0 || step == 0 || (end - begin) / step < 1)
        return false;
    struct trace_shape s =
        aten_shape_of(TRACE_S64, 1, (uint64_t[]){ (uint64_t)((end - begin) / step) });
    return write_filled(j, &s);
}

bool aten_write_random(struct aten_job *j)
{
    const struct aten_arg *x = j->args.n > 0 ? &j->args.arg[0] : NULL;

    if (!x || x->kind != ATEN_TENSOR || x->empty)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim);
    uint32_t out = aten_result(j, &s);
    aten_begin(j, 1, "rng", &out, 1, NULL, 0);
    aten_end(j, true);
    return true;
}

/* --- copies --------------------------------------------------------------------------------- */

/* Dimensions from the one whose elements lie furthest apart to the nearest ones, without those of
 * one element.  False: the file says no strides. */
static bool sort_dims(const struct aten_arg *a, struct trace_shape *s)
{
    uint64_t stride[TRACE_MAX_RANK];

    *s = (struct trace_shape){ .dtype = a->dtype };
    for (uint32_t d = 0; a->strided && d < a->rank; d++) {
        if (a->dim[d] == 1 || a->stride[d] == 0)
            continue;
        uint32_t at = s->rank++;
        for (; at > 0 && stride[at - 1] < a->stride[d]; at--) {
            stride[at] = stride[at - 1];
            s->dim[at] = s->dim[at - 1];
        }
        stride[at] = a->stride[d];
        s->dim[at] = a->dim[d];
    }
    return a->strided;
}

static bool is_alike(const struct trace_shape *a, const struct trace_shape *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0;
}

/* copy_(to, from): elements keep their order, or they are transposed. */
bool aten_write_copy(struct aten_job *j)
{
    const struct aten_arg *to = j->args.n > 0 ? &j->args.arg[0] : NULL;
    const struct aten_arg *from = j->args.n > 1 ? &j->args.arg[1] : NULL;

    if (!to || !from || to->kind != ATEN_TENSOR || from->kind != ATEN_TENSOR || to->empty ||
        from->empty)
        return false;
    struct trace_shape result = aten_shape_of(to->dtype, to->rank, to->dim);
    struct trace_shape s = aten_shape(from), lie, stand;
    bool turned = sort_dims(from, &lie) && sort_dims(to, &stand) && !is_alike(&lie, &stand) &&
                  aten_elements(&lie) == aten_elements(&stand);
    uint32_t in = aten_operand(j, turned && to->dtype == from->dtype ? &lie : &s);
    if (turned && to->dtype == from->dtype) {
        uint32_t out = aten_result(j, &stand);
        aten_begin(j, 1, "copy", &out, 1, &in, 1);
        aten_end(j, true);
        return true;
    }
    uint32_t out = aten_result(j, &result);
    aten_begin(j, 1, "elementwise", &out, 1, &in, 1);
    if (to->dtype != from->dtype)
        aten_attr(j, "fn=convert");
    aten_attr(j, "flops=%" PRIu64, aten_elements(&result));
    aten_end(j, true);
    return true;
}

/* cat(list, dimension). */
bool aten_write_join(struct aten_job *j)
{
    const struct aten_arg *list = aten_arg(j, 'x');
    struct trace_shape s[ATEN_MOST_OPERANDS], result = { 0 };
    uint32_t in[ATEN_MOST_OPERANDS], n = 0;
    struct aten_arg one;
    const char *at = NULL;
    int64_t d = 0;

    if (!list || list->kind != ATEN_LIST)
        return false;
    aten_numbers(j, 'd', &d, 1);
    while (n < ATEN_MOST_OPERANDS && aten_args_next(list, &at, &one)) {
        if (one.empty)
            continue;
        s[n] = aten_shape(&one);
        uint32_t along = (uint32_t)(d < 0 ? d + (int64_t)one.rank : d);
        if (along >= one.rank || (n > 0 && one.rank != result.rank))
            return false;
        if (n == 0)
            result = s[0];
        else
            result.dim[along] += one.dim[along];
        n++;
    }
    if (n == 0)
        return false;
    aten_operands(j, s, n, in);
    uint32_t out = aten_result(j, &result);
    aten_begin(j, 1, "copy", &out, 1, in, n);
    aten_end(j, true);
    return true;
}

/* --- sums ----------------------------------------------------------------------------------- */

bool aten_write_reduce(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');
    int64_t dim[TRACE_MAX_RANK];
    uint32_t over = 0;

    if (!x)
        return false;
    uint32_t n = aten_numbers(j, 'd', dim, TRACE_MAX_RANK);
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = dim[i] < 0 ? dim[i] + (int64_t)x->rank : dim[i];
        if (d >= 0 && d < (int64_t)x->rank)
            over |= UINT32_C(1) << d;
    }
    if (n == 0)
        over = (UINT32_C(1) << x->rank) - 1;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim);
    struct trace_shape r = aten_reduced(&s, over);
    uint32_t in = aten_operand(j, &s), out = aten_result(j, &r);
    aten_begin(j, 1, over ? "reduce" : "elementwise", &out, 1, &in, 1);
    for (uint32_t d = 0, first = 1; d < x->rank; d++)
        if (over >> d & 1) {
            fprintf(j->w->out, first ? " dims=%" PRIu32 : "+%" PRIu32, d);
            first = 0;
        }
    aten_attr(j, "flops=%" PRIu64, aten_elements(&s));
    aten_end(j, true);
    return true;
}

/* --- lists ---------------------------------------------------------------------------------- */

/* Elements of the first list: as it says, else those of all gradients. */
static uint64_t count_listed(const struct aten_job *j)
{
    const struct aten_arg *list = NULL;
    struct aten_arg one;
    const char *at = NULL;
    uint64_t n = 0;

    for (uint32_t i = 0; i < j->args.n && !list; i++)
        if (j->args.arg[i].kind == ATEN_LIST)
            list = &j->args.arg[i];
    while (list && aten_args_next(list, &at, &one))
        n += one.empty ? 0 : aten_args_elements(&one);
    return n ? n : j->w->parameters;
}

static uint32_t count_lists(const struct aten_job *j)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < j->args.n; i++)
        n += j->args.arg[i].kind == ATEN_LIST && aten_letter(j, i) != '.';
    return n;
}

/* An operation on a list of tensors: as many kernels as there were, each with a part of them. */
static bool write_lists(struct aten_job *j, const char *kind, bool updates)
{
    uint64_t all = count_listed(j), launches = j->op->n;
    uint32_t in[8], n = count_lists(j);
    enum trace_dtype dtype = j->w->parameter_type;

    launches = launches > MOST_LAUNCHES ? MOST_LAUNCHES : launches;
    if (all < launches || n == 0)
        return false;
    n = n > 8 ? 8 : n;
    struct trace_shape s = aten_shape_of(dtype, 1, (uint64_t[]){ all / launches });
    for (uint64_t l = 0; l < launches; l++) {
        for (uint32_t i = 0; i < n; i++)
            in[i] = aten_flat(j, i, s.dim[0], dtype);
        uint32_t out = updates ? 0 : aten_result(j, &s);
        aten_begin(j, 1, kind, &out, !updates, in, n);
        end_map(j, &s);
    }
    return true;
}

bool aten_write_list(struct aten_job *j)
{
    return write_lists(j, "elementwise", false);
}

bool aten_write_update(struct aten_job *j)
{
    return write_lists(j, "optimizer", true);
}
