#include "study/op/op_write.h"

#include <inttypes.h>
#include <string.h>

#include "study/op/op_prefetch.h"

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

void op_operands(const struct op_draft *d, const struct op_value *shape, uint64_t n,
                 char list[OP_LIST_TEXT])
{
    size_t at = 0;

    list[0] = '\0';
    for (uint64_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "in%" PRIu64, i);
        op_tensor(d, name, d->dtype, shape->dim, shape->rank, "constant");
        at += (size_t)snprintf(list + at, OP_LIST_TEXT - at, "%s%%%s", i ? ", " : "", name);
    }
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
    const char *place = v[OP_KEY_RESIDENT].given ? v[OP_KEY_RESIDENT].text : op_prefetch(d);
    if (place && strcmp(place, "none") != 0)
        fprintf(d->out, " resident=%s", place);
    if (v[OP_KEY_FLOPS].given || flops)
        fprintf(d->out, " flops=%" PRIu64, v[OP_KEY_FLOPS].given ? v[OP_KEY_FLOPS].number : flops);
    fputs("\n}\n", d->out);
}

void op_step_out(const struct op_draft *d, enum trace_dtype dtype, const uint64_t *dim,
                 uint32_t rank, const char *operands, uint64_t flops, const char *extra)
{
    char shape[OP_SHAPE_TEXT], result[OP_SHAPE_TEXT + 8];

    snprintf(result, sizeof result, "%%out %s", op_shape(shape, dtype, dim, rank));
    op_step(d, result, operands, flops, extra);
}

void op_step_begin(const struct op_draft *d)
{
    fputs("step {\n", d->out);
}

void op_step_end(const struct op_draft *d)
{
    fputs("}\n", d->out);
}

int op_byte_elements(const struct op_draft *d, uint64_t parts, uint64_t *n, struct err *err)
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

enum trace_dtype op_product_dtype(enum trace_dtype dtype)
{
    if (dtype == TRACE_S8 || dtype == TRACE_U8)
        return TRACE_S32;
    return dtype == TRACE_F8E4M3FN || dtype == TRACE_F8E5M2 ? TRACE_BF16 : dtype;
}
