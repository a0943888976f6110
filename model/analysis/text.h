/* text.h - what a sweep found out, written for people. */
#ifndef ANALYSIS_TEXT_H
#define ANALYSIS_TEXT_H

#include "analysis/table.h"

#define ANALYSIS_TOP 10

/* What to ask of a sweep. */
struct analysis_request {
    const char *best; /* "usd_per_epoch.on_demand", "max:utilization.mxu"; NULL: seconds_per_step */
    const char *where; /* condition over the columns, or NULL */
    uint64_t top;      /* rows of a table */
};

/* Is all there that is asked for?  Errors: ERR_UNKNOWN, ERR_FORMAT. */
int analysis_check(const struct table *t, const struct analysis_request *q, struct err *err);

/* Screens of 100 columns; `q` has been checked. */
void analysis_text(const struct table *t, const char *db, const struct analysis_request *q,
                   FILE *out);

#endif
