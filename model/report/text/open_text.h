/* open_text.h - verdicts that are closer than the errors to expect, as text. */
#ifndef REPORT_TEXT_OPEN_TEXT_H
#define REPORT_TEXT_OPEN_TEXT_H

#include "report/compare_report.h"

/* "; open: b and c may be it too", behind the machines that win; nothing where none may. */
void open_text(const bool *win, const struct report_comparison *c,
               const struct report_choice *choice, FILE *out);

/* A line on what decides them; nothing where the cheapest and the fastest are certain. */
void open_text_decides(const struct report_comparison *c, FILE *out);

#endif
