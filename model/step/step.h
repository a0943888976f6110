/* step.h - a training step in memory: operations, values, who makes what, who reads it last.
 *
 * Lowering and the passes look ahead (what leaves a fusion, who reads a value), which the stream of
 * a trace reader cannot.  A reader of some format fills a step, passes (model/passes) change it or
 * make another step of it, and then it is lowered (kernels/lower.h) or printed:
 *
 *     text --step_read_*--> step --passes--> step --lower_step--> tasks
 *                                                 --step_print--> text
 *
 * A step is made of nodes in program order: an operation, a fusion with its members, or a bracket.
 * step_read_next() holds one step of a trace at a time, without brackets for the step itself, so
 * memory does not grow with the number of steps; step_read_all() holds all of them, each between
 * STEP_BEGIN and STEP_END.
 *
 * Other formats (compiled programs, Chakra, SCALE-Sim) become text of a trace first (model/import),
 * so step_load.c fills every step.  Fields that only compiled programs have (tiles of a layout,
 * memory spaces, pairs of start and done, windows) are zero where a trace says nothing of them, and
 * no pass or kernel has to know where the text came from.
 */
#ifndef STEP_STEP_H
#define STEP_STEP_H

#include "base/err.h"
#include "trace/trace.h"

#define STEP_NONE UINT32_MAX /* no such value, operation or node */

struct step_value {
    struct trace_shape shape;
    enum trace_role role;
    enum trace_dtype stored; /* dtype in HBM; narrow_step() may make it smaller than shape.dtype */
    bool persistent;         /* lives for the whole run */
    bool on_chip;            /* inside a fusion: never in HBM */
    /* state, over all steps read so far: a sharded optimizer updates it; another kernel uses it */
    bool in_shares, in_full;
    bool placed; /* it takes the place of the value `at`: the same bytes */
    uint32_t at;
    uint32_t name;  /* offset in step.text, without the % */
    uint64_t stage; /* whose cores have it, or TRACE_NO_STAGE */
    uint32_t op;    /* that makes it; STEP_NONE: it is persistent */
    /* indices of top-level nodes; last_use STEP_NONE: never used.  What comes from another stage is
     * there from its send-start on, and what was sent is not kept for the send. */
    uint32_t def, last_use;
};

enum step_kind { STEP_OP, STEP_REPEAT, STEP_BEGIN, STEP_END }; /* of nodes */

/* A top-level node: an operation, a fusion with its members, or a bracket of a loop or a step. */
struct step_node {
    enum step_kind kind;
    bool fusion;
    bool library;                    /* ... that is one kernel of a framework's library */
    uint32_t line;                   /* of the text it was read from */
    uint32_t title, kind_text;       /* offsets in step.text: what reports call it */
    uint32_t name;                   /* of a fusion */
    uint32_t note, scope, source;    /* of a fusion, or STEP_NONE: none */
    uint64_t given;                  /* of a fusion: attributes in its text (trace_op.given) */
    uint32_t phase;                  /* index in step.phase: the latest before it in the step */
    uint32_t first_op, n_ops;        /* members; 1 unless a fusion */
    uint32_t first_listed, n_listed; /* of a fusion, in step.ref: values that leave it */
    uint64_t count;                  /* STEP_REPEAT: turns; STEP_BEGIN: as step.every */
    uint32_t match;                  /* of a bracket: the other one */
    uint64_t stage; /* whose cores run it, or TRACE_NO_STAGE: all, as with brackets */
};

/* A line "phase NAME": it stands before node `before`, or before the end of that block. */
struct step_phase {
    uint32_t name;
    uint32_t before;
    uint32_t line; /* of the text it was read from */
};

struct step_op {
    /* in, out, bias, name and all other texts are not valid here: see below; what
     * op.compiled points to belongs to the step */
    struct trace_op op;
    uint32_t name, kind_text;                  /* offsets in step.text */
    uint32_t note, scope, source;              /* ... or STEP_NONE: none */
    uint32_t members, pairs;                   /* the same */
    uint32_t first_in, n_in, first_out, n_out; /* ranges of step.ref: values */
    uint32_t bias;                             /* value or STEP_NONE */
    uint32_t node;
    uint32_t tail; /* attributes as a pass wrote them, behind those of op.given; STEP_NONE: none */
};

struct step {
    struct trace_header head;
    char *file;    /* of the trace, for messages */
    bool whole;    /* all steps, between brackets */
    bool compiled; /* of a compiled program: it states kernels, layouts or places */
    uint64_t
        every; /* it runs between the others, once in so many; 0: it is one of them, or whole */
    struct step_value *value; /* persistent ones first */
    struct step_op *op;
    struct step_node *node;
    struct step_phase *phase; /* [0]: before all phases, without a line */
    uint32_t *ref;
    char *text;
    struct trace_compiled **stated; /* of its kernels; each a block of memory */
    uint32_t n_values, n_ops, n_nodes, n_phases, n_refs, n_text, n_stated;
    uint32_t n_persistent, n_persistent_text; /* what stays when the next step is read */
    uint32_t cap_values, cap_ops, cap_nodes, cap_phases, cap_refs, cap_text, cap_stated;
    uint32_t *slot; /* of the reader: trace value id -> value, in the scope now being read */
    uint32_t cap_slots;
    bool in_fusion; /* of the builder: the last node is open */
    bool untitled;  /* ... and has no title of its own yet */
    uint32_t open;  /* ... innermost open bracket, or STEP_NONE */
    uint32_t in_phase;
};

