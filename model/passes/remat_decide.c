#include <stdlib.h>

#include "base/memory.h"
#include "passes/remat_impl.h"

/* True if the value is there whenever it is asked for; else it is computed again. */
static bool stays_alive(const struct remat *r, uint32_t v)
{
    return r->value[v].kept || !remat_is_forward(r, v);
}

/* --- what is kept ------------------------------------------------------------------------- */

static void find_readers(struct remat *r)
{
    const struct step *step = r->step;

    for (uint32_t v = step->n_persistent; v < step->n_values; v++)
        r->value[v].reader = 0;
    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        const struct remat_node *n = &r->node[op->node];
        for (uint32_t k = 0; k < step_n_operands(op) && n->forward; k++) {
            struct remat_value *v = &r->value[step_operand(step, op, k)];
            if (v->reader < n->segment)
                v->reader = n->segment;
        }
    }
}

static void keep_values(struct remat *r, const struct remat_plan *plan)
{
    const struct step *step = r->step;

    for (uint32_t i = step->n_persistent; i < step->n_values; i++) {
        struct remat_value *v = &r->value[i];
        uint32_t node = remat_maker(r, i);
        const struct remat_node *n = &r->node[node];
        bool leaves = !step->node[node].fusion || !step->value[i].on_chip;
        v->kept = leaves &&
                  (!n->forward || v->fixed || n->held ||
                   (plan->products && r->op[step->value[i].op].product) || v->reader > n->segment);
    }
}

/* --- what is computed again, and when --------------------------------------------------- */

static void find_again(struct remat *r)
{
    const struct step *step = r->step;

    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        r->op[i].again = false;
        for (uint32_t k = 0; k < op->n_out && r->node[op->node].forward; k++) {
            const struct remat_value *v = &r->value[step_result(step, op, k)];
            r->op[i].again |= v->graded && !v->kept;
        }
    }
    for (uint32_t i = step->n_ops; i-- > 0;) {
        const struct step_op *op = &step->op[i];
        for (uint32_t k = 0; k < step_n_operands(op) && r->op[i].again; k++) {
            uint32_t v = step_operand(step, op, k);
            if (!stays_alive(r, v))
                r->op[step->value[v].op].again = true;
        }
    }
}

/* The kernel that makes `v`, if it has to be run again and was not. */
static uint32_t find_wanted(const struct remat *r, uint32_t v)
{
    uint32_t node = remat_maker(r, v);

    if (stays_alive(r, v) || !r->op[r->step->value[v].op].again || r->node[node].at != STEP_NONE)
        return STEP_NONE;
    return node;
}

/* The kernels that have to run again, while those of one gradient are placed. */
struct wanted {
    bool *node;    /* [node] */
    uint32_t left; /* of them */
    uint32_t last;
};

/* Want the kernels that make what the operations of node `at` read; `again`: only of operations
 * that run again. */
static void want_operands(const struct remat *r, struct wanted *w, uint32_t at, bool again)
{
    const struct step *step = r->step;
    const struct step_node *n = &step->node[at];

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        for (uint32_t k = 0; k < step_n_operands(&step->op[i]); k++) {
            if (again && !r->op[i].again)
                break;
            uint32_t from = find_wanted(r, step_operand(step, &step->op[i], k));
            if (from == STEP_NONE || w->node[from])
                continue;
            w->node[from] = true;
            w->left++;
            w->last = from > w->last ? from : w->last;
        }
}

/* Run again before node `at` what it reads, and what that is made of; all of it stands in between
 * the first and the last kernel of one segment. */
static void place_operands(struct remat *r, uint32_t at, bool *want)
{
    struct wanted w = { .node = want };

    want_operands(r, &w, at, false);
    for (uint32_t n = w.last + 1; w.left && n-- > 0;) {
        if (!want[n])
            continue;
        want[n] = false;
        w.left--;
        r->node[n].at = at;
        want_operands(r, &w, n, true);
    }
}

