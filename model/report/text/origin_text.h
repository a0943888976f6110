/* origin_text.h - where the time of a compiled program goes, by scope or by source line. */
#ifndef REPORT_TEXT_ORIGIN_TEXT_H
#define REPORT_TEXT_ORIGIN_TEXT_H

#include <stdio.h>

#include "run/result.h"

/* Print the longest of `n` rows, the sums of `r` by scope or line; `what` is the title.  Nothing
 * for no rows. */
void origin_text(const struct run_row *rows, size_t n, const char *what, const struct run_result *r,
                 FILE *out);

#endif
