/* html_page.h - pages that explain a run, two runs side by side, or a sweep, in a browser.
 *
 * Each is one file that needs no network: page.html of this folder with page.css, a script and JSON
 * that the script draws.  A script is page.js, the sections of that page, and page_end.js. */
#ifndef REPORT_HTML_HTML_PAGE_H
#define REPORT_HTML_HTML_PAGE_H

#include <stdio.h>

#include "base/err.h"
#include "report/timeline/lanes.h"
#include "run/result/result.h"

/* The page of one run.  `lanes` is what the units did over time, or NULL. */
void html_report(const struct run_result *r, const struct lanes *lanes, FILE *out);
/* The page of two runs.  `run` are what report_json wrote; `name` names them.  Identical layers are
 * one row unless `ungroup`. */
void html_diff(const char *const name[2], const char *const run[2], bool ungroup, FILE *out);

/* The page of a profile.  `json` is what report/html/profile_page.h describes. */
void html_profile(const char *json, FILE *out);

/* The page of a sweep.  `json` is what sweep/report/sweep_page.h describes. */
void html_sweep(const char *json, FILE *out);

/* The page of machines side by side, beside which `text` is what report_compare_text wrote: data is
 * {"comparison": what report_compare_json writes, "verdict": the lines of the text up to its table,
 * "causes": the meaning of each}. */
void html_compare(const char *json, const char *text, FILE *out);

/* The files of the pages, which scripts/embed-text puts into the program. */
extern const char html_page[], html_style[], html_script[], html_sweep_script[],
    html_profile_script[], html_compare_script[];

#endif
