/* op_update.c - updates of weights by an optimizer for `cyclotron op`. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_write.h"

static int write_optimizer(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *state = &d->value[OP_KEY_STATE];
    uint64_t n = state->given ? state->number : d->kind->inputs;
    char list[OP_LIST_TEXT] = "%weight, %gradient";
    size_t at = strlen(list);

    (void)err;
    op_tensor(d, "weight", d->dtype, shape->dim, shape->rank, "weight");
    op_tensor(d, "gradient", d->dtype, shape->dim, shape->rank, "constant");
    for (uint64_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "state%" PRIu64, i);
        op_tensor(d, name, d->dtype, shape->dim, shape->rank, "state");
        at += (size_t)snprintf(list + at, OP_LIST_TEXT - at, ", %%%s", name);
    }
    op_step(d, "", list, op_elements(shape) * d->kind->flops, "");
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name         required    optional             writer           in a trace   inputs  flops  fn       meaning */
    { "optimizer",  KEY(SHAPE), KEY(STATE) | KERNEL, write_optimizer, "optimizer", 1,      1,     NULL,    "any optimizer" },
    { "sgd",        KEY(SHAPE), KERNEL,              write_optimizer, "optimizer", 0,      2,     NULL,    "no state" },
    { "momentum",   KEY(SHAPE), KERNEL,              write_optimizer, "optimizer", 1,      4,     NULL,    "one tensor of state" },
    { "rmsprop",    KEY(SHAPE), KERNEL,              write_optimizer, "optimizer", 1,      8,     "rsqrt", "one tensor of state" },
    { "adam",       KEY(SHAPE), KERNEL,              write_optimizer, "optimizer", 2,      12,    "rsqrt", "two tensors of state" },
};
/* clang-format on */
const struct op_group op_group_update = { "updating weights", kinds, sizeof kinds / sizeof *kinds };
