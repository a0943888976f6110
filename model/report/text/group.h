/* group.h - operations of one name and kind as one row: a layer in all phases and copies. */
#ifndef REPORT_TEXT_GROUP_H
#define REPORT_TEXT_GROUP_H

#include "run/result.h"

/* Sums over the `n` rows: a new array of *n_groups rows, in the order of their first members, with
 * the phase of that.  The cause is the largest of the sum, the share of the matrix units that of
 * all their time.  O(n log n).  Names and the advice, of the longest
 * member, are borrowed from `ops`; free with group_free. */
struct run_row *group_by_name(const struct run_row *ops, size_t n, size_t *n_groups);
void group_free(struct run_row *groups, size_t n_groups);

#endif
