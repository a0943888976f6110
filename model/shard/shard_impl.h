/* shard_impl.h - a whole trace in memory while it is being cut: values, operations, decisions. */
#ifndef SHARD_SHARD_IMPL_H
#define SHARD_SHARD_IMPL_H

#include "shard/shard.h"
#include "trace/trace.h"

#define SHARD_NONE UINT32_MAX
#define SHARD_WHOLE (-1)

struct shard_value {
    char *name;
    struct trace_shape shape; /* of the whole */
    enum trace_role role;
    int split;              /* the dimension it is cut along, or SHARD_WHOLE */
    bool open;              /* not decided yet: what uses it first decides */
    bool partial;           /* a summand; as the rules go along, in the order of the program */
    bool later;             /* nothing but sums and all-reduces uses it */
    bool listed;            /* leaves a fusion */
    uint32_t def, last_use; /* operations; a persistent tensor: def is SHARD_NONE */
    bool blocked;           /* something else uses it: see later */
    uint32_t uses;
    bool served, kept; /* with a parameter server: used by what runs there, by anything else */
};

enum shard_fix { SHARD_FINE, SHARD_REDUCE, SHARD_GATHER };

struct shard_op {
    enum trace_kind kind;
    enum trace_async async;
    bool ta, tb;
    uint32_t line;
    uint32_t first_in, n_in, first_out, n_out; /* in shard.ref */
    uint32_t bias;                             /* a value or SHARD_NONE */
    uint32_t fusion, n_fusion; /* its fusion's first member and their number; SHARD_NONE */
    bool share;                /* a core does its part of the work */
    bool dropped;              /* cores that train apart reduce nothing */
};

struct shard {
    struct shard_plan plan;
    uint64_t parts;      /* of a group: the larger of model and edges */
    uint64_t edge_count; /* rows that are cut */
    struct shard_value *value;
    struct shard_op *op;
    uint32_t *ref;
    unsigned char *fix; /* [ref] enum shard_fix, of operands */
    bool *summand;      /* [ref] operands of an all-reduce: over all replicas */
    uint32_t *slot;     /* trace id -> value */
    uint32_t n_values, n_ops, n_refs, n_slots;
    uint32_t update;         /* with a parameter server: the operation in whose place it updates */
    uint64_t update_bytes;   /* what the update reads and writes there */
    uint64_t update_weights; /* of it, bytes that come back */
    uint32_t cap_values, cap_ops, cap_refs, cap_slots;
};

static inline struct shard_value *shard_in(const struct shard *s, const struct shard_op *op,
                                           uint32_t i)
{
    return &s->value[s->ref[op->first_in + i]];
}

static inline struct shard_value *shard_out(const struct shard *s, const struct shard_op *op,
                                            uint32_t i)
{
    return &s->value[s->ref[op->first_out + i]];
}

/* Read all operations (shard_load.c). */
int shard_load(struct shard *s, struct trace *t, struct err *err);
/* Decide how each value is cut and what has to be put before each operation (shard_rule.c). */
int shard_decide(struct shard *s, const char *file, struct err *err);
/* Read again and write (shard_print.c). */
int shard_print(const struct shard *s, struct trace *t, FILE *out, struct err *err);
void shard_clear(struct shard *s);

#endif
