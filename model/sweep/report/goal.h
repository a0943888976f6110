/* goal.h - a figure that points of a sweep are ranked by, and which end of it is good. */
#ifndef SWEEP_REPORT_GOAL_H
#define SWEEP_REPORT_GOAL_H

#include "sweep/report/sweep_table.h"

struct goal {
    size_t column;
    bool most; /* larger is better */
};

/* Read "seconds_per_step", "min:usd_per_epoch.on_demand" or "max:samples_per_second"; less is
 * better unless it says max.  Errors: ERR_UNKNOWN for a column that the table does not have. */
int goal_parse(const struct sweep_table *t, const char *text, struct goal *g, struct err *err);

/* True if value `a` is better than `b`; NAN, an unknown value, is worse than all others. */
bool goal_better(const struct goal *g, double a, double b);

#endif
