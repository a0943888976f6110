/* input.h - the trace of a request, open, as the slice runs it.
 *
 * A generated trace whose step depends on the size of the slice is derived again for this one
 * (traces/resize.h); any other is read as it is. */
#ifndef RUN_JOB_INPUT_H
#define RUN_JOB_INPUT_H

#include "machine/spec/spec.h"
#include "run/result/result.h"
#include "traces/resize.h"

struct input {
    struct trace *trace;
    struct resize resize;
    char *file; /* as trace_file() has it before the trace was derived again */
    char *name; /* of a derived trace, for messages; else NULL */
};

/* Open the trace of `q` as it is given, with the limits that `q` allows.  Errors: of the reader. */
int input_trace(struct trace **t, const struct run_request *q, struct err *err);

/* Open the trace of `q` for the slice of `spec`.  input_close() is needed after success only.
 * Errors: of the reader; ERR_FIT of program_check(), of resize_trace(), and of q->as_written. */
int input_open(struct input *in, const struct run_request *q, const struct machine_spec *spec,
               struct err *err);
void input_close(struct input *in);

#endif
