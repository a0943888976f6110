/* shard_impl.h - a step while it is cut: what the pass decides for each value and operation, beside
 * the step itself. */
#ifndef PASSES_SHARD_SHARD_IMPL_H
#define PASSES_SHARD_SHARD_IMPL_H

#include "passes/shard/shard.h"
#include "step/step.h"

#define SHARD_WHOLE (-1)

struct shard_value {
    const struct step_value *is;
    int split;         /* the dimension it is cut along, or SHARD_WHOLE */
    bool open;         /* not decided yet: what uses it first decides */
    bool partial;      /* a summand, so far: rules go through the program in order */
    bool later;        /* nothing but sums and all-reduces uses it */
    uint32_t last_use; /* operation, or STEP_NONE */
    bool blocked;      /* something else uses it: see later */
    uint32_t uses;
    uint32_t exchanged; /* with a halo: the last gather that got its rows of others, STEP_NONE */
    bool served, kept;  /* with a parameter server: used by what runs there, by anything else */
    uint32_t update;    /* a gradient that is served: the scope of its update */
    uint32_t alias;     /* what an all-reduce that was left out gives: its operand; STEP_NONE */
};

enum shard_fix { SHARD_FINE, SHARD_REDUCE, SHARD_GATHER, SHARD_EXCHANGE };

struct shard_op {
    const struct step_op *is;
    uint32_t fusion, n_fusion; /* its fusion's first member and their number; STEP_NONE */
    uint32_t scope;            /* node of the innermost step or loop around it */
    uint32_t table;            /* a gather with a halo: the one that exchanges for it */
    bool halo;                 /* rows of other cores' nodes take part */
    bool served;               /* a client takes gradients: the trace was cut already */
    uint64_t update_bytes;     /* an update of the server: what it reads and writes there */
    uint64_t update_weights;   /* of it, bytes that come back */
    bool share;                /* a core does its part of the work */
    bool dropped;              /* cores that train apart reduce nothing */
};

struct shard {
    struct shard_plan plan;
    const struct step *step; /* all steps of a trace */
    uint64_t parts;          /* of a group: the larger of model and edges */
    uint64_t edge_count;     /* rows that are cut */
    uint64_t node_count;     /* likewise; 0: nodes are not */
    bool micro;              /* micro-batches: inputs of some rows for each of edge_count are cut */
    uint64_t halo_buffer;    /* rows of a buffer that is exchanged; 0: none is */
    struct shard_value *value;
    struct shard_op *op;
    unsigned char *fix; /* [ref] enum shard_fix, of operands */
    bool *summand;      /* [ref] operands of an all-reduce: over all replicas */
    uint32_t *outer;    /* [node] the innermost bracket around it, or STEP_NONE */
    uint32_t *update;   /* [scope] with a parameter server: the last operation that updates there */
    uint32_t halo_infeed; /* the last that brought a graph, or STEP_NONE */
    bool updates;         /* something is updated by the server */
};

static inline struct shard_value *shard_in(const struct shard *s, const struct shard_op *op,
                                           uint32_t i)
{
    return &s->value[step_operand(s->step, op->is, i)];
}

static inline struct shard_value *shard_out(const struct shard *s, const struct shard_op *op,
                                            uint32_t i)
{
    return &s->value[step_result(s->step, op->is, i)];
}

/* True if the value leaves the fusion that makes it. */
static inline bool shard_is_listed(const struct shard *s, uint32_t v)
{
    const struct step_value *x = &s->step->value[v];

    return x->op != STEP_NONE && s->op[x->op].fusion != STEP_NONE && !x->on_chip;
}

/* The value that stands in the place of `v`. */
static inline uint32_t shard_alias(const struct shard *s, uint32_t v)
{
    return s->value[v].alias == STEP_NONE ? v : s->value[v].alias;
}

/* Tables beside all steps of a trace, without decisions (shard.c). */
void shard_begin(struct shard *s, const struct step *step);
void shard_clear(struct shard *s);
/* Decide how each value is cut and what has to be put before each operation (shard_rule.c). */
int shard_decide(struct shard *s, struct err *err);
/* The step of one core (shard_build.c). */
void shard_build(const struct shard *s, struct step *to);

/* A step being made of it. */
struct shard_making {
    const struct shard *s;
    const struct step *from;
    struct step *to;
    uint32_t *map;        /* [value of `from`] in `to` */
    uint32_t *whole;      /* [ref] in `to`: a gathered operand */
    uint32_t *near;       /* [operation] in `to`: rows of others behind one's own */
    uint32_t rows;        /* in `to`: which rows a core lends */
    uint32_t *list;       /* room for operands or listed values */
    uint32_t segment_end; /* of the fusion at hand: where the part at hand ends */
    bool open;            /* a part of a fusion is */
    bool plain;           /* it is one operation, which needs no fusion */
};

/* Attributes of an operation that the pass adds: its name and, unless 0, its group. */
struct trace_op shard_attributes(enum trace_kind kind, const char *name, uint64_t group);
/* One operation with one result, or none (`result` NULL): `kind`(`in`) name="`name`", with
 * group=`group` if that is not 0. */
uint32_t shard_make(struct shard_making *m, enum trace_kind kind, const char *name, uint64_t group,
                    const uint32_t *in, uint32_t n_in, const char *result,
                    const struct step_value *like);

/* Cut an operation that stays within the samples of a micro-batch; true if it does (shard_micro.c).
 */
bool shard_decide_micro(struct shard *s, struct shard_op *op);

/* A parameter server (shard_server.c).  True if this optimizer updates weights by gradients: it
 * then runs there. */
bool shard_server_takes(struct shard *s, struct shard_op *op);
/* True if the operation of the client stands in the place of operation n. */
bool shard_server_updates(const struct shard *s, uint32_t n);
/* Add that operation. */
void shard_server_make(struct shard_making *m, uint32_t n);

/* Halos (shard_halo.c).  Rows of the buffer that E cores exchange where a core needs `plan->halo`
 * of its nodes / E rows from the others: a block for each core, that for itself empty. */
uint64_t shard_halo_rows(const struct shard_plan *plan, uint64_t nodes);
/* Decide what an operation on cut nodes and edges becomes.  Errors: ERR_FIT a scatter inside a
 * fusion. */
void shard_halo_infeed(struct shard *s, struct shard_op *op);
void shard_halo_gather(struct shard *s, struct shard_op *op);
int shard_halo_scatter(struct shard *s, struct shard_op *op, struct err *err);
/* Make a further result of the infeed at hand; the operations before gather n; the result of
 * scatter n, which is at hand; the operations behind it. */
void shard_halo_make_rows(struct shard_making *m);
void shard_halo_make_table(struct shard_making *m, uint32_t n);
uint32_t shard_halo_make_result(struct shard_making *m, uint32_t n);
void shard_halo_make_return(struct shard_making *m, uint32_t n, uint32_t near);

#endif
