/* Rows by index, sorts, windows and losses of a recording. */
#include <inttypes.h>
#include <string.h>

#include "import/kineto/aten_write.h"
#include "trace/print.h"

/* --- rows by index -------------------------------------------------------------------------- */

/* A table as rows and columns: what stands before dimension `d` is moved with the rows. */
static bool shape_table(const struct aten_arg *t, uint64_t cols, struct trace_shape *s)
{
    uint64_t n = aten_args_elements(t);

    if (cols == 0 || n == 0 || n % cols)
        return false;
    *s = aten_shape_of(t->dtype, 2, (uint64_t[]){ n / cols, cols });
    return true;
}

/* Elements behind the first dimension, which is the one that is indexed. */
static uint64_t count_columns(const struct aten_arg *t, int64_t d)
{
    uint64_t n = 1;

    d = d < 0 ? d + (int64_t)t->rank : d;
    for (uint32_t i = 0; i < t->rank; i++)
        if ((int64_t)i != d)
            n *= t->dim[i];
    return n;
}

static bool write_gather(struct aten_job *j, const struct aten_arg *t, uint64_t rows, uint64_t cols,
                         const struct trace_shape *result)
{
    struct trace_shape table, index = aten_shape_of(TRACE_S64, 1, &rows);
    struct trace_shape plain = aten_shape_of(t->dtype, 2, (uint64_t[]){ rows, cols });
    uint32_t in[2];

    if (rows == 0 || !shape_table(t, cols, &table))
        return false;
    in[0] = aten_operand(j, &table);
    in[1] = aten_operand(j, &index);
    uint32_t out = aten_result(j, result ? result : &plain);
    aten_begin(j, 1, "gather", &out, 1, in, 2);
    aten_end(j, true);
    return true;
}

/* index_select(t, d, i), gather(t, d, i), embedding(t, i). */
bool aten_write_gather(struct aten_job *j)
{
    const struct aten_arg *t = aten_tensor(j, 't'), *i = aten_tensor(j, 'i');
    int64_t d = 0;

    if (!t || !i || t->rank == 0)
        return false;
    aten_numbers(j, 'd', &d, 1);
    struct trace_shape index = aten_shape(i);
    uint64_t rows = aten_elements(&index), all = aten_args_elements(i);
    uint64_t cols = rows == all && i->rank == t->rank && i->rank > 1 ? 1 : count_columns(t, d);
    struct trace_shape result = aten_shape_of(t->dtype, i->rank, i->dim);
    return write_gather(j, t, rows, cols, i->rank == t->rank && i->rank > 1 ? &result : NULL);
}

/* The result of this operation, which has the shape of its gradient. */
static bool find_result(const struct aten_job *j, struct aten_arg *result)
{
    const struct kineto *k = j->w->k;
    uint32_t call = recorded_backward(j->w->step, k, j->op->sequence, "IndexBackward");
    struct aten_args args;

    if (call == KINETO_NONE)
        return false;
    aten_args_read(&args, k, &k->call[call]);
    *result = args.arg[0];
    return args.n > 0 && result->kind == ATEN_TENSOR && !result->empty;
}

/* index(t, list of indices that the profiler does not write down): rows are those of its gradient,
 * else the blocks of its kernel, which has one for each row. */
bool aten_write_rows(struct aten_job *j)
{
    const struct kineto_work *w = &j->w->k->work[j->op->first];
    const struct aten_arg *t = aten_tensor(j, 't');
    struct aten_arg result;

    if (!t || t->rank == 0)
        return false;
    uint64_t cols = count_columns(t, 0), rows = 0;
    if (find_result(j, &result)) {
        uint64_t n = aten_args_elements(&result);
        struct trace_shape s = aten_shape_of(t->dtype, result.rank, result.dim);
        if (n % cols == 0)
            return write_gather(j, t, n / cols, cols, &s);
        return write_gather(j, t, n, 1, &s);
    }
    if (strstr(kineto_text(j->w->k, w->name), "gather_kernel"))
        rows = w->grid;
    return write_gather(j, t, rows, cols, NULL);
}

