/* profiled_spans.h - the measured run of a profile, beside the predicted step in one timeline. */
#ifndef REPORT_TIMELINE_PROFILED_SPANS_H
#define REPORT_TIMELINE_PROFILED_SPANS_H

#include "report/timeline/perfetto.h"
#include "study/profiled/profiled.h"

/* Add the run of median length, after the replay and before perfetto_check(). */
void profiled_spans_add(const struct profiled *p, struct perfetto *timeline);

#endif
