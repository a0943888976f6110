#include "passes/join.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "step/step_build.h"
#include "trace/attr.h"

/* Parts of an array that products put together, those of arrays in it too: each product repeats
 * them, and each array in another is a level of recursion. */
#define MOST_PARTS 64

struct join {
    struct step *from, to;
    struct tiling tiling;
    uint32_t *block;       /* [node]: the innermost bracket around it */
    bool *apart;           /* [value]: products put it together where they read it */
    bool *twice;           /* [value]: it is kept for products and for others */
    uint32_t *made;        /* [value of `from`] in `to` */
    uint32_t *rounded;     /* ... as products have it */
    uint32_t *here, *node; /* [value]: as the kernel of `node` has it put together */
    uint32_t *listed;      /* room for the values that leave a kernel */
};

/* --- which ones --------------------------------------------------------------------------- */

/* The dimension along which an operation puts its operands side by side, or STEP_NONE. */
static uint32_t find_dim(const struct step *step, const struct step_op *op)
{
    if (op->op.kind != TRACE_COPY || op->op.async != TRACE_SYNC || op->n_in < 2 || op->n_out != 1)
        return STEP_NONE;
    const struct trace_shape *out = &step->value[step_result(step, op, 0)].shape;
    const struct trace_shape *first = &step->value[step_operand(step, op, 0)].shape;
    uint64_t sum = 0;
    uint32_t d = 0;

    while (d < out->rank && d < first->rank && out->dim[d] == first->dim[d])
        d++;
    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct trace_shape *in = &step->value[step_operand(step, op, i)].shape;
        if (d >= out->rank || in->rank != out->rank)
            return STEP_NONE;
        for (uint32_t k = 0; k < out->rank; k++)
            if (k != d && in->dim[k] != out->dim[k])
                return STEP_NONE;
        sum += in->dim[d];
    }
    return sum == out->dim[d] ? d : STEP_NONE;
}

/* True if each part begins with a tile, or all of them are in one. */
static bool keeps_tiles(const struct join *j, const struct step_op *op, uint32_t d)
{
    const struct trace_shape *out = &j->from->value[step_result(j->from, op, 0)].shape;
    uint64_t tile = d + 1 == out->rank   ? j->tiling.lanes
                    : d + 2 == out->rank ? j->tiling.sublanes
                                         : 1;
    bool whole = true;

    for (uint32_t i = 0; i + 1 < op->n_in; i++)
        whole &= j->from->value[step_operand(j->from, op, i)].shape.dim[d] % tile == 0;
    return whole || out->dim[d] <= tile;
}

/* True if operand `i` of `op` may be put together by its kernel. */
static bool reads_parts(const struct join *j, const struct step_op *op, uint32_t i)
{
    const struct step *step = j->from;
    const struct step_value *v = &step->value[step_operand(step, op, i)];
    const struct step_node *n = &step->node[op->node];

    return !v->persistent && i < op->n_in && op->op.async == TRACE_SYNC && !n->library &&
           n->stage == v->stage && j->block[op->node] == j->block[v->def] &&
           (trace_is_gemm(op->op.kind) ||
            (op->op.kind == TRACE_COPY && j->apart[step_result(step, op, 0)] &&
             find_dim(step, op) == find_dim(step, &step->op[v->op])));
}

/* Parts of each array side by side, at most MOST_PARTS + 1. */
static uint8_t *count_parts(const struct step *step)
{
    uint8_t *parts = memory_zeroed(step->n_values, sizeof *parts);

    for (uint32_t o = 0; o < step->n_ops; o++) {
        const struct step_op *op = &step->op[o];
        uint32_t sum = 0;
        if (find_dim(step, op) == STEP_NONE)
            continue;
        for (uint32_t i = 0; i < op->n_in && sum <= MOST_PARTS; i++) {
            uint8_t inner = parts[step_operand(step, op, i)];
            sum += inner ? inner : 1;
        }
        parts[step_result(step, op, 0)] = (uint8_t)(sum <= MOST_PARTS ? sum : MOST_PARTS + 1);
    }
    return parts;
}

static bool find_apart(struct join *j)
{
    const struct step *step = j->from;
    bool *read = memory_zeroed(step->n_values, sizeof *read), some = false;
    bool *barred = memory_zeroed(step->n_values, sizeof *barred);
    uint8_t *parts = count_parts(step);

    /* backwards, so that the readers of a value are known before its maker */
    for (uint32_t o = step->n_ops; o-- > 0;) {
        const struct step_op *op = &step->op[o];
        uint32_t d = find_dim(step, op);
        if (d != STEP_NONE) {
            uint32_t v = step_result(step, op, 0);
            j->apart[v] = read[v] && !barred[v] && parts[v] <= MOST_PARTS && keeps_tiles(j, op, d);
            some |= j->apart[v];
        }
        for (uint32_t i = 0; i < step_n_operands(op); i++) {
            uint32_t v = step_operand(step, op, i);
            read[v] = true;
            barred[v] |= !reads_parts(j, op, i);
        }
    }
    free(read);
    free(barred);
    free(parts);
    return some;
}

