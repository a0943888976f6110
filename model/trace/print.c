#include "trace/print.h"

#include <inttypes.h>

#include "trace/attr.h"
#include "trace/reader.h"
#include "trace/shape.h"

static void print_shape(const struct trace_shape *s, FILE *out)
{
    char buf[SHAPE_TEXT_MAX];

    fputs(shape_text(buf, s), out);
}

void print_tensor(const char *name, const struct trace_shape *shape, enum trace_role role,
                  uint64_t stage, FILE *out)
{
    fprintf(out, "tensor %%%s ", name);
    print_shape(shape, out);
    fprintf(out, " %s", trace_role_name[role]);
    if (stage != TRACE_NO_STAGE)
        fprintf(out, " stage=%" PRIu64, stage);
    putc('\n', out);
}

void print_step(uint64_t every, FILE *out)
{
    if (every)
        fprintf(out, "step every=%" PRIu64 " {\n", every);
    else
        fputs("step {\n", out);
}

void print_phase(uint32_t depth, const char *name, FILE *out)
{
    print_indent(depth, out);
    fprintf(out, "phase %s\n", name);
}

void print_repeat(uint32_t depth, uint64_t count, FILE *out)
{
    print_indent(depth, out);
    fprintf(out, "repeat %" PRIu64 " {\n", count);
}

void print_close(uint32_t depth, FILE *out)
{
    print_indent(depth, out);
    fputs("}\n", out);
}

void print_result(bool first, const char *name, const struct trace_shape *shape, bool gradient,
                  FILE *out)
{
    print_name(first, name, out);
    putc(' ', out);
    print_shape(shape, out);
    if (gradient)
        fputs(" gradient", out);
}

void print_place(const char *name, FILE *out)
{
    fprintf(out, " at %%%s", name);
}

void print_name(bool first, const char *name, FILE *out)
{
    fprintf(out, "%s%%%s", first ? "" : ", ", name);
}

void print_kind(bool results, const char *kind, FILE *out)
{
    fprintf(out, "%s%s(", results ? " = " : "", kind);
}

/* --- items of a reader -------------------------------------------------------------------- */

static void print_op(const struct trace *t, const struct trace_op *op, FILE *out)
{
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_tensor *r = trace_tensor(t, op->out[i]);
        print_result(i == 0, r->name, &r->shape, r->role == TRACE_GRADIENT, out);
        if (r->placed)
            print_place(trace_tensor(t, r->at)->name, out);
    }
    print_kind(op->n_out > 0, op->kind_text, out);
    for (uint32_t i = 0; i < op->n_in; i++)
        print_name(i == 0, trace_tensor(t, op->in[i])->name, out);
    putc(')', out);
    attr_print(op, op->has_bias ? trace_tensor(t, op->bias)->name : NULL, out);
    putc('\n', out);
}

static void print_fusion(const struct trace *t, const struct trace_op *op, FILE *out)
{
    fputs(op->n_out ? "fusion " : "fusion", out);
    for (uint32_t i = 0; i < op->n_out; i++)
        print_name(i == 0, trace_tensor(t, op->out[i])->name, out);
    attr_print(op, NULL, out);
    fputs(" {\n", out);
}

void trace_print(const struct trace *t, const struct trace_item *item, FILE *out)
{
    bool begins = item->kind == TRACE_ITEM_STEP_BEGIN || item->kind == TRACE_ITEM_FUSION_BEGIN ||
                  item->kind == TRACE_ITEM_REPEAT_BEGIN;
    /* the block that this line opens is open already */
    uint32_t depth = t->n_blocks - begins;

    switch (item->kind) {
    case TRACE_ITEM_HEADER: print_header(&t->head, out); break;
    case TRACE_ITEM_TENSOR: {
        const struct trace_tensor *v = trace_tensor(t, item->value);
        print_tensor(v->name, &v->shape, v->role, v->stage, out);
        break;
    }
    case TRACE_ITEM_STEP_BEGIN: print_step(item->count, out); break;
    case TRACE_ITEM_PHASE: print_phase(depth, item->name, out); break;
    case TRACE_ITEM_OP:
        print_indent(depth, out);
        print_op(t, &item->op, out);
        break;
    case TRACE_ITEM_FUSION_BEGIN:
        print_indent(depth, out);
        print_fusion(t, &item->op, out);
        break;
    case TRACE_ITEM_REPEAT_BEGIN: print_repeat(depth, item->count, out); break;
    case TRACE_ITEM_STEP_END:
    case TRACE_ITEM_FUSION_END:
    case TRACE_ITEM_REPEAT_END: print_close(depth, out); break;
    case TRACE_ITEM_END: break;
    }
}
