/* op_element.c - operations on each element for `cyclotron op`: alone, or a chain in one fusion.
 *
 * A new one is mostly a row below. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_write.h"

static int write_fusion(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *chain = &d->value[OP_KEY_CHAIN];
    const struct op_value *inputs = &d->value[OP_KEY_INPUTS];
    uint64_t n = chain->given ? chain->number : 2, in = inputs->given ? inputs->number : 1;
    char text[OP_SHAPE_TEXT], list[OP_LIST_TEXT];

    (void)err;
    op_shape(text, d->dtype, shape->dim, shape->rank);
    op_operands(d, shape, in, list);
    op_step_begin(d);
    fprintf(d->out,
            "  fusion %%o%" PRIu64 " name=\"fusion\" {\n"
            "    %%o1 %s = elementwise(%s) flops=%" PRIu64 "\n",
            n, text, list, op_elements(shape));
    for (uint64_t i = 2; i <= n; i++)
        fprintf(d->out, "    %%o%" PRIu64 " %s = elementwise(%%o%" PRIu64 ") flops=%" PRIu64 "\n",
                i, text, i - 1, op_elements(shape));
    fputs("  }\n", d->out);
    op_step_end(d);
    return 0;
}

static int write_elementwise(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *inputs = &d->value[OP_KEY_INPUTS];
    char list[OP_LIST_TEXT];

    (void)err;
    op_operands(d, shape, inputs->given ? inputs->number : d->kind->inputs, list);
    op_step_out(d, d->dtype, shape->dim, shape->rank, list, op_elements(shape) * d->kind->flops,
                "");
    return 0;
}

/* A choice between two operands by a mask. */
static int write_select(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char list[OP_LIST_TEXT], operands[OP_LIST_TEXT + 8];

    (void)err;
    op_operands(d, shape, 2, list);
    op_tensor(d, "mask", TRACE_PRED, shape->dim, shape->rank, "constant");
    snprintf(operands, sizeof operands, "%s, %%mask", list);
    op_step_out(d, d->dtype, shape->dim, shape->rank, operands, op_elements(shape), "");
    return 0;
}

/* To f32, and f32 to bf16. */
static int write_convert(const struct op_draft *d, struct err *err)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    char list[OP_LIST_TEXT];

    (void)err;
    op_operands(d, shape, 1, list);
    op_step_out(d, d->dtype == TRACE_F32 ? TRACE_BF16 : TRACE_F32, shape->dim, shape->rank, list,
                op_elements(shape), "");
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name           required    optional                  writer             in a trace     inputs  flops  fn             meaning */
    { "fusion",       KEY(SHAPE), KEY(INPUTS) | KEY(CHAIN), write_fusion,      "fusion",      0,      0,     NULL,          "a chain of operations in one pass over HBM" },
    { "elementwise",  KEY(SHAPE), KEY(INPUTS) | KERNEL,     write_elementwise, "elementwise", 1,      1,     NULL,          "any element-wise operation" },
    { "add",          KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     NULL,          "of two operands" },
    { "subtract",     KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     NULL,          "of two operands" },
    { "multiply",     KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     NULL,          "of two operands" },
    { "divide",       KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     "divide",      "of two operands" },
    { "maximum",      KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     NULL,          "of two operands" },
    { "power",        KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     "power",       "of two operands" },
    { "compare",      KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 2,      1,     NULL,          "of two operands; the result has their dtype" },
    { "select",       KEY(SHAPE), KERNEL,                   write_select,      "elementwise", 2,      1,     "select",        "of two operands by a mask" },
    { "convert",      KEY(SHAPE), KERNEL,                   write_convert,     "elementwise", 1,      1,     "convert",       "to f32; of f32 to bf16" },
    { "exponential",  KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "exponential", "of every element" },
    { "log",          KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "log",         "of every element" },
    { "tanh",         KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "tanh",        "of every element" },
    { "sqrt",         KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "sqrt",        "of every element" },
    { "rsqrt",        KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "rsqrt",       "of every element" },
    { "logistic",     KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "logistic",    "of every element" },
    { "sine",         KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "sine",        "of every element" },
    { "cosine",       KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "cosine",      "of every element" },
    { "erf",          KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     "erf",         "of every element" },
    { "relu",         KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      1,     NULL,          "of every element" },
    { "gelu",         KEY(SHAPE), KERNEL,                   write_elementwise, "elementwise", 1,      5,     "erf",         "of every element" },
    { "rng",          KEY(SHAPE), KERNEL,                   write_elementwise, "rng",         0,      0,     NULL,          "random numbers" },
};
/* clang-format on */
const struct op_group op_group_element = { "element by element", kinds,
                                           sizeof kinds / sizeof *kinds };
