/* What moves data: on a core, by index, between cores and to and from the host. */
#include <inttypes.h>
#include <string.h>

#include "study/op_kind.h"

/* %out = copy(%in), or of %in and `with`. */
static void write_copy(const struct op_draft *d, const uint64_t *in, uint32_t in_rank,
                       const struct op_value *with, const uint64_t *out, uint32_t out_rank)
{
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];

    op_tensor(d, "in", d->dtype, in, in_rank, "constant");
    if (with)
        op_tensor(d, "with", d->dtype, with->dim, with->rank, "constant");
    snprintf(result, sizeof result, "%%out %s", op_shape(text, d->dtype, out, out_rank));
    op_step(d, result, with ? "%in, %with" : "%in", 0, "");
}

int op_write_copy(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *to = &d->value[OP_KEY_TO];

    (void)err;
    to = to->given ? to : in;
    write_copy(d, in->dim, in->rank, NULL, to->dim, to->rank);
    return 0;
}

int op_write_transpose(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *perm = &d->value[OP_KEY_PERM];
    uint64_t out[TRACE_MAX_RANK];

    if (perm->rank != in->rank)
        return err_set(err, ERR_FORMAT,
                       "perm = %s: expected each of the %" PRIu32 " dimensions of shape = %s",
                       perm->text, in->rank, in->text);
    for (uint32_t i = 0; i < perm->rank; i++) {
        if (perm->dim[i] >= in->rank)
            return err_set(err, ERR_RANGE,
                           "perm = %s: %" PRIu64 " is outside [0, %" PRIu32 "] of shape = %s",
                           perm->text, perm->dim[i], in->rank - 1, in->text);
        out[i] = in->dim[perm->dim[i]];
    }
    write_copy(d, in->dim, in->rank, NULL, out, in->rank);
    return 0;
}

int op_write_reshape(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *to = &d->value[OP_KEY_TO];
    uint64_t was = 1, is = 1;

    for (uint32_t i = 0; i < in->rank; i++)
        was *= in->dim[i];
    for (uint32_t i = 0; i < to->rank; i++)
        is *= to->dim[i];
    if (was != is)
        return err_set(err, ERR_FORMAT,
                       "to = %s: %" PRIu64 " elements, expected %" PRIu64 " as shape = %s",
                       to->text, is, was, in->text);
    return op_write_copy(d, err);
}

/* How dimension `to` may stand to the `in` it comes from. */
static bool grows(uint64_t in, uint64_t to)
{
    return to >= in;
}

static bool multiplies(uint64_t in, uint64_t to)
{
    return to % in == 0;
}

static bool shrinks(uint64_t in, uint64_t to)
{
    return to <= in;
}

static int check_dims(const struct op_draft *d, bool (*may)(uint64_t in, uint64_t to),
                      const char *expected, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *to = &d->value[OP_KEY_TO];

    if (in->rank != to->rank)
        return err_set(err, ERR_FORMAT,
                       "to = %s: %" PRIu32 " dimensions, expected %" PRIu32 " as shape = %s",
                       to->text, to->rank, in->rank, in->text);
    for (uint32_t i = 0; i < in->rank; i++)
        if (!may(in->dim[i], to->dim[i]))
            return err_set(err, ERR_RANGE,
                           "to = %s: dimension %" PRIu32 " = %" PRIu64 ", expected %s %" PRIu64
                           " as shape = %s",
                           to->text, i, to->dim[i], expected, in->dim[i], in->text);
    return 0;
}

int op_write_pad(const struct op_draft *d, struct err *err)
{
    return check_dims(d, grows, "at least", err) ? -1 : op_write_copy(d, err);
}

int op_write_upsample(const struct op_draft *d, struct err *err)
{
    return check_dims(d, multiplies, "a multiple of", err) ? -1 : op_write_copy(d, err);
}

int op_write_slice(const struct op_draft *d, struct err *err)
{
    const struct op_value *to = &d->value[OP_KEY_TO];

    if (check_dims(d, shrinks, "at most", err) != 0)
        return -1;
    /* of the operand only what is kept is read */
    write_copy(d, to->dim, to->rank, NULL, to->dim, to->rank);
    return 0;
}

