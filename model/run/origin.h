/* origin.h - the operations of a compiled program added up by where they come from: by scope, the
 * path of functions and modules that a framework gives an operation, and by line of source. */
#ifndef RUN_ORIGIN_H
#define RUN_ORIGIN_H

#include "run/result.h"

/* Fill scopes and sources of `r` from its operations: one row for each scope and each line, longest
 * first, with the sums of their operations.  A scope is an operation's without its last part, which
 * names the operation itself.  Operations without either are in the row "".  Nothing is filled
 * unless some operation has one.  O(n log n). */
void origin_sum(struct run_result *r);

#endif
