/* compare_text.h - notes below machines side by side (compare_text_notes.c). */
#ifndef REPORT_TEXT_COMPARE_TEXT_H
#define REPORT_TEXT_COMPARE_TEXT_H

#include <stdio.h>

#include "report/compare_report.h"

/* A line that says for each machine what its epoch leaves over, or with `dropped` false has too
 * much; nothing where none does. */
void compare_text_left(const struct report_comparison *c, bool dropped, FILE *out);

/* The machines that cannot run it, a paragraph for those with the same reason, which is that of the
 * first. */
void compare_text_refused(const struct report_comparison *c, FILE *out);

/* A line for each machine on the epochs that were asked for; nothing where nobody asks. */
void compare_text_run(const struct report_comparison *c, FILE *out);

/* Machines whose memory is close to the peak, or on which a switch of the compiler decides. */
void compare_text_doubts(const struct report_comparison *c, FILE *out);

/* The batches that would fit, were memory in proportion to them; nothing where nobody asks. */
void compare_text_proportion(const struct report_comparison *c, FILE *out);

/* A line on the machines whose largest batch is where the range of the generator's parameter ends;
 * nothing where memory ends all. */
void compare_text_most(const struct report_comparison *c, FILE *out);

/* Where prices come from, a line for the machines of each source. */
void compare_text_prices(const struct report_comparison *c, FILE *out);

/* Machines on which another step ran than the one in the file. */
void compare_text_derived(const struct report_verdict *v, size_t n, FILE *out);

#endif
