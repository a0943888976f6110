/* What is several operations in a trace, or one fusion: norms, softmax, losses, one-hot products.
 *
 * They are written as XLA fuses them on a TPU: a reduction ends a kernel, what only feeds one or
 * only follows one joins it. */
#include <inttypes.h>
#include <string.h>

#include "study/op_kind.h"

static uint64_t elements(const struct op_value *shape)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < shape->rank; i++)
        n *= shape->dim[i];
    return n;
}

/* The step so far: "step {", its operations in lines of their own, "}". */
static void begin(const struct op_draft *d)
{
    fputs("step {\n", d->out);
}

static int end(const struct op_draft *d)
{
    fputs("}\n", d->out);
    return 0;
}

int op_write_fusion(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *chain = &d->value[OP_KEY_CHAIN];
    const struct op_value *inputs = &d->value[OP_KEY_INPUTS];
    uint64_t n = chain->given ? chain->number : 2, in = inputs->given ? inputs->number : 1;
    char text[OP_SHAPE_TEXT], name[32];

    (void)err;
    op_shape(text, d->dtype, shape->dim, shape->rank);
    for (uint64_t i = 0; i < in; i++) {
        snprintf(name, sizeof name, "in%" PRIu64, i);
        op_tensor(d, name, d->dtype, shape->dim, shape->rank, "constant");
    }
    begin(d);
    fprintf(d->out, "  fusion %%o%" PRIu64 " name=\"fusion\" {\n    %%o1 %s = elementwise(%%in0", n,
            text);
    for (uint64_t i = 1; i < in; i++)
        fprintf(d->out, ", %%in%" PRIu64, i);
    fprintf(d->out, ") flops=%" PRIu64 "\n", elements(shape));
    for (uint64_t i = 2; i <= n; i++)
        fprintf(d->out, "    %%o%" PRIu64 " %s = elementwise(%%o%" PRIu64 ") flops=%" PRIu64 "\n",
                i, text, i - 1, elements(shape));
    fputs("  }\n", d->out);
    return end(d);
}

int op_write_dense(const struct op_draft *d, struct err *err)
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
    op_shape(text, op_product(d->dtype), (uint64_t[]){ m, n }, 2);
    begin(d);
    fprintf(d->out,
            "  fusion %%out name=\"dense\" {\n    %%y %s = matmul(%%x, %%w) bias=%%b%s%s\n"
            "    %%out %s = elementwise(%%y) flops=%" PRIu64 "\n  }\n",
            text, v[OP_KEY_PRECISION].given ? " precision=" : "", v[OP_KEY_PRECISION].text, text,
            each);
    return end(d);
}

/* --- over rows ---------------------------------------------------------------------------- */

/* A tensor %in of shape=, and the texts of its shape and of one with a value for each row: without
 * the last dimension. */
static uint64_t rows_of(const struct op_draft *d, char all[OP_SHAPE_TEXT], char rows[OP_SHAPE_TEXT])
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];

    op_tensor(d, "in", d->dtype, shape->dim, shape->rank, "constant");
    op_shape(all, d->dtype, shape->dim, shape->rank);
    op_shape(rows, TRACE_F32, shape->dim, shape->rank - 1);
    return elements(shape);
}

/* The largest of each row, then the sum of exponentials of what lies below it. */
static void exponentials(const struct op_draft *d, const char *all, const char *rows, uint64_t n)
{
    fprintf(d->out,
            "  %%max %s = reduce(%%in) flops=%" PRIu64 "\n"
            "  fusion %%sum name=\"sum\" {\n"
            "    %%e %s = elementwise(%%in, %%max) fn=exponential flops=%" PRIu64 "\n"
            "    %%sum %s = reduce(%%e) flops=%" PRIu64 "\n  }\n",
            rows, n, all, 2 * n, rows, n);
}

int op_write_softmax(const struct op_draft *d, struct err *err)
{
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];
    uint64_t n = rows_of(d, all, rows);

    (void)err;
    begin(d);
    exponentials(d, all, rows, n);
    fprintf(d->out,
            "  fusion %%out name=\"softmax\" {\n"
            "    %%f %s = elementwise(%%in, %%max) fn=exponential flops=%" PRIu64 "\n"
            "    %%out %s = elementwise(%%f, %%sum) fn=divide flops=%" PRIu64 "\n  }\n",
            all, 2 * n, all, n);
    return end(d);
}

int op_write_cross_entropy(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];
    uint64_t n = rows_of(d, all, rows), each = n / shape->dim[shape->rank - 1];

    (void)err;
    op_tensor(d, "label", TRACE_S32, shape->dim, shape->rank - 1, "constant");
    begin(d);
    exponentials(d, all, rows, n);
    fprintf(d->out,
            "  fusion %%out name=\"cross-entropy\" {\n"
            "    %%hot %s = elementwise(%%in, %%label) fn=select flops=%" PRIu64 "\n"
            "    %%own %s = reduce(%%hot) flops=%" PRIu64 "\n"
            "    %%loss %s = elementwise(%%own, %%max, %%sum) fn=log flops=%" PRIu64 "\n"
            "    %%out f32[] = reduce(%%loss) flops=%" PRIu64 "\n  }\n",
            all, 2 * n, rows, n, rows, 3 * each, each);
    return end(d);
}

