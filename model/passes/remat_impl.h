/* remat_impl.h - facts and decisions of the pass for each value, operation and node of a step. */
#ifndef PASSES_REMAT_IMPL_H
#define PASSES_REMAT_IMPL_H

#include "passes/remat.h"
#include "step/step.h"

#define REMAT_TAIL ".again" /* of its values */

struct remat_value {
    bool tainted;    /* a gradient, or made of one */
    bool graded;     /* gradients read it */
    bool fixed;      /* something else outside the forward pass, or in an inner loop, reads it */
    bool written;    /* it is changed in place */
    uint32_t reader; /* the last segment of the forward pass that reads it */
    bool used;       /* anybody does */
    /* decided: */
    bool kept;
    bool out1, out2; /* leaves its kernel the first time; the second */
    bool live1;      /* an operation that runs in its place reads it */
};

struct remat_op {
    bool product;      /* it is a matrix product, or reads one in the same kernel */
    bool first, again; /* decided: it runs in its place; it is computed again */
};

struct remat_node {
    uint32_t phase; /* in step.phase: that of its block; 0: none */
    uint32_t loop;  /* node of the innermost loop around it, or STEP_NONE */
    bool forward;   /* of the forward pass, and may be run again */
    bool backward;  /* makes gradients, or reads what was made of them */
    bool held;      /* its results must be kept */
    uint32_t pass;  /* of several, each between gradients and loop brackets */
    uint32_t segment;
    uint32_t at; /* decided: the node before which it is run again, or STEP_NONE */
};

/* An operation that changes a value in place. */
struct remat_write {
    uint32_t value, node;
};

struct remat {
    const struct step *step;
    struct remat_value *value; /* as in step, and so on */
    struct remat_op *op;
    struct remat_node *node;
    struct remat_write *write;
    uint32_t n_writes, cap_writes;
};

/* The node that makes a value, or STEP_NONE. */
static inline uint32_t remat_maker(const struct remat *r, uint32_t v)
{
    uint32_t op = r->step->value[v].op;

    return op == STEP_NONE ? STEP_NONE : r->step->op[op].node;
}

/* True if the forward pass makes `v`. */
static inline bool remat_is_forward(const struct remat *r, uint32_t v)
{
    uint32_t node = remat_maker(r, v);

    return node != STEP_NONE && r->node[node].forward;
}

/* Find the kernels of the forward pass, and the readers of each value (remat_class.c). */
void remat_classify(struct remat *r);

/* Give each kernel of the forward pass its segment; never fewer than there are passes between
 * gradients (remat_cut.c). */
void remat_cut(struct remat *r, const struct remat_plan *plan);

/* Decide what is kept and what runs where (remat_decide.c).  Returns whether anything is given up.
 */
bool remat_decide(struct remat *r, const struct remat_plan *plan);

/* The step that comes of it (remat_build.c). */
void remat_build(const struct remat *r, struct step *to);

/* Write the way with the least peak, or the one with the fewest FLOPs that fits (remat_pick.c). */
int remat_pick(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err);
/* Write it one way, not BEST.  `*some`: something was given up. */
int remat_write_way(struct trace *t, const struct remat_plan *plan, FILE *out, bool *some,
                    struct err *err);

#endif
