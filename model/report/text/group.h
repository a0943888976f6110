/* group.h - rows of operations added up by name and kind: a layer in all phases and copies. */
#ifndef REPORT_TEXT_GROUP_H
#define REPORT_TEXT_GROUP_H

#include "run/result.h"

/* Add up `n` rows.  Returns a new array of *n_groups rows in the order of their first members, each
 * with the phase of its first member and the advice of its longest one.  The cause of a group is
 * the largest of its sums.  Names and advice are borrowed from `ops`; free the array with
 * group_free.  O(n log n). */
struct run_row *group_by_name(const struct run_row *ops, size_t n, size_t *n_groups);
void group_free(struct run_row *groups, size_t n_groups);

#endif
