#include <stdlib.h>

#include "remat/remat_impl.h"

/* Is `v` made by the forward pass? */
static bool made_forward(const struct remat_step *s, const struct remat_value *v)
{
    return v->node != REMAT_NONE && s->node[v->node].forward;
}

/* Is it there whenever it is asked for, or else worked out again? */
static bool stays(const struct remat_step *s, const struct remat_value *v)
{
    return v->kept || !made_forward(s, v);
}

/* --- what is kept ------------------------------------------------------------------------- */

static void find_readers(struct remat_step *s)
{
    for (uint32_t v = s->n_persistent; v < s->n_values; v++)
        s->value[v].reader = 0;
    for (uint32_t i = 0; i < s->n_ops; i++) {
        const struct remat_op *op = &s->op[i];
        const struct remat_node *n = &s->node[op->node];
        for (uint32_t k = 0; k < op->n_in && n->forward; k++)
            if (remat_in(s, op, k)->reader < n->segment)
                remat_in(s, op, k)->reader = n->segment;
    }
}

static void keep(struct remat_step *s, const struct remat_plan *plan)
{
    for (uint32_t i = s->n_persistent; i < s->n_values; i++) {
        struct remat_value *v = &s->value[i];
        const struct remat_node *n = &s->node[v->node];
        bool leaves = !n->fusion || v->listed;
        v->kept = leaves && (!n->forward || v->fixed || n->held ||
                             (plan->products && s->op[v->op].product) || v->reader > n->segment);
    }
}

/* --- what is worked out again, and when ----------------------------------------------------- */

static void find_again(struct remat_step *s)
{
    for (uint32_t i = 0; i < s->n_ops; i++) {
        struct remat_op *op = &s->op[i];
        op->again = false;
        for (uint32_t k = 0; k < op->n_out && s->node[op->node].forward; k++)
            op->again |= remat_out(s, op, k)->graded && !remat_out(s, op, k)->kept;
    }
    for (uint32_t i = s->n_ops; i-- > 0;) {
        const struct remat_op *op = &s->op[i];
        for (uint32_t k = 0; k < op->n_in && op->again; k++)
            if (!stays(s, remat_in(s, op, k)))
                s->op[remat_in(s, op, k)->op].again = true;
    }
}

/* The kernel that makes `v`, if it has to be run again and was not. */
static uint32_t wanted(const struct remat_step *s, const struct remat_value *v)
{
    if (stays(s, v) || !s->op[v->op].again || s->node[v->node].at != REMAT_NONE)
        return REMAT_NONE;
    return v->node;
}

/* Run again before node `at` what it reads, and what that is made of; all of it stands in between
 * the first and the last kernel of one segment. */
static void place(struct remat_step *s, uint32_t at, bool *want)
{
    uint32_t last = 0, left = 0;

    for (uint32_t i = s->node[at].first_op; i < s->node[at].first_op + s->node[at].n_ops; i++)
        for (uint32_t k = 0; k < s->op[i].n_in; k++) {
            uint32_t n = wanted(s, remat_in(s, &s->op[i], k));
            if (n == REMAT_NONE || want[n])
                continue;
            want[n] = true;
            left++;
            last = n > last ? n : last;
        }
    for (uint32_t n = last + 1; left && n-- > 0;) {
        if (!want[n])
            continue;
        want[n] = false;
        left--;
        s->node[n].at = at;
        for (uint32_t i = s->node[n].first_op; i < s->node[n].first_op + s->node[n].n_ops; i++)
            for (uint32_t k = 0; k < s->op[i].n_in && s->op[i].again; k++) {
                uint32_t from = wanted(s, remat_in(s, &s->op[i], k));
                if (from == REMAT_NONE || want[from])
                    continue;
                want[from] = true;
                left++;
            }
    }
}

static void place_all(struct remat_step *s)
{
    bool *want = calloc(s->n_nodes + 1, sizeof *want);

    BUG_ON(!want);
    for (uint32_t i = 0; i < s->n_nodes; i++)
        s->node[i].at = REMAT_NONE;
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (s->node[i].backward)
            place(s, i, want);
    free(want);
}

static bool written_between(const struct remat_step *s, const struct remat_value *v, uint32_t from,
                            uint32_t to)
{
    for (uint32_t i = 0; i < s->n_writes; i++)
        if (&s->value[s->write[i].value] == v && s->write[i].node >= from && s->write[i].node < to)
            return true;
    return false;
}

/* Hold the results of kernels whose operands are written over before they would be run again. */
static bool hold_more(struct remat_step *s)
{
    bool more = false;

    for (uint32_t i = 0; i < s->n_ops; i++) {
        const struct remat_op *op = &s->op[i];
        struct remat_node *n = &s->node[op->node];
        for (uint32_t k = 0; k < op->n_in && op->again && !n->held; k++) {
            const struct remat_value *v = remat_in(s, op, k);
            if (!v->written || !stays(s, v) || !written_between(s, v, op->node, n->at))
                continue;
            n->held = more = true;
        }
    }
    return more;
}

/* --- what is left of the first time --------------------------------------------------------- */

static void read_first(struct remat_step *s, const struct remat_op *op)
{
    for (uint32_t k = 0; k < op->n_in; k++) {
        struct remat_value *v = remat_in(s, op, k);
        v->live1 = true;
        v->out1 |= v->node != op->node;
    }
}

static void find_first(struct remat_step *s)
{
    for (uint32_t v = 0; v < s->n_values; v++)
        s->value[v].live1 = s->value[v].out1 = s->value[v].out2 = false;
    for (uint32_t i = 0; i < s->n_ops; i++) /* what is run again reads what was kept */
        for (uint32_t k = 0; k < s->op[i].n_in && s->op[i].again; k++) {
            struct remat_value *v = remat_in(s, &s->op[i], k);
            if (stays(s, v))
                v->live1 = v->out1 = true;
            else
                v->out2 |= v->node != s->op[i].node;
        }
    for (uint32_t i = s->n_ops; i-- > 0;) {
        struct remat_op *op = &s->op[i];
        const struct remat_node *n = &s->node[op->node];
        op->first = !n->forward;
        for (uint32_t k = 0; k < op->n_out && !op->first; k++)
            op->first = remat_out(s, op, k)->live1 || !remat_out(s, op, k)->used;
        if (!n->backward && op->first)
            read_first(s, op);
        for (uint32_t k = 0; k < op->n_in && n->backward; k++) {
            struct remat_value *v = remat_in(s, op, k);
            bool first = stays(s, v) || v->node == op->node;
            v->live1 |= first;
            v->out1 |= first && v->node != op->node;
            v->out2 |= !first;
        }
    }
}

bool remat_decide(struct remat_step *s, const struct remat_plan *plan)
{
    bool some = false;

    for (uint32_t i = 0; i < s->n_nodes; i++)
        s->node[i].held = false;
    find_readers(s);
    do {
        keep(s, plan);
        find_again(s);
        place_all(s);
    } while (hold_more(s));
    find_first(s);
    for (uint32_t i = 0; i < s->n_ops; i++)
        some |= s->op[i].again;
    return some;
}
