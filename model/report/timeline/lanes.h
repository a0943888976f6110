/* lanes.h - what the units of one chip did over the measured steps, in equal bins of time, and the
 * operations of its first core, for pictures. */
#ifndef REPORT_TIMELINE_LANES_H
#define REPORT_TIMELINE_LANES_H

#include <stdio.h>

#include "report/timeline/select.h"
#include "run/result.h"

struct lanes;

/* Of what matches `globs`, in the first chip and its host; they outlive it.  The memory does not
 * grow with the run. */
struct lanes *lanes_new(const char *const *globs, size_t n);
struct run_observer lanes_observer(struct lanes *l);
/* One JSON object:
 *   "bin_seconds", "seconds"
 *   "lanes": [{"name", "kind": "share|rate|level", "unit", "most", "values": [0 .. 1000 of most]}]
 *   "states": [{"name", "values": [0 .. 1000]}]     of the core; 1000 is all of a bin
 *   "names": [..], "spans": [[begin, length, name] ..]   microseconds, an index of names */
void lanes_json(const struct lanes *l, FILE *out);
void lanes_free(struct lanes *l);

#endif
