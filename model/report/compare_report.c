#include "report/compare_report.h"

#include "base/exact.h"
#include "run/epoch.h"

bool report_compare_fits(const struct report_verdict *v)
{
    return v->result && v->result->fits;
}

void report_compare_times_capacity(mpq_t q, const struct run_result *r)
{
    /* a machine that was built has memory; results of tests may have none */
    exact_ratio(q, r->peak_bytes_per_core,
                r->capacity_bytes_per_core ? r->capacity_bytes_per_core : 1);
}

bool report_compare_time(mpq_t q, const struct run_result *r)
{
    mpq_inv(q, r->samples_per_second);
    return true;
}

bool report_compare_cost(mpq_t q, const struct run_result *r)
{
    epoch_million_samples(q, r, r->usd_per_hour);
    return r->has_price;
}

/* A candidate fits and, if asked, takes no longer than the deadline for an epoch. */
static bool is_candidate(const struct report_comparison *c, const struct report_verdict *v,
                         bool in_time)
{
    return report_compare_fits(v) &&
           (!in_time ||
            (v->result->has_epoch && mpq_cmp(v->result->seconds_per_epoch, c->deadline) <= 0));
}

size_t report_compare_best(bool *win, const struct report_comparison *c, report_figure *figure,
                           bool in_time)
{
    size_t n = 0;

    EXACT_Q(best);
    EXACT_Q(q);
    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        win[i] = is_candidate(c, v, in_time) && figure(q, v->result);
        if (!win[i] || (n > 0 && mpq_cmp(q, best) > 0)) {
            win[i] = false;
            continue;
        }
        if (n > 0 && mpq_cmp(q, best) < 0) {
            for (size_t k = 0; k < i; k++)
                win[k] = false;
            n = 0;
        }
        mpq_set(best, q);
        n++;
    }
    return n;
}
