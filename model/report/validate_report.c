#include "report/validate_report.h"

#include "base/exact.h"

bool report_validate_hit(const struct validate_row *r)
{
    EXACT_Q(error);
    mpq_abs(error, r->error);
    return mpq_sgn(r->tolerance) == 0 || mpq_cmp(error, r->tolerance) <= 0;
}

bool report_validate_has_errors(const struct validate_class *c)
{
    return c->n > c->claims + c->asked;
}
