/* remat_impl.h - one step in memory while it is decided what is kept. */
#ifndef REMAT_REMAT_IMPL_H
#define REMAT_REMAT_IMPL_H

#include "remat/remat.h"
#include "trace/trace.h"

#define REMAT_NONE UINT32_MAX
#define REMAT_PHASE "remat" /* of what is worked out again */
#define REMAT_TAIL ".again" /* of its values */

struct remat_value {
    char *name;
    struct trace_shape shape;
    enum trace_role role;
    uint32_t op, node; /* that makes it; REMAT_NONE: persistent */
    bool listed;       /* leaves a fusion */
    bool tainted;      /* a gradient, or made of one */
    bool graded;       /* gradients read it */
    bool fixed;        /* so does anything else outside the forward pass, or in an inner loop */
    bool written;      /* it is changed in place */
    uint32_t reader;   /* the last segment of the forward pass that reads it */
    bool used;         /* anybody does */
    /* decided: */
    bool kept;
    bool out1, out2; /* leaves its kernel the first time; the second */
    bool live1;      /* something that stays reads it the first time */
};

struct remat_op {
    enum trace_kind kind;
    uint64_t flops;
    char *kind_text, *name, *attr; /* attr: as printed, with a blank before it */
    bool named;                    /* name= is among them */
    bool biased;                   /* the last operand is a bias, which stands there too */
    uint32_t first_in, n_in, first_out, n_out; /* in remat_step.ref */
    uint32_t node;
    bool product;      /* it is a matrix product, or reads one in the same kernel */
    bool first, again; /* decided: it runs in its place; it is worked out again */
};

enum remat_kind { REMAT_KERNEL, REMAT_PHASE_LINE, REMAT_REPEAT, REMAT_END };

struct remat_node {
    enum remat_kind kind;
    uint32_t first_op, n_ops;
    bool fusion, named;
    char *text;     /* phase; fusion: its attributes; repeat: its line */
    char *name;     /* of a fusion */
    uint32_t phase; /* node of the phase it is in, or REMAT_NONE */
    uint32_t loop;  /* node of the innermost loop around it, or REMAT_NONE */
    bool forward;   /* of the forward pass, and may be run again */
    bool backward;  /* makes gradients, or reads what was made of them */
    bool held;      /* its results must be kept */
    uint32_t pass;  /* of several, each between gradients and loop brackets */
    uint32_t segment;
    uint32_t at; /* decided: the node before which it is run again, or REMAT_NONE */
};

/* An operation that changes a value in place. */
struct remat_write {
    uint32_t value, node;
};

struct remat_step {
    struct remat_value *value; /* persistent ones first */
    struct remat_op *op;
    struct remat_node *node;
    struct remat_write *write;
    uint32_t *ref;
    uint32_t *slot; /* trace id -> value */
    uint32_t n_values, n_ops, n_nodes, n_writes, n_refs, n_slots, n_persistent;
    uint32_t cap_values, cap_ops, cap_nodes, cap_writes, cap_refs, cap_slots;
};

static inline struct remat_value *remat_in(const struct remat_step *s, const struct remat_op *op,
                                           uint32_t i)
{
    return &s->value[s->ref[op->first_in + i]];
}

static inline struct remat_value *remat_out(const struct remat_step *s, const struct remat_op *op,
                                            uint32_t i)
{
    return &s->value[s->ref[op->first_out + i]];
}

/* remat_load.c: a persistent tensor; all up to the end of the step that has just begun. */
void remat_add_tensor(struct remat_step *s, const struct trace *t, struct trace_value v);
int remat_load(struct remat_step *s, struct trace *t, struct err *err);
void remat_drop(struct remat_step *s); /* the step, but not the persistent tensors */
void remat_clear(struct remat_step *s);

/* remat_class.c: which kernels are of the forward pass, and who reads what. */
void remat_classify(struct remat_step *s);

/* remat_cut.c: give each kernel of the forward pass its segment; never fewer than there are passes
 * between gradients. */
void remat_cut(struct remat_step *s, const struct remat_plan *plan);

/* remat_decide.c: what is kept, what runs where.  Returns whether anything is given up. */
bool remat_decide(struct remat_step *s, const struct remat_plan *plan);

/* remat_print.c: the step, its brackets excluded. */
void remat_print(const struct remat_step *s, FILE *out);

/* remat_pick.c: write it one way, not BEST.  `*some`: something was given up. */
int remat_way(struct trace *t, const struct remat_plan *plan, FILE *out, bool *some,
              struct err *err);
int remat_pick(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err);

#endif
