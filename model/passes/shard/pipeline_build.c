/* The step of all stages: kernels of each micro-batch in the order of the schedule, then what
 * follows all of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "passes/shard/pipeline_making.h"
#include "step/step_build.h"
#include "trace/attr.h"

/* --- operations --------------------------------------------------------------------------- */

static void add_phase(struct pipeline_making *b, const struct pipeline_node *n)
{
    if (n->phase && (!b->phase || strcmp(b->phase, n->phase) != 0))
        step_add_phase(b->to, n->phase);
    b->phase = n->phase ? n->phase : b->phase;
}

/* The operands and results that `take` says, or all. */
static void add_op(struct pipeline_making *b, uint32_t n, struct pipeline_at at, struct trace_op x,
                   const bool *take)
{
    const struct step_op *op = &b->from->op[n];

    x.stage = at.stage;
    step_begin_op(b->to, &x);
    for (uint32_t i = 0; i < op->n_in; i++)
        if (!take || take[i])
            step_add_operand(b->to, pipeline_find_value(b, pipeline_operand(b->p, n, i), at));
    if (op->bias != STEP_NONE)
        step_set_bias(b->to, pipeline_find_value(b, pipeline_operand(b->p, n, op->n_in), at));
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(b->from, op, i);
        struct step_value like = pipeline_value_of_micro(b, v, at.stage);
        if (take && !take[i])
            continue;
        char *name = pipeline_name_local(b, v, at.micro);
        *pipeline_find_each(b, v, at.micro) = step_add_result(b->to, name, &like);
        free(name);
    }
    step_end_op(b->to);
}

static void add_single(struct pipeline_making *b, uint32_t n, struct pipeline_at at)
{
    struct trace_op x = b->p->op[n].x;

    x.given |= ATTR_BIT(STAGE);
    add_op(b, n, at, x, NULL);
}

/* --- kernels ------------------------------------------------------------------------------ */

static bool leaves_kernel(const struct pipeline_making *b, const struct pipeline_node *n,
                          uint32_t v)
{
    return !n->is->fusion || !b->from->value[v].on_chip;
}

/* True if the value is added to the sum of the micro-batches before. */
static bool adds_up(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    return b->p->summed[v] && micro > 0 && micro < b->once;
}

static bool is_wanted(const struct pipeline_making *b, uint32_t v)
{
    bool used = b->p->used_each[v];

    for (uint32_t k = 0; k < b->p->plan->stages; k++)
        used |= b->p->needs[((size_t)v * b->p->plan->stages + k) * 2];
    return used;
}

/* For every result `v` of node `n`. */
#define EACH_RESULT(b, n, i, j, v)                                                                 \
    for (uint32_t i = (n)->first, v; i < (n)->first + (n)->n; i++)                                 \
        for (uint32_t j = 0;                                                                       \
             j < (b)->from->op[i].n_out && (v = step_result((b)->from, &(b)->from->op[i], j), 1);  \
             j++)

/* Sums are made where they are added to, on chip. */
static bool sums_up(const struct pipeline_making *b, const struct pipeline_node *n, uint64_t micro)
{
    EACH_RESULT(b, n, i, j, v)
    if (adds_up(b, v, micro))
        return true;
    return false;
}

static void begin_fusion(struct pipeline_making *b, const struct pipeline_node *n,
                         struct pipeline_at at)
{
    struct trace_op x = { .kind = TRACE_FUSION,
                          .kind_text = trace_kind_name[TRACE_FUSION],
                          .name = n->name,
                          .note = n->note,
                          .stage = at.stage,
                          .line = n->is->line,
                          .given = ATTR_BIT(STAGE) };
    bool named = n->named || !n->gemm; /* one without a name is known by the product in it */

    x.given |= (named ? ATTR_BIT(NAME) : 0) | (n->note ? ATTR_BIT(NOTE) : 0);
    x.given |= n->is->library ? ATTR_BIT(LIBRARY) : 0;
    step_begin_fusion(b->to, &x, !named);
}

