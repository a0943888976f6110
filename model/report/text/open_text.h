/* open_text.h - what a comparison leaves open, as text: verdicts that are closer than the errors to
 * expect, or on work that is not known, and machines without a price. */
#ifndef REPORT_TEXT_OPEN_TEXT_H
#define REPORT_TEXT_OPEN_TEXT_H

#include "report/compare_report.h"

/* "; open: b and c may be it too", behind the machines that win; nothing where none may. */
void open_text(const bool *win, const struct report_comparison *c,
               const struct report_choice *choice, FILE *out);

/* A line on the machines that keep the deadline and have no price, which the cheapest is not chosen
 * from. */
void open_text_in_time(const struct report_comparison *c, FILE *out);

/* The reason why a verdict is open: some work could not be read; not all errors to expect are
 * known; they are larger. */
const char *open_text_reason(bool all_read, bool all_measured);

/* Lines on machines without an error to expect, and on what decides; no second one where the
 * cheapest and the fastest are certain. */
void open_text_decides(const struct report_comparison *c, FILE *out);

#endif
