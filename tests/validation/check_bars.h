/* check_bars.h - how near predictions must be, on the whole validation that test_evidence.c runs.
 */
#ifndef TESTS_VALIDATION_CHECK_BARS_H
#define TESTS_VALIDATION_CHECK_BARS_H

#include "study/validate/validate.h"

/* Errors of classes and rows, claims and answers of `whole` keep to their bars. */
void check_bars(const struct validate_result *whole);
/* The errors that docs/evidence/limits.md names are those of `whole`. */
void check_limits(const struct validate_result *whole);
/* `op_run` takes for some kernels what their rows of `whole` say. */
void check_operations(const struct validate_result *whole);

#endif
