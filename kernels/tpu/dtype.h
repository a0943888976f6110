/* dtype.h - which dtypes the units of a core compute in. */
#ifndef KERNELS_TPU_DTYPE_H
#define KERNELS_TPU_DTYPE_H

#include "base/err.h"
#include "kernels/common/cap.h"
#include "step/step.h"

/* The matrix unit multiplies bf16, f32 (in bf16 parts), pred (0 and 1, exact in bf16) and, where
 * the machine has rates for them, 8-bit integers and 8-bit floating point; sums are f32 or s32.
 * The vector unit has lanes of 32 bits: narrower elements are cast as they are loaded and stored.
 * Nothing computes in 64 bits.  What only moves may have any dtype.
 *
 * 0, or -1 with ERR_FIT and without a place: an operand or result of `op` that its unit cannot
 * compute in, and the nearest dtype that it can.  O(operands and results). */
int dtype_check(const struct step *step, const struct step_op *op, const struct cap *cap,
                struct err *err);

/* Speed of a product of two types of 8-bit floating point over one of bf16, the slower of both; 0:
 * the matrix units have none. */
uint32_t dtype_fp8_rate(enum trace_dtype a, enum trace_dtype b, const struct cap *cap);

#endif
