/* validate_errors.h - what a set of relative errors comes to. */
#ifndef STUDY_VALIDATE_VALIDATE_ERRORS_H
#define STUDY_VALIDATE_VALIDATE_ERRORS_H

#include <gmp.h>
#include <stddef.h>

struct validate_errors {
    size_t n;
    mpq_t mean, median, p90,
        worst;  /* of absolute values: p90 exceeds nine tenths; worst has a sign */
    mpq_t bias; /* median of the errors */
};

/* Make all 0; give back what the numbers hold. */
void validate_errors_init(struct validate_errors *e);
void validate_errors_clear(struct validate_errors *e);

/* Sum up n errors, which are sorted by that; all 0 of none.  O(n log n). */
void validate_errors_sum(struct validate_errors *e, mpq_srcptr *error, size_t n);

#endif
