/* check_expected.h - errors to expect, from the whole validation that test_evidence.c runs. */
#ifndef TESTS_VALIDATION_CHECK_EXPECTED_H
#define TESTS_VALIDATION_CHECK_EXPECTED_H

#include "study/validate/validate.h"

/* The table and the page are those of `v`, and four of five rows lie within the error that is said
 * beside them, of steps and of kernels, on TPUs and on GPUs. */
void check_expected(const struct validate_result *v);

#endif
