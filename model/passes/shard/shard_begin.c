/* The operations of a step that is cut, and the uses of its values. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "passes/shard/shard_impl.h"

static void note_uses(struct shard *s, uint32_t at)
{
    const struct step_op *is = &s->step->op[at];
    struct shard_op *op = &s->op[at];

    for (uint32_t i = 0; i < step_n_operands(is); i++) {
        struct shard_value *v = &s->value[step_operand(s->step, is, i)];
        v->last_use = at;
        op->served |= is->op.kind == TRACE_HOST && is->op.work.client && i < is->n_in &&
                      v->is->role == TRACE_GRADIENT;
    }
}

static void begin_ops(struct shard *s)
{
    const struct step *step = s->step;
    uint32_t scope = STEP_NONE;

    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        s->outer[i] = scope;
        if (n->kind == STEP_END)
            scope = s->outer[n->match];
        else if (n->kind != STEP_OP)
            scope = i;
        for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++) {
            s->op[k] = (struct shard_op){ .is = &step->op[k],
                                          .fusion = n->fusion ? n->first_op : STEP_NONE,
                                          .n_fusion = n->fusion ? n->n_ops : 0,
                                          .scope = scope,
                                          .table = STEP_NONE };
            note_uses(s, k);
        }
    }
}

void shard_begin(struct shard *s, const struct step *step)
{
    s->step = step;
    s->halo_infeed = STEP_NONE;
    s->value = memory_zeroed(step->n_values, sizeof *s->value);
    s->op = memory_zeroed(step->n_ops, sizeof *s->op);
    s->fix = memory_zeroed(step->n_refs, sizeof *s->fix);
    s->summand = memory_zeroed(step->n_refs, sizeof *s->summand);
    s->outer = memory_zeroed(step->n_nodes, sizeof *s->outer);
    s->update = memory_zeroed(step->n_nodes, sizeof *s->update);
    for (uint32_t i = 0; i < step->n_nodes; i++)
        s->update[i] = STEP_NONE;
    for (uint32_t v = 0; v < step->n_values; v++)
        s->value[v] = (struct shard_value){ .is = &step->value[v],
                                            .split = SHARD_WHOLE,
                                            .open = step->value[v].persistent,
                                            .exchanged = STEP_NONE,
                                            .last_use = STEP_NONE,
                                            .alias = STEP_NONE };
    begin_ops(s);
}

void shard_clear(struct shard *s)
{
    free(s->value);
    free(s->op);
    free(s->fix);
    free(s->summand);
    free(s->outer);
    free(s->update);
}
