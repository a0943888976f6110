#include <stdlib.h>

#include "remat/remat_impl.h"

/* Bytes that the forward pass makes and gradients read: what a segment may give up. */
static uint64_t given_up(const struct remat_step *s, const struct remat_node *n,
                         const struct remat_plan *plan)
{
    uint64_t bytes = 0;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops && n->forward; i++)
        for (uint32_t k = 0; k < s->op[i].n_out; k++) {
            const struct remat_value *v = remat_out(s, &s->op[i], k);
            bool kept = v->fixed || (plan->products && s->op[i].product);
            bytes += v->graded && !kept ? trace_bytes(&v->shape) : 0;
        }
    return bytes;
}

/* For each node the bytes that the forward pass has made by then and reads later in the same pass:
 * what a cut behind it keeps. */
static void find_crossing(const struct remat_step *s, uint64_t *crossing)
{
    uint32_t *last = calloc(s->n_values + 1, sizeof *last);

    BUG_ON(!last);
    for (uint32_t i = 0; i < s->n_ops; i++) {
        const struct remat_op *op = &s->op[i];
        for (uint32_t k = 0; k < op->n_in && s->node[op->node].forward; k++) {
            uint32_t v = s->ref[op->first_in + k], from = s->value[v].node;
            if (from != REMAT_NONE && s->node[from].forward &&
                s->node[from].pass == s->node[op->node].pass)
                last[v] = op->node;
        }
    }
    for (uint32_t v = s->n_persistent; v < s->n_values; v++) {
        uint64_t bytes = trace_bytes(&s->value[v].shape);
        if (last[v] <= s->value[v].node)
            continue;
        crossing[s->value[v].node] += bytes;
        crossing[last[v]] -= bytes; /* sums below never fall under 0 */
    }
    for (uint32_t i = 1; i < s->n_nodes; i++)
        crossing[i] += crossing[i - 1];
    free(last);
}

/* Of the nodes in [from, to] the last of those of the forward pass behind which least crosses. */
static uint32_t narrowest(const struct remat_step *s, const uint64_t *crossing, uint32_t from,
                          uint32_t to)
{
    uint32_t best = to;

    for (uint32_t i = to + 1; i-- > from;)
        if (s->node[i].forward && crossing[i] < crossing[best])
            best = i;
    return best;
}

/* Shares of equal bytes; each ends where least crosses in its second half. */
static void cut_in_parts(struct remat_step *s, const struct remat_plan *plan)
{
    uint64_t *crossing = calloc((size_t)s->n_nodes + 1, sizeof *crossing);
    uint64_t all = 0, part, sum = 0;
    uint32_t half = 0, segment = 0, pass = 0, begin = 0;

    BUG_ON(!crossing);
    find_crossing(s, crossing);
    for (uint32_t i = 0; i < s->n_nodes; i++)
        all += given_up(s, &s->node[i], plan);
    part = all / plan->segments + 1;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        struct remat_node *n = &s->node[i];
        if (n->pass != pass) {
            pass = n->pass;
            segment++;
            sum = 0;
            begin = half = i;
        }
        n->segment = segment;
        if (!n->forward)
            continue;
        sum += given_up(s, n, plan);
        if (2 * sum < part)
            half = i + 1;
        if (sum < part)
            continue;
        if (half < begin || half > i)
            half = i;
        uint32_t end = narrowest(s, crossing, half, i);
        segment++;
        sum = 0;
        for (uint32_t k = end + 1; k <= i; k++) {
            s->node[k].segment = segment;
            sum += given_up(s, &s->node[k], plan);
        }
        begin = half = end + 1;
    }
    free(crossing);
}

static void cut_by_phases(struct remat_step *s)
{
    uint32_t phase = REMAT_NONE, pass = 0, segment = 0;

    for (uint32_t i = 0; i < s->n_nodes; i++) {
        struct remat_node *n = &s->node[i];
        if (n->forward && (n->phase != phase || n->pass != pass)) {
            segment++;
            phase = n->phase;
            pass = n->pass;
        }
        n->segment = segment;
    }
}

void remat_cut(struct remat_step *s, const struct remat_plan *plan)
{
    if (plan->cut == REMAT_PHASES)
        cut_by_phases(s);
    else
        cut_in_parts(s, plan);
}