static void place_all(struct remat *r)
{
    bool *want = memory_zeroed((size_t)r->step->n_nodes + 1, sizeof *want);

    for (uint32_t i = 0; i < r->step->n_nodes; i++)
        r->node[i].at = STEP_NONE;
    for (uint32_t i = 0; i < r->step->n_nodes; i++)
        if (r->node[i].backward)
            place_operands(r, i, want);
    free(want);
}

static bool is_written_between(const struct remat *r, uint32_t v, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < r->n_writes; i++)
        if (r->write[i].value == v && r->write[i].node >= from && r->write[i].node < to)
            return true;
    return false;
}

/* Hold the results of kernels whose operands are written over before they would be run again. */
static bool hold_more(struct remat *r)
{
    const struct step *step = r->step;
    bool more = false;

    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        struct remat_node *n = &r->node[op->node];
        for (uint32_t k = 0; k < step_n_operands(op) && r->op[i].again && !n->held; k++) {
            uint32_t v = step_operand(step, op, k);
            if (!r->value[v].written || !stays_alive(r, v) ||
                !is_written_between(r, v, op->node, n->at))
                continue;
            n->held = more = true;
        }
    }
    return more;
}

/* --- what is left of the first time ------------------------------------------------------- */

static void clear_first(struct remat *r)
{
    for (uint32_t v = 0; v < r->step->n_values; v++)
        r->value[v].live1 = r->value[v].out1 = r->value[v].out2 = false;
}

/* Note what an operation reads when it runs again: values that were kept, or made again. */
static void read_again(struct remat *r, uint32_t at)
{
    const struct step_op *op = &r->step->op[at];

    for (uint32_t k = 0; k < step_n_operands(op) && r->op[at].again; k++) {
        uint32_t v = step_operand(r->step, op, k);
        if (stays_alive(r, v))
            r->value[v].live1 = r->value[v].out1 = true;
        else
            r->value[v].out2 |= remat_maker(r, v) != op->node;
    }
}

/* Note what an operation that stays in its place reads. */
static void read_first(struct remat *r, uint32_t at)
{
    const struct step_op *op = &r->step->op[at];

    for (uint32_t k = 0; k < step_n_operands(op); k++) {
        uint32_t v = step_operand(r->step, op, k);
        r->value[v].live1 = true;
        r->value[v].out1 |= remat_maker(r, v) != op->node;
    }
}

static void read_backward(struct remat *r, uint32_t at)
{
    const struct step_op *op = &r->step->op[at];

    for (uint32_t k = 0; k < step_n_operands(op); k++) {
        uint32_t v = step_operand(r->step, op, k);
        bool inside = remat_maker(r, v) == op->node, first = stays_alive(r, v) || inside;
        r->value[v].live1 |= first;
        r->value[v].out1 |= first && !inside;
        r->value[v].out2 |= !first;
    }
}

static void find_first(struct remat *r)
{
    const struct step *step = r->step;

    clear_first(r);
    for (uint32_t i = 0; i < step->n_ops; i++)
        read_again(r, i);
    for (uint32_t i = step->n_ops; i-- > 0;) {
        const struct step_op *op = &step->op[i];
        const struct remat_node *n = &r->node[op->node];
        bool first = !n->forward;
        for (uint32_t k = 0; k < op->n_out && !first; k++) {
            const struct remat_value *v = &r->value[step_result(step, op, k)];
            first = v->live1 || !v->used;
        }
        r->op[i].first = first;
        if (n->backward)
            read_backward(r, i);
        else if (first)
            read_first(r, i);
    }
}

bool remat_decide(struct remat *r, const struct remat_plan *plan)
{
    bool some = false;

    for (uint32_t i = 0; i < r->step->n_nodes; i++)
        r->node[i].held = false;
    find_readers(r);
    do {
        keep_values(r, plan);
        find_again(r);
        place_all(r);
    } while (hold_more(r));
    find_first(r);
    for (uint32_t i = 0; i < r->step->n_ops; i++)
        some |= r->op[i].again;
    return some;
}
