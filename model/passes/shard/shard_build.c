/* The step of one core: what the rules ask for is put before each operation, and a fusion that
 * would hold it is parted there.
 *
 * An added operation has its name, group and shapes; the reader derives its bytes, FLOPs and
 * payload when it reads the text of the step. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "passes/shard/shard_impl.h"
#include "step/step_build.h"
#include "trace/attr.h"

static uint64_t part_of(const struct shard *s, uint64_t n)
{
    return n / s->parts + (n % s->parts != 0);
}

/* A value as one core has it. */
static struct step_value value_of_core(const struct shard *s, uint32_t v)
{
    struct step_value x = *s->value[v].is;
    int split = s->value[v].split;

    if (split != SHARD_WHOLE)
        x.shape.dim[split] = part_of(s, x.shape.dim[split]);
    return x;
}

/* --- what is put before an operation ------------------------------------------------------ */

static void make_fix(struct shard_making *m, uint32_t n, uint32_t i)
{
    const struct shard *s = m->s;
    const struct step_op *op = s->op[n].is;
    uint32_t v = shard_alias(s, step_operand(m->from, op, i)), ref = op->first_in + i;
    const char *base = step_name(m->from, v);

    if (s->fix[ref] == SHARD_EXCHANGE) {
        shard_halo_make_table(m, n);
        return;
    }
    bool sums = s->fix[ref] == SHARD_REDUCE;
    char *name = memory_format("%s.%s", base, sums ? "sum" : "all");
    char *result = memory_format("%s.all%" PRIu32 "_%" PRIu32, base, n, i);
    struct step_value like = *s->value[step_operand(m->from, op, i)].is;
    like.role = TRACE_ACTIVATION;
    like.persistent = false; /* also of a weight: what is gathered is a result */
    if (sums)
        shard_make(m, TRACE_ALL_REDUCE, name, s->parts, &m->map[v], 1, NULL, NULL);
    else
        m->whole[ref] =
            shard_make(m, TRACE_ALL_GATHER, name, s->parts, &m->map[v], 1, result, &like);
    free(name);
    free(result);
}

/* Put what operands of a member need before its whole fusion (`outside`), or its part of it. */
static void make_fixes(struct shard_making *m, uint32_t n, bool outside)
{
    const struct shard *s = m->s;
    const struct shard_op *op = &s->op[n];

    for (uint32_t i = 0; i < op->is->n_in; i++) {
        uint32_t made_by = shard_in(s, op, i)->is->op;
        bool ahead = op->fusion != STEP_NONE && (made_by == STEP_NONE || made_by < op->fusion);

        if (s->fix[op->is->first_in + i] == SHARD_FINE ||
            (op->fusion != STEP_NONE && ahead != outside))
            continue;
        make_fix(m, n, i);
    }
}

/* Must a fusion be parted before this member? */
static bool is_parted(const struct shard *s, uint32_t n)
{
    const struct shard_op *op = &s->op[n];

    for (uint32_t i = 0; i < op->is->n_in; i++) {
        uint32_t made_by = shard_in(s, op, i)->is->op;
        if (s->fix[op->is->first_in + i] != SHARD_FINE && made_by != STEP_NONE &&
            made_by >= op->fusion)
            return true;
    }
    return false;
}

/* --- operations --------------------------------------------------------------------------- */

/* Scale the work of an operation to one core. */
static void scale_work(const struct shard *s, const struct shard_op *op, struct trace_op *x)
{
    if (!op->share)
        return;
    x->flops = part_of(s, x->flops);
    x->reads = part_of(s, x->reads);
    x->writes = part_of(s, x->writes);
    if (x->kind != TRACE_GATHER && x->kind != TRACE_SCATTER)
        return;
    bool columns = shard_out(s, op, 0)->split > 0;
    if (columns)
        x->cols = part_of(s, x->cols);
    else
        x->rows = part_of(s, x->rows);
    if (op->halo)
        x->table_rows = s->node_count / s->parts + s->halo_buffer;
    else if (s->node_count && !columns && x->table_rows == s->node_count)
        x->table_rows /= s->parts;
}

/* Operand `i` of operation n in the new step. */
static uint32_t map_operand(const struct shard_making *m, uint32_t n, uint32_t i)
{
    const struct shard_op *op = &m->s->op[n];
    bool fixed = i < op->is->n_in; /* no bias is */

    if (fixed && m->s->fix[op->is->first_in + i] == SHARD_GATHER)
        return m->whole[op->is->first_in + i];
    if (op->halo && op->is->op.kind == TRACE_GATHER && i == 0)
        return m->near[op->table];
    return m->map[shard_alias(m->s, step_operand(m->from, op->is, i))];
}

