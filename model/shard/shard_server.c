/* A parameter server: the client keeps the optimizer, cores hold copies of the weights.  All
 * updates of a step, or of a loop in it, become one operation of the client, in the place of the
 * last of them: one for all cores together or, with a staleness, one for each, which its core does
 * not wait for. */
#include <inttypes.h>

#include "shard/shard_impl.h"

bool server_takes(struct shard *s, struct shard_op *op)
{
    bool trains = false;

    for (uint32_t i = 0; i < op->n_in; i++)
        trains |= shard_in(s, op, i)->role == TRACE_GRADIENT;
    if (!s->plan.server || !trains)
        return false;
    uint32_t before = s->update[op->scope];
    op->dropped = true;
    s->update[op->scope] = (uint32_t)(op - s->op);
    s->updates = true;
    if (before != SHARD_NONE) {
        op->update_bytes = s->op[before].update_bytes;
        op->update_weights = s->op[before].update_weights;
    }
    for (uint32_t i = 0; i < op->n_in; i++) {
        struct shard_value *x = shard_in(s, op, i);
        if (x->served && x->update == op->scope)
            continue;
        x->served = true;
        x->update = op->scope;
        op->update_bytes += trace_bytes(&x->shape);
        if (x->role == TRACE_WEIGHT)
            op->update_weights += trace_bytes(&x->shape);
    }
    return true;
}

bool server_updates(const struct shard *s, uint32_t n)
{
    return s->op[n].dropped && s->update[s->op[n].scope] == n;
}

/* A thread of the server streams 10 GB/s. [unverified] */
#define SERVER_WORK "byte-time=\"0.1 ns\" threads=8 client=1"

void server_print(const struct shard *s, uint32_t n, FILE *out)
{
    const struct shard_op *op = &s->op[n];
    bool some = false;

    fputs("host(", out);
    for (uint32_t v = 0; v < s->n_values; v++)
        if (s->value[v].served && s->value[v].update == op->scope &&
            s->value[v].role == TRACE_GRADIENT) {
            fprintf(out, "%s%%%s", some ? ", " : "", s->value[v].name);
            some = true;
        }
    fprintf(out, ") name=\"server.update\" bytes=%" PRIu64 " " SERVER_WORK, op->update_bytes);
    if (s->plan.staleness)
        fprintf(out, " staleness=%" PRIu64, s->plan.staleness);
    fprintf(out, " writes=%" PRIu64 "\n", op->update_weights);
}
