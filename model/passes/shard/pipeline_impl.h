/* pipeline_impl.h - a step being cut into stages: its kernels, their classes and stages. */
#ifndef PASSES_SHARD_PIPELINE_IMPL_H
#define PASSES_SHARD_PIPELINE_IMPL_H

#include "passes/shard/pipeline.h"
#include "passes/shard/shard_impl.h"

/* The time at which an operation runs: once before all micro-batches, in each, once after them. */
enum pipeline_class { PIPELINE_BEFORE, PIPELINE_FORWARD, PIPELINE_BACKWARD, PIPELINE_AFTER };

struct pipeline_op {
    struct trace_op x; /* its attributes, of one micro-batch if it runs for each; no operands */
    uint32_t node;     /* in pipe.node; STEP_NONE: of a step that runs between the others */
};

/* An operation, or a fusion of several, of the step that is cut. */
struct pipeline_node {
    const struct step_node *is;
    uint32_t first, n;               /* operations */
    bool named;                      /* by a name= of its own */
    bool gemm;                       /* there is a matrix product in it */
    const char *name, *note, *phase; /* note, phase NULL: none */
    enum pipeline_class class;
    uint32_t stage;
    uint32_t owner; /* of a backward node: the forward node it goes with, or STEP_NONE */
    uint64_t cost;  /* of a micro-batch */
};

struct pipeline {
    const struct pipeline_plan *plan;
    const struct step *step; /* all steps of a trace */
    struct shard s;          /* batches are cut into M parts along `split` */
    struct pipeline_op *op;  /* [step.n_ops] */
    struct pipeline_node *node;
    uint32_t n_nodes;
    uint32_t begin, end; /* nodes of the step that is cut: its brackets */
    bool *summed;        /* [value] added up over micro-batches */
    bool *used_each;     /* [value] used by what runs for each of them */
    uint32_t *alias;     /* [value] what an all-reduce that was left out gives: its operand */
    uint32_t *stage;     /* [value] where it is made or, of a tensor, kept; STEP_NONE: everywhere */
    uint32_t *weight;    /* [value] of a gradient: what it is used to update, else STEP_NONE */
    bool *needs;         /* [value][stage][2] needed there: by micro-batch; after all of them */
};

/* Operand `i` of an operation, the bias behind the others; resolved to what is there. */
static inline uint32_t pipeline_operands(const struct shard_op *op)
{
    return step_n_operands(op->is);
}

static inline uint32_t pipeline_operand(const struct pipeline *p, uint32_t n, uint32_t i)
{
    uint32_t v = step_operand(p->step, &p->step->op[n], i);

    return p->alias[v] == STEP_NONE ? v : p->alias[v];
}

static inline bool pipeline_persistent(const struct pipeline *p, uint32_t v)
{
    return p->step->value[v].persistent;
}

/* True if operations of the class run for each micro-batch. */
static inline bool pipeline_each(enum pipeline_class c)
{
    return c == PIPELINE_FORWARD || c == PIPELINE_BACKWARD;
}

static inline enum pipeline_class pipeline_class_of(const struct pipeline *p, uint32_t op)
{
    return p->node[p->op[op].node].class;
}

/* True if there is one of the value for each micro-batch. */
static inline bool pipeline_value_each(const struct pipeline *p, uint32_t v)
{
    return !pipeline_persistent(p, v) && pipeline_each(pipeline_class_of(p, p->s.value[v].is->op));
}

/* True of an optimizer that uses gradients.  Its operands are groups: a weight, then what belongs
 * to it.  The begin and the end of the group that operand `i` is in. */
bool pipeline_updates(const struct pipeline *p, uint32_t op);
uint32_t pipeline_group_begin(const struct pipeline *p, uint32_t op, uint32_t i);
uint32_t pipeline_group_end(const struct pipeline *p, uint32_t op, uint32_t i);

/* The stage that uses operand `i` of an operation: that of its node or, where the operation is
 * parted (an optimizer, an all-reduce), that of the part. */
uint32_t pipeline_use_stage(const struct pipeline *p, uint32_t op, uint32_t i);

int pipeline_begin(struct pipeline *p, struct err *err);        /* pipeline_begin.c */
int pipeline_classify(struct pipeline *p, struct err *err);     /* pipeline_class.c */
int pipeline_cut(struct pipeline *p, struct err *err);          /* pipeline_cut.c */
int pipeline_place(struct pipeline *p, struct err *err);        /* pipeline_place.c */
void pipeline_build(const struct pipeline *p, struct step *to); /* pipeline_build.c */

/* The work of a stage on a micro-batch, in the order of the whole pipeline (pipeline_order.c). */
struct pipeline_unit {
    uint32_t stage, micro;
    bool backward;
};
/* Fills stages x M x 2 units.  `cost` [stage][2]: of a forward, a backward unit. */
void pipeline_order(const struct pipeline_plan *plan, const uint64_t *cost,
                    struct pipeline_unit *out);

#endif
