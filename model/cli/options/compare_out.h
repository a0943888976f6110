/* compare_out.h - machines side by side as `compare` and `batch` write them. */
#ifndef CLI_OPTIONS_COMPARE_OUT_H
#define CLI_OPTIONS_COMPARE_OUT_H

#include "cli/options/cli_format.h"
#include "report/compare_report.h"

#define COMPARE_OUT_ENDINGS ".txt .json .html" /* of the names of outputs */

/* Write it in a format to `out`.  Of a page the text goes to standard output as well. */
void compare_out_write(const char *trace, const struct report_comparison *c, enum cli_format format,
                       FILE *out);

/* CLI_BAD_INPUT if no machine could run what was asked, else CLI_DONE. */
int compare_out_status(const struct report_comparison *c);

#endif
