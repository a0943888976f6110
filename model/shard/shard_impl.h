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
    uint32_t exchanged; /* with a halo: the last gather that got its rows of others, SHARD_NONE */
    bool served, kept;  /* with a parameter server: used by what runs there, by anything else */
    uint32_t update;    /* a gradient that is served: the scope of its update */
};

enum shard_fix { SHARD_FINE, SHARD_REDUCE, SHARD_GATHER, SHARD_EXCHANGE };

struct shard_op {
    enum trace_kind kind;
    enum trace_async async;
    bool ta, tb;
    uint32_t line;
    uint32_t over; /* a reduce: dimensions that the trace says are summed over */
    uint32_t first_in, n_in, first_out, n_out; /* in shard.ref */
    uint32_t bias;                             /* a value or SHARD_NONE */
    uint32_t fusion, n_fusion; /* its fusion's first member and their number; SHARD_NONE */
    uint32_t scope;            /* the innermost step or loop around it */
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
    uint64_t parts;       /* of a group: the larger of model and edges */
    uint64_t edge_count;  /* rows that are cut */
    uint64_t node_count;  /* likewise; 0: nodes are not */
    bool micro;           /* micro-batches: inputs of some rows for each of edge_count are cut */
    uint64_t halo_buffer; /* rows of a buffer that is exchanged; 0: none is */
    struct shard_value *value;
    struct shard_op *op;
    uint32_t *ref;
    unsigned char *fix; /* [ref] enum shard_fix, of operands */
    bool *summand;      /* [ref] operands of an all-reduce: over all replicas */
    uint32_t *slot;     /* trace id -> value */
    uint32_t n_values, n_ops, n_refs, n_slots;
    uint32_t *outer;                      /* [scope] the one around it, or SHARD_NONE */
    uint32_t n_scopes, cap_scopes, scope; /* scope: that at hand while it is read */
    uint32_t halo_infeed;                 /* the last that brought a graph, or SHARD_NONE */
    uint32_t *update; /* [scope] with a parameter server: the last operation that updates there */
    bool updates;     /* there is one */
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

/* Does it stay within the samples of a micro-batch?  Then it was cut (shard_micro.c). */
bool micro_decide(struct shard *s, struct shard_op *op);

/* A parameter server (shard_server.c).  Does this optimizer update weights by gradients?  Then it
 * happens there. */
bool server_takes(struct shard *s, struct shard_op *op);
/* Does the operation of the client stand in the place of operation n?  That operation. */
bool server_updates(const struct shard *s, uint32_t n);
void server_print(const struct shard *s, uint32_t n, FILE *out);

/* Halos (shard_halo.c).  Rows of the buffer that E cores exchange where a core needs `plan->halo`
 * of its nodes / E rows from the others: a block for each core, that for itself empty. */
uint64_t halo_rows(const struct shard_plan *plan, uint64_t nodes);
/* What an operation on cut nodes and edges becomes.  Errors: ERR_FIT a scatter inside a fusion. */
void halo_infeed(struct shard *s, struct shard_op *op);
void halo_gather(struct shard *s, struct shard_op *op);
int halo_scatter(struct shard *s, struct shard_op *op, const char *file, struct err *err);
/* A further result of the infeed; the lines before gather n; the result of scatter n, and the lines
 * behind it. */
void halo_print_infeed(const struct shard *s, FILE *out);
void halo_print_table(const struct shard *s, uint32_t n, uint32_t depth, FILE *out);
void halo_print_result(const struct shard *s, uint32_t n, FILE *out);
void halo_print_return(const struct shard *s, uint32_t n, uint32_t depth, FILE *out);

#endif