/* Dimensions are compared from the last; one of the result that the operand does not have, or has
 * as 1, is new. */
int op_write_broadcast(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *to = &d->value[OP_KEY_TO];
    uint32_t more = to->rank - in->rank;

    if (to->rank < in->rank)
        return err_set(err, ERR_FORMAT,
                       "to = %s: %" PRIu32 " dimensions, expected at least %" PRIu32
                       " as shape = %s",
                       to->text, to->rank, in->rank, in->text);
    for (uint32_t i = 0; i < in->rank; i++)
        if (in->dim[i] != 1 && to->dim[more + i] != in->dim[i])
            return err_set(err, ERR_RANGE,
                           "to = %s: dimension %" PRIu32 " = %" PRIu64 ", expected %" PRIu64
                           " as shape = %s, where only a 1 becomes more",
                           to->text, more + i, to->dim[more + i], in->dim[i], in->text);
    return op_write_copy(d, err);
}

int op_write_concatenate(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *with = &d->value[OP_KEY_WITH];
    const struct op_value *axis = &d->value[OP_KEY_AXIS];
    uint64_t out[TRACE_MAX_RANK];

    if (axis->number >= in->rank)
        return err_set(err, ERR_RANGE, "axis = %s: outside [0, %" PRIu32 "] of shape = %s",
                       axis->text, in->rank - 1, in->text);
    bool same = in->rank == with->rank;
    for (uint32_t i = 0; i < in->rank; i++) {
        same = same && (i == axis->number || in->dim[i] == with->dim[i]);
        out[i] = in->dim[i] + (i == axis->number ? with->dim[i] : 0);
    }
    if (!same)
        return err_set(err, ERR_FORMAT, "with = %s: expected shape = %s but for dimension %s",
                       with->text, in->text, axis->text);
    write_copy(d, in->dim, in->rank, with, out, in->rank);
    return 0;
}

/* --- rows by index ------------------------------------------------------------------------ */

static void index_attributes(const struct op_draft *d, char extra[32])
{
    const struct op_value *sorted = &d->value[OP_KEY_SORTED];
    bool in_order = sorted->given ? sorted->number : strcmp(d->kind->name, "segment-sum") == 0;

    snprintf(extra, 32, "%s%s%s", in_order ? " sorted=1" : "",
             d->value[OP_KEY_UNIQUE].number ? " unique=1" : "",
             d->value[OP_KEY_LOWERING].number == OP_BY_LOOP ? " loop=1" : "");
}

int op_write_gather(const struct op_draft *d, struct err *err)
{
    uint64_t rows = d->value[OP_KEY_ROWS].number, cols = d->value[OP_KEY_COLS].number;
    uint64_t table[] = { d->value[OP_KEY_TABLE].number, cols };
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8], extra[32];

    if (d->value[OP_KEY_LOWERING].number == OP_BY_ONE_HOT)
        return op_write_one_hot_rows(d, err);
    op_tensor(d, "table", d->dtype, table, 2, "constant");
    op_tensor(d, "index", TRACE_S32, &rows, 1, "constant");
    snprintf(result, sizeof result, "%%out %s",
             op_shape(text, d->dtype, (uint64_t[]){ rows, cols }, 2));
    index_attributes(d, extra);
    op_step(d, result, "%table, %index", 0, extra);
    return 0;
}

int op_write_scatter(const struct op_draft *d, struct err *err)
{
    uint64_t rows = d->value[OP_KEY_ROWS].number, cols = d->value[OP_KEY_COLS].number;
    uint64_t table[] = { d->value[OP_KEY_TABLE].number, cols };
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8], extra[32];

    if (d->value[OP_KEY_LOWERING].number == OP_BY_ONE_HOT)
        return op_write_one_hot_rows(d, err);
    op_tensor(d, "value", d->dtype, (uint64_t[]){ rows, cols }, 2, "constant");
    op_tensor(d, "index", TRACE_S32, &rows, 1, "constant");
    snprintf(result, sizeof result, "%%out %s", op_shape(text, d->dtype, table, 2));
    index_attributes(d, extra);
    /* one addition each; a product beyond 64 bits is no shape to begin with */
    op_step(d, result, "%value, %index", rows * cols, extra);
    return 0;
}

