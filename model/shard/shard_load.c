#include <stdlib.h>
#include <string.h>

#include "shard/shard_impl.h"

static void *room(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    *cap = *cap ? 2 * *cap : 256;
    array = realloc(array, *cap * size);
    BUG_ON(!array);
    return array;
}

static uint32_t add_ref(struct shard *s, uint32_t value)
{
    s->ref = room(s->ref, s->n_refs, &s->cap_refs, sizeof *s->ref);
    s->ref[s->n_refs] = value;
    return s->n_refs++;
}

static uint32_t add_value(struct shard *s, struct trace *t, struct trace_value v, uint32_t def)
{
    const struct trace_tensor *x = trace_tensor(t, v);

    s->value = room(s->value, s->n_values, &s->cap_values, sizeof *s->value);
    s->value[s->n_values] = (struct shard_value){ .name = strdup(x->name),
                                                  .shape = x->shape,
                                                  .role = x->role,
                                                  .split = SHARD_WHOLE,
                                                  .open = def == SHARD_NONE,
                                                  .def = def,
                                                  .exchanged = SHARD_NONE,
                                                  .last_use = SHARD_NONE };
    BUG_ON(!s->value[s->n_values].name);
    while (v.id >= s->n_slots) {
        s->slot = room(s->slot, s->n_slots, &s->cap_slots, sizeof *s->slot);
        s->slot[s->n_slots++] = SHARD_NONE;
    }
    s->slot[v.id] = s->n_values;
    return s->n_values++;
}

static void add_op(struct shard *s, struct trace *t, const struct trace_op *op, uint32_t line)
{
    uint32_t at = s->n_ops;
    struct shard_op o = { .kind = op->kind,
                          .async = op->async,
                          .ta = op->ta,
                          .over = op->over,
                          .tb = op->tb,
                          .line = line,
                          .scope = s->scope,
                          .table = SHARD_NONE,
                          .first_in = s->n_refs,
                          .n_in = op->n_in,
                          .n_out = op->n_out,
                          .bias = op->has_bias ? s->slot[op->bias.id] : SHARD_NONE,
                          .fusion = SHARD_NONE };

    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = s->slot[op->in[i].id];
        s->value[v].last_use = at;
        o.served |= op->kind == TRACE_HOST && op->work.client && s->value[v].role == TRACE_GRADIENT;
        add_ref(s, v);
    }
    if (op->has_bias)
        s->value[o.bias].last_use = at;
    o.first_out = s->n_refs;
    for (uint32_t i = 0; i < op->n_out; i++)
        add_ref(s, add_value(s, t, op->out[i], at));
    s->op = room(s->op, s->n_ops, &s->cap_ops, sizeof *s->op);
    s->op[s->n_ops++] = o;
}

static void end_fusion(struct shard *s, const struct trace_op *fusion, uint32_t first)
{
    for (uint32_t i = first; i < s->n_ops; i++) {
        s->op[i].fusion = first;
        s->op[i].n_fusion = s->n_ops - first;
    }
    for (uint32_t i = 0; i < fusion->n_out; i++)
        s->value[s->slot[fusion->out[i].id]].listed = true;
}

static void open_scope(struct shard *s)
{
    s->outer = room(s->outer, s->n_scopes, &s->cap_scopes, sizeof *s->outer);
    s->outer[s->n_scopes] = s->scope;
    s->scope = s->n_scopes++;
}

int shard_load(struct shard *s, struct trace *t, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    uint32_t fusion = 0;

    s->scope = SHARD_NONE;
    while (item.kind != TRACE_ITEM_END) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        switch (item.kind) {
        case TRACE_ITEM_TENSOR: add_value(s, t, item.value, SHARD_NONE); break;
        case TRACE_ITEM_OP: add_op(s, t, &item.op, item.line); break;
        case TRACE_ITEM_FUSION_BEGIN: fusion = s->n_ops; break;
        case TRACE_ITEM_FUSION_END: end_fusion(s, &item.op, fusion); break;
        case TRACE_ITEM_STEP_BEGIN:
        case TRACE_ITEM_REPEAT_BEGIN: open_scope(s); break;
        case TRACE_ITEM_STEP_END:
        case TRACE_ITEM_REPEAT_END: s->scope = s->outer[s->scope]; break;
        default: break;
        }
    }
    s->halo_infeed = SHARD_NONE;
    s->fix = calloc(s->n_refs + 1, sizeof *s->fix);
    s->summand = calloc(s->n_refs + 1, sizeof *s->summand);
    s->update = malloc((s->n_scopes + 1) * sizeof *s->update);
    BUG_ON(!s->fix || !s->summand || !s->update);
    for (uint32_t i = 0; i < s->n_scopes; i++)
        s->update[i] = SHARD_NONE;
    return 0;
}

void shard_clear(struct shard *s)
{
    for (uint32_t i = 0; i < s->n_values; i++)
        free(s->value[i].name);
    free(s->value);
    free(s->op);
    free(s->ref);
    free(s->fix);
    free(s->summand);
    free(s->slot);
    free(s->outer);
    free(s->update);
}
