/* op_reduce.c - reductions, sorting and normalizations for `cyclotron op`.
 *
 * Normalizations, softmax and losses are several kernels, written as XLA fuses them on a TPU: a
 * reduction ends a kernel; an operation that only feeds one, or only follows one, joins it. */
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "study/op/op_window.h"
#include "study/op/op_write.h"

static int write_reduce(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *dims = &d->value[OP_KEY_DIMS];
    char list[OP_LIST_TEXT];
    bool gone[TRACE_MAX_RANK] = { false };
    uint64_t out[TRACE_MAX_RANK];
    char over[8 + 2 * TRACE_MAX_RANK] = "";
    uint32_t rank = 0;
    size_t n = 0;

    for (uint32_t i = 0; i < dims->rank; i++) {
        if (dims->dim[i] >= shape->rank)
            return err_set(err, ERR_RANGE,
                           "dims = %s: %" PRIu64 " is outside [0, %" PRIu32 "] of shape = %s",
                           dims->text, dims->dim[i], shape->rank - 1, shape->text);
        gone[dims->dim[i]] = true;
    }
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!gone[i])
            out[rank++] = shape->dim[i];
        else
            n += (size_t)snprintf(over + n, sizeof over - n, "%s%" PRIu32, n ? "+" : " dims=", i);
    op_operands(d, shape, 1, list);
    op_step_out(d, d->result, out, rank, list, op_elements(shape) * d->kind->flops, over);
    return 0;
}

static int write_pool(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE];
    uint64_t out[5], flops = 1;
    struct trace_window w;
    bool fits = true;

    if (op_window_check_image(in, "shape", err) != 0 ||
        op_window_read(&w, &d->value[OP_KEY_WINDOW], NULL, in->rank - 2, err) != 0 ||
        op_window_positions(&w, in->dim + 2, out + 2, err) != 0)
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
    op_step_out(d, d->dtype, out, in->rank, "%in", flops, "");
    return 0;
}

static int write_sort(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    uint64_t n = 1 + d->value[OP_KEY_VALUES].number; /* at most 64 */
    char list[OP_LIST_TEXT], text[OP_SHAPE_TEXT], results[64 * (OP_SHAPE_TEXT + 16)];
    size_t at = 0;

    (void)err;
    op_operands(d, shape, n, list);
    op_shape(text, d->dtype, shape->dim, shape->rank);
    for (uint64_t i = 0; i < n; i++)
        at += (size_t)snprintf(results + at, sizeof results - at, "%s%%out%" PRIu64 " %s",
                               i ? ", " : "", i, text);
    op_step(d, results, list, 0, "");
    return 0;
}

/* Each element is compared, and its place kept: two operations. */
static int write_argmax(const struct op_draft *d, struct err *err)
{
    struct op_draft places = *d;

    places.result = TRACE_S32;
    return write_reduce(&places, err);
}

/* The first k of each row, written with their places. */
static int write_top_k(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *k = &d->value[OP_KEY_K];
    uint32_t last = shape->rank - 1;
    uint64_t out[TRACE_MAX_RANK];
    char list[OP_LIST_TEXT], text[2][OP_SHAPE_TEXT], results[2 * OP_SHAPE_TEXT + 32];

    if (k->number > shape->dim[last])
        return err_set(err, ERR_RANGE,
                       "k = %s: outside [1, %" PRIu64 "], the last dimension of shape = %s",
                       k->text, shape->dim[last], shape->text);
    memcpy(out, shape->dim, sizeof out);
    out[last] = k->number;
    op_operands(d, shape, 1, list);
    snprintf(results, sizeof results, "%%out %s, %%place %s",
             op_shape(text[0], d->dtype, out, shape->rank),
             op_shape(text[1], TRACE_S32, out, shape->rank));
    op_step(d, results, list, 0, "");
    return 0;
}

/* A tensor %in of shape=, and the texts of its shape and of one with a value for each row: without
 * the last dimension. */
static uint64_t declare_rows(const struct op_draft *d, char all[OP_SHAPE_TEXT],
                             char rows[OP_SHAPE_TEXT])
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];

    op_tensor(d, "in", d->dtype, shape->dim, shape->rank, "constant");
    op_shape(all, d->dtype, shape->dim, shape->rank);
    op_shape(rows, TRACE_F32, shape->dim, shape->rank - 1);
    return op_elements(shape);
}

/* The largest of each row, then the sum of exponentials of what lies below it. */
static void write_exponentials(const struct op_draft *d, const char *all, const char *rows,
                               uint64_t n)
{
    fprintf(d->out,
            "  %%max %s = reduce(%%in) flops=%" PRIu64 "\n"
            "  fusion %%sum name=\"sum\" {\n"
            "    %%e %s = elementwise(%%in, %%max) fn=exponential flops=%" PRIu64 "\n"
            "    %%sum %s = reduce(%%e) flops=%" PRIu64 "\n  }\n",
            rows, n, all, 2 * n, rows, n);
}

