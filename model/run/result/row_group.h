/* row_group.h - rows of a result added up by group, kind and `every`: a layer in all phases and
 * copies, and layers that are identical (run/job/layer_group.h). */
#ifndef RUN_RESULT_ROW_GROUP_H
#define RUN_RESULT_ROW_GROUP_H

#include "run/result/result.h"

/* Add up `n` rows.  Returns a new array of *n_groups rows in the order of their first members, each
 * with the label of the group as its name, the number of names in it, the phase of its first member
 * and the advice of its longest one.  The cause of a group is the largest of its sums.  Names and
 * advice are borrowed from `rows`; free the array with row_group_free.  O(n log n). */
struct run_row *row_group_sum(const struct run_row *rows, size_t n, size_t *n_groups);
void row_group_free(struct run_row *groups, size_t n_groups);

#endif
