/* plan_name.h - what to call the results of a plan. */
#ifndef SWEEP_PLAN_NAME_H
#define SWEEP_PLAN_NAME_H

#include "sweep/plan.h"

/* A name for files in the plan's own words, allocated: traces, machines, what is set, the names of
 * the axes, the sample, and what else is not as usual: "3dgan_tpu-v3-8_mxu.count_hbm.bandwidth".
 * Values of axes and conditions are left out, so a plan keeps its name when an axis gets one more
 * value.  It has letters, digits and . _ - = + alone; one of more than 120 characters is cut and
 * ends with a checksum. */
char *plan_name(const struct plan *p);

#endif
