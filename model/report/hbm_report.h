/* hbm_report.h - traffic on HBM, for people and for programs. */
#ifndef REPORT_HBM_REPORT_H
#define REPORT_HBM_REPORT_H

#include <stdio.h>

#include "study/network/hbm_study.h"

/* A few lines, and a line for each bank. */
void report_hbm_text(const struct hbm_study_result *r, FILE *out);
/* One JSON object and a newline. */
void report_hbm_json(const struct hbm_study_result *r, FILE *out);

#endif