/* True if others than products read the value in the kernel of `op`, which does not make it. */
static bool reads_all_bits(const struct step *step, const struct step_op *op, uint32_t v)
{
    bool product = trace_is_gemm(op->op.kind) && op->op.precision == TRACE_DEFAULT;

    return !product && !trace_has_trait(op->op.kind, TRACE_HANDS_ON) &&
           step->value[v].def != op->node;
}

/* True if the kernel of value `v` can round it besides. */
static bool can_round(const struct step *step, uint32_t v)
{
    const struct step_value *x = &step->value[v];

    if (x->persistent || x->shape.dtype != TRACE_F32)
        return false;
    const struct step_op *op = &step->op[x->op];
    const struct step_node *n = &step->node[op->node];
    return n->fusion ? !n->library : trace_is_gemm(op->op.kind) || op->op.kind == TRACE_ELEMENTWISE;
}

/* Mark the parts that a kernel keeps rounded, for products, besides what it keeps for others. */
static void find_twice(struct join *j)
{
    const struct step *step = j->from;
    bool *part = memory_zeroed(step->n_values, sizeof *part);

    for (uint32_t o = 0; o < step->n_ops; o++) {
        const struct step_op *op = &step->op[o];
        bool apart = op->n_out == 1 && j->apart[step_result(step, op, 0)];
        for (uint32_t i = 0; i < op->n_in && apart; i++)
            part[step_operand(step, op, i)] = true;
    }
    for (uint32_t o = 0; o < step->n_ops; o++) {
        const struct step_op *op = &step->op[o];
        for (uint32_t i = 0; i < op->n_in; i++) {
            uint32_t v = step_operand(step, op, i);
            j->twice[v] |=
                part[v] && !j->apart[v] && can_round(step, v) && reads_all_bits(step, op, v);
        }
    }
    free(part);
}

/* --- the step that is left ---------------------------------------------------------------- */

static void add_parts(struct join *j, const struct step_op *op)
{
    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = step_operand(j->from, op, i);
        if (j->apart[v])
            add_parts(j, &j->from->op[j->from->value[v].op]);
        else
            step_add_operand(&j->to, j->twice[v] ? j->rounded[v] : j->made[v]);
    }
}

/* Put value `v` together in the kernel of node `n`, once. */
static void put_together(struct join *j, uint32_t v, uint32_t n)
{
    const struct step_value *x = &j->from->value[v];
    const struct step_op *op = &j->from->op[x->op];
    struct trace_op is = step_attributes(j->from, op);

    if (j->node[v] == n)
        return;
    is.given |= ATTR_BIT(NAME);
    step_begin_op(&j->to, &is);
    add_parts(j, op);
    char *name = x->def == n ? memory_copy(step_name(j->from, v))
                             : memory_format("%s.at.%" PRIu32, step_name(j->from, v), n);
    j->here[v] = step_add_result(&j->to, name, x);
    j->node[v] = n;
    free(name);
    step_end_op(&j->to);
}

static uint32_t map_operand(const struct join *j, uint32_t v)
{
    return j->apart[v] ? j->here[v] : j->made[v];
}

static bool is_apart(const struct join *j, const struct step_op *op)
{
    return op->n_out == 1 && j->apart[step_result(j->from, op, 0)];
}

static void add_op(struct join *j, const struct step_op *op)
{
    const struct step *from = j->from;
    struct trace_op is = step_attributes(from, op);

    for (uint32_t i = 0; i < op->n_in; i++)
        if (j->apart[step_operand(from, op, i)])
            put_together(j, step_operand(from, op, i), op->node);
    step_begin_op(&j->to, &is);
    for (uint32_t i = 0; i < op->n_in; i++)
        step_add_operand(&j->to, map_operand(j, step_operand(from, op, i)));
    if (op->bias != STEP_NONE)
        step_set_bias(&j->to, map_operand(j, op->bias));
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(from, op, i);
        j->made[v] = step_add_result(&j->to, step_name(from, v), &from->value[v]);
    }
    step_end_op(&j->to);
}

static void begin_fusion(struct join *j, const struct step_node *n)
{
    const struct step *from = j->from;
    struct trace_op is = { .kind = TRACE_FUSION,
                           .kind_text = step_text(from, n->kind_text),
                           .name = step_text(from, n->fusion ? n->name : n->title),
                           .note = step_optional(from, n->note),
                           .scope = step_optional(from, n->scope),
                           .source = step_optional(from, n->source),
                           .stage = n->stage,
                           .given = n->fusion ? n->given : 0,
                           .line = n->line };

    step_begin_fusion(&j->to, &is, !n->fusion || n->title != n->name);
}

