/* origin.h - the operations of a compiled program added up by where they come from: by scope, the
 * path of functions and modules that a framework gives an operation; by layer, which is a scope
 * without what the framework did to it; and by line of source. */
#ifndef RUN_RESULT_ORIGIN_H
#define RUN_RESULT_ORIGIN_H

#include "run/result/result.h"

/* Fill layers, scopes and sources of `r` from its operations: one row for each of them, longest
 * first, with the sums of their operations.  A scope is an operation's without its last part, which
 * names the operation itself.  Operations without one are in the row "".  Nothing is filled
 * unless some operation has one.  Layers and scopes whose names differ in numbers alone are a group
 * unless `ungroup`.  O(n log n) for n operations, and the square of the layers and of the scopes.
 */
void origin_sum(struct run_result *r, bool ungroup);

#endif