static void add_additions(struct pipeline_making *b, const struct pipeline_node *n,
                          struct pipeline_at at)
{
    EACH_RESULT(b, n, i, j, v)
    {
        if (!adds_up(b, v, at.micro))
            continue;
        struct step_value like = pipeline_value_of_micro(b, v, at.stage);
        char *result = pipeline_name_sum(b, v, at.micro);
        char *name = memory_format("%s.sum", step_name(b->from, v));
        struct trace_op x = shard_attributes(TRACE_ELEMENTWISE, name, 0);
        x.flops = trace_elements(&b->from->value[v].shape);
        x.given |= ATTR_BIT(FLOPS);
        x.stage = at.stage;
        step_begin_op(b->to, &x);
        step_add_operand(b->to, *pipeline_find_sum(b, v, at.micro - 1));
        step_add_operand(b->to, *pipeline_find_local(b, v, at.micro));
        *pipeline_find_sum(b, v, at.micro) = step_add_result(b->to, result, &like);
        step_end_op(b->to);
        free(result);
        free(name);
    }
}

static void end_fusion(struct pipeline_making *b, const struct pipeline_node *n,
                       struct pipeline_at at)
{
    uint32_t listed = 0;

    EACH_RESULT(b, n, i, j, v)
    {
        bool sum = adds_up(b, v, at.micro);
        if (!leaves_kernel(b, n, v))
            continue;
        if (sum)
            b->list[listed++] = *pipeline_find_sum(b, v, at.micro);
        if (!sum || is_wanted(b, v))
            b->list[listed++] = *pipeline_find_local(b, v, at.micro);
    }
    step_end_fusion(b->to, b->list, listed);
}

static void receive_operands(struct pipeline_making *b, const struct pipeline_node *n,
                             struct pipeline_at at)
{
    const struct pipeline *p = b->p;

    for (uint32_t i = n->first; i < n->first + n->n; i++)
        for (uint32_t j = 0; j < pipeline_operands(&p->s.op[i]); j++) {
            uint32_t v = pipeline_operand(p, i, j);
            if (!pipeline_persistent(p, v) && p->op[b->from->value[v].op].node != p->op[i].node)
                pipeline_receive(b, v, at);
        }
}

static void add_kernel(struct pipeline_making *b, const struct pipeline_node *n,
                       struct pipeline_at at)
{
    bool fusion = n->is->fusion || sums_up(b, n, at.micro);

    receive_operands(b, n, at);
    add_phase(b, n);
    if (fusion)
        begin_fusion(b, n, at);
    for (uint32_t i = n->first; i < n->first + n->n; i++)
        if (fusion)
            add_op(b, i, at, b->p->op[i].x, NULL);
        else
            add_single(b, i, at);
    if (fusion) {
        add_additions(b, n, at);
        end_fusion(b, n, at);
    }
    EACH_RESULT(b, n, i, j, v)
    {
        pipeline_send(b, v, pipeline_which_micro(b, v, at.micro));
        if (b->p->summed[v] && at.micro + 1 == b->once)
            pipeline_send(b, v, b->once);
    }
}

/* --- what is parted by stages ------------------------------------------------------------- */

/* A share of `all`, so that the shares of weights add up to it. */
static uint64_t share_of(uint64_t all, uint64_t before, uint64_t part, uint64_t of)
{
    return of ? (uint64_t)((u128)all * (before + part) / of - (u128)all * before / of) : all;
}

struct parted {
    uint64_t all, done, part; /* the sizes that shares go by */
};

static void share_out(struct trace_op *x, const struct parted *s)
{
    x->flops = share_of(x->flops, s->done, s->part, s->all);
    x->reads = share_of(x->reads, s->done, s->part, s->all);
    x->writes = share_of(x->writes, s->done, s->part, s->all);
}

/* The operands and results that `take` says, on one stage, and what is sent of them. */
static void add_part(struct pipeline_making *b, const struct pipeline_node *node,
                     struct pipeline_at at, struct trace_op x, const bool *take)
{
    const struct step_op *op = &b->from->op[node->first];

    x.given |= ATTR_BIT(STAGE);
    add_phase(b, node);
    add_op(b, node->first, at, x, take);
    for (uint32_t i = 0; i < op->n_out; i++)
        if (take[i])
            pipeline_send(b, step_result(b->from, op, i), at.micro);
}

