/* chakra_export.h - one step of a trace as a Chakra execution trace of one rank.
 *
 * All replicas run one program, so the file of one rank is that of any other, but for the ranks in
 * sends and receives.  Loops are written out. */
#ifndef IMPORT_CHAKRA_CHAKRA_EXPORT_H
#define IMPORT_CHAKRA_CHAKRA_EXPORT_H

#include <gmp.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/trace.h"

struct chakra_export {
    /* what is wanted */
    uint64_t step;        /* its number from 1; 0: the first that runs in every step */
    uint64_t rank, ranks; /* ranks 0: those that the trace is for, or any number */
    /* what was written */
    uint64_t nodes, steps; /* steps that the trace has */
    mpz_t ops, comm_bytes; /* sums of num_ops and comm_size */
};
void chakra_export_init(struct chakra_export *x);
void chakra_export_clear(struct chakra_export *x);

/* Read the trace from its start and write the step.  A node for each operation and turn of a loop:
 * what num_ops, tensor_size, comm_size and the dependencies say is in
 * docs/reference/trace-format.md, "Other formats"; what Chakra lacks goes into attributes of our
 * own (chakra_own.h). Errors: those of trace_next(); ERR_RANGE for a step that the trace lacks,
 * more than 10,000,000 operations, FLOPs beyond 63 bits, sends among an unknown number of ranks;
 * ERR_FIT for a pipeline, whose stages have programs of their own. */
int chakra_export(struct trace *t, struct chakra_export *x, FILE *out, struct err *err);

#endif
