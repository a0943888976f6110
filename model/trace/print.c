#include "trace/print.h"

#include <inttypes.h>

#include "trace/attr.h"
#include "trace/reader.h"
#include "trace/shape.h"

void print_string(const char *s, FILE *out)
{
    putc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        putc(*s, out);
    }
    putc('"', out);
}

static void print_names(const struct trace *t, const struct trace_value *v, uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s%%%s", i ? ", " : "", trace_tensor(t, v[i])->name);
}

static void print_shape(const struct trace_shape *s, FILE *out)
{
    char buf[SHAPE_TEXT_MAX];

    fputs(shape_text(buf, s), out);
}

static void print_op(const struct trace *t, const struct trace_op *op, FILE *out)
{
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_tensor *r = trace_tensor(t, op->out[i]);
        fprintf(out, "%s%%%s ", i ? ", " : "", r->name);
        print_shape(&r->shape, out);
        if (r->role == TRACE_GRADIENT)
            fputs(" gradient", out);
    }
    fprintf(out, "%s%s(", op->n_out ? " = " : "", op->kind_text);
    print_names(t, op->in, op->n_in, out);
    putc(')', out);
    attr_print(t, op, out);
    putc('\n', out);
}

static void print_fusion(const struct trace *t, const struct trace_op *op, FILE *out)
{
    fputs(op->n_out ? "fusion " : "fusion", out);
    print_names(t, op->out, op->n_out, out);
    attr_print(t, op, out);
    fputs(" {\n", out);
}

void trace_print(const struct trace *t, const struct trace_item *item, FILE *out)
{
    bool begins = item->kind == TRACE_ITEM_STEP_BEGIN || item->kind == TRACE_ITEM_FUSION_BEGIN ||
                  item->kind == TRACE_ITEM_REPEAT_BEGIN;

    /* the block that this line opens is open already */
    for (uint32_t i = begins; i < t->n_blocks; i++)
        fputs("  ", out);
    switch (item->kind) {
    case TRACE_ITEM_HEADER: print_header(&t->head, out); break;
    case TRACE_ITEM_TENSOR: {
        const struct trace_tensor *v = trace_tensor(t, item->value);
        fprintf(out, "tensor %%%s ", v->name);
        print_shape(&v->shape, out);
        fprintf(out, " %s", trace_role_name[v->role]);
        if (v->stage != TRACE_NO_STAGE)
            fprintf(out, " stage=%" PRIu64, v->stage);
        putc('\n', out);
        break;
    }
    case TRACE_ITEM_STEP_BEGIN:
        if (item->count > 1)
            fprintf(out, "step every=%" PRIu64 " {\n", item->count);
        else
            fputs("step {\n", out);
        break;
    case TRACE_ITEM_PHASE: fprintf(out, "phase %s\n", item->name); break;
    case TRACE_ITEM_OP: print_op(t, &item->op, out); break;
    case TRACE_ITEM_FUSION_BEGIN: print_fusion(t, &item->op, out); break;
    case TRACE_ITEM_REPEAT_BEGIN: fprintf(out, "repeat %" PRIu64 " {\n", item->count); break;
    case TRACE_ITEM_STEP_END:
    case TRACE_ITEM_FUSION_END:
    case TRACE_ITEM_REPEAT_END: fputs("}\n", out); break;
    case TRACE_ITEM_END: break;
    }
}
