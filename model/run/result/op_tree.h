/* op_tree.h - the operations of a result as a tree: by phase, then by the parts of their scope or,
 * without one, of their name. */
#ifndef RUN_RESULT_OP_TREE_H
#define RUN_RESULT_OP_TREE_H

#include "run/result/result.h"

/* Fill r->tree from r->ops, parents before children, of these the longest first.  The first branch,
 * without a name, is the step.  Parts of a scope end at "/", those of a name at "."; the last one
 * names the operation, which is a leaf of the branch of the others.  Beyond TREE_DEPTH parts the
 * rest is one.  O(n log n) for n operations. */
#define TREE_DEPTH 24
void op_tree_build(struct run_result *r);
void op_tree_free(struct run_result *r);

/* q = seconds of an operation beyond the larger of two times: those of its FLOPs at the peak and of
 * its bytes at the bandwidth of memory. */
void op_tree_wasted(mpq_t q, const struct run_result *r, const struct run_row *op);

#endif
