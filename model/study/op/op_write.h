/* op_write.h - what the files of the groups of operations share: lines of a trace, sizes, and names
 * for their rows. */
#ifndef STUDY_OP_OP_WRITE_H
#define STUDY_OP_OP_WRITE_H

#include "study/op/op_kind.h"

/* In rows: one key, and those of every operation that is one kernel. */
#define KEY(id) OP_BIT(id)
#define KERNEL (KEY(FLOPS) | KEY(RESIDENT))

/* --- lines of the trace ------------------------------------------------------------------- */

/* "bf16[8,128]". */
#define OP_SHAPE_TEXT 200
char *op_shape(char buf[OP_SHAPE_TEXT], enum trace_dtype dtype, const uint64_t *dim, uint32_t rank);

/* A line such as "tensor %lhs bf16[8,128] constant". */
void op_tensor(const struct op_draft *d, const char *name, enum trace_dtype dtype,
               const uint64_t *dim, uint32_t rank, const char *role);

/* Declare `n` constants %in0, %in1 ... of one shape; `list` is then "%in0, %in1 ...". */
#define OP_LIST_TEXT 512
void op_operands(const struct op_draft *d, const struct op_value *shape, uint64_t n,
                 char list[OP_LIST_TEXT]);

/* The whole step of one operation: "RESULTS = KIND(OPERANDS) name=KIND" with resident= and flops=,
 * `flops` unless that was given, 0 for none; `extra` are more attributes. */
void op_step(const struct op_draft *d, const char *results, const char *operands, uint64_t flops,
             const char *extra);

/* Write the step of one operation whose only result is %out, of that dtype and shape. */
void op_step_out(const struct op_draft *d, enum trace_dtype dtype, const uint64_t *dim,
                 uint32_t rank, const char *operands, uint64_t flops, const char *extra);

/* Around the lines of a step of several operations, which the caller writes to d->out. */
void op_step_begin(const struct op_draft *d);
void op_step_end(const struct op_draft *d);

/* --- sizes -------------------------------------------------------------------------------- */

/* Elements of shape=; below 2^60, checked when it was read. */
uint64_t op_elements(const struct op_value *shape);

/* Elements of bytes=, which must be `parts` equal parts of whole elements.  Errors: ERR_FORMAT. */
int op_byte_elements(const struct op_draft *d, uint64_t parts, uint64_t *n, struct err *err);

/* The dtype of a product of operands of `dtype`: s32 of 8-bit integers, bf16 of 8-bit floating
 * point, else the same. */
enum trace_dtype op_product_dtype(enum trace_dtype dtype);

#endif
