/* lanes.h - the units of one chip over the measured steps, as data for pictures: how busy each was
 * in equal bins of time, and the operations of the first core. */
#ifndef REPORT_TIMELINE_LANES_H
#define REPORT_TIMELINE_LANES_H

#include <stdio.h>

#include "report/timeline/select.h"
#include "run/result/result.h"

struct lanes;

/* Lanes of the probes of the first chip and its host whose names match one of `globs`, which
 * outlive the lanes.  Their memory does not grow with the length of the run. */
struct lanes *lanes_new(const char *const *globs, size_t n);
/* Those that the page of a run shows. */
struct lanes *lanes_new_page(void);
struct run_observer lanes_observer(struct lanes *l);
/* Write one JSON object:
 *
 *     "bin_seconds", "seconds"
 *     "lanes": [{"name", "kind": "share|rate|level", "unit", "most", "values": [0 .. 1000 of
 *                most], "peak", "total"}]
 *     "states": [{"name", "values": [0 .. 1000]}]          of the core; 1000 is a whole bin
 *     "names": [..], "spans": [[begin, length, name] ..]   microseconds; name: an index of names
 *
 * "peak" is the most that a rate or a level can be, left out where nobody knows; "total" is what a
 * rate adds up to.
 */
void lanes_json(const struct lanes *l, FILE *out);
void lanes_free(struct lanes *l);

#endif
