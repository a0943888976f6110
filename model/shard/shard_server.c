/* A parameter server: the client keeps the optimizer, cores hold copies of the weights.  All
 * updates of a step become one operation of the client, in the place of the last of them. */
#include <inttypes.h>

#include "shard/shard_impl.h"

bool server_takes(struct shard *s, struct shard_op *op)
{
    bool trains = false;

    for (uint32_t i = 0; i < op->n_in; i++)
        trains |= shard_in(s, op, i)->role == TRACE_GRADIENT;
    if (!s->plan.server || !trains)
        return false;
    op->dropped = true;
    s->update = (uint32_t)(op - s->op);
    for (uint32_t i = 0; i < op->n_in; i++) {
        struct shard_value *x = shard_in(s, op, i);
        if (x->served)
            continue;
        x->served = true;
        s->update_bytes += trace_bytes(&x->shape);
        if (x->role == TRACE_WEIGHT)
            s->update_weights += trace_bytes(&x->shape);
    }
    return true;
}

/* A thread of the server streams 10 GB/s. [unverified] */
#define SERVER_WORK "byte-time=\"0.1 ns\" threads=8 client=1"

void server_print(const struct shard *s, FILE *out)
{
    bool some = false;

    fputs("host(", out);
    for (uint32_t v = 0; v < s->n_values; v++)
        if (s->value[v].served && s->value[v].role == TRACE_GRADIENT) {
            fprintf(out, "%s%%%s", some ? ", " : "", s->value[v].name);
            some = true;
        }
    fprintf(out, ") name=\"server.update\" bytes=%" PRIu64 " " SERVER_WORK " writes=%" PRIu64 "\n",
            s->update_bytes, s->update_weights);
}
