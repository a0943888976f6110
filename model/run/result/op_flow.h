/* op_flow.h - the tensors that pass from one operation of a step to another. */
#ifndef RUN_RESULT_OP_FLOW_H
#define RUN_RESULT_OP_FLOW_H

#include "base/texts.h"
#include "run/result/result.h"
#include "step/step.h"

/* List the tensors that each operation reads, each once an operation, in program order; operations
 * count from 0.  Names are kept in `texts`.  Free the list with op_flow_free().
 * O(references). */
void op_flow_find(struct run_flow *f, struct texts *texts, const struct step *step);
/* Append a list whose operations count from `first`. */
void op_flow_add(struct run_flow *f, const struct run_flow *more, uint32_t first);
void op_flow_free(struct run_flow *f);

#endif
