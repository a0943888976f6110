/* resize.h - a generated trace, derived again for a slice of another size.
 *
 * The step of some workloads depends on how many replicas there are: a client that feeds all of
 * them, a batch that they share.  Such a trace has the generator's parameters in its header, so
 * that the generator can write it again for another slice.  It does so only if the trace is, byte
 * for byte, what it writes with these parameters: a trace that was changed by hand is never
 * replaced. */
#ifndef TRACES_RESIZE_H
#define TRACES_RESIZE_H

#include "trace/trace.h"

struct resize_slice {
    const char *machine; /* for messages */
    uint64_t cores, hosts;
    bool local; /* its devices are in the machine that the program runs on, as GPUs are */
};

struct resize {
    uint64_t from, to; /* cores that the trace was written for; that it was derived again for.  0:
                          it runs on any slice; as it is */
    bool local;        /* it was derived again for devices that are in the program's machine */
    char *text;        /* the derived trace, `size` bytes; NULL: the trace runs as it is */
    size_t size;
};

/* The number of cores that a generated trace was written for, 0 if its step depends on no such
 * number.  A trace that was cut for a number of cores says so itself (cores=, shared=, stages=). */
uint64_t resize_cores(const struct trace_header *h);

/* Derive the trace at `t`, whose header was read, for a slice.  Reads `t` to its end if it depends
 * on the size and was written for another one.  Free r->text with free(); it is NULL on errors.
 * Errors: ERR_FIT the generator has no such step, or the text is not what it writes, with the
 * command that writes the trace anew; those of trace_next(). */
int resize_trace(struct trace *t, const struct resize_slice *slice, struct resize *r,
                 struct err *err);

#endif