/* One kernel of a framework's library, for rows in one pass over memory. */
static void write_library_softmax(const struct op_draft *d, const char *all, const char *rows,
                                  uint64_t n)
{
    fprintf(d->out,
            "  fusion %%out name=\"softmax\" library=1 {\n"
            "    %%max %s = reduce(%%in) flops=%" PRIu64 "\n"
            "    %%e %s = elementwise(%%in, %%max) fn=exponential flops=%" PRIu64 "\n"
            "    %%sum %s = reduce(%%e) flops=%" PRIu64 "\n"
            "    %%out %s = elementwise(%%e, %%sum) fn=divide flops=%" PRIu64 "\n  }\n",
            rows, n, all, 2 * n, rows, n, all, n);
}

static int write_softmax(const struct op_draft *d, struct err *err)
{
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];
    uint64_t n = declare_rows(d, all, rows);

    (void)err;
    op_step_begin(d);
    if (d->library) {
        write_library_softmax(d, all, rows, n);
        op_step_end(d);
        return 0;
    }
    write_exponentials(d, all, rows, n);
    fprintf(d->out,
            "  fusion %%out name=\"softmax\" {\n"
            "    %%f %s = elementwise(%%in, %%max) fn=exponential flops=%" PRIu64 "\n"
            "    %%out %s = elementwise(%%f, %%sum) fn=divide flops=%" PRIu64 "\n  }\n",
            all, 2 * n, all, n);
    op_step_end(d);
    return 0;
}

static int write_cross_entropy(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];
    uint64_t n = declare_rows(d, all, rows), each = n / shape->dim[shape->rank - 1];

    (void)err;
    op_tensor(d, "label", TRACE_S32, shape->dim, shape->rank - 1, "constant");
    op_step_begin(d);
    write_exponentials(d, all, rows, n);
    fprintf(d->out,
            "  fusion %%out name=\"cross-entropy\" {\n"
            "    %%hot %s = elementwise(%%in, %%label) fn=select flops=%" PRIu64 "\n"
            "    %%own %s = reduce(%%hot) flops=%" PRIu64 "\n"
            "    %%loss %s = elementwise(%%own, %%max, %%sum) fn=log flops=%" PRIu64 "\n"
            "    %%out f32[] = reduce(%%loss) flops=%" PRIu64 "\n  }\n",
            all, 2 * n, rows, n, rows, 3 * each, each);
    op_step_end(d);
    return 0;
}

/* Mean and variance in one pass; in another each element is scaled, 4 operations. */
static int write_norm(const struct op_draft *d, const char *all, const char *statistic,
                      const char *scale, uint64_t n, uint64_t each)
{
    bool scales = strcmp(d->kind->name, "standardize") != 0;

    op_step_begin(d);
    if (d->library)
        fprintf(d->out, "  fusion %%out, %%mean, %%var name=\"%s\" library=1 {\n", scale);
    else
        fputs("  fusion %mean, %var name=\"statistics\" {\n", d->out);
    fprintf(d->out,
            "    %%mean %s = reduce(%%in) flops=%" PRIu64 "\n"
            "    %%square %s = elementwise(%%in) flops=%" PRIu64 "\n"
            "    %%var %s = reduce(%%square) flops=%" PRIu64 "\n",
            statistic, n, all, n, statistic, n);
    if (!d->library)
        fprintf(d->out, "  }\n  fusion %%out name=\"%s\" {\n", scale);
    plain_print(d->out,
                "    %%factor %s = elementwise(%%mean, %%var) fn=rsqrt flops=%" PRIu64 "\n"
                "    %%out %s = elementwise(%%in, %%mean, %%factor%s) flops=%" PRIu64 "\n  }\n",
                statistic, 3 * each, all, scales ? ", %gamma, %beta" : "", scales ? 4 * n : 2 * n);
    op_step_end(d);
    return 0;
}

/* A tensor on chip: its dimensions as they are written, and the memory. */
static void write_on_chip(const struct op_draft *d, char text[OP_SHAPE_TEXT + 32], const char *all)
{
    uint32_t rank = d->value[OP_KEY_SHAPE].rank;
    size_t n = (size_t)snprintf(text, OP_SHAPE_TEXT, "%s{", all);

    for (uint32_t i = rank; i-- > 0;)
        n += (size_t)snprintf(text + n, OP_SHAPE_TEXT + 32 - n, "%" PRIu32 "%s", i, i ? "," : "");
    snprintf(text + n, OP_SHAPE_TEXT + 32 - n, ":S(%" PRIu32 ")}", d->space);
}

/* Rows as XLA:TPU makes their statistics: sums, then means of what is left, each followed by a
 * small kernel.  The rows come on chip beside the first sums, and stay there. */
