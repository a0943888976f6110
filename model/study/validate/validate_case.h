/* validate_case.h - one run of a validation, described by the words of a table.
 *
 * The workload is one of the generators, "op KIND", or "compiled:NAME": a program of
 * model/measured that is kept as compiled, whose batch= is named.  A parameter "key=value" whose
 * key has a point changes the machine ("host.cores=4"); if it begins with "shard." it cuts the step
 * over the cores (shard.h); all others go to the generator or the operation. */
#ifndef STUDY_VALIDATE_VALIDATE_CASE_H
#define STUDY_VALIDATE_VALIDATE_CASE_H

#include "run/result/result.h"
#include "study/validate/validate.h"

#define VALIDATE_CASE_PARAMETERS 512 /* longest text of parameters in bytes, with the NUL */

struct validate_case {
    const char *machine, *workload, *parameters;
    bool device; /* hosts that are never late, to compare with a device time */
};

/* Replay it.  Errors: those of generators, of cutting and of a replay; ERR_FORMAT too many words.
 */
int validate_case_run(const struct validate_case *r, const struct validate_request *q,
                      struct run_result *result, struct err *err);
/* Lower the step without running it, for its memory.  Errors: as above; ERR_FORMAT of an operation.
 */
int validate_case_memory(const struct validate_case *r, const struct validate_request *q,
                         struct run_memory *m, struct err *err);

#endif
