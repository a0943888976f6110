/* validate_report.h - predictions beside published figures. */
#ifndef REPORT_VALIDATE_REPORT_H
#define REPORT_VALIDATE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "study/validate/validate_detail.h"

/* Text: errors of each class, then rows: all of classes that are small (or of every class, with
 * `all`), of others those beyond their tolerance; at the end those that were not predicted.
 * With `detail`: errors of each class, then the detail.
 * JSON: one object with every row, "detail" unless it is NULL, and a newline. */
void report_validate_text(const struct validate_result *v, bool all, FILE *out);
void report_validate_detail(const struct validate_result *v, const struct validate_detail *detail,
                            FILE *out);
void report_validate_json(const struct validate_result *v, const struct validate_detail *detail,
                          FILE *out);
/* The groups, the worst rows and the uses of a detail alone. */
void report_validate_groups(const struct validate_detail *d, FILE *out);

/* True if the error of a checked row is within its tolerance, or the row has none. */
bool report_validate_hit(const struct validate_row *r);

/* True if the class has rows with numbers, besides claims and questions. */
bool report_validate_has_errors(const struct validate_class *c);

#endif
