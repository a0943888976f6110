/* step_build.h - to put a step together, node by node: what readers and passes call.
 *
 *     step_clear(to), step_add_value() of persistent values
 *     step_begin_step / step_begin_repeat ... step_end_block      a whole step; a loop
 *     step_add_phase
 *     step_begin_fusion ... step_end_fusion                       around operations
 *     step_begin_op, step_add_operand..., step_add_result..., step_end_op
 *     step_link(to)                                               at last
 *
 * Calls in another order are bugs.  Text is copied. */
#ifndef STEP_STEP_BUILD_H
#define STEP_STEP_BUILD_H

#include "step/step.h"

/* Start anew: an empty step, with the header and file of `like` if that is not NULL. */
void step_clear(struct step *step, const struct step *like);
/* Drop all nodes and the values that are not persistent. */
void step_drop_nodes(struct step *step);

/* Text, as an offset in step.text. */
uint32_t step_add_text(struct step *step, const char *text);

/* A value of this name; `v` says its shape, role, stage and whether it is persistent. */
uint32_t step_add_value(struct step *step, const char *name, const struct step_value *v);

/* Open a step that runs once in `every` steps, or a loop of `count` turns; close the innermost one;
 * name the phase of what follows. */
void step_begin_step(struct step *step, uint64_t every);
void step_begin_repeat(struct step *step, uint64_t count);
void step_end_block(struct step *step);
void step_add_phase(struct step *step, const char *name);

/* A fusion with the name, note, stage and given attributes of `op`.  `untitled`: reports call it by
 * the matmul or convolution in it, if there is one. */
void step_begin_fusion(struct step *step, const struct trace_op *op, bool untitled);
/* ... that `n` values leave, in this order. */
void step_end_fusion(struct step *step, const uint32_t *listed, uint32_t n);

/* An operation with the attributes and texts of `op`; its operands are added first, then its bias,
 * then its results.  The pointer is valid until the next is begun. */
struct step_op *step_begin_op(struct step *step, const struct trace_op *op);
void step_add_operand(struct step *step, uint32_t value);
void step_set_bias(struct step *step, uint32_t value);
/* Attributes that are printed as they stand here, behind those of the operation. */
void step_set_tail(struct step *step, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A result: the value it is from now on. */
uint32_t step_add_result(struct step *step, const char *name, const struct step_value *v);
void step_end_op(struct step *step);

/* Work out what follows from the nodes: where each value is made and read last, what is state in
 * shares.  Cost: O(references x depth of loops). */
void step_link(struct step *step);

#endif
