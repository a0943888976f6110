/* op_kind.h - the operations that `cyclotron op` knows, in groups: their keys, and the trace each
 * one becomes.
 *
 * A new operation is one row, and where no writer fits a function, in the file of its group.  A new
 * group is a file and a row of OP_GROUPS.  Help and errors come from the rows. */
#ifndef STUDY_OP_OP_KIND_H
#define STUDY_OP_OP_KIND_H

#include <stddef.h>
#include <stdio.h>

#include "study/op/op_key.h"

struct op_kind;

/* An operation being written. */
struct op_draft {
    const struct op_kind *kind;
    const struct op_value *value; /* [OP_N_KEYS], dtype filled in */
    enum trace_dtype dtype;
    enum trace_dtype result; /* of a reduction: `dtype`, or that of positions (argmax) */
    uint32_t cores;          /* replicas that a collective joins */
    uint64_t on_chip;        /* bytes that the program before may bring on chip (op_prefetch.h) */
    uint32_t lanes;          /* 32-bit elements of a row of a vector register */
    uint32_t sublanes;       /* rows of it */
    uint32_t space;          /* enum trace_space of what is brought on chip */
    bool tpu;                /* XLA:TPU compiles it */
    bool library;            /* a framework runs norms and the like as kernels of its library */
    FILE *out;
};

/* Write the tensors and the step of the trace.  Errors: ERR_FORMAT, ERR_RANGE when the values do
 * not go together; the message lacks the operation. */
typedef int op_write_fn(const struct op_draft *d, struct err *err);

struct op_kind {
    const char *name;
    uint64_t required, optional; /* OP_BIT of its keys; dtype= is for all and in neither */
    op_write_fn *write;
    const char *trace; /* its kind in a trace */
    uint32_t inputs;   /* operands (element-wise), tensors of state for each weight (optimizers) */
    uint32_t flops;    /* operations per element; 0: lowering counts them */
    const char *fn;    /* fn= in the trace; NULL: additions */
    const char *doc;   /* for the list of operations */
};

struct op_group {
    const char *title; /* in the list of operations */
    const struct op_kind *kind;
    size_t n;
};

/* The groups in the order of the list of operations.  Each is in a file of its own:
 * op_product.c, op_element.c and so on. */
#define OP_GROUPS(G)                                                                               \
    G(product)                                                                                     \
    G(element)                                                                                     \
    G(reduce)                                                                                      \
    G(move)                                                                                        \
    G(index)                                                                                       \
    G(update)                                                                                      \
    G(collective)                                                                                  \
    G(host)

#define G(name) extern const struct op_group op_group_##name;
OP_GROUPS(G)
#undef G

/* All groups, in the order in which help shows them. */
extern const struct op_group *const op_groups[];
extern const size_t op_n_groups;

/* The kind called `name`, or NULL.  Errors: ERR_UNKNOWN with the nearest. */
const struct op_kind *op_kind_find(const char *name, struct err *err);

#endif
