/* scan_report.h - trials side by side on one slice: how long they take, for how much, and each kind
 * of trial. */
#ifndef REPORT_SCAN_REPORT_H
#define REPORT_SCAN_REPORT_H

#include <gmp.h>
#include <stdio.h>

#include "study/scan.h"

/* Text: one screen; JSON: one object and a newline. */
void report_scan_text(const struct scan_result *r, FILE *out);
void report_scan_json(const struct scan_result *r, FILE *out);

/* q = the share of the time of all places that trials fill; 0 of no time. */
void report_scan_occupancy(mpq_t q, const struct scan_result *r);

#endif
