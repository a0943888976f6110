/* perfetto.h - a run as a trace for Perfetto: spans, counters and flows of what the machine shows.
 *
 * Each probe is a track in the group of its module's parent.  States, texts and numbered spans are
 * slices, levels are counters, totals are rates; a state is also a counter, the share of time in
 * which it is not idle.  A probe whose row names a track (des_probe_row) makes its group a device,
 * with the names that profilers of real machines use.  Times are in nanoseconds, rounded down. */
#ifndef REPORT_TIMELINE_PERFETTO_H
#define REPORT_TIMELINE_PERFETTO_H

#include <stdio.h>

#include "report/timeline/select.h"
#include "run/result/result.h"

struct perfetto;

struct perfetto_request {
    struct timeline_choice choice;
    const char *path; /* for messages */
    bool compress;
    uint64_t limit; /* bytes, before compression */
};

/* Write a trace into `out`; `q` and what it points to outlive it.  Its memory does not grow with
 * the length of the run. */
struct perfetto *perfetto_new(const struct perfetto_request *q, FILE *out);
struct run_observer perfetto_observer(struct perfetto *p);

/* Spans that the run did not make, on a track of a group of their own; after the run.  They begin
 * with the measured step, and lie one after the other. */
struct perfetto_span {
    const char *name;
    uint64_t begin, end; /* nanoseconds */
};
void perfetto_add_spans(struct perfetto *p, const char *group, const char *track,
                        const struct perfetto_span *span, size_t n);

/* Call it after the run.  Errors: ERR_RANGE at the limit, or when the run ended before the window
 * began; ERR_IO. */
int perfetto_check(struct perfetto *p, struct err *err);
void perfetto_free(struct perfetto *p);

#endif