/* Make an empty step; free what a step holds, which is then empty. */
void step_init(struct step *step);
void step_free(struct step *step);

/* --- from a trace (step_load.c) ----------------------------------------------------------- */

/* Read the header and the persistent tensors, up to the first step. */
int step_read_tensors(struct step *step, struct trace *t, struct err *err);
/* Read the next step, dropping the last one.  Returns 1, or 0 at the end of the trace, or -1. */
int step_read_next(struct step *step, struct trace *t, struct err *err);
/* Read a whole trace from its header on: every step, between brackets.  Returns 0 or -1. */
int step_read_all(struct step *step, struct trace *t, struct err *err);

/* --- to text (step_print.c) --------------------------------------------------------------- */

/* Canonical text: the header and the persistent tensors; the step, or all steps if it is whole.
 * A step that no pass changed prints as the trace layer prints the trace.  A value that a pass
 * keeps in another dtype is printed with that dtype. */
void step_print_head(const struct step *step, FILE *out);
void step_print(const struct step *step, FILE *out);
/* Parts of its lines: result i of an operation, "%y f32[8] gradient at %x"; the line that opens a
 * fusion, without its bracket. */
void step_print_result(const struct step *step, const struct step_op *op, uint32_t i, FILE *out);
void step_print_fusion(const struct step *step, const struct step_node *n, FILE *out);

/* --- what a pass must keep (step_verify.c) ------------------------------------------------ */

/* Check that ranges and indices are within their arrays, operations are in their nodes in order,
 * operands are made before they are read and in scope, values inside a fusion are read there alone
 * and listed ones made there, brackets match, phases are in order, stages exist, and that a done
 * has its start.  Returns 0, or -1 and "after PASS: what is wrong".  Cost: O(references). */
int step_verify(const struct step *step, const char *pass, struct err *err);

/* Fail because a pass that would change what a compiled program has decided was asked for: "FILE: a
 * compiled program WHY", and the command that compiles it again.  Returns 0 for every other step,
 * else -1.  Errors: ERR_FIT. */
int step_refuse_compiled(const struct step *step, const char *why, struct err *err);

/* --- questions ---------------------------------------------------------------------------- */

/* True if the result of this dynamic-update-slice takes the place of its first operand: where that
 * is dead or state of the optimizer, was not made in the same kernel and leaves it. */
bool step_in_place(const struct step *step, const struct step_op *op);

/* Bytes of a value where it is kept, which is HBM unless step_space() says otherwise: padded, in
 * its layout, where the trace states one; else its elements as they are kept. */
uint64_t step_bytes(const struct step *step, uint32_t value);

/* The innermost bracket around each node, or STEP_NONE; the caller frees the array. */
uint32_t *step_blocks(const struct step *step);

/* The attributes of an operation with their texts, as attr_print() wants them; valid until text is
 * added to the step. */
struct trace_op step_attributes(const struct step *step, const struct step_op *op);

/* Text of the step by its offset. */
static inline const char *step_text(const struct step *step, uint32_t offset)
{
    return step->text + offset;
}

/* NULL where there is none. */
static inline const char *step_optional(const struct step *step, uint32_t offset)
{
    return offset == STEP_NONE ? NULL : step->text + offset;
}

/* The name of a value. */
static inline const char *step_name(const struct step *step, uint32_t value)
{
    return step->text + step->value[value].name;
}

/* Where a value comes from, as the program states it for the operation that makes it ("a.py:56"),
 * or for the fusion around that; NULL: not stated, or it is persistent. */
const char *step_source(const struct step *step, uint32_t value);
const char *step_scope(const struct step *step, uint32_t value); /* ... "jit(step)/conv" */

/* The phase that a node is in. */
static inline const char *step_phase_name(const struct step *step, const struct step_node *n)
{
    return step->text + step->phase[n->phase].name;
}

/* The memory that a value is in. */
static inline enum trace_space step_space(const struct step *step, uint32_t value)
{
    return trace_space(&step->value[value].shape);
}

/* Operands of an operation, the bias behind the others. */
static inline uint32_t step_n_operands(const struct step_op *op)
{
    return op->n_in + (op->bias != STEP_NONE);
}

/* The value of operand `i`, i < step_n_operands(). */
static inline uint32_t step_operand(const struct step *step, const struct step_op *op, uint32_t i)
{
    return i < op->n_in ? step->ref[op->first_in + i] : op->bias;
}

/* The value of result `i`, i < op->n_out. */
static inline uint32_t step_result(const struct step *step, const struct step_op *op, uint32_t i)
{
    return step->ref[op->first_out + i];
}

#endif