static int write_rows(const struct op_draft *d, const char *all, const char *rows, uint64_t n,
                      uint64_t each)
{
    bool scales = strcmp(d->kind->name, "standardize") != 0;
    bool stays = n <= d->on_chip / trace_dtype_bytes[d->dtype];
    bool casts = trace_dtype_bytes[d->dtype] < 4;
    char wide[OP_SHAPE_TEXT], placed[OP_SHAPE_TEXT + 32];
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    const char *x = stays ? "x" : "in", *c = casts ? " fn=convert" : "";

    op_shape(wide, casts ? TRACE_F32 : d->dtype, shape->dim, shape->rank);
    write_on_chip(d, placed, all);
    op_step_begin(d);
    if (stays)
        fprintf(d->out, "  %%copy %s = copy-start(%%in)\n", placed);
    plain_print(d->out,
                "  fusion %%sum name=\"sum\" {\n"
                "    %%a %s = elementwise(%%in)%s flops=%" PRIu64 "\n"
                "    %%sum %s = reduce(%%a) flops=%" PRIu64 "\n  }\n"
                "  %%mean %s = elementwise(%%sum) name=\"mean\" flops=%" PRIu64 "\n",
                wide, c, n, rows, n, rows, each);
    if (stays)
        fprintf(d->out, "  %%x %s at %%copy = copy-done(%%copy)\n", placed);
    plain_print(d->out,
                "  fusion %%var name=\"variance\" {\n"
                "    %%b %s = elementwise(%%%s)%s flops=%" PRIu64 "\n"
                "    %%square %s = elementwise(%%b, %%mean) flops=%" PRIu64 "\n"
                "    %%var %s = reduce(%%square) flops=%" PRIu64 "\n  }\n"
                "  %%factor %s = elementwise(%%var) name=\"factor\" fn=rsqrt flops=%" PRIu64 "\n",
                wide, x, c, n, wide, 2 * n, rows, n, rows, 3 * each);
    plain_print(d->out,
                "  fusion %%out name=\"%s\" {\n"
                "    %%e %s = elementwise(%%%s)%s flops=%" PRIu64 "\n"
                "    %%f %s = elementwise(%%e, %%mean) flops=%" PRIu64 "\n"
                "    %%g %s = elementwise(%%f, %%factor%s) flops=%" PRIu64 "\n"
                "    %%out %s = elementwise(%%g)%s flops=%" PRIu64 "\n  }\n",
                d->kind->name, wide, x, c, n, wide, n, wide, scales ? ", %gamma, %beta" : "",
                scales ? 3 * n : n, all, c, n);
    op_step_end(d);
    return 0;
}

static int write_layer_norm(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    const uint64_t *last = &shape->dim[shape->rank - 1];
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];
    uint64_t n = declare_rows(d, all, rows);

    (void)err;
    if (strcmp(d->kind->name, "layer-norm") == 0) {
        op_tensor(d, "gamma", TRACE_F32, last, 1, "weight");
        op_tensor(d, "beta", TRACE_F32, last, 1, "weight");
    }
    if (d->tpu)
        return write_rows(d, all, rows, n, n / *last);
    return write_norm(d, all, rows, d->kind->name, n, n / *last);
}

static int write_batch_norm(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];

    if (shape->rank < 2)
        return err_set(err, ERR_FORMAT, "shape = %s: expected batch x channels x positions",
                       shape->text);
    uint64_t n = declare_rows(d, all, rows);
    op_tensor(d, "gamma", TRACE_F32, &shape->dim[1], 1, "weight");
    op_tensor(d, "beta", TRACE_F32, &shape->dim[1], 1, "weight");
    op_shape(rows, TRACE_F32, &shape->dim[1], 1);
    return write_norm(d, all, rows, d->kind->name, n, shape->dim[1]);
}

/* --- the table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name             required                  optional              writer               in a trace  inputs  flops  fn    meaning */
    { "reduce",         KEY(SHAPE) | KEY(DIMS),   KERNEL,               write_reduce,        "reduce",   1,      1,     NULL, "sums over those dimensions" },
    { "pool",           KEY(SHAPE) | KEY(WINDOW), KERNEL,               write_pool,          "pool",     1,      0,     NULL, "over windows of positions" },
    { "sort",           KEY(SHAPE),               KEY(VALUES) | KERNEL, write_sort,          "sort",     1,      0,     NULL, "along the last dimension" },
    { "argmax",         KEY(SHAPE) | KEY(DIMS),   KERNEL,               write_argmax,        "reduce",   1,      2,     NULL, "index of the largest over those dimensions" },
    { "softmax",        KEY(SHAPE),               0,                    write_softmax,       "",         0,      0,     NULL, "of the last dimension" },
    { "layer-norm",     KEY(SHAPE),               0,                    write_layer_norm,    "",         0,      0,     NULL, "over the last dimension, in training" },
    { "standardize",    KEY(SHAPE),               0,                    write_layer_norm,    "",         0,      0,     NULL, "a layer norm without scale and shift" },
    { "batch-norm",     KEY(SHAPE),               0,                    write_batch_norm,    "",         0,      0,     NULL, "over all but the second dimension, in training" },
    { "cross-entropy",  KEY(SHAPE),               0,                    write_cross_entropy, "",         0,      0,     NULL, "mean loss of rows of logits" },
    { "top-k",          KEY(SHAPE) | KEY(K),      KERNEL,               write_top_k,         "sort",     1,      0,     NULL, "the k largest of the last dimension" },
};
/* clang-format on */
const struct op_group op_group_reduce = { "reducing and sorting", kinds,
                                          sizeof kinds / sizeof *kinds };
