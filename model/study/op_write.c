/* Lines of the trace of one operation, as all kinds write them. */
#include <inttypes.h>

#include "study/op_kind.h"

char *op_shape(char buf[OP_SHAPE_TEXT], enum trace_dtype dtype, const uint64_t *dim, uint32_t rank)
{
    size_t at = (size_t)snprintf(buf, OP_SHAPE_TEXT, "%s[", trace_dtype_name[dtype]);

    for (uint32_t i = 0; i < rank; i++)
        at += (size_t)snprintf(buf + at, OP_SHAPE_TEXT - at, "%s%" PRIu64, i ? "," : "", dim[i]);
    snprintf(buf + at, OP_SHAPE_TEXT - at, "]");
    return buf;
}

void op_tensor(const struct op_draft *d, const char *name, enum trace_dtype dtype,
               const uint64_t *dim, uint32_t rank, const char *role)
{
    char shape[OP_SHAPE_TEXT];

    fprintf(d->out, "tensor %%%s %s %s\n", name, op_shape(shape, dtype, dim, rank), role);
}

enum trace_dtype op_product(enum trace_dtype dtype)
{
    if (dtype == TRACE_S8 || dtype == TRACE_U8)
        return TRACE_S32;
    return dtype == TRACE_F8E4M3FN || dtype == TRACE_F8E5M2 ? TRACE_BF16 : dtype;
}

void op_step(const struct op_draft *d, const char *results, const char *operands, uint64_t flops,
             const char *extra)
{
    const struct op_value *v = d->value;

    fprintf(d->out, "step {\n  %s%s%s(%s) name=\"%s\"%s", results, results[0] ? " = " : "",
            d->kind->trace, operands, d->kind->name, extra);
    if (d->kind->fn)
        fprintf(d->out, " fn=%s", d->kind->fn);
    if (v[OP_KEY_PRECISION].given)
        fprintf(d->out, " precision=%s", v[OP_KEY_PRECISION].text);
    if (v[OP_KEY_RESIDENT].given)
        fprintf(d->out, " resident=%s", v[OP_KEY_RESIDENT].text);
    if (v[OP_KEY_FLOPS].given || flops)
        fprintf(d->out, " flops=%" PRIu64, v[OP_KEY_FLOPS].given ? v[OP_KEY_FLOPS].number : flops);
    fputs("\n}\n", d->out);
}
