/* html_page.h - one file that explains a run in a browser, or two runs side by side.
 *
 * It needs no network.  The page is report.html, report.css and report.js of this folder, with the
 * JSON of report_json in it, which the script draws. */
#ifndef REPORT_HTML_HTML_PAGE_H
#define REPORT_HTML_HTML_PAGE_H

#include <stdio.h>

#include "base/err.h"
#include "report/timeline/lanes.h"
#include "run/result.h"

/* The page of one run.  `lanes` is what the units did over time, or NULL. */
void html_report(const struct run_result *r, const struct lanes *lanes, FILE *out);
/* The page of two runs.  `a` and `b` are what report_json wrote; `name_a` and `name_b` name them.
 */
void html_diff(const char *name_a, const char *a, const char *name_b, const char *b, FILE *out);

/* The files of the page, which scripts/embed-text puts into the program. */
extern const char html_page[], html_style[], html_script[];

#endif
