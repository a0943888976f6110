/* Element-wise operations, reductions, sorting and optimizers, from the shape of an operand. */
#include <inttypes.h>
#include <string.h>

#include "study/op_kind.h"

static uint64_t elements(const struct op_value *shape)
{
    uint64_t n = 1; /* below 2^60: checked when it was read */

    for (uint32_t i = 0; i < shape->rank; i++)
        n *= shape->dim[i];
    return n;
}

/* `n` operands of that shape, named %in0 and so on: declared, and listed in `list`. */
#define LIST_TEXT 512
static void operands(const struct op_draft *d, const struct op_value *shape, uint64_t n,
                     char list[LIST_TEXT])
{
    size_t at = 0;

    list[0] = '\0';
    for (uint64_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "in%" PRIu64, i);
        op_tensor(d, name, d->dtype, shape->dim, shape->rank, "constant");
        at += (size_t)snprintf(list + at, LIST_TEXT - at, "%s%%%s", i ? ", " : "", name);
    }
}

int op_write_elementwise(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *inputs = &d->value[OP_KEY_INPUTS];
    char list[LIST_TEXT], out[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];

    (void)err;
    operands(d, shape, inputs->given ? inputs->number : d->kind->inputs, list);
    snprintf(result, sizeof result, "%%out %s", op_shape(out, d->dtype, shape->dim, shape->rank));
    op_step(d, result, list, elements(shape) * d->kind->flops, "");
    return 0;
}

int op_write_reduce(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *dims = &d->value[OP_KEY_DIMS];
    char list[LIST_TEXT], text[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];
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
    operands(d, shape, 1, list);
    snprintf(result, sizeof result, "%%out %s", op_shape(text, d->result, out, rank));
    op_step(d, result, list, elements(shape) * d->kind->flops, over);
    return 0;
}

int op_write_sort(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    uint64_t n = 1 + d->value[OP_KEY_VALUES].number; /* at most 64 */
    char list[LIST_TEXT], text[OP_SHAPE_TEXT], results[64 * (OP_SHAPE_TEXT + 16)];
    size_t at = 0;

    (void)err;
    operands(d, shape, n, list);
    op_shape(text, d->dtype, shape->dim, shape->rank);
    for (uint64_t i = 0; i < n; i++)
        at += (size_t)snprintf(results + at, sizeof results - at, "%s%%out%" PRIu64 " %s",
                               i ? ", " : "", i, text);
    op_step(d, results, list, 0, "");
    return 0;
}

/* The first k of each row, written with their places. */
int op_write_top_k(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *k = &d->value[OP_KEY_K];
    uint32_t last = shape->rank - 1;
    uint64_t out[TRACE_MAX_RANK];
    char list[LIST_TEXT], text[2][OP_SHAPE_TEXT], results[2 * OP_SHAPE_TEXT + 32];

    if (k->number > shape->dim[last])
        return err_set(err, ERR_RANGE,
                       "k = %s: outside [1, %" PRIu64 "], the last dimension of shape = %s",
                       k->text, shape->dim[last], shape->text);
    memcpy(out, shape->dim, sizeof out);
    out[last] = k->number;
    operands(d, shape, 1, list);
    snprintf(results, sizeof results, "%%out %s, %%place %s",
             op_shape(text[0], d->dtype, out, shape->rank),
             op_shape(text[1], TRACE_S32, out, shape->rank));
    op_step(d, results, list, 0, "");
    return 0;
}

int op_write_optimizer(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *state = &d->value[OP_KEY_STATE];
    uint64_t n = state->given ? state->number : d->kind->inputs;
    char list[LIST_TEXT] = "%weight, %gradient";
    size_t at = strlen(list);

    (void)err;
    op_tensor(d, "weight", d->dtype, shape->dim, shape->rank, "weight");
    op_tensor(d, "gradient", d->dtype, shape->dim, shape->rank, "constant");
    for (uint64_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "state%" PRIu64, i);
        op_tensor(d, name, d->dtype, shape->dim, shape->rank, "state");
        at += (size_t)snprintf(list + at, LIST_TEXT - at, ", %%%s", name);
    }
    op_step(d, "", list, elements(shape) * d->kind->flops, "");
    return 0;
}