/* Input for each stage that takes some of it; what is read from storage comes with the first. */
static void add_infeed(struct pipeline_making *b, const struct pipeline_node *node,
                       struct pipeline_at at)
{
    const struct pipeline *p = b->p;
    const struct step_op *op = &b->from->op[node->first];
    bool *take = memory_zeroed((size_t)op->n_out + op->n_in, sizeof *take);
    bool some = false, first = true;
    struct trace_op x = p->op[node->first].x;
    struct parted s = { 0, 0, 0 };

    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(b->from, op, i), stage = p->stage[v];
        uint64_t bytes = trace_bytes(&b->from->value[v].shape);
        take[i] = stage == at.stage;
        some |= take[i];
        first &= stage >= at.stage;
        s.all += bytes;
        s.part += take[i] ? bytes : 0;
        s.done += stage < at.stage ? bytes : 0;
    }
    if (some) {
        share_out(&x, &s);
        if (!first)
            x.given &=
                ~(ATTR_BIT(TIME) | ATTR_BIT(CALLS) | ATTR_BIT(ITEMS) | ATTR_BIT(ITEM_TIME) |
                  ATTR_BIT(BYTES) | ATTR_BIT(BYTE_TIME) | ATTR_BIT(THREADS) | ATTR_BIT(READERS));
        add_part(b, node, at, x, take);
    }
    free(take);
}

/* True if the work is shared in proportion to the size of operand `v`. */
static bool is_counted(const struct pipeline_making *b, bool updates, uint32_t v)
{
    return !updates || b->from->value[v].role == TRACE_WEIGHT;
}

/* An update or an all-reduce: of each stage what is there. */
static void add_parts(struct pipeline_making *b, const struct pipeline_node *node)
{
    const struct pipeline *p = b->p;
    const struct step_op *op = &b->from->op[node->first];
    bool *take = memory_zeroed((size_t)op->n_in + op->n_out, sizeof *take);
    bool updates = pipeline_updates(p, node->first);
    struct parted s = { 0, 0, 0 };

    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = step_operand(b->from, op, i);
        s.all += is_counted(b, updates, v) ? trace_elements(&b->from->value[v].shape) : 0;
    }
    for (uint32_t k = 0; k < p->plan->stages; k++) {
        struct pipeline_at at = { k, b->once };
        struct trace_op x = p->op[node->first].x;
        bool some = false;
        for (uint32_t i = 0; i < op->n_in; i++) {
            uint32_t v = step_operand(b->from, op, i);
            take[i] = pipeline_use_stage(p, node->first, i) == k;
            some |= take[i];
            if (!take[i])
                continue;
            pipeline_receive(b, pipeline_operand(p, node->first, i), at);
            s.part += is_counted(b, updates, v) ? trace_elements(&b->from->value[v].shape) : 0;
        }
        if (!some)
            continue;
        share_out(&x, &s);
        s.done += s.part;
        s.part = 0;
        add_part(b, node, at, x, take);
    }
    free(take);
}

/* --- the step ----------------------------------------------------------------------------- */

static void add_unit(struct pipeline_making *b, const struct pipeline_unit *u)
{
    const struct pipeline *p = b->p;
    struct pipeline_at at = { u->stage, u->micro };

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pipeline_node *n = &p->node[i];
        if (n->class != (u->backward ? PIPELINE_BACKWARD : PIPELINE_FORWARD))
            continue;
        if (b->from->op[n->first].op.kind == TRACE_INFEED)
            add_infeed(b, n, at);
        else if (n->stage == u->stage)
            add_kernel(b, n, at);
    }
}

static void add_micro_batches(struct pipeline_making *b)
{
    const struct pipeline *p = b->p;
    uint64_t units = p->plan->stages * p->plan->microbatches * 2;
    uint64_t *cost = memory_zeroed(p->plan->stages * 2, sizeof *cost);
    struct pipeline_unit *unit = memory_zeroed(units, sizeof *unit);

    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (pipeline_each(p->node[i].class))
            cost[2 * p->node[i].stage + (p->node[i].class == PIPELINE_BACKWARD)] += p->node[i].cost;
    pipeline_order(p->plan, cost, unit);
    for (uint64_t u = 0; u < units; u++)
        add_unit(b, &unit[u]);
    free(cost);
    free(unit);
}

static void add_once(struct pipeline_making *b, enum pipeline_class class)
{
    const struct pipeline *p = b->p;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pipeline_node *n = &p->node[i];
        if (n->class != class || p->s.op[n->first].dropped)
            continue;
        if (!n->is->fusion &&
            (b->from->op[n->first].op.kind == TRACE_ALL_REDUCE || pipeline_updates(p, n->first)))
            add_parts(b, n);
        else
            add_kernel(b, n, (struct pipeline_at){ n->stage, b->once });
    }
}