/* Rows that are added to a table take its place. */
static void print_scatter(struct aten_job *j, const uint32_t *in, bool sorted)
{
    struct aten_writer *w = j->w;
    struct trace_shape s = w->value[in[2]].shape;
    uint32_t out = aten_result(j, &s);
    char name[16], place[16];

    snprintf(name, sizeof name, "v%" PRIu32, out);
    snprintf(place, sizeof place, "v%" PRIu32, in[2]);
    print_indent(1, w->out);
    print_result(true, name, &s, false, w->out);
    print_place(place, w->out);
    fprintf(w->out, " = scatter(%%v%" PRIu32 ", %%v%" PRIu32 ", %%v%" PRIu32 ")", in[0], in[1],
            in[2]);
    if (sorted)
        aten_attr(j, "sorted=1");
    aten_end(j, true);
}

/* Where rows are sorted by their indices first, keys are as short as indices of rows can be, or
 * not.
 */
static bool write_scatter(struct aten_job *j, const struct aten_arg *t, const struct aten_arg *v,
                          uint64_t rows, bool sorts, bool short_keys)
{
    uint64_t n = aten_args_elements(v), cols = rows && n % rows == 0 ? n / rows : 0;
    struct trace_shape s[3], keys;

    if (!shape_table(t, cols, &s[2]))
        return false;
    s[0] = aten_shape_of(v->dtype, 2, (uint64_t[]){ rows, cols });
    s[1] = aten_shape_of(TRACE_S64, 1, &rows);
    keys = s[1];
    keys.dtype = short_keys ? TRACE_S32 : TRACE_S64;
    uint32_t in[3];
    aten_operands(j, s, 3, in);
    if (sorts) {
        uint32_t sorted[2], unsorted[2] = { aten_operand(j, &keys), in[1] };
        sorted[0] = aten_result(j, &keys);
        sorted[1] = aten_result(j, &s[1]);
        aten_begin(j, 1, "sort", sorted, 2, unsorted, 2);
        aten_end(j, true);
        in[1] = sorted[1];
    }
    print_scatter(j, in, sorts);
    return true;
}

/* index_add(t, d, i, v), scatter_add(t, d, i, v): atomic additions. */
bool aten_write_scatter(struct aten_job *j)
{
    const struct aten_arg *t = aten_tensor(j, 't'), *i = aten_tensor(j, 'i');
    const struct aten_arg *v = aten_tensor(j, 'v');

    if (!t || !i || !v)
        return false;
    struct trace_shape index = aten_shape(i);
    return write_scatter(j, t, v, aten_elements(&index), false, false);
}

/* index_put(t, indices, v), the gradient of an embedding (v, i, rows): sorts its indices. */
bool aten_write_sorted_scatter(struct aten_job *j)
{
    const struct aten_arg *t = aten_tensor(j, 't'), *i = aten_tensor(j, 'i');
    const struct aten_arg *v = aten_tensor(j, 'v');
    int64_t rows;

    if (!v || v->rank == 0)
        return false;
    if (t)
        return write_scatter(j, t, v, aten_args_elements(v) / count_columns(t, 0), j->op->n > 1,
                             true); /* without additions nothing is sorted */
    if (!i || aten_numbers(j, 'k', &rows, 1) != 1 || rows < 1)
        return false;
    struct aten_arg table = *v;
    table.rank = 2;
    table.dim[0] = (uint64_t)rows;
    table.dim[1] = v->dim[v->rank - 1];
    return write_scatter(j, &table, v, aten_args_elements(i), true, false);
}

/* sort(x, d), topk(x, k, d). */
bool aten_write_sort(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');
    int64_t most;

    if (!x || x->rank == 0)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim), r = s, index;
    if (aten_numbers(j, 'k', &most, 1) == 1 && most > 0 && (uint64_t)most < s.dim[s.rank - 1])
        r.dim[r.rank - 1] = (uint64_t)most;
    index = r;
    index.dtype = TRACE_S64;
    uint32_t in = aten_operand(j, &s), out[2];
    out[0] = aten_result(j, &r);
    out[1] = aten_result(j, &index);
    aten_begin(j, 1, "sort", out, 2, &in, 1);
    aten_end(j, true);
    return true;
}