/* Keep result `v` of the operation before once more, for products. */
static uint32_t add_rounded(struct join *j, uint32_t v)
{
    const struct step_value *x = &j->from->value[v];
    struct trace_op is = { .kind = TRACE_COPY,
                           .kind_text = trace_kind_name[TRACE_COPY],
                           .name = step_name(j->from, v),
                           .stage = x->stage,
                           .line = j->from->op[x->op].op.line,
                           .given = ATTR_BIT(NAME) };
    char *name = memory_format("%s.rounded", step_name(j->from, v));

    step_begin_op(&j->to, &is);
    step_add_operand(&j->to, j->made[v]);
    j->rounded[v] = step_add_result(&j->to, name, x);
    step_end_op(&j->to);
    free(name);
    return j->rounded[v];
}

/* A kernel; `alone`: one operation that reads nothing that is put together, and rounds nothing. */
static void add_kernel(struct join *j, const struct step_node *n, bool alone)
{
    const struct step *from = j->from;
    uint32_t listed = 0;

    if (!alone)
        begin_fusion(j, n);
    for (uint32_t o = n->first_op; o < n->first_op + n->n_ops; o++) {
        const struct step_op *op = &from->op[o];
        if (is_apart(j, op))
            continue;
        add_op(j, op);
        for (uint32_t i = 0; i < op->n_out; i++) {
            uint32_t v = step_result(from, op, i);
            if (!from->value[v].on_chip)
                j->listed[listed++] = j->made[v];
            if (j->twice[v])
                j->listed[listed++] = add_rounded(j, v);
        }
    }
    if (!alone)
        step_end_fusion(&j->to, j->listed, listed);
}

static void add_node(struct join *j, const struct step_node *n)
{
    bool some = false, alone = !n->fusion;

    switch (n->kind) {
    case STEP_REPEAT: step_begin_repeat(&j->to, n->count); break;
    case STEP_BEGIN: step_begin_step(&j->to, n->count); break;
    case STEP_END: step_end_block(&j->to); break;
    case STEP_OP:
        for (uint32_t o = n->first_op; o < n->first_op + n->n_ops; o++) {
            const struct step_op *op = &j->from->op[o];
            some |= !is_apart(j, op);
            for (uint32_t i = 0; i < op->n_in; i++)
                alone &= !j->apart[step_operand(j->from, op, i)];
            for (uint32_t i = 0; i < op->n_out; i++)
                alone &= !j->twice[step_result(j->from, op, i)];
        }
        if (!some)
            return;
        add_kernel(j, n, alone);
    }
    j->to.node[j->to.n_nodes - 1].line = n->line;
}

static void build_step(struct join *j)
{
    const struct step *from = j->from;
    uint32_t phase = 1;

    step_init(&j->to);
    step_clear(&j->to, from);
    for (uint32_t v = 0; v < from->n_persistent; v++)
        j->made[v] = step_add_value(&j->to, step_name(from, v), &from->value[v]);
    for (uint32_t i = 0; i <= from->n_nodes; i++) {
        for (; phase < from->n_phases && from->phase[phase].before == i; phase++) {
            step_add_phase(&j->to, step_text(from, from->phase[phase].name));
            j->to.phase[phase].line = from->phase[phase].line;
        }
        if (i < from->n_nodes)
            add_node(j, &from->node[i]);
    }
    step_link(&j->to);
}

void join_step(struct step *step, struct tiling tiling, bool round)
{
    size_t n = (size_t)step->n_values + 1;

    if (step->compiled || tiling.lanes == 0)
        return;
    struct join j = { .from = step,
                      .tiling = tiling,
                      .block = step_blocks(step),
                      .apart = memory_zeroed(n, sizeof *j.apart),
                      .twice = memory_zeroed(n, sizeof *j.twice),
                      .made = memory_zeroed(n, sizeof *j.made),
                      .rounded = memory_zeroed(n, sizeof *j.rounded),
                      .here = memory_zeroed(n, sizeof *j.here),
                      .node = memory_zeroed(n, sizeof *j.node),
                      .listed = memory_zeroed(2 * n, sizeof *j.listed) };

    for (uint32_t v = 0; v < step->n_values; v++)
        j.node[v] = STEP_NONE;
    if (find_apart(&j)) {
        if (round && step->head.activations == TRACE_ACTIVATIONS_PRODUCTS)
            find_twice(&j);
        build_step(&j);
        /* who reads the trace goes on with this one */
        j.to.slot = step->slot;
        j.to.cap_slots = step->cap_slots;
        step->slot = NULL;
        step_free(step);
        *step = j.to;
    }
    free(j.block);
    free(j.apart);
    free(j.twice);
    free(j.made);
    free(j.rounded);
    free(j.here);
    free(j.node);
    free(j.listed);
}
