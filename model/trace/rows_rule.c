/* rows_rule.c - rules of sort, gather, scatter and dynamic-update-slice: their rows and columns. */
#include <inttypes.h>
#include <string.h>

#include "trace/attr.h"
#include "trace/rule.h"
#include "trace/shape.h"

/* Set op->rows and op->cols.  If rows= or cols= is missing it follows from the other, or is `rows`,
 * `cols`.  Their product must be the number of elements of `whole`. */
static int split_rows(const struct trace *t, struct trace_op *op, struct trace_value whole,
                      uint64_t rows, uint64_t cols)
{
    uint64_t elements = trace_elements(rule_shape(t, whole)), found;

    if (!(op->given & ATTR_BIT(ROWS)))
        op->rows = op->given & ATTR_BIT(COLS) ? elements / op->cols : rows;
    if (!(op->given & ATTR_BIT(COLS)))
        op->cols = op->given & ATTR_BIT(ROWS) ? elements / op->rows : cols;
    found = op->rows;
    if (!shape_mul(&found, op->cols) || found != elements)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%s' of %" PRIu64 " rows of %" PRIu64 ", expected a product of %" PRIu64
                        ", the elements of %%%.64s",
                        op->kind_text, op->rows, op->cols, elements, trace_tensor(t, whole)->name);
    return 0;
}

int rule_sort(struct trace *t, struct trace_op *op)
{
    const struct trace_shape *keys = rule_shape(t, op->in[0]);
    uint64_t cols = keys->rank ? keys->dim[keys->rank - 1] : 1;

    return split_rows(t, op, op->in[0], trace_elements(keys) / cols, cols);
}

/* `moved` has one row for each index; `table` consists of rows of the same length. */
static int derive_index(struct trace *t, struct trace_op *op, struct trace_value moved,
                        struct trace_value table)
{
    uint64_t rows = trace_elements(rule_shape(t, op->in[1]));
    uint64_t room = trace_elements(rule_shape(t, table));

    if (split_rows(t, op, moved, rows, trace_elements(rule_shape(t, moved)) / rows) != 0)
        return -1;
    uint64_t most = room / op->cols;
    if (!(op->given & ATTR_BIT(TABLE_ROWS)))
        op->table_rows = most;
    if (op->table_rows < 1 || op->table_rows > most)
        return lex_fail(
            &t->lex, t->kind_at, ERR_RANGE,
            "'%s' in a table of %" PRIu64 " rows of %" PRIu64 ": %%%.64s has %" PRIu64 " elements",
            op->kind_text, op->table_rows, op->cols, trace_tensor(t, table)->name, room);
    return 0;
}

int rule_gather(struct trace *t, struct trace_op *op)
{
    if (derive_index(t, op, op->out[0], op->in[0]) != 0)
        return -1;
    /* only the gathered rows of the table are read */
    struct trace_value touched[] = { op->in[1], op->out[0] };
    return op->given & ATTR_BIT(READS) ? 0 : rule_bytes(t, touched, 2, &op->reads);
}

/* The result is the first operand with a part replaced by the second, which must fit into it. */
int rule_update(struct trace *t, struct trace_op *op)
{
    const struct trace_shape *into = rule_shape(t, op->in[0]), *part = rule_shape(t, op->in[1]);
    const struct trace_shape *result = rule_shape(t, op->out[0]);
    char found[SHAPE_TEXT_MAX], expected[SHAPE_TEXT_MAX];
    bool fits = into->rank == part->rank;

    if (result->rank != into->rank ||
        memcmp(result->dim, into->dim, into->rank * sizeof *into->dim) != 0)
        return lex_fail(&t->lex, t->out_at[0], ERR_FORMAT, "%%%.64s is %s, expected %s as %%%.64s",
                        trace_tensor(t, op->out[0])->name, shape_text(found, result),
                        shape_text(expected, into), trace_tensor(t, op->in[0])->name);
    for (uint32_t i = 0; fits && i < part->rank; i++)
        fits = part->dim[i] <= into->dim[i];
    if (!fits)
        return lex_fail(&t->lex, t->in_at[1], ERR_FORMAT, "%%%.64s is %s, expected a part of %s",
                        trace_tensor(t, op->in[1])->name, shape_text(found, part),
                        shape_text(expected, into));
    if (!(op->given & ATTR_BIT(READS)) && rule_bytes(t, op->in + 1, op->n_in - 1, &op->reads) != 0)
        return -1;
    return op->given & ATTR_BIT(WRITES) ? 0 : rule_bytes(t, op->in + 1, 1, &op->writes);
}

int rule_scatter(struct trace *t, struct trace_op *op)
{
    return derive_index(t, op, op->in[0], op->out[0]);
}
