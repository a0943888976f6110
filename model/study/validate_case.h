/* validate_case.h - one run of a validation, from the words of a table.
 *
 * The workload is one of the generators, or "op KIND".  Words "key=value" whose key has a point
 * change the machine ("host.cores=4"), or cut the step over its cores if they begin with "shard."
 * (shard/shard.h); the others go to the generator or the operation. */
#ifndef STUDY_VALIDATE_CASE_H
#define STUDY_VALIDATE_CASE_H

#include "run/result.h"
#include "study/validate.h"

#define VALIDATE_CASE_PARAMETERS 512 /* bytes of them at most, with the NUL */

struct validate_case {
    const char *machine, *workload, *parameters;
    bool device; /* its device alone: hosts that are never late */
};

/* Errors: those of generators, of cutting and of a replay; ERR_FORMAT too many words. */
int validate_case_run(const struct validate_case *r, const struct validate_request *q,
                      struct run_result *result, struct err *err);
/* The same without running the step.  Errors: the same; ERR_FORMAT of an operation. */
int validate_case_memory(const struct validate_case *r, const struct validate_request *q,
                         struct run_memory *m, struct err *err);

#endif