/* The operands of which `take` says so, or all. */
static void add_operands(struct shard_making *m, uint32_t n, const bool *take)
{
    const struct step_op *op = m->s->op[n].is;

    for (uint32_t i = 0; i < op->n_in; i++)
        if (!take || take[i])
            step_add_operand(m->to, map_operand(m, n, i));
    if (op->bias != STEP_NONE)
        step_set_bias(m->to, map_operand(m, n, op->n_in));
}

/* `sums`: results of an all-reduce are not marked as gradients. */
static void add_results(struct shard_making *m, uint32_t n, bool sums)
{
    const struct step_op *op = m->s->op[n].is;

    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(m->from, op, i);
        struct step_value x = value_of_core(m->s, v);
        x.role = sums ? TRACE_ACTIVATION : x.role;
        m->map[v] = step_add_result(m->to, step_name(m->from, v), &x);
    }
}

/* Gradients of weights that members have alike are reduced over the groups, summands over all. */
static void make_all_reduce(struct shard_making *m, uint32_t n)
{
    const struct shard *s = m->s;
    const struct step_op *op = s->op[n].is;
    bool *take = memory_zeroed((size_t)op->n_in + 1, sizeof *take);
    struct trace_op x = step_attributes(m->from, op);

    x.given &=
        ~(uint64_t)(ATTR_BIT(FLOPS) | ATTR_BIT(READS) | ATTR_BIT(WRITES) | ATTR_BIT(PAYLOAD));
    for (int all = 1; all >= 0; all--) {
        uint32_t some = 0;
        for (uint32_t i = 0; i < op->n_in; i++) {
            take[i] = s->summand[op->first_in + i] == (all == 1);
            some += take[i];
        }
        if (some == 0 || (!all && s->plan.data == 1 && op->n_out == 0))
            continue;
        if (!all) {
            x.group = (uint32_t)s->plan.data;
            x.group_stride = s->parts;
        }
        step_begin_op(m->to, &x);
        add_operands(m, n, take);
        add_results(m, n, true);
        if (!all)
            step_set_tail(m->to, "group=%" PRIu64 " group-stride=%" PRIu64, s->plan.data, s->parts);
        step_end_op(m->to);
    }
    free(take);
}

static void make_op(struct shard_making *m, uint32_t n)
{
    const struct shard_op *op = &m->s->op[n];
    struct trace_op x = step_attributes(m->from, op->is);

    if (x.kind == TRACE_ALL_REDUCE) {
        make_all_reduce(m, n);
        return;
    }
    scale_work(m->s, op, &x);
    step_begin_op(m->to, &x);
    add_operands(m, n, NULL);
    if (op->halo && x.kind == TRACE_SCATTER) {
        uint32_t near = shard_halo_make_result(m, n);
        step_end_op(m->to);
        shard_halo_make_return(m, n, near);
        return;
    }
    add_results(m, n, false);
    if (op->halo && x.kind == TRACE_INFEED)
        shard_halo_make_rows(m);
    step_end_op(m->to);
}

/* --- fusions ------------------------------------------------------------------------------ */

/* Close the part that ends before operation n: what it makes and something behind it uses, or the
 * whole fusion lists, leaves it. */
static void end_part(struct shard_making *m, uint32_t begin, uint32_t n)
{
    const struct shard *s = m->s;
    uint32_t listed = 0;

    if (m->open && !m->plain) {
        for (uint32_t i = begin; i < n; i++)
            for (uint32_t k = 0; k < s->op[i].is->n_out; k++) {
                uint32_t v = step_result(m->from, s->op[i].is, k), last = s->value[v].last_use;
                if (shard_is_listed(s, v) || (last != STEP_NONE && last >= n))
                    m->list[listed++] = m->map[v];
            }
        step_end_fusion(m->to, m->list, listed);
    }
    m->open = false;
}

