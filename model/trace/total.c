/* total.c - totals of a trace (trace.h): FLOPs, bytes and parameters of one pass through its steps.
 */
#include <inttypes.h>
#include <string.h>

#include "base/exact.h"
#include "trace/reader.h"

void trace_totals_init(struct trace_totals *s)
{
    memset(s, 0, sizeof *s);
    mpz_inits(s->flops, s->reads, s->writes, s->reduce_bytes, s->infeed_bytes, s->outfeed_bytes,
              s->parameters, s->weight_bytes, s->state_bytes, s->input_bytes, NULL);
}

void trace_totals_clear(struct trace_totals *s)
{
    mpz_clears(s->flops, s->reads, s->writes, s->reduce_bytes, s->infeed_bytes, s->outfeed_bytes,
               s->parameters, s->weight_bytes, s->state_bytes, s->input_bytes, NULL);
}

void trace_unread_share(mpq_t q, const struct trace_recorded *r)
{
    EXACT_Z(all);
    mpq_set_ui(q, 0, 1);
    if (r->kernels + r->lost == 0)
        return;
    /* kernels without time are alike */
    uint64_t time = r->time ? r->time : 1, unread = r->time ? r->unread : 0;
    exact_addmul(all, time, r->kernels + r->lost);
    exact_addmul(mpq_numref(q), unread, r->kernels);
    exact_addmul(mpq_numref(q), time, r->lost);
    mpz_set(mpq_denref(q), all);
    mpq_canonicalize(q);
}

static void add_tensor(struct trace_totals *s, const struct trace_tensor *v)
{
    uint64_t bytes = trace_bytes(&v->shape);

    s->tensors++;
    if (v->role == TRACE_WEIGHT) {
        exact_addmul(s->parameters, trace_elements(&v->shape), 1);
        exact_addmul(s->weight_bytes, bytes, 1);
    } else if (v->role == TRACE_STATE) {
        exact_addmul(s->state_bytes, bytes, 1);
    } else if (v->role == TRACE_INPUT) {
        exact_addmul(s->input_bytes, bytes, 1);
    }
}

static void add_op(struct trace_totals *s, const struct trace_op *op, uint64_t times)
{
    /* a payload is counted at the start, not at the done */
    uint64_t payload = op->async == TRACE_DONE ? 0 : op->payload;

    s->ops_written++;
    exact_addmul(s->flops, op->flops, times);
    if (trace_is_transfer(op->kind)) {
        bool feed = trace_kinds[op->kind].family == TRACE_OF_FEED;
        exact_addmul(!feed                       ? s->reduce_bytes
                     : op->kind == TRACE_OUTFEED ? s->outfeed_bytes
                                                 : s->infeed_bytes,
                     payload, times);
        return;
    }
    exact_addmul(s->reads, op->reads, times);
    exact_addmul(s->writes, op->writes, times);
}

static int count_runs(const struct trace *t, uint64_t *sum, uint64_t times, struct err *err)
{
    if (!__builtin_add_overflow(*sum, times, sum))
        return 0;
    return err_set(err, ERR_RANGE,
                   "%.200s:%" PRIu32 ":1: the trace executes more than 2^64 operations", t->file,
                   t->lex.line);
}

int trace_sum(struct trace *t, struct trace_totals *s, struct err *err)
{
    struct trace_item item;
    bool between = false;

    if (trace_rewind(t, err) != 0)
        return -1;
    do {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind == TRACE_ITEM_STEP_BEGIN)
            between = item.count > 0;
        if (between)
            continue;
        uint64_t times = t->n_blocks ? t->block[t->n_blocks - 1].times : 1;
        if (item.kind == TRACE_ITEM_TENSOR) {
            add_tensor(s, trace_tensor(t, item.value));
        } else if (item.kind == TRACE_ITEM_OP) {
            add_op(s, &item.op, times);
            if (count_runs(t, &s->ops, times, err) != 0)
                return -1;
        } else if (item.kind == TRACE_ITEM_FUSION_BEGIN) {
            if (count_runs(t, &s->fusions, times, err) != 0)
                return -1;
        } else if (item.kind == TRACE_ITEM_STEP_BEGIN) {
            s->steps++;
        } else if (item.kind == TRACE_ITEM_PHASE) {
            s->phases++;
        }
    } while (item.kind != TRACE_ITEM_END);
    return 0;
}
