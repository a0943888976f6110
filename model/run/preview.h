/* preview.h - the pace of a step from one run of each operation that it has.
 *
 *     seconds = sum over unlike operations: seconds of the first * how many are like it
 *
 * Operations are alike if they do the same work on the same shapes, in the same memories.  One of
 * each is simulated, in the order of the step, and the exchange with hosts is left out: that is for
 * steps that do not wait for it.  Nothing warms up.  A quarter of the work of a replay and less. */
#ifndef RUN_PREVIEW_H
#define RUN_PREVIEW_H

#include "run/result/result.h"

struct preview {
    bool fits;  /* the memory of a core */
    bool whole; /* the step has stages or hosts that work for it, or waits for launches */
    mpq_t samples_per_second; /* 0: whole, or nothing was simulated; the caller clears it */
    uint64_t rows;            /* operations that were simulated */
    uint64_t events;
};

/* Preview `q`.  With `must_fit`, nothing is simulated of a step that does not fit.  `base`: NULL,
 * or the result of a step with the same operations, each of half the work.  An operation whose
 * products alone take twice its time there is not simulated: it takes twice that time.  Errors:
 * those of run_replay(). */
int preview_run(const struct run_request *q, bool must_fit, const struct run_result *base,
                struct preview *p, struct err *err);

#endif
