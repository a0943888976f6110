/* parts.h - products of complex numbers and of f64 on a TPU, in a program that is not compiled, as
 * the kernels that the compiler makes of one; private to kernels. */
#ifndef KERNELS_TPU_PARTS_H
#define KERNELS_TPU_PARTS_H

#include "kernels/common/lowering.h"
#include "kernels/tpu/stated.h"

/* True of a product whose operands and result are c64, f64 or c128, and of which no windows and no
 * lanes are stated. */
bool parts_has(const struct stated *c);
/* Append its kernels, all of operation `row`.  Errors: ERR_RANGE, a clause without the kernel. */
int parts_lower(struct lowering *l, const struct stated *c, uint32_t row, struct err *why);

#endif
