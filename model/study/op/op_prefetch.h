/* op_prefetch.h - what a lone kernel finds on chip already.
 *
 * The compiler lets the program before bring an operand on chip (cross_program_prefetch_index): of
 * a matrix product the larger one, of a reduction or a broadcast the only one.  It does so where
 * the kernel is all of its program: not where a dimension of a product is 1, whose operands are
 * laid out anew, nor where a kernel of its own lays out anew what is summed up or broadcast, nor
 * where the sums are one row of more numbers than a register has lanes, which a second kernel does,
 * nor where a broadcast is a copy. */
#ifndef STUDY_OP_OP_PREFETCH_H
#define STUDY_OP_OP_PREFETCH_H

#include "study/op/op_kind.h"

/* "lhs" or "rhs"; NULL: nothing, or it does not fit into d->on_chip bytes. */
const char *op_prefetch(const struct op_draft *d);

#endif
