/* profile_page.h - a measured step beside its prediction, in a browser.
 *
 * The page draws, of one JSON object:
 *
 *     "report"     what report_profile_json() writes
 *     "classes"    {key: [name, what it is]}
 *     "predicted"  {"names": [..], "spans": [[begin, length, name] ..]}   microseconds, or null
 *     "measured"   the same, of one run */
#ifndef REPORT_HTML_PROFILE_PAGE_H
#define REPORT_HTML_PROFILE_PAGE_H

#include <stdio.h>

#include "report/timeline/lanes.h"
#include "study/calibrate/calibration.h"

/* `c` and `lanes` may be NULL. */
void profile_page(const struct profiled *p, const struct calibration *c, const struct lanes *lanes,
                  FILE *out);

#endif
