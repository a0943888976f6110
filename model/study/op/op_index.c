/* op_index.c - rows by index for `cyclotron op`: gather, scatter, one-hot, and their lowering as a
 * product. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_write.h"

static void write_attributes(const struct op_draft *d, char extra[32])
{
    const struct op_value *sorted = &d->value[OP_KEY_SORTED];
    bool in_order = sorted->given ? sorted->number : strcmp(d->kind->name, "segment-sum") == 0;

    snprintf(extra, 32, "%s%s%s", in_order ? " sorted=1" : "",
             d->value[OP_KEY_UNIQUE].number ? " unique=1" : "",
             d->value[OP_KEY_LOWERING].number == OP_BY_LOOP ? " loop=1" : "");
}

/* Rows by index as a product with rows of zeros and a one, made on the fly and never in HBM. */
static int write_one_hot_rows(const struct op_draft *d, struct err *err)
{
    uint64_t rows = d->value[OP_KEY_ROWS].number, cols = d->value[OP_KEY_COLS].number;
    uint64_t table = d->value[OP_KEY_TABLE].number, n;
    bool gather = strcmp(d->kind->trace, "gather") == 0;
    char hot[OP_SHAPE_TEXT], out[OP_SHAPE_TEXT];

    if (__builtin_mul_overflow(rows, table, &n) || n > OP_MOST / 8)
        return err_set(err, ERR_RANGE, "lowering=one-hot: rows of table= are too long");
    op_tensor(d, "index", TRACE_S32, &rows, 1, "constant");
    op_tensor(d, "value", d->dtype, (uint64_t[]){ gather ? table : rows, cols }, 2, "constant");
    op_shape(hot, d->dtype, (uint64_t[]){ rows, table }, 2);
    op_shape(out, d->dtype, (uint64_t[]){ gather ? rows : table, cols }, 2);
    op_step_begin(d);
    fprintf(d->out,
            "  fusion %%out name=\"%s\" {\n"
            "    %%hot %s = elementwise(%%index) fn=select flops=%" PRIu64 "\n"
            "    %%out %s = matmul(%%hot, %%value)%s\n  }\n",
            d->kind->name, hot, n, out, gather ? "" : " ta=1");
    op_step_end(d);
    return 0;
}

/* An index a row, made into zeros and a one. */
static int write_one_hot(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    uint64_t out[TRACE_MAX_RANK + 1], n;

    if (shape->rank == TRACE_MAX_RANK)
        return err_set(err, ERR_RANGE,
                       "shape = %s: expected at most 7 dimensions beside depth=", shape->text);
    if (__builtin_mul_overflow(op_elements(shape), d->value[OP_KEY_DEPTH].number, &n))
        return err_set(err, ERR_RANGE, "depth = %s: more than 2^64 elements",
                       d->value[OP_KEY_DEPTH].text);
    memcpy(out, shape->dim, shape->rank * sizeof *out);
    out[shape->rank] = d->value[OP_KEY_DEPTH].number;
    op_tensor(d, "index", TRACE_S32, shape->dim, shape->rank, "constant");
    op_step_out(d, d->dtype, out, shape->rank + 1, "%index", n, " fn=select");
    return 0;
}

static int write_gather(const struct op_draft *d, struct err *err)
{
    uint64_t rows = d->value[OP_KEY_ROWS].number, cols = d->value[OP_KEY_COLS].number;
    uint64_t table[] = { d->value[OP_KEY_TABLE].number, cols };
    char extra[32];

    if (d->value[OP_KEY_LOWERING].number == OP_BY_ONE_HOT)
        return write_one_hot_rows(d, err);
    op_tensor(d, "table", d->dtype, table, 2, "constant");
    op_tensor(d, "index", TRACE_S32, &rows, 1, "constant");
    write_attributes(d, extra);
    op_step_out(d, d->dtype, (uint64_t[]){ rows, cols }, 2, "%table, %index", 0, extra);
    return 0;
}

static int write_scatter(const struct op_draft *d, struct err *err)
{
    uint64_t rows = d->value[OP_KEY_ROWS].number, cols = d->value[OP_KEY_COLS].number;
    uint64_t table[] = { d->value[OP_KEY_TABLE].number, cols };
    char extra[32];

    if (d->value[OP_KEY_LOWERING].number == OP_BY_ONE_HOT)
        return write_one_hot_rows(d, err);
    op_tensor(d, "value", d->dtype, (uint64_t[]){ rows, cols }, 2, "constant");
    op_tensor(d, "index", TRACE_S32, &rows, 1, "constant");
    write_attributes(d, extra);
    /* one addition each; a product beyond 64 bits is no shape to begin with */
    op_step_out(d, d->dtype, table, 2, "%value, %index", rows * cols, extra);
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

#define ROWS_KEYS (KEY(ROWS) | KEY(COLS) | KEY(TABLE))
#define INDEX_KEYS (KEY(SORTED) | KEY(UNIQUE) | KEY(LOWERING) | KERNEL)

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name           required                 optional    writer         in a trace     inputs  flops  fn    meaning */
    { "one-hot",      KEY(SHAPE) | KEY(DEPTH), KERNEL,     write_one_hot, "elementwise", 0,      0,     NULL, "a row of zeros and a one for each index" },
    { "gather",       ROWS_KEYS,               INDEX_KEYS, write_gather,  "gather",      0,      0,     NULL, "out[i] = table[index[i]]" },
    { "scatter",      ROWS_KEYS,               INDEX_KEYS, write_scatter, "scatter",     0,      0,     NULL, "table[index[i]] += value[i]" },
    { "segment-sum",  ROWS_KEYS,               INDEX_KEYS, write_scatter, "scatter",     0,      0,     NULL, "a scatter of sorted indices" },
};
/* clang-format on */
const struct op_group op_group_index = { "rows by index", kinds, sizeof kinds / sizeof *kinds };
