/* remat_fit.h - rematerialise a step until it fits a machine, by the count of memory that a replay
 * makes: tensors as they lie there, what kernels need while they run, what a process holds. */
#ifndef STUDY_REMAT_FIT_H
#define STUDY_REMAT_FIT_H

#include <stdio.h>

#include "passes/remat.h"
#include "run/result/result.h"

struct trace;

/* Write `t`, the trace of `q`, cut as `plan` says but for its `fit`: the way with the fewest FLOPs
 * that fits the machine of `q`.  *m is the memory of what was written.  Errors: those of
 * remat_write() and run_lower(). */
int remat_fit_write(struct trace *t, const struct run_request *q, struct remat_plan plan,
                    struct run_memory *m, FILE *out, struct err *err);

/* Write the way with the least memory, likewise. */
int remat_fit_least(struct trace *t, const struct run_request *q, struct run_memory *m, FILE *out,
                    struct err *err);

/* Lower the trace in `text` as the request says, for its memory.  Errors: those of run_lower(). */
int remat_fit_lower(const struct run_request *q, const char *text, size_t size,
                    struct run_memory *m, struct err *err);

#endif
