/* outside.h - units outside the cores, whose own work no step can be shorter than. */
#ifndef RUN_RESULT_OUTSIDE_H
#define RUN_RESULT_OUTSIDE_H

#include "run/result/result.h"

#define OUTSIDE_PACE 99 /* percent: a unit that is busier sets the pace of the step */

/* q = the share of the step in which the busiest of them works, and the cause of waits for it;
 * those with the cause `but` are left out (N_CAUSES: none is).  0 and N_CAUSES: there is none. */
enum cause outside_busiest(mpq_t q, const struct run_result *r, enum cause but);

/* The cause of waits for the one that sets the pace; N_CAUSES: the cores do. */
enum cause outside_pace(const struct run_result *r);

#endif
