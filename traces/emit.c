/* emit.c - see emit.h.  Operations are recorded, then printed: which values leave a kernel is known
 * only at the end. */
#include "emit.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/print.h"

struct chunk { /* of the arena for texts and lists of operands */
    struct chunk *next;
};

struct value {
    const char *name;
    struct trace_shape shape;
    enum trace_role role;
    uint32_t kernel; /* 0: a persistent tensor */
    bool leaves;     /* another kernel uses it */
    bool keeps;      /* it stays f32 in mixed precision */
};

enum item_kind { ITEM_PHASE, ITEM_OP, ITEM_REPEAT, ITEM_REPEAT_END, ITEM_EVERY };

struct item {
    enum item_kind kind;
    const char *name; /* of the phase or operation */
    uint64_t count;   /* of a repeat */
    struct emit_op op;
    uint32_t first_out, kernel;
};

struct emit {
    struct emit_head head;
    struct chunk *chunks;
    struct value *values; /* by handle; values[0] is none */
    struct item *items;
    size_t n_values, n_items;
    uint32_t cap_values, cap_items;
    const char *phase;
    uint32_t kernel; /* of the latest operation, from 1; 0: no operation can join one */
    uint32_t n_kernels, depth;
};

static void *keep_chunk(struct emit *e, size_t size)
{
    struct chunk *c = memory_resize(NULL, sizeof *c + size, 1);

    c->next = e->chunks;
    e->chunks = c;
    return c + 1;
}

