/* allow.h - limits of a trace, and of a step that is replayed, that keep a file of a few bytes from
 * taking all time and memory, and those that a user allows instead. */
#ifndef RUN_RESULT_ALLOW_H
#define RUN_RESULT_ALLOW_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/trace.h"

/* 0 in any place: the usual limit, trace_limits_usual or RUN_GRID_STEPS (run/result/result.h). */
struct allow {
    struct trace_limits trace;
    uint64_t grid_steps; /* that a step may be of, on all cores simulated */
};

/* Names and units of limits, for messages. */
#define ALLOW_NAMES                                                                                \
    "steps=N, operations=N, operands=N, lines=N, names=N, text=N (bytes) or grid-steps=N"

/* Read one limit, "steps=20000"; the names are those of ALLOW_NAMES, N is from 1 to 2^63 - 1.
 * Errors: ERR_UNKNOWN for another name, ERR_RANGE for another number, ERR_FORMAT for a limit that
 * `a` has with another number. */
int allow_read(struct allow *a, const char *text, struct err *err);

/* Write each limit that is not the usual one as `before`, "steps=20000", `after`. */
void allow_print(const struct allow *a, const char *before, const char *after, FILE *out);

/* Set the limits of a reader from here on. */
void allow_trace(const struct allow *a, struct trace *t);

#endif
