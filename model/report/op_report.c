#include "report/op_report.h"

#include "base/err.h"

const struct run_row *report_op_row(const struct run_result *r)
{
    BUG_ON(r->n_ops < 1 || r->n_phases != 1);
    return r->n_ops == 1 ? &r->ops[0] : &r->phases[0];
}
