/* perfetto.h - a run as a trace for Perfetto: spans, counters and flows of what the machine shows.
 *
 * Each module with a parent is a track of its parent's group, each probe a track: states, texts and
 * numbered spans as slices, levels as counters, totals as rates; states also as the share of time
 * that is not rest.  Rows that name a track (des_probe_row) make their group a device, named as
 * profilers of real machines name it.  Times are in nanoseconds, rounded down. */
#ifndef REPORT_TIMELINE_PERFETTO_H
#define REPORT_TIMELINE_PERFETTO_H

#include <stdio.h>

#include "report/timeline/select.h"
#include "run/result.h"

struct perfetto;

struct perfetto_request {
    struct timeline_choice choice;
    const char *path; /* for messages */
    bool compress;
    uint64_t limit; /* bytes, before compression */
};

/* A trace into `out`; `q` and what it points to outlive it.  Its memory does not grow with the
 * run. */
struct perfetto *perfetto_new(const struct perfetto_request *q, FILE *out);
struct run_observer perfetto_observer(struct perfetto *p);
/* After the run.  Errors: ERR_RANGE at the limit, or when the run ended before the window began;
 * ERR_IO. */
int perfetto_check(struct perfetto *p, struct err *err);
void perfetto_free(struct perfetto *p);

#endif