/* A loss that takes one element of each row: nll_loss(x, i). */
bool aten_write_loss(struct aten_job *j)
{
    const struct aten_arg *i = aten_tensor(j, 'i');

    if (!i)
        return false;
    struct trace_shape s = aten_shape(i), r = s;
    r.dtype = TRACE_F32;
    uint32_t in = aten_operand(j, &s), out = aten_result(j, &r);
    aten_begin(j, 1, "elementwise", &out, 1, &in, 1);
    aten_end(j, true);
    return true;
}

/* --- windows -------------------------------------------------------------------------------- */

static bool shape_pooled(const struct aten_job *j, const struct aten_arg *x, struct trace_shape *r)
{
    int64_t size[3], stride[3], pad[3] = { 0, 0, 0 };
    uint32_t n = aten_numbers(j, 'k', size, 3), m = aten_numbers(j, 's', stride, 3);
    uint32_t p = aten_numbers(j, 'p', pad, 3);

    *r = aten_shape_of(x->dtype, x->rank, x->dim);
    if (n == 0 || x->rank < 3)
        return false;
    uint32_t rank = x->rank > 3 ? x->rank - 2 : 1;
    for (uint32_t d = 0; d < rank; d++) {
        int64_t k = size[d < n ? d : n - 1], s = m ? stride[d < m ? d : m - 1] : k;
        int64_t in = (int64_t)x->dim[x->rank - rank + d];
        if (k < 0 || k > INT32_MAX || s > INT32_MAX)
            return false;
        int64_t out = s > 0 ? (in + 2 * (p ? pad[d < p ? d : p - 1] : 0) - k) / s + 1 : 0;
        if (out < 1)
            return false;
        r->dim[x->rank - rank + d] = (uint64_t)out;
    }
    return true;
}

static bool write_pool(struct aten_job *j, const struct trace_shape *s, uint32_t n_in,
                       const struct trace_shape *r, bool indices)
{
    struct trace_shape index = *r;
    uint32_t in[3], out[2];

    aten_operands(j, s, n_in, in);
    out[0] = aten_result(j, r);
    index.dtype = TRACE_S64;
    if (indices)
        out[1] = aten_result(j, &index);
    aten_begin(j, 1, "pool", out, 1 + indices, in, n_in);
    aten_end(j, true);
    return true;
}

bool aten_write_pool(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');
    struct trace_shape s, r;

    if (!x || !shape_pooled(j, x, &r))
        return false;
    s = aten_shape_of(x->dtype, x->rank, x->dim);
    return write_pool(j, &s, 1, &r, strstr(j->name, "indices") != NULL);
}

/* The gradient of a pool or of another size: (dy, x, ..., indices). */
bool aten_write_pool_gradient(struct aten_job *j)
{
    const struct aten_arg *dy = aten_tensor(j, 'y'), *x = aten_tensor(j, 'x');
    const struct aten_arg *i = aten_tensor(j, 'i');
    struct trace_shape s[2], r;

    if (!dy)
        return false;
    s[0] = aten_shape(dy);
    if (x) {
        r = aten_shape_of(x->dtype, x->rank, x->dim);
    } else {
        int64_t size[5];
        uint32_t n = aten_numbers(j, 'd', size, 5);
        if (n != dy->rank)
            return false;
        r = s[0];
        for (uint32_t d = 0; d < n; d++)
            r.dim[d] = size[d] > 0 ? (uint64_t)size[d] : 1;
    }
    if (i)
        s[1] = aten_shape(i);
    return write_pool(j, s, i ? 2 : 1, &r, false);
}

/* Another size of an image, or its mean: (x, size of the result). */
bool aten_write_resize(struct aten_job *j)
{
    const struct aten_arg *x = aten_tensor(j, 'x');
    int64_t size[3];
    uint32_t n = aten_numbers(j, 'o', size, 3);

    if (!x || n == 0 || n + 1 > x->rank)
        return false;
    struct trace_shape s = aten_shape_of(x->dtype, x->rank, x->dim), r = s;
    for (uint32_t d = 0; d < n; d++)
        r.dim[r.rank - n + d] = size[d] > 0 ? (uint64_t)size[d] : 1;
    return write_pool(j, &s, 1, &r, false);
}
