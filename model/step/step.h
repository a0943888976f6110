/* step.h - a training step in memory: operations, values, who reads what.
 *
 * Lowering needs to look ahead (what leaves a fusion, who reads a value), a stream cannot; this
 * holds exactly one step, so memory does not grow with the number of steps. */
#ifndef STEP_STEP_H
#define STEP_STEP_H

#include "base/err.h"
#include "trace/trace.h"

struct step_value {
    struct trace_shape shape;
    enum trace_role role;
    enum trace_dtype stored; /* dtype in HBM; narrow_step() may make it smaller than shape.dtype */
    bool persistent;         /* lives for the whole run */
    bool on_chip;            /* inside a fusion: never in HBM */
    /* state, over all steps read so far: a sharded optimizer updates it; another kernel uses it */
    bool in_shares, in_full;
    uint64_t stage; /* whose cores have it, or TRACE_NO_STAGE */
    /* indices of top-level nodes; UINT32_MAX: never used.  What comes from another stage is there
     * from its send-start on, and what was sent is not kept for the send. */
    uint32_t def, last_use;
};

enum step_kind { STEP_OP, STEP_REPEAT, STEP_END };

/* A top-level node: an operation, a fusion with its members, or a loop bracket. */
struct step_node {
    enum step_kind kind;
    uint32_t line;
    uint32_t name, phase, kind_text; /* offsets in graph.text */
    uint32_t first_op, n_ops;        /* members; 1 unless a fusion */
    uint64_t count;                  /* STEP_REPEAT */
    uint32_t match;                  /* of a loop bracket: the other one */
    bool fusion;
    uint64_t stage; /* whose cores run it, or TRACE_NO_STAGE: all, as with loop brackets */
};

struct step_op {
    struct trace_op op; /* in, out, name, note, kind_text are not valid here: see below */
    uint32_t first_in, n_in, first_out, n_out; /* ranges of graph.ref: value indices */
    uint32_t bias;                             /* value index or UINT32_MAX */
    uint32_t node;
};

struct step {
    enum trace_dtype matmul; /* to what the trace lets products round their operands */
    struct step_value *value;
    struct step_op *op;
    struct step_node *node;
    uint32_t *ref;
    char *text;
    uint64_t stages; /* of the trace, at least 1 */
    uint64_t every;  /* the step runs once in so many */
    uint32_t n_values, n_ops, n_nodes, n_refs, n_text, n_persistent;
    uint32_t cap_values, cap_ops, cap_nodes, cap_refs, cap_text;
    uint32_t *slot; /* trace value id -> value index, in the scope now being read */
    uint32_t cap_slots;
};

void step_init(struct step *step);
void step_free(struct step *step);

/* Read the header and the persistent tensors, up to the first step. */
int step_read_tensors(struct step *step, struct trace *t, struct err *err);
/* Read the next step, dropping the last one.  Returns 1, or 0 at the end of the trace, or -1. */
int step_read_next(struct step *step, struct trace *t, struct err *err);

/* Does the result of this dynamic-update-slice take the place of its first operand?  It does where
 * that is dead or state of the optimizer, was not made in the same kernel and leaves it. */
bool step_in_place(const struct step *step, const struct step_op *op);

/* Bytes of a value in HBM. */
uint64_t step_bytes(const struct step *step, uint32_t value);

static inline const char *step_text(const struct step *step, uint32_t offset)
{
    return step->text + offset;
}

#endif
