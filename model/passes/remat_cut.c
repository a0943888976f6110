#include <stdlib.h>

#include "base/memory.h"
#include "passes/remat_impl.h"

/* Bytes that node `at` of the forward pass makes and gradients read: what a segment may give up. */
static uint64_t count_bytes(const struct remat *r, uint32_t at, const struct remat_plan *plan)
{
    const struct step_node *n = &r->step->node[at];
    uint64_t bytes = 0;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops && r->node[at].forward; i++)
        for (uint32_t k = 0; k < r->step->op[i].n_out; k++) {
            uint32_t v = step_result(r->step, &r->step->op[i], k);
            bool kept = r->value[v].fixed || (plan->products && r->op[i].product);
            bytes += r->value[v].graded && !kept ? trace_bytes(&r->step->value[v].shape) : 0;
        }
    return bytes;
}

/* For each node the bytes that the forward pass has made by then and reads later in the same pass:
 * what a cut behind it keeps. */
static void find_crossing(const struct remat *r, uint64_t *crossing)
{
    const struct step *step = r->step;
    uint32_t *last = memory_zeroed((size_t)step->n_values + 1, sizeof *last);

    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        for (uint32_t k = 0; k < step_n_operands(op) && r->node[op->node].forward; k++) {
            uint32_t v = step_operand(step, op, k), from = remat_maker(r, v);
            if (from != STEP_NONE && r->node[from].forward &&
                r->node[from].pass == r->node[op->node].pass)
                last[v] = op->node;
        }
    }
    for (uint32_t v = step->n_persistent; v < step->n_values; v++) {
        uint64_t bytes = trace_bytes(&step->value[v].shape);
        uint32_t from = remat_maker(r, v);
        if (last[v] <= from)
            continue;
        crossing[from] += bytes;
        crossing[last[v]] -= bytes; /* sums below never fall under 0 */
    }
    for (uint32_t i = 1; i < step->n_nodes; i++)
        crossing[i] += crossing[i - 1];
    free(last);
}

/* The last forward node in [from, to] among those behind which the fewest bytes cross. */
static uint32_t find_narrowest(const struct remat *r, const uint64_t *crossing, uint32_t from,
                               uint32_t to)
{
    uint32_t best = to;

    for (uint32_t i = to + 1; i-- > from;)
        if (r->node[i].forward && crossing[i] < crossing[best])
            best = i;
    return best;
}

/* Shares of equal bytes; each ends where least crosses in its second half. */
static void cut_in_parts(struct remat *r, const struct remat_plan *plan)
{
    uint64_t *crossing = memory_zeroed((size_t)r->step->n_nodes + 1, sizeof *crossing);
    uint64_t all = 0, part, sum = 0;
    uint32_t half = 0, segment = 0, pass = 0, begin = 0;

    find_crossing(r, crossing);
    for (uint32_t i = 0; i < r->step->n_nodes; i++)
        all += count_bytes(r, i, plan);
    part = all / plan->segments + 1;
    for (uint32_t i = 0; i < r->step->n_nodes; i++) {
        struct remat_node *n = &r->node[i];
        if (n->pass != pass) {
            pass = n->pass;
            segment++;
            sum = 0;
            begin = half = i;
        }
        n->segment = segment;
        if (!n->forward)
            continue;
        sum += count_bytes(r, i, plan);
        if (2 * sum < part)
            half = i + 1;
        if (sum < part)
            continue;
        if (half < begin || half > i)
            half = i;
        uint32_t end = find_narrowest(r, crossing, half, i);
        segment++;
        sum = 0;
        for (uint32_t k = end + 1; k <= i; k++) {
            r->node[k].segment = segment;
            sum += count_bytes(r, k, plan);
        }
        begin = half = end + 1;
    }
    free(crossing);
}

static void cut_by_phases(struct remat *r)
{
    uint32_t phase = 0, pass = 0, segment = 0;

    for (uint32_t i = 0; i < r->step->n_nodes; i++) {
        struct remat_node *n = &r->node[i];
        if (n->forward && (n->phase != phase || n->pass != pass)) {
            segment++;
            phase = n->phase;
            pass = n->pass;
        }
        n->segment = segment;
    }
}

void remat_cut(struct remat *r, const struct remat_plan *plan)
{
    if (plan->cut == REMAT_PHASES)
        cut_by_phases(r);
    else
        cut_in_parts(r, plan);
}
