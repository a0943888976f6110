/* profile_report.h - a measured step beside its prediction, and constants fitted to it. */
#ifndef REPORT_PROFILE_REPORT_H
#define REPORT_PROFILE_REPORT_H

#include <stdio.h>

#include "study/calibrate/calibration.h"

/* Text: the verdict, classes, `rows` kernels of most difference, kernels without a partner; with a
 * calibration its table.  JSON: one object with all kernels and a newline.  `c` may be
 * NULL. */
void report_profile_text(const struct profiled *p, const struct calibration *c, uint64_t rows,
                         FILE *out);
void report_profile_json(const struct profiled *p, const struct calibration *c, FILE *out);

/* The predicted step as a profile: a CSV file as XProf exports `hlo_stats`. */
void report_profile_export(const struct profiled *p, FILE *out);

#endif
