#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "remat/remat_impl.h"
#include "trace/attr.h"

static void *room(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    *cap = *cap ? 2 * *cap : 256;
    array = realloc(array, *cap * size);
    BUG_ON(!array);
    return array;
}

static char *copy(const char *s)
{
    char *c = strdup(s);

    BUG_ON(!c);
    return c;
}

static char *attributes(const struct trace *t, const struct trace_op *op)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    BUG_ON(!out);
    attr_print(op, op->has_bias ? trace_tensor(t, op->bias)->name : NULL, out);
    fclose(out);
    BUG_ON(!text);
    return text;
}

static uint32_t add_value(struct remat_step *s, const struct trace *t, struct trace_value v,
                          uint32_t op, uint32_t node)
{
    const struct trace_tensor *x = trace_tensor(t, v);

    s->value = room(s->value, s->n_values, &s->cap_values, sizeof *s->value);
    s->value[s->n_values] = (struct remat_value){
        .name = copy(x->name), .shape = x->shape, .role = x->role, .op = op, .node = node
    };
    while (v.id >= s->n_slots) {
        s->slot = room(s->slot, s->n_slots, &s->cap_slots, sizeof *s->slot);
        s->slot[s->n_slots++] = REMAT_NONE;
    }
    s->slot[v.id] = s->n_values;
    return s->n_values++;
}

void remat_add_tensor(struct remat_step *s, const struct trace *t, struct trace_value v)
{
    add_value(s, t, v, REMAT_NONE, REMAT_NONE);
    s->n_persistent = s->n_values;
}

static void add_ref(struct remat_step *s, uint32_t value)
{
    s->ref = room(s->ref, s->n_refs, &s->cap_refs, sizeof *s->ref);
    s->ref[s->n_refs++] = value;
}

static void add_write(struct remat_step *s, uint32_t value, uint32_t node)
{
    s->write = room(s->write, s->n_writes, &s->cap_writes, sizeof *s->write);
    s->write[s->n_writes++] = (struct remat_write){ value, node };
}

/* Does it change its operand `i`? */
static bool changes(const struct remat_step *s, const struct trace_op *op, uint32_t i, uint32_t v)
{
    switch (op->kind) {
    case TRACE_OPTIMIZER: return v < s->n_persistent;
    case TRACE_ALL_REDUCE:
    case TRACE_BROADCAST: return op->n_out == 0 || op->async == TRACE_START;
    case TRACE_UPDATE_SLICE: return i == 0;
    default: return false;
    }
}

static struct remat_node *add_node(struct remat_step *s, struct remat_node node)
{
    s->node = room(s->node, s->n_nodes, &s->cap_nodes, sizeof *s->node);
    s->node[s->n_nodes] = node;
    return &s->node[s->n_nodes++];
}

static void add_op(struct remat_step *s, const struct trace *t, const struct trace_op *op)
{
    uint32_t at = s->n_ops, node = s->n_nodes - 1;
    struct remat_op o = { .kind = op->kind,
                          .flops = op->flops,
                          .kind_text = copy(op->kind_text),
                          .name = copy(op->name),
                          .attr = attributes(t, op),
                          .named = op->given & ATTR_BIT(NAME),
                          .first_in = s->n_refs,
                          .biased = op->has_bias,
                          .n_in = op->n_in + op->has_bias,
                          .n_out = op->n_out,
                          .node = node };

    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = s->slot[op->in[i].id];
        add_ref(s, v);
        if (changes(s, op, i, v))
            add_write(s, v, node);
    }
    if (op->has_bias)
        add_ref(s, s->slot[op->bias.id]);
    o.first_out = s->n_refs;
    for (uint32_t i = 0; i < op->n_out; i++)
        add_ref(s, add_value(s, t, op->out[i], at, node));
    s->op = room(s->op, s->n_ops, &s->cap_ops, sizeof *s->op);
    s->op[s->n_ops++] = o;
    s->node[node].n_ops++;
}

static void end_fusion(struct remat_step *s, const struct trace_op *fusion)
{
    for (uint32_t i = 0; i < fusion->n_out; i++)
        s->value[s->slot[fusion->out[i].id]].listed = true;
}

static int phase_twice(const struct trace *t, uint32_t line, struct err *err)
{
    return err_set(err, ERR_FIT,
                   "%s:%" PRIu32 ": a step with a phase " REMAT_PHASE " was rematerialised already",
                   trace_file(t), line);
}

int remat_load(struct remat_step *s, struct trace *t, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct remat_node node;
    uint32_t phase = REMAT_NONE, loop = REMAT_NONE;
    bool inside = false;
    char line[48];

    while (item.kind != TRACE_ITEM_STEP_END) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        node = (struct remat_node){
            .first_op = s->n_ops, .phase = phase, .loop = loop, .at = REMAT_NONE
        };
        switch (item.kind) {
        case TRACE_ITEM_PHASE:
            if (strcmp(item.name, REMAT_PHASE) == 0)
                return phase_twice(t, item.line, err);
            phase = s->n_nodes;
            node.kind = REMAT_PHASE_LINE;
            node.text = copy(item.name);
            add_node(s, node);
            break;
        case TRACE_ITEM_REPEAT_BEGIN:
            node.kind = REMAT_REPEAT;
            snprintf(line, sizeof line, "repeat %" PRIu64 " {\n", item.count);
            node.text = copy(line);
            loop = s->n_nodes;
            add_node(s, node);
            break;
        case TRACE_ITEM_REPEAT_END:
            node.kind = REMAT_END;
            phase = s->node[loop].phase; /* a phase ends with its block */
            loop = s->node[loop].loop;
            add_node(s, node);
            break;
        case TRACE_ITEM_FUSION_BEGIN:
            inside = node.fusion = true;
            node.named = item.op.given & ATTR_BIT(NAME);
            node.text = attributes(t, &item.op);
            node.name = copy(item.op.name);
            add_node(s, node);
            break;
        case TRACE_ITEM_FUSION_END:
            inside = false;
            end_fusion(s, &item.op);
            break;
        case TRACE_ITEM_OP:
            if (!inside)
                add_node(s, node);
            add_op(s, t, &item.op);
            break;
        default: break;
        }
    }
    return 0;
}

void remat_drop(struct remat_step *s)
{
    for (uint32_t i = s->n_persistent; i < s->n_values; i++)
        free(s->value[i].name);
    for (uint32_t i = 0; i < s->n_ops; i++) {
        free(s->op[i].kind_text);
        free(s->op[i].name);
        free(s->op[i].attr);
    }
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        free(s->node[i].text);
        free(s->node[i].name);
    }
    s->n_values = s->n_persistent;
    s->n_ops = s->n_nodes = s->n_writes = s->n_refs = 0;
}

void remat_clear(struct remat_step *s)
{
    remat_drop(s);
    for (uint32_t i = 0; i < s->n_persistent; i++)
        free(s->value[i].name);
    free(s->value);
    free(s->op);
    free(s->node);
    free(s->write);
    free(s->ref);
    free(s->slot);
}
