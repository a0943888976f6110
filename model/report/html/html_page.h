/* html_page.h - one file that explains a run in a browser, or two of them side by side: no network.
 *
 * The page is model/report/html/; the numbers stand in it as the JSON of report_json. */
#ifndef REPORT_HTML_HTML_PAGE_H
#define REPORT_HTML_HTML_PAGE_H

#include <stdio.h>

#include "base/err.h"
#include "report/timeline/lanes.h"
#include "run/result.h"

/* `lanes` may be NULL. */
void html_report(const struct run_result *r, const struct lanes *lanes, FILE *out);
/* `a`, `b`: the text of report_json of two runs; `name_a`, `name_b` what to call them. */
void html_diff(const char *name_a, const char *a, const char *name_b, const char *b, FILE *out);

/* What scripts/embed-text made of model/report/html/. */
extern const char html_page[], html_style[], html_script[];

#endif