const char *emit_text(struct emit *e, const char *fmt, ...)
{
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int len = plain_text_list(NULL, 0, fmt, ap);
    BUG_ON(len < 0);
    char *text = keep_chunk(e, (size_t)len + 1);
    plain_text_list(text, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return text;
}

static uint32_t add_value(struct emit *e, const struct value *v)
{
    MEMORY_GROW(e->values, (uint32_t)e->n_values + 1, e->cap_values);
    e->values[e->n_values] = *v;
    return (uint32_t)e->n_values++;
}

static struct item *add_item(struct emit *e, enum item_kind kind)
{
    MEMORY_GROW(e->items, (uint32_t)e->n_items + 1, e->cap_items);
    e->items[e->n_items] = (struct item){ .kind = kind };
    return &e->items[e->n_items++];
}

struct emit *emit_new(const struct emit_head *head)
{
    struct emit *e = memory_zeroed(1, sizeof *e);

    e->head = *head;
    add_value(e, &(struct value){ .name = "" });
    return e;
}

void emit_free(struct emit *e)
{
    for (struct chunk *c = e->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(e->values);
    free(e->items);
    free(e);
}

uint32_t emit_tensor(struct emit *e, enum trace_role role, struct trace_shape shape,
                     const char *name)
{
    return add_value(
        e, &(struct value){ .name = emit_text(e, "%s", name), .shape = shape, .role = role });
}

void emit_phase(struct emit *e, const char *name)
{
    e->phase = emit_text(e, "%s", name);
    add_item(e, ITEM_PHASE)->name = e->phase;
    e->kernel = 0;
}

void emit_every(struct emit *e, uint64_t count)
{
    BUG_ON(e->depth != 0);
    add_item(e, ITEM_EVERY)->count = count;
    e->kernel = 0;
}

void emit_repeat(struct emit *e, uint64_t count)
{
    add_item(e, ITEM_REPEAT)->count = count;
    e->depth++;
    e->kernel = 0;
}

void emit_repeat_end(struct emit *e)
{
    BUG_ON(e->depth == 0);
    add_item(e, ITEM_REPEAT_END);
    e->depth--;
    e->kernel = 0;
}

/* The name of a result: "phase/operation.part".  The operation's name is cut at a parenthesis, and
 * characters that a trace does not allow become _. */
static const char *result_name(struct emit *e, const char *op, const char *part)
{
    const char *end = strchr(op, '(');
    int len = end ? (int)(end - op) : (int)strlen(op);
    char *name =
        (char *)emit_text(e, "%s/%.*s%s%s", e->phase, len, op, part ? "." : "", part ? part : "");
    static const char fine[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789_.+:/-";

    for (char *c = name + strspn(name, fine); *c; c += strspn(c, fine))
        *c = '_';
    return name;
}

static void note_use(struct emit *e, uint32_t value, uint32_t kernel)
{
    BUG_ON(value == 0 || value >= e->n_values);
    if (e->values[value].kernel != kernel)
        e->values[value].leaves = true;
}

uint32_t emit_op(struct emit *e, const struct emit_op *op)
{
    BUG_ON(!e->phase || (op->joins && e->kernel == 0));
    if (!op->joins)
        e->kernel = ++e->n_kernels;

    uint32_t *in = keep_chunk(e, (op->n_in + 1) * sizeof *in);
    size_t n_in = 0;
    for (size_t i = 0; i < op->n_in; i++)
        if (op->in[i])
            in[n_in++] = op->in[i];
    for (size_t i = 0; i < n_in; i++)
        note_use(e, in[i], e->kernel);
    if (op->bias)
        note_use(e, op->bias, e->kernel);

    uint32_t first = op->n_out ? (uint32_t)e->n_values : 0;
    for (size_t i = 0; i < op->n_out; i++)
        add_value(e,
                  &(struct value){ .name = result_name(e, op->name, op->out[i].part),
                                   .shape = op->out[i].shape,
                                   .role = op->out[i].gradient ? TRACE_GRADIENT : TRACE_ACTIVATION,
                                   .kernel = e->kernel });

    struct item *item = add_item(e, ITEM_OP);
    item->op = *op;
    item->op.in = in;
    item->op.n_in = n_in;
    item->op.out = NULL;
    item->op.attr = op->attr ? emit_text(e, "%s", op->attr) : NULL;
    item->op.note = op->note ? emit_text(e, "%s", op->note) : NULL;
    item->name = emit_text(e, "%s", op->name);
    item->first_out = first;
    item->kernel = e->kernel;
    return first;
}

uint64_t emit_operations(const struct emit *e)
{
    uint64_t n = 0;

    for (size_t i = 0; i < e->n_items; i++)
        n += e->items[i].kind == ITEM_OP;
    return n;
}

uint32_t emit_kernels(const struct emit *e)
{
    return e->n_kernels;
}

const char *emit_name(const struct emit *e, uint32_t value)
{
    BUG_ON(value == 0 || value >= e->n_values);
    return e->values[value].name;
}

struct trace_shape emit_shape(const struct emit *e, uint32_t value)
{
    BUG_ON(value == 0 || value >= e->n_values);
    return e->values[value].shape;
}

uint64_t emit_elements(const struct emit *e, uint32_t value)
{
    struct trace_shape s = emit_shape(e, value);

    return trace_elements(&s);
}

void emit_keep(struct emit *e, uint32_t value)
{
    BUG_ON(value == 0 || value >= e->n_values);
    e->values[value].keeps = true;
}

/* --- printing ----------------------------------------------------------------------------- */

/* The dtype in which a value is stored: f32 tensors are bf16 in some precisions, scalars never. */
static enum trace_dtype stored_dtype(const struct emit *e, const struct value *v)
{
    enum emit_precision p = e->head.precision;
    bool narrow = p == EMIT_BF16 || (p == EMIT_MIXED && v->kernel && !v->keeps);

    return v->shape.dtype == TRACE_F32 && v->shape.rank > 0 && narrow ? TRACE_BF16 : v->shape.dtype;
}

static struct trace_shape stored_shape(const struct emit *e, const struct value *v)
{
    struct trace_shape shape = v->shape;

    shape.dtype = stored_dtype(e, v);
    return shape;
}

/* Print reads= or writes=.  Generators give bytes of f32 values; bf16 values have half. */
static void print_bytes(const struct emit *e, const char *key, uint64_t bytes, FILE *out)
{
    bool half = e->head.precision == EMIT_MIXED || e->head.precision == EMIT_BF16;

    if (bytes)
        fprintf(out, " %s=%" PRIu64, key, bytes == EMIT_ZERO ? 0 : half ? bytes / 2 : bytes);
}

static void print_op(const struct emit *e, const struct item *it, uint32_t depth, FILE *out)
{
    const struct emit_op *op = &it->op;

    print_indent(depth, out);
    for (size_t i = 0; i < op->n_out; i++) {
        const struct value *v = &e->values[it->first_out + i];
        struct trace_shape shape = stored_shape(e, v);

        print_result(i == 0, v->name, &shape, v->role == TRACE_GRADIENT, out);
    }
    print_kind(op->n_out > 0, trace_kind_name[op->kind], out);
    for (size_t i = 0; i < op->n_in; i++)
        print_name(i == 0, e->values[op->in[i]].name, out);
    fprintf(out, ") name=\"%s\"", it->name);
    if (op->attr)
        fprintf(out, " %s", op->attr);
    if (op->bias)
        fprintf(out, " bias=%%%s", e->values[op->bias].name);
    if (op->flops)
        fprintf(out, " flops=%" PRIu64, op->flops);
    print_bytes(e, "reads", op->reads, out);
    print_bytes(e, "writes", op->writes, out);
    if (op->note)
        fprintf(out, " note=\"%s\"", op->note);
    fputc('\n', out);
}

/* Print the operations of one kernel, which are consecutive.  Returns their number. */
static size_t print_kernel(const struct emit *e, size_t at, uint32_t depth, FILE *out)
{
    size_t n = 1;

    while (at + n < e->n_items && e->items[at + n].kind == ITEM_OP &&
           e->items[at + n].kernel == e->items[at].kernel)
        n++;
    if (n == 1) {
        print_op(e, &e->items[at], depth, out);
        return n;
    }
    print_indent(depth, out);
    fputs("fusion", out);
    for (size_t i = at, listed = 0; i < at + n; i++)
        for (size_t k = 0; k < e->items[i].op.n_out; k++) {
            const struct value *v = &e->values[e->items[i].first_out + k];

            if (!v->leaves)
                continue;
            fputs(listed ? "" : " ", out);
            print_name(listed++ == 0, v->name, out);
        }
    fputs(" {\n", out);
    for (size_t i = at; i < at + n; i++)
        print_op(e, &e->items[i], depth + 1, out);
    print_close(depth, out);
    return n;
}

static void print_head(const struct emit_head *h, FILE *out)
{
    fprintf(out, "cyclotron-trace 1\nworkload \"%s\"\n", h->workload);
    fprintf(out, "samples step=%" PRIu64, h->step_samples);
    if (h->epoch_samples)
        fprintf(out, " epoch=%" PRIu64, h->epoch_samples);
    if (h->epoch_steps)
        fprintf(out, " steps=%" PRIu64, h->epoch_steps);
    fputc('\n', out);
    fprintf(out, "dtype tensors=%s matmul=%s activations=%s\n",
            h->precision == EMIT_BF16 ? "bf16" : "f32",
            h->precision == EMIT_HIGHEST ? "f32" : "bf16",
            trace_activations_name[h->precision == EMIT_HIGHEST ? TRACE_ACTIVATIONS_KEEP
                                   : h->products                ? TRACE_ACTIVATIONS_PRODUCTS
                                                                : TRACE_ACTIVATIONS_NARROW]);
    print_framework(h->framework, out);
    for (size_t i = 0; i < h->n_params; i++)
        if (h->word && h->word[i])
            fprintf(out, "param %s=%s\n", h->key[i], h->word[i]);
        else
            fprintf(out, "param %s=%" PRIu64 "\n", h->key[i], h->value[i]);
    for (size_t i = 0; i < h->n_padding; i++)
        if (h->padding[i].real < h->padding[i].padded)
            print_padding(&h->padding[i], out);
    fprintf(out, "provenance \"%s\"\n", h->provenance);
}

/* Print one item, or all operations of a kernel.  Returns the number of items; *depth is that of
 * the next. */
static size_t print_item(const struct emit *e, size_t at, uint32_t *depth, FILE *out)
{
    const struct item *it = &e->items[at];

    switch (it->kind) {
    case ITEM_OP: return print_kernel(e, at, *depth, out);
    case ITEM_EVERY:
        print_close(0, out);
        print_step(it->count, out);
        break;
    case ITEM_PHASE: print_phase(*depth, it->name, out); break;
    case ITEM_REPEAT: print_repeat((*depth)++, it->count, out); break;
    case ITEM_REPEAT_END: print_close(--*depth, out); break;
    }
    return 1;
}

void emit_print(const struct emit *e, FILE *out)
{
    uint32_t depth = 1;

    BUG_ON(e->depth != 0);
    print_head(&e->head, out);
    for (size_t i = 1; i < e->n_values; i++)
        if (e->values[i].kernel == 0) {
            struct trace_shape shape = stored_shape(e, &e->values[i]);
            print_tensor(e->values[i].name, &shape, e->values[i].role, TRACE_NO_STAGE, out);
        }
    print_step(0, out);
    for (size_t i = 0; i < e->n_items;)
        i += print_item(e, i, &depth, out);
    print_close(0, out);
}
