#include "report/scan_report.h"

#include "base/exact.h"

void report_scan_occupancy(mpq_t q, const struct scan_result *r)
{
    exact_ratio(q, r->places, 1);
    mpq_mul(q, q, r->makespan);
    if (mpq_sgn(q) != 0)
        mpq_div(q, r->work, q);
}
