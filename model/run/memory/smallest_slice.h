/* smallest_slice.h - the smallest built-in slice, box, card or node, of the kind of chip that was
 * asked for, whose memory holds a trace.
 *
 * Fewest chips first, of as many chips the least memory of a core.  Each candidate is lowered, as
 * tiles and the dtypes in which values are kept depend on the machine.  A core of a data-parallel
 * trace needs the same memory on slices of all sizes, so the smallest is one of few chips with
 * enough HBM each.  A generated trace whose step depends on the slice is derived for each
 * candidate; any other trace for a number of cores has candidates of that size alone. */
#ifndef RUN_MEMORY_SMALLEST_SLICE_H
#define RUN_MEMORY_SMALLEST_SLICE_H

#include "run/job/job.h"

/* Find it for the trace of `j`, as built, without the request's --set.  False if no built-in slice
 * holds it.  May change trace_checksum() (job_footprint).  Cost: a lowering for each candidate up
 * to the one that fits. */
bool smallest_slice_find(const struct job *j, struct run_slice *s);

#endif