/* Mean and variance in one pass; in another each element is scaled, 4 operations. */
static int write_norm(const struct op_draft *d, const char *all, const char *statistic,
                      const char *scale, uint64_t n, uint64_t each)
{
    begin(d);
    fprintf(d->out,
            "  fusion %%mean, %%var name=\"statistics\" {\n"
            "    %%mean %s = reduce(%%in) flops=%" PRIu64 "\n"
            "    %%square %s = elementwise(%%in) flops=%" PRIu64 "\n"
            "    %%var %s = reduce(%%square) flops=%" PRIu64 "\n  }\n"
            "  fusion %%out name=\"%s\" {\n"
            "    %%factor %s = elementwise(%%mean, %%var) fn=rsqrt flops=%" PRIu64 "\n"
            "    %%out %s = elementwise(%%in, %%mean, %%factor, %%gamma, %%beta) flops=%" PRIu64
            "\n  }\n",
            statistic, n, all, n, statistic, n, scale, statistic, 3 * each, all, 4 * n);
    return end(d);
}

int op_write_layer_norm(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    const uint64_t *last = &shape->dim[shape->rank - 1];
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];
    uint64_t n = rows_of(d, all, rows);

    (void)err;
    op_tensor(d, "gamma", TRACE_F32, last, 1, "weight");
    op_tensor(d, "beta", TRACE_F32, last, 1, "weight");
    return write_norm(d, all, rows, d->kind->name, n, n / *last);
}

int op_write_batch_norm(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char all[OP_SHAPE_TEXT], rows[OP_SHAPE_TEXT];

    if (shape->rank < 2)
        return err_set(err, ERR_FORMAT, "shape = %s: expected batch x channels x positions",
                       shape->text);
    uint64_t n = rows_of(d, all, rows);
    op_tensor(d, "gamma", TRACE_F32, &shape->dim[1], 1, "weight");
    op_tensor(d, "beta", TRACE_F32, &shape->dim[1], 1, "weight");
    op_shape(rows, TRACE_F32, &shape->dim[1], 1);
    return write_norm(d, all, rows, d->kind->name, n, shape->dim[1]);
}

/* --- places ------------------------------------------------------------------------------- */

/* An index a row, made into zeros and a one. */
int op_write_one_hot(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];
    uint64_t out[TRACE_MAX_RANK + 1], n;

    if (shape->rank == TRACE_MAX_RANK)
        return err_set(err, ERR_RANGE,
                       "shape = %s: more than 7 dimensions, and depth=", shape->text);
    if (__builtin_mul_overflow(elements(shape), d->value[OP_KEY_DEPTH].number, &n))
        return err_set(err, ERR_RANGE, "depth = %s: more than 2^64 elements",
                       d->value[OP_KEY_DEPTH].text);
    memcpy(out, shape->dim, shape->rank * sizeof *out);
    out[shape->rank] = d->value[OP_KEY_DEPTH].number;
    op_tensor(d, "index", TRACE_S32, shape->dim, shape->rank, "constant");
    snprintf(result, sizeof result, "%%out %s", op_shape(text, d->dtype, out, shape->rank + 1));
    op_step(d, result, "%index", n, " fn=select");
    return 0;
}

/* Each element is compared, and its place kept: two operations. */
int op_write_argmax(const struct op_draft *d, struct err *err)
{
    struct op_draft places = *d;

    places.result = TRACE_S32;
    return op_write_reduce(&places, err);
}

/* Rows by index as a product with rows of zeros and a one, made on the fly and never in HBM. */
int op_write_one_hot_rows(const struct op_draft *d, struct err *err)
{
    uint64_t rows = d->value[OP_KEY_ROWS].number, cols = d->value[OP_KEY_COLS].number;
    uint64_t table = d->value[OP_KEY_TABLE].number, n;
    bool gather = strcmp(d->kind->trace, "gather") == 0;
    char hot[OP_SHAPE_TEXT], out[OP_SHAPE_TEXT];

    if (__builtin_mul_overflow(rows, table, &n) || n > OP_MOST / 8)
        return err_set(err, ERR_RANGE, "lowering=one-hot: rows of %s are too long", "table=");
    op_tensor(d, "index", TRACE_S32, &rows, 1, "constant");
    op_tensor(d, "value", d->dtype, (uint64_t[]){ gather ? table : rows, cols }, 2, "constant");
    op_shape(hot, d->dtype, (uint64_t[]){ rows, table }, 2);
    op_shape(out, d->dtype, (uint64_t[]){ gather ? rows : table, cols }, 2);
    begin(d);
    fprintf(d->out,
            "  fusion %%out name=\"%s\" {\n"
            "    %%hot %s = elementwise(%%index) fn=select flops=%" PRIu64 "\n"
            "    %%out %s = matmul(%%hot, %%value)%s\n  }\n",
            d->kind->name, hot, n, out, gather ? "" : " ta=1");
    return end(d);
}

int op_write_update_slice(const struct op_draft *d, struct err *err)
{
    const struct op_value *into = &d->value[OP_KEY_SHAPE], *with = &d->value[OP_KEY_WITH];
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];
    bool fits = into->rank == with->rank;

    for (uint32_t i = 0; fits && i < into->rank; i++)
        fits = with->dim[i] <= into->dim[i];
    if (!fits)
        return err_set(err, ERR_FORMAT, "with = %s: expected a part of shape = %s", with->text,
                       into->text);
    op_tensor(d, "into", d->dtype, into->dim, into->rank, "state");
    op_tensor(d, "update", d->dtype, with->dim, with->rank, "constant");
    snprintf(result, sizeof result, "%%out %s", op_shape(text, d->dtype, into->dim, into->rank));
    op_step(d, result, "%into, %update", 0, "");
    return 0;
}
