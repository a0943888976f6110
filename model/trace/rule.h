/* rule.h - rules of the kinds of operations: their operands, results, attributes, derived fields.
 */
#ifndef TRACE_RULE_H
#define TRACE_RULE_H

#include "trace/reader.h"

/* Set op->kind and op->async from `word`, such as "all-reduce-start".  An unknown word is an error,
 * or TRACE_UNKNOWN if the reader allows it. */
int rule_kind(const struct trace *t, const struct lex_text *word, struct trace_op *op);

/* Bits of the attributes that the operation takes (attr.h). */
uint64_t rule_attrs(const struct trace_op *op);

/* True if the operation may be a member of a fusion. */
bool rule_fuses(const struct trace_op *op);

/* Check the operation by its rule and fill in the derived fields: FLOPs, bytes, GEMM dimensions.
 * Its operands, results and attributes are filled in, its results defined. */
int rule_apply(struct trace *t, struct trace_op *op);

/* Set the stage of an operation and of its results: stage=, or its fusion's, or for send-done the
 * stage that it was sent to.  Its operands must be on that stage (stage_rule.c). */
int rule_stage(struct trace *t, struct trace_op *op);
/* Fail at byte `at` unless `stage` is a stage of the trace. */
int rule_stage_range(const struct trace *t, uint64_t stage, size_t at, const char *key);

/* The rules that rows name (kinds.h): gemm_rule.c, rows_rule.c, reduce_rule.c, transfer_rule.c,
 * kernel_rule.c and rule.c.  They check that operands, results and attributes go together, and fill
 * in what follows from them. */
#define K(id, text, in_min, in_max, out_min, out_max, attrs, rule, ...)                            \
    int rule(struct trace *t, struct trace_op *op);
TRACE_KINDS(K)
#undef K

/* Keep a start for its done.  Its results are one handle u32[], or of some kinds the memory that
 * those of its done take the place of. */
int rule_keep_start(struct trace *t, const struct trace_op *op);
/* Give a done what its start has, and check that it is of the same kind. */
int rule_finish_start(struct trace *t, struct trace_op *op);

/* Check results that take the place of other values (kernel_rule.c). */
int rule_place(struct trace *t, const struct trace_op *op);

/* True if the results of a start of this kind may be those of its done. */
static inline bool rule_has_destinations(enum trace_kind k)
{
    return k == TRACE_COPY || k == TRACE_KERNEL || trace_is_collective(k);
}

/* The start that a value is a result of. */
static inline struct scope_start *rule_start(const struct trace *t, struct trace_value v)
{
    return &scope_at(&t->scope, scope_at(&t->scope, v.id)->start.first)->start;
}

/* The shape of an operand or a result. */
static inline const struct trace_shape *rule_shape(const struct trace *t, struct trace_value v)
{
    return &trace_tensor(t, v)->shape;
}

/* *sum = logical bytes of n values.  Errors: ERR_RANGE if they do not fit 64 bits. */
int rule_bytes(const struct trace *t, const struct trace_value *v, uint32_t n, uint64_t *sum);

#endif
