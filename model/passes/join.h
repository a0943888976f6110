/* join.h - pass: arrays put side by side that products alone read.
 *
 * XLA:TPU writes no such array to memory: each kernel reads the parts and puts them together on
 * chip, as many kernels as there are.  Only where parts share tiles it fuses a concatenation with
 * no more than one reader.  A part that others read in f32 is kept rounded for products as well, by
 * the kernel that makes it.  [xla-programs]  A trace by hand has it once, before its first reader.
 */
#ifndef PASSES_JOIN_H
#define PASSES_JOIN_H

#include "step/step.h"
#include "step/tiling.h"

/* Give each product that reads a concatenation one of its own, in its kernel, and drop the first if
 * nobody else reads it.  Concatenations of concatenations become one.  Those whose parts share
 * tiles stay, and so do those that anything else reads, whose products are in a library's kernels,
 * or that cross the border of a loop or of a stage.  Compiled programs have decided it: they stay
 * as they are.  `round`: narrow_step() comes next, so that what products alone read is kept in
 * fewer bits. Cost: O(references x parts). */
void join_step(struct step *step, struct tiling tiling, bool round);

#endif
