/* signature.h - what a node of a step does, without the names of its values: two nodes with equal
 * signatures are the same work on other data. */
#ifndef STEP_SIGNATURE_H
#define STEP_SIGNATURE_H

#include <stdio.h>

#include "step/step.h"

/* Write, for each operation of a node: its kind, its attributes but name=, note= and those of
 * pipeline stages, and the shapes of its operands and results, with the dtypes in which they are
 * kept.  An operand that the node makes itself is written by its place: "#2.0" is the first result
 * of the third operation; so are the values that leave a fusion.  What a value is for (its role) is
 * left out: the first layer reads an input, the others an activation.  Cost: O(operands). */
void signature_write(const struct step *step, const struct step_node *n, FILE *out);

#endif
