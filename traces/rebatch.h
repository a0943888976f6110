/* rebatch.h - a generated trace, written again with another batch.
 *
 * The generator's parameters stand in the header of a trace.  One of them counts the samples of a
 * step: "batch", or "graphs".  A trace that is not, byte for byte, what the generator writes with
 * its parameters is never replaced. */
#ifndef TRACES_REBATCH_H
#define TRACES_REBATCH_H

#include "trace/trace.h"

struct rebatch {
    const char *key;             /* of the generator's parameter */
    uint64_t value, least, most; /* as the trace has it; its range */
};

/* The parameter of its generator that is the batch of the trace at `t`, whose header was read.
 * Reads `t` to its end.  Errors: ERR_FIT no generator wrote it, it was changed since, or it is of a
 * generator without a batch; those of trace_next(). */
int rebatch_find(struct trace *t, struct rebatch *b, struct err *err);

/* The text of that trace with `batch` in place of its own; free *text with free().  Errors: those
 * of gen_write(). */
int rebatch_write(const struct trace_header *h, const struct rebatch *b, uint64_t batch,
                  char **text, size_t *size, struct err *err);

#endif
