/* batch.h - the largest batch of a trace that the memory of a machine holds.
 *
 * A generated trace is written again with other batches, and each is lowered for the machine, until
 * one fits and the next larger one does not.  Memory grows with the batch.  Of several traces the
 * one with the most samples of those that fit is taken. */
#ifndef STUDY_BATCH_H
#define STUDY_BATCH_H

#include "run/result/result.h"
#include "traces/rebatch.h"

/* A generated trace whose batch can be changed. */
struct batch_source {
    struct trace *trace; /* open, and read to its end */
    struct rebatch knob;
    struct err fixed; /* why its batch cannot be changed; ERR_NONE: it can */
};

/* Open the trace of `q`.  Errors: those of the reader. */
int batch_open(struct batch_source *s, const struct run_request *q, struct err *err);
void batch_close(struct batch_source *s);

/* A trace with some batch; free the text with free(). */
struct batch_trace {
    uint64_t batch; /* value of knob.key; 0: not even the least one fits */
    char *text;     /* `size` bytes */
    size_t size;
};

/* The trace with a batch of `batch`.  Errors: ERR_RANGE. */
int batch_write(const struct batch_source *s, uint64_t batch, struct batch_trace *t,
                struct err *err);

/* The largest batch that fits the machine of `q`; if none does, the least, with t->batch = 0.
 * Errors: those of run_lower().  O(log batch) lowerings. */
int batch_largest(const struct batch_source *s, const struct run_request *q, struct batch_trace *t,
                  struct err *err);

/* The number of the one of `n` traces with the most samples a step that fits the machine of `q`; if
 * none does, of those that run there the one with the fewest.  Errors: those of run_lower() of the
 * first, if none runs there; ERR_FIT one of several does not state its samples. */
int batch_choose(const char *const *traces, size_t n, const struct run_request *q, size_t *best,
                 struct err *err);

#endif
