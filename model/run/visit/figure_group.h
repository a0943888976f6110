/* figure_group.h - groups of figures, by the prefix of their columns: "utilization.mxu" and
 * "utilization.hbm" are the group "utilization". */
#ifndef RUN_VISIT_FIGURE_GROUP_H
#define RUN_VISIT_FIGURE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "run/result/result.h"

/* Bytes of the prefix: 11 for "utilization.mxu", 0 for a name without a point. */
size_t figure_group_length(const char *column);

/* True if both columns have the same prefix. */
bool figure_group_same(const char *a, const char *b);

/* True if figures[i] is the first of its group.  O(i). */
bool figure_group_opens(const struct run_figure *figures, size_t i);

#endif
