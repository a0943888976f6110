/* op.h - one operation on one machine: k=v to a trace of one step with it, and its replay.
 *
 * The trace is text in memory, so that the reader, lowering, machine and statistics are those of
 * every replay.  The step is measured after one to warm up; there is nothing in it besides the
 * operation.  A short one is the mean over the moments of a refresh (run/moments.h). */
#ifndef STUDY_OP_OP_H
#define STUDY_OP_OP_H

#include <stdio.h>

#include "kernels/common/cap.h"
#include "run/result/result.h"
#include "task/task.h"

struct op_request {
    const char *kind;       /* one of the rows of study/op/op_*.c */
    const char *const *arg; /* "m=4096" */
    size_t n_args;
    struct run_request run; /* machine, set, exact, progress; the rest is filled in */
};

/* An operation as a trace. */
struct op_trace {
    char *name; /* "matmul m=4096 n=4096 k=4096 dtype=bf16", keys in the order of their table */
    char *text;
    size_t size;
};

/* Facts of a machine that decide on the trace of an operation. */
struct op_machine {
    uint32_t cores;   /* replicas, which share out what a collective moves */
    uint64_t on_chip; /* bytes that the program before may bring on chip (op_prefetch.h); 0: none */
    uint32_t lanes;   /* 32-bit elements of a row of a vector register */
    uint32_t sublanes; /* rows of it */
    uint32_t space;    /* enum trace_space of what is brought on chip */
    bool tpu;          /* norms are kernels as XLA:TPU makes them */
    bool library;      /* norms and the like are kernels of a framework's library */
};

/* Errors: ERR_UNKNOWN, ERR_FORMAT, ERR_RANGE, ERR_UNIT: "KIND: what, expected, nearest". */
int op_trace_init(struct op_trace *t, const char *kind, const char *const *arg, size_t n_args,
                  const struct op_machine *on, struct err *err);
void op_trace_free(struct op_trace *t);

/* Run it: the result is that of a replay whose trace is called op_trace.name, to be freed with
 * run_result_free.  Errors: those of op_trace_init, of machine files and of lowering. */
int op_run(const struct op_request *q, struct run_result *r, struct err *err);

/* Lower it, without running it, and hand the program to `show`.  Errors: as op_run. */
typedef void op_show_fn(void *self, const char *name, const struct task_program *p,
                        const struct cap *cap);
int op_lower(const struct op_request *q, op_show_fn *show, void *self, struct err *err);

/* Print its step after a pass before lowering (passes/passes.h).  Errors: as op_run. */
int op_dump(const struct op_request *q, const char *pass, FILE *out, struct err *err);

#endif