/* --- between cores and with the host ------------------------------------------------------ */

/* The elements of bytes=, in `parts` equal parts. */
static int count_elements(const struct op_draft *d, uint64_t parts, uint64_t *n, struct err *err)
{
    const struct op_value *bytes = &d->value[OP_KEY_BYTES];
    uint64_t each = trace_dtype_bytes[d->dtype], unit = each * parts;

    if (bytes->number % unit != 0)
        return err_set(err, ERR_FORMAT,
                       "bytes = %s: expected a multiple of %" PRIu64 ", whole %s in %" PRIu64
                       " part%s",
                       bytes->text, unit, trace_dtype_name[d->dtype], parts, parts == 1 ? "" : "s");
    *n = bytes->number / each;
    return 0;
}

/* group=, group-stride=, shift= and algorithm= as a trace has them. */
static void joined(const struct op_draft *d, char *buf, size_t size)
{
    static const enum op_key keys[] = { OP_KEY_GROUP, OP_KEY_STRIDE, OP_KEY_SHIFT,
                                        OP_KEY_ALGORITHM };
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (d->value[keys[i]].given)
            n += (size_t)snprintf(buf + n, size - n, " %s=%s", op_keys[keys[i]].key,
                                  d->value[keys[i]].text);
}

/* Cores of a group, where that can be said: what does not part evenly is refused later. */
static uint64_t group_size(const struct op_draft *d)
{
    uint64_t stride = d->value[OP_KEY_STRIDE].given ? d->value[OP_KEY_STRIDE].number : 1;

    if (d->value[OP_KEY_GROUP].given)
        return d->value[OP_KEY_GROUP].number;
    return stride < d->cores ? d->cores / stride : 1;
}

int op_write_collective(const struct op_draft *d, struct err *err)
{
    bool scatter = strcmp(d->kind->trace, "reduce-scatter") == 0;
    bool gather = strcmp(d->kind->trace, "all-gather") == 0;
    uint64_t all, part, cores = group_size(d);
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8], extra[400];

    if (count_elements(d, scatter || gather ? cores : 1, &all, err) != 0)
        return -1;
    part = all / cores;
    op_tensor(d, "in", d->dtype, gather ? &part : &all, 1, "constant");
    snprintf(result, sizeof result, "%%out %s",
             op_shape(text, d->dtype, scatter ? &part : &all, 1));
    joined(d, extra, sizeof extra);
    op_step(d, result, "%in", 0, extra);
    return 0;
}

int op_write_barrier(const struct op_draft *d, struct err *err)
{
    char extra[400];

    (void)err;
    joined(d, extra, sizeof extra);
    op_step(d, "", "", 0, extra);
    return 0;
}

int op_write_feed(const struct op_draft *d, struct err *err)
{
    bool out = strcmp(d->kind->trace, "outfeed") == 0;
    uint64_t n;
    char text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];

    if (count_elements(d, 1, &n, err) != 0)
        return -1;
    if (out)
        op_tensor(d, "in", d->dtype, &n, 1, "constant");
    snprintf(result, sizeof result, "%%out %s", op_shape(text, d->dtype, &n, 1));
    op_step(d, out ? "" : result, out ? "%in" : "", 0,
            d->value[OP_KEY_SYNC].number ? " sync=1" : "");
    return 0;
}

int op_write_host(const struct op_draft *d, struct err *err)
{
    const struct op_value *calls = &d->value[OP_KEY_CALLS];
    bool reads = d->value[OP_KEY_BYTES].given;
    char extra[200];
    uint64_t n;

    if (reads && count_elements(d, 1, &n, err) != 0)
        return -1;
    if (reads)
        op_tensor(d, "in", d->dtype, &n, 1, "constant");
    snprintf(extra, sizeof extra, " time=\"%s\"%s%s", d->value[OP_KEY_TIME].text,
             calls->given ? " calls=" : "", calls->text);
    op_step(d, "", reads ? "%in" : "", 0, extra);
    return 0;
}
