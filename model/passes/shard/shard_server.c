/* A parameter server: the client keeps the optimizer, cores hold copies of the weights.  All
 * updates of a step, or of a loop in it, become one operation of the client, in the place of the
 * last of them: one for all cores together or, with a staleness, one for each, which its core does
 * not wait for. */
#include <inttypes.h>
#include <stdio.h>

#include "passes/shard/shard_impl.h"
#include "step/step_build.h"
#include "trace/attr.h"

bool shard_server_takes(struct shard *s, struct shard_op *op)
{
    bool trains = false;

    for (uint32_t i = 0; i < op->is->n_in; i++)
        trains |= shard_in(s, op, i)->is->role == TRACE_GRADIENT;
    if (!s->plan.server || !trains)
        return false;
    uint32_t before = s->update[op->scope];
    op->dropped = true;
    s->update[op->scope] = (uint32_t)(op - s->op);
    s->updates = true;
    if (before != STEP_NONE) {
        op->update_bytes = s->op[before].update_bytes;
        op->update_weights = s->op[before].update_weights;
    }
    for (uint32_t i = 0; i < op->is->n_in; i++) {
        struct shard_value *x = shard_in(s, op, i);
        if (x->served && x->update == op->scope)
            continue;
        x->served = true;
        x->update = op->scope;
        op->update_bytes += trace_bytes(&x->is->shape);
        if (x->is->role == TRACE_WEIGHT)
            op->update_weights += trace_bytes(&x->is->shape);
    }
    return true;
}

bool shard_server_updates(const struct shard *s, uint32_t n)
{
    return s->op[n].dropped && s->update[s->op[n].scope] == n;
}

#define SERVER_FS_PER_BYTE UINT64_C(100000) /* a thread streams 10 GB/s [unverified] */
#define SERVER_THREADS 8

/* The attributes as the trace has them; the time in the unit of the source. */
static void write_attributes(struct shard_making *m, const struct shard_op *op)
{
    uint64_t staleness = m->s->plan.staleness;
    char tail[64] = "";

    if (staleness)
        snprintf(tail, sizeof tail, " staleness=%" PRIu64, staleness);
    step_set_tail(m->to, "byte-time=\"0.1 ns\" threads=%d client=1%s writes=%" PRIu64,
                  SERVER_THREADS, tail, op->update_weights);
}

void shard_server_make(struct shard_making *m, uint32_t n)
{
    const struct shard *s = m->s;
    const struct shard_op *op = &s->op[n];
    struct trace_op x = shard_attributes(TRACE_HOST, "server.update", 0);

    x.work.bytes = op->update_bytes;
    x.work.byte_fs = SERVER_FS_PER_BYTE;
    x.work.threads = SERVER_THREADS;
    x.work.client = true;
    x.work.staleness = s->plan.staleness;
    x.writes = op->update_weights;
    x.given |= ATTR_BIT(BYTES);
    step_begin_op(m->to, &x);
    for (uint32_t v = 0; v < m->from->n_values; v++)
        if (s->value[v].served && s->value[v].update == op->scope &&
            s->value[v].is->role == TRACE_GRADIENT)
            step_add_operand(m->to, m->map[shard_alias(s, v)]);
    write_attributes(m, op);
    step_end_op(m->to);
}