/* Nodes from `begin` up to `end` as they are: steps that run between the others, of operations that
 * use tensors and what they make themselves. */
static void copy_nodes(struct pipeline_making *b, uint32_t begin, uint32_t end)
{
    const struct step *from = b->from;
    uint32_t phase = 1;

    while (phase < from->n_phases && from->phase[phase].before < begin)
        phase++;
    for (uint32_t i = begin; i < end; i++) {
        const struct step_node *n = &from->node[i];
        for (; phase < from->n_phases && from->phase[phase].before == i; phase++)
            step_add_phase(b->to, step_text(from, from->phase[phase].name));
        switch (n->kind) {
        case STEP_BEGIN: step_begin_step(b->to, n->count); continue;
        case STEP_REPEAT: step_begin_repeat(b->to, n->count); continue;
        case STEP_END: step_end_block(b->to); continue;
        case STEP_OP: break;
        }
        const struct step_op *op = &from->op[n->first_op];
        struct trace_op x = step_attributes(from, op);
        step_begin_op(b->to, &x);
        for (uint32_t k = 0; k < op->n_in; k++)
            step_add_operand(b->to, b->each[step_operand(from, op, k) * (b->once + 1) + b->once]);
        for (uint32_t k = 0; k < op->n_out; k++) {
            uint32_t v = step_result(from, op, k);
            b->each[v * (b->once + 1) + b->once] =
                step_add_result(b->to, step_name(from, v), &from->value[v]);
        }
        step_end_op(b->to);
    }
}

/* A micro-batch has its part of the padded rows. */
static void cut_padding(struct trace_padding *p, uint64_t parts)
{
    if (strcmp(p->name, TRACE_SAMPLES) == 0 || p->padded % parts)
        return;
    p->padded /= parts;
    p->real = p->real / parts + (p->real % parts * 2 >= parts);
}

static void change_head(const struct pipeline_plan *plan, struct trace_header *h)
{
    size_t n = strlen(h->provenance);

    for (uint32_t i = 0; i < h->n_padding; i++)
        cut_padding(&h->padding[i], plan->microbatches);

    h->shared = h->stages = plan->stages;
    h->cores = plan->stages * plan->data;
    snprintf(h->provenance + n, sizeof h->provenance - n,
             "%scut: pipeline=%" PRIu64 " microbatches=%" PRIu64 " data=%" PRIu64 " schedule=%s",
             n ? "; " : "", plan->stages, plan->microbatches, plan->data,
             plan->schedule == PIPELINE_GPIPE ? "gpipe" : "1f1b");
}

static void add_tensors(struct pipeline_making *b)
{
    for (uint32_t v = 0; v < b->from->n_persistent; v++) {
        uint32_t stage = b->p->stage[v];
        struct step_value x =
            pipeline_value_of_micro(b, v, stage == STEP_NONE ? TRACE_NO_STAGE : stage);
        *pipeline_find_each(b, v, b->once) = step_add_value(b->to, step_name(b->from, v), &x);
    }
}

void pipeline_build(const struct pipeline *p, struct step *to)
{
    size_t n = p->step->n_values;
    struct pipeline_making b = { .p = p, .from = p->step, .to = to, .once = p->plan->microbatches };

    b.each = memory_zeroed(n * (b.once + 1), sizeof *b.each);
    b.sum = memory_zeroed(n * b.once, sizeof *b.sum);
    b.copy = memory_zeroed(n * p->plan->stages * (b.once + 1), sizeof *b.copy);
    b.list = memory_zeroed(2 * n, sizeof *b.list);
    step_clear(to, p->step);
    change_head(p->plan, &to->head);
    add_tensors(&b);
    copy_nodes(&b, 0, p->begin);
    step_begin_step(to, 0);
    add_once(&b, PIPELINE_BEFORE);
    add_micro_batches(&b);
    add_once(&b, PIPELINE_AFTER);
    step_end_block(to);
    copy_nodes(&b, p->end + 1, p->step->n_nodes);
    step_link(to);
    free(b.each);
    free(b.sum);
    free(b.copy);
    free(b.list);
}
