/* margin.h - the part of a core's memory that a step leaves free, from a result, exact.
 *
 *     margin = (capacity - peak) / capacity      1/10: a tenth is left; -1/10: a tenth is missing
 */
#ifndef RUN_RESULT_MARGIN_H
#define RUN_RESULT_MARGIN_H

#include "run/result/result.h"

#define MARGIN_CLOSE 15 /* percent of the capacity: padding and buffers that a compiler adds */

/* q = margin; 0 without a capacity. */
void margin_of(mpq_t q, const struct run_result *r);

/* True if the margin is at most MARGIN_CLOSE, either way. */
bool margin_is_close(const struct run_result *r);

/* True if the step fits with one value of the switch (r->fit_switch) and not with the other. */
bool margin_rests_on_switch(const struct run_result *r);

#endif
