/* op_move.c - changes of layout and copies on one core for `cyclotron op`. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_write.h"

/* %out = copy(%in), or copy(%in, %with). */
static void write_copy_of(const struct op_draft *d, const uint64_t *in, uint32_t in_rank,
                          const struct op_value *with, const uint64_t *out, uint32_t out_rank)
{
    op_tensor(d, "in", d->dtype, in, in_rank, "constant");
    if (with)
        op_tensor(d, "with", d->dtype, with->dim, with->rank, "constant");
    op_step_out(d, d->dtype, out, out_rank, with ? "%in, %with" : "%in", 0, "");
}

static int write_copy(const struct op_draft *d, struct err *err)
{
    const struct op_value *in = &d->value[OP_KEY_SHAPE], *to = &d->value[OP_KEY_TO];

    (void)err;
    to = to->given ? to : in;
    write_copy_of(d, in->dim, in->rank, NULL, to->dim, to->rank);
    return 0;
}

static int write_transpose(const struct op_draft *d, struct err *err)
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
    write_copy_of(d, in->dim, in->rank, NULL, out, in->rank);
    return 0;
}

static int write_reshape(const struct op_draft *d, struct err *err)
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
    return write_copy(d, err);
}

/* True if size `to` of a dimension may come from size `in`. */
static bool is_padded(uint64_t in, uint64_t to)
{
    return to >= in;
}

static bool is_multiple(uint64_t in, uint64_t to)
{
    return to % in == 0;
}

static bool is_slice(uint64_t in, uint64_t to)
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

static int write_pad(const struct op_draft *d, struct err *err)
{
    return check_dims(d, is_padded, "at least", err) ? -1 : write_copy(d, err);
}

static int write_upsample(const struct op_draft *d, struct err *err)
{
    return check_dims(d, is_multiple, "a multiple of", err) ? -1 : write_copy(d, err);
}

static int write_slice(const struct op_draft *d, struct err *err)
{
    const struct op_value *to = &d->value[OP_KEY_TO];

    if (check_dims(d, is_slice, "at most", err) != 0)
        return -1;
    /* of the operand only what is kept is read; lowering for a TPU sees to it, and to how it lies
     */
    const struct op_value *in = d->tpu ? &d->value[OP_KEY_SHAPE] : to;
    write_copy_of(d, in->dim, in->rank, NULL, to->dim, to->rank);
    return 0;
}

/* Dimensions are compared from the last; one of the result that the operand does not have, or has
 * as 1, is new. */
static int write_broadcast(const struct op_draft *d, struct err *err)
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
    return write_copy(d, err);
}

static int write_concatenate(const struct op_draft *d, struct err *err)
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
    write_copy_of(d, in->dim, in->rank, with, out, in->rank);
    return 0;
}

static int write_update_slice(const struct op_draft *d, struct err *err)
{
    const struct op_value *into = &d->value[OP_KEY_SHAPE], *with = &d->value[OP_KEY_WITH];
    bool fits = into->rank == with->rank;

    for (uint32_t i = 0; fits && i < into->rank; i++)
        fits = with->dim[i] <= into->dim[i];
    if (!fits)
        return err_set(err, ERR_FORMAT, "with = %s: expected a part of shape = %s", with->text,
                       into->text);
    op_tensor(d, "into", d->dtype, into->dim, into->rank, "state");
    op_tensor(d, "update", d->dtype, with->dim, with->rank, "constant");
    op_step_out(d, d->dtype, into->dim, into->rank, "%into, %update", 0, "");
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name                    required                            optional          writer              in a trace              inputs  flops  fn    meaning */
    { "copy",                  KEY(SHAPE),                         KEY(TO) | KERNEL, write_copy,         "copy",                 1,      0,     NULL, "any change of layout" },
    { "transpose",             KEY(SHAPE) | KEY(PERM),             KERNEL,           write_transpose,    "copy",                 1,      0,     NULL, "dimensions in another order" },
    { "reshape",               KEY(SHAPE) | KEY(TO),               KERNEL,           write_reshape,      "copy",                 1,      0,     NULL, "the same elements" },
    { "broadcast",             KEY(SHAPE) | KEY(TO),               KERNEL,           write_broadcast,    "copy",                 1,      0,     NULL, "dimensions of 1 to more" },
    { "upsample",              KEY(SHAPE) | KEY(TO),               KERNEL,           write_upsample,     "copy",                 1,      0,     NULL, "each element several times along a dimension" },
    { "pad",                   KEY(SHAPE) | KEY(TO),               KERNEL,           write_pad,          "copy",                 1,      0,     NULL, "to larger dimensions" },
    { "slice",                 KEY(SHAPE) | KEY(TO),               KERNEL,           write_slice,        "copy",                 1,      0,     NULL, "to smaller dimensions" },
    { "concatenate",           KEY(SHAPE) | KEY(WITH) | KEY(AXIS), KERNEL,           write_concatenate,  "copy",                 2,      0,     NULL, "one operand behind the other" },
    { "dynamic-update-slice",  KEY(SHAPE) | KEY(WITH),             KERNEL,           write_update_slice, "dynamic-update-slice", 0,      0,     NULL, "with= written over a part, in place" },
};
/* clang-format on */
const struct op_group op_group_move = { "moving data", kinds, sizeof kinds / sizeof *kinds };
