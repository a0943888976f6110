/* Nodes cut beside edges: a core owns nodes / E rows, and its edges also touch rows of others.
 *
 *      gather    rows that others need --all-to-all--> behind one's own, then the gather
 *      scatter   into one's own rows and those of others; these --all-to-all--> added to their own
 *
 * A buffer has a block of `rows a pair` for each core of the group; that for itself stays empty.
 * Which rows a core lends (%halo.rows) comes with the graph, in its infeed.  What several
 * operations gather from is exchanged once. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/wide.h"
#include "passes/shard/shard_impl.h"
#include "step/step_build.h"
#include "trace/attr.h"

#define ROWS "halo.rows"

uint64_t shard_halo_rows(const struct shard_plan *plan, uint64_t nodes)
{
    uint64_t parts = plan->edges, unit = parts * (parts - 1) * SHARD_HALO_ONE;
    u128 wanted = wide_mul(nodes, plan->halo);

    return parts * (uint64_t)((wanted + unit - 1) / unit);
}

/* --- what operations become --------------------------------------------------------------- */

/* Can `op` see what operation `from`, before it, defines? */
static bool sees_op(const struct shard *s, const struct shard_op *op, uint32_t from)
{
    uint32_t scope = op->scope;

    if (from == STEP_NONE)
        return false;
    while (scope != STEP_NONE && scope != s->op[from].scope)
        scope = s->outer[scope];
    return scope != STEP_NONE;
}

void shard_halo_infeed(struct shard *s, struct shard_op *op)
{
    if (s->halo_buffer == 0 || sees_op(s, op, s->halo_infeed))
        return;
    s->halo_infeed = (uint32_t)(op - s->op);
    op->halo = true;
}

void shard_halo_gather(struct shard *s, struct shard_op *op)
{
    uint32_t at = (uint32_t)(op - s->op);
    struct shard_value *table = shard_in(s, op, 0);

    if (s->halo_buffer == 0)
        return;
    BUG_ON(!sees_op(s, op, s->halo_infeed)); /* or nothing here would be cut by rows */
    op->halo = true;
    if (!sees_op(s, op, table->exchanged)) {
        table->exchanged = at;
        s->fix[op->is->first_in] = SHARD_EXCHANGE;
    }
    op->table = table->exchanged;
}

int shard_halo_scatter(struct shard *s, struct shard_op *op, struct err *err)
{
    if (s->halo_buffer == 0)
        return 0;
    BUG_ON(!sees_op(s, op, s->halo_infeed));
    if (op->fusion != STEP_NONE)
        return err_set(err, ERR_FIT, "%s:%u: halo: a scatter to nodes inside a fusion",
                       s->step->file, op->is->op.line);
    op->halo = true;
    return 0;
}

/* --- operations --------------------------------------------------------------------------- */

static uint64_t count_own(const struct shard *s)
{
    return s->node_count / s->parts;
}

/* Value `v` with so many rows. */
static struct step_value value_of_rows(const struct shard_value *v, uint64_t rows)
{
    struct step_value x = *v->is;

    x.shape.dim[0] = rows;
    x.persistent = false;
    return x;
}

/* The result called %NAME.TAILn. */
static uint32_t make_rows(struct shard_making *m, enum trace_kind kind, const char *name,
                          uint64_t group, const uint32_t *in, uint32_t n_in, const char *tail,
                          uint32_t n, const struct shard_value *v, uint64_t rows)
{
    struct step_value like = value_of_rows(v, rows);
    const char *base = step_text(m->from, v->is->name);
    char *result = memory_format("%s.%s%" PRIu32, base, tail, n);
    char *called = memory_format("%s.%s", base, name);
    uint32_t made = shard_make(m, kind, called, group, in, n_in, result, &like);

    free(result);
    free(called);
    return made;
}

void shard_halo_make_rows(struct shard_making *m)
{
    struct step_value rows = {
        .shape = { .dtype = TRACE_S32, .rank = 1, .dim = { m->s->halo_buffer } },
        .role = TRACE_ACTIVATION,
        .stored = TRACE_S32,
        .stage = TRACE_NO_STAGE
    };

    m->rows = step_add_result(m->to, ROWS, &rows);
}

void shard_halo_make_table(struct shard_making *m, uint32_t n)
{
    const struct shard *s = m->s;
    uint32_t from = shard_alias(s, step_operand(m->from, s->op[n].is, 0));
    const struct shard_value *v = &s->value[from];
    uint32_t lent = make_rows(m, TRACE_GATHER, "lent", 0, (uint32_t[]){ m->map[from], m->rows }, 2,
                              "lent", n, v, s->halo_buffer);
    uint32_t halo =
        make_rows(m, TRACE_ALL_TO_ALL, "halo", s->parts, &lent, 1, "halo", n, v, s->halo_buffer);

    m->near[n] = make_rows(m, TRACE_COPY, "near", 0, (uint32_t[]){ m->map[from], halo }, 2, "near",
                           n, v, count_own(s) + s->halo_buffer);
}

uint32_t shard_halo_make_result(struct shard_making *m, uint32_t n)
{
    const struct shard_value *v = shard_out(m->s, &m->s->op[n], 0);
    struct step_value like = value_of_rows(v, count_own(m->s) + m->s->halo_buffer);
    char *name = memory_format("%s.near%" PRIu32, step_text(m->from, v->is->name), n);
    uint32_t made = step_add_result(m->to, name, &like);

    free(name);
    return made;
}

/* %NAME.ownn, %NAME.halon = copy(%NAME.nearn): returns both. */
static void part_rows(struct shard_making *m, uint32_t n, uint32_t near, uint32_t part[2])
{
    const struct shard_value *v = shard_out(m->s, &m->s->op[n], 0);
    struct step_value own = value_of_rows(v, count_own(m->s));
    struct step_value halo = value_of_rows(v, m->s->halo_buffer);
    const char *base = step_text(m->from, v->is->name);
    char *called = memory_format("%s.own", base), *name = memory_format("%s.own%" PRIu32, base, n);
    char *second = memory_format("%s.halo%" PRIu32, base, n);
    struct trace_op x = shard_attributes(TRACE_COPY, called, 0);

    step_begin_op(m->to, &x);
    step_add_operand(m->to, near);
    part[0] = step_add_result(m->to, name, &own);
    part[1] = step_add_result(m->to, second, &halo);
    step_end_op(m->to);
    free(called);
    free(name);
    free(second);
}

void shard_halo_make_return(struct shard_making *m, uint32_t n, uint32_t near)
{
    const struct shard *s = m->s;
    const struct shard_value *v = shard_out(s, &s->op[n], 0);
    struct step_value like = value_of_rows(v, count_own(s));
    const char *base = step_text(m->from, v->is->name);
    char *called = memory_format("%s.add", base);
    uint32_t part[2];

    part_rows(m, n, near, part);
    uint32_t back =
        make_rows(m, TRACE_ALL_TO_ALL, "halo", s->parts, &part[1], 1, "back", n, v, s->halo_buffer);
    struct trace_op x = shard_attributes(TRACE_SCATTER, called, 0);
    x.flops = s->halo_buffer * (trace_elements(&v->is->shape) / v->is->shape.dim[0]);
    x.given |= ATTR_BIT(FLOPS);
    step_begin_op(m->to, &x);
    step_add_operand(m->to, back);
    step_add_operand(m->to, m->rows);
    step_add_operand(m->to, part[0]);
    m->map[step_result(m->from, s->op[n].is, 0)] = step_add_result(m->to, base, &like);
    step_end_op(m->to);
    free(called);
}
