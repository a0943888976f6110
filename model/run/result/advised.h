/* advised.h - the rows that advice is about, most worth first: reports print it beside them.
 *
 * On machines with matrix units these are the rows that leave most slots of them unused, on others
 * the longest ones. */
#ifndef RUN_RESULT_ADVISED_H
#define RUN_RESULT_ADVISED_H

#include "run/result/result.h"

#define ADVISED_MOST 5 /* rows whose first advice a report prints */

/* q = slots of the matrix units in the time of a row that do nothing useful. */
void advised_wasted(mpq_t q, const struct run_slots *s);

/* The rows in that order, of equals the earlier one first; free the array.  `ledger`: the machine
 * has matrix units.  O(n log n). */
const struct run_row **advised_order(const struct run_row *rows, size_t n, bool ledger);

/* True if a row has advice and wastes or takes a hundredth of the step of `r`. */
bool advised_is_worth(const struct run_row *row, const struct run_result *r);

#endif