/* Open the part of a fusion that begins with operation n. */
static void begin_part(struct shard_making *m, const struct step_node *node, uint32_t n)
{
    uint32_t end = n + 1, fusion_end = node->first_op + node->n_ops;
    bool first = n == node->first_op;
    struct trace_op x = {
        .kind = TRACE_FUSION,
        .kind_text = trace_kind_name[TRACE_FUSION],
        .name = step_text(m->from, node->name),
        .note = !first || node->note == STEP_NONE ? NULL : step_text(m->from, node->note),
        .given = first ? node->given : 0,
        .stage = node->stage,
        .line = node->line,
    };

    while (end < fusion_end && !is_parted(m->s, end))
        end++;
    m->segment_end = end;
    m->open = true;
    m->plain = end == n + 1 && node->n_ops > 1;
    if (!m->plain)
        step_begin_fusion(m->to, &x, node->title != node->name);
}

static void make_fusion(struct shard_making *m, const struct step_node *node)
{
    uint32_t begin = node->first_op, end = node->first_op + node->n_ops;

    for (uint32_t n = begin; n < end; n++)
        make_fixes(m, n, true);
    for (uint32_t n = begin; n < end; n++) {
        if (!m->open || n == m->segment_end) {
            end_part(m, begin, n);
            make_fixes(m, n, false);
            begin_part(m, node, n);
            begin = n;
        }
        make_op(m, n);
    }
    end_part(m, begin, end);
}

/* --- the step ----------------------------------------------------------------------------- */

/* To the provenance, as far as there is room. */
__attribute__((format(printf, 2, 3))) static void add_word(struct trace_header *h, const char *fmt,
                                                           ...)
{
    size_t n = strlen(h->provenance);
    va_list args;

    va_start(args, fmt);
    plain_text_list(h->provenance + n, sizeof h->provenance - n, fmt, args);
    va_end(args);
}

static void change_head(const struct shard *s, struct trace_header *h)
{
    const struct shard_plan *plan = &s->plan;

    h->shared = s->parts;
    if (plan->apart) /* the generator's parameters no longer say what a slice runs */
        h->n_params = 0;
    h->cores = plan->apart || plan->server ? 0 : s->parts * plan->data;
    if (h->provenance[0])
        add_word(h, "; ");
    if (plan->server)
        add_word(h, "parameter server");
    else
        add_word(h, "cut: data=%" PRIu64 " %s=%" PRIu64, plan->data,
                 plan->edges > 1 ? "edges" : "model", s->parts);
    if (plan->staleness)
        add_word(h, ": staleness=%" PRIu64, plan->staleness);
    if (plan->nodes)
        add_word(h, " halo=%.12g", (double)plan->halo / SHARD_HALO_ONE);
}

static void make_tensors(struct shard_making *m)
{
    for (uint32_t v = 0; v < m->from->n_persistent; v++) {
        const struct shard_value *x = &m->s->value[v];
        struct step_value of_core = value_of_core(m->s, v);
        if (x->is->role == TRACE_STATE && x->served && !x->kept)
            continue; /* the server has it */
        m->map[v] = step_add_value(m->to, step_name(m->from, v), &of_core);
    }
}

static void make_node(struct shard_making *m, const struct step_node *node)
{
    uint32_t n = node->first_op;

    switch (node->kind) {
    case STEP_BEGIN: step_begin_step(m->to, node->count); return;
    case STEP_REPEAT: step_begin_repeat(m->to, node->count); return;
    case STEP_END: step_end_block(m->to); return;
    case STEP_OP: break;
    }
    if (node->fusion) {
        make_fusion(m, node);
    } else if (m->s->plan.server && shard_server_updates(m->s, n)) {
        shard_server_make(m, n);
    } else if (!m->s->op[n].dropped) {
        make_fixes(m, n, false);
        make_op(m, n);
    }
}

void shard_build(const struct shard *s, struct step *to)
{
    const struct step *from = s->step;
    struct shard_making m = { .s = s, .from = from, .to = to };
    uint32_t phase = 1;

    m.map = memory_zeroed(from->n_values, sizeof *m.map);
    m.whole = memory_zeroed(from->n_refs, sizeof *m.whole);
    m.near = memory_zeroed(from->n_ops, sizeof *m.near);
    m.list = memory_zeroed(from->n_values, sizeof *m.list);
    step_clear(to, from);
    change_head(s, &to->head);
    make_tensors(&m);
    for (uint32_t i = 0; i <= from->n_nodes; i++) {
        for (; phase < from->n_phases && from->phase[phase].before == i; phase++)
            step_add_phase(to, step_text(from, from->phase[phase].name));
        if (i < from->n_nodes)
            make_node(&m, &from->node[i]);
    }
    step_link(to);
    free(m.map);
    free(m.whole);
    free(m.near);
    free(m.list);
}
