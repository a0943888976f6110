/* pipeline_impl.h - a step being cut into stages: kernels, what class they are of, where they run.
 */
#ifndef SHARD_PIPELINE_IMPL_H
#define SHARD_PIPELINE_IMPL_H

#include "shard/pipeline.h"
#include "shard/shard_impl.h"

#define PIPE_NONE UINT32_MAX

/* When an operation is run: once before all micro-batches, for each of them, once after them. */
enum pipe_class { PIPE_BEFORE, PIPE_FORWARD, PIPE_BACKWARD, PIPE_AFTER };

struct pipe_op {
    struct trace_op x; /* its attributes, of one micro-batch if it runs for each; no operands */
    char *name, *note;
    uint32_t node; /* PIPE_NONE: of a step that runs between the others */
};

/* An operation, or a fusion of several. */
struct pipe_node {
    uint32_t first, n, line;
    bool fusion, named, gemm;
    char *name, *note, *phase;
    enum pipe_class class;
    uint32_t stage;
    uint32_t owner; /* of a backward node: the forward node it goes with, or PIPE_NONE */
    uint64_t cost;  /* of a micro-batch */
};

struct pipe {
    const struct pipeline_plan *plan;
    struct shard s; /* values and operations; batches are cut into M parts along `split` */
    const char *file;
    struct pipe_op *op; /* [s.n_ops] */
    struct pipe_node *node;
    uint32_t n_nodes, cap_nodes;
    bool *summed;     /* [value] added up over micro-batches */
    bool *used_each;  /* [value] used by what runs for each of them */
    uint32_t *alias;  /* [value] what an all-reduce that was left out gives: its operand */
    uint32_t *stage;  /* [value] where it is made or, of a tensor, kept; PIPE_NONE: everywhere */
    uint32_t *weight; /* [value] of a gradient: what it is used to update, else PIPE_NONE */
    bool *needs;      /* [value][stage][2] it is needed there: by micro-batch; after all of them */
    char *before, *after; /* text of the steps that run between the others */
};

/* Operand `i` of an operation, the bias behind the others; resolved to what is there. */
static inline uint32_t pipe_operands(const struct shard_op *op)
{
    return op->n_in + (op->bias != SHARD_NONE);
}

static inline uint32_t pipe_operand(const struct pipe *p, uint32_t n, uint32_t i)
{
    const struct shard_op *op = &p->s.op[n];
    uint32_t v = i < op->n_in ? p->s.ref[op->first_in + i] : op->bias;

    return p->alias[v] == PIPE_NONE ? v : p->alias[v];
}

static inline bool pipe_persistent(const struct pipe *p, uint32_t v)
{
    return p->s.value[v].def == SHARD_NONE;
}

/* Does the operation run for each micro-batch? */
static inline bool pipe_each(enum pipe_class c)
{
    return c == PIPE_FORWARD || c == PIPE_BACKWARD;
}

static inline enum pipe_class pipe_class_of(const struct pipe *p, uint32_t op)
{
    return p->node[p->op[op].node].class;
}

/* Is there one of each micro-batch of the value? */
static inline bool pipe_value_each(const struct pipe *p, uint32_t v)
{
    return !pipe_persistent(p, v) && pipe_each(pipe_class_of(p, p->s.value[v].def));
}

/* An optimizer that uses gradients: its operands are weights, each with what belongs to it behind
 * it.  Where the group of operand `i` begins, and ends. */
bool pipe_updates(const struct pipe *p, uint32_t op);
uint32_t pipe_group_begin(const struct pipe *p, uint32_t op, uint32_t i);
uint32_t pipe_group_end(const struct pipe *p, uint32_t op, uint32_t i);

/* Where operand `i` of an operation is used: its node's stage, or that of its part where the
 * operation is parted (an optimizer, an all-reduce). */
uint32_t pipe_use_stage(const struct pipe *p, uint32_t op, uint32_t i);

int pipe_load(struct pipe *p, struct trace *t, struct err *err);         /* pipeline_load.c */
int pipe_classify(struct pipe *p, struct err *err);                      /* pipeline_class.c */
int pipe_cut(struct pipe *p, struct err *err);                           /* pipeline_cut.c */
int pipe_place(struct pipe *p, struct err *err);                         /* pipeline_place.c */
void pipe_print(const struct pipe *p, const struct trace *t, FILE *out); /* pipeline_print.c */

/* What a stage does with a micro-batch, in the order of the whole pipeline (pipeline_order.c). */
struct pipe_unit {
    uint32_t stage, micro;
    bool backward;
};
/* Fills stages x M x 2 units.  `cost` [stage][2]: of a forward, a backward unit. */
void pipe_order(const struct pipeline_plan *plan, const uint64_t *cost, struct pipe_unit *out);

#endif
