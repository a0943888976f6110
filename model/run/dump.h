/* dump.h - a trace as a machine gets it: its steps after a pass, instead of a replay. */
#ifndef RUN_DUMP_H
#define RUN_DUMP_H

#include <stdio.h>

#include "run/result/result.h"

/* Print the steps of the request's trace after `pass` (passes/passes.h), of those before lowering.
 * Errors: of the machine file, the reader and the passes. */
int dump_steps(const struct run_request *q, const char *pass, FILE *out, struct err *err);

#endif
