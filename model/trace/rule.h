/* rule.h - what each kind of operation takes, gives and works out: one table row a kind. */
#ifndef TRACE_RULE_H
#define TRACE_RULE_H

#include "trace/reader.h"

/* The kind that `word` names, with its -start or -done; TRACE_UNKNOWN when the reader allows that.
 */
int rule_kind(const struct trace *t, const struct lex_text *word, struct trace_op *op);

/* Bits of the attributes that the operation takes (attr.h). */
uint64_t rule_attrs(const struct trace_op *op);

/* May it stand inside a fusion? */
bool rule_fuses(const struct trace_op *op);

/* Check the operation against its rule and fill in what is derived.  Its operands, results and
 * attributes are filled in, its results defined. */
int rule_apply(struct trace *t, struct trace_op *op);

/* Which stage it is of: its own, its fusion's or, of what receives, the one it was sent to; its
 * values must be there, and its results are (stage_rule.c). */
int rule_stage(struct trace *t, struct trace_op *op);
/* stage= of the line at hand, at byte `at`: one of the trace's? */
int rule_stage_range(const struct trace *t, uint64_t stage, size_t at, const char *key);

/* Derivation of the GEMM kinds (gemm_rule.c). */
int rule_matmul(struct trace *t, struct trace_op *op);
int rule_conv(struct trace *t, struct trace_op *op);

/* Derivation of what moves or orders rows (rows_rule.c). */
int rule_sort(struct trace *t, struct trace_op *op);
int rule_gather(struct trace *t, struct trace_op *op);
int rule_scatter(struct trace *t, struct trace_op *op);
int rule_update(struct trace *t, struct trace_op *op);

/* Of a reduce, the dimensions that are summed over (reduce_rule.c). */
int rule_reduce(struct trace *t, struct trace_op *op);

static inline const struct trace_shape *rule_shape(const struct trace *t, struct trace_value v)
{
    return &trace_tensor(t, v)->shape;
}

/* Sum of the logical bytes of n values: to *sum, which must fit. */
int rule_bytes(const struct trace *t, const struct trace_value *v, uint32_t n, uint64_t *sum);

#endif
