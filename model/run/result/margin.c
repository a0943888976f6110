#include "run/result/margin.h"

#include "base/exact.h"

void margin_of(mpq_t q, const struct run_result *r)
{
    EXACT_Q(peak);
    mpq_set_ui(q, 0, 1);
    if (r->capacity_bytes_per_core == 0)
        return;
    exact_ratio(peak, r->peak_bytes_per_core, r->capacity_bytes_per_core);
    mpq_set_ui(q, 1, 1);
    mpq_sub(q, q, peak);
}

bool margin_is_close(const struct run_result *r)
{
    EXACT_Q(margin);
    EXACT_Q(most);
    margin_of(margin, r);
    mpq_abs(margin, margin);
    exact_ratio(most, MARGIN_CLOSE, 100);
    bool close = mpq_cmp(margin, most) <= 0;
    return close;
}

bool margin_rests_on_switch(const struct run_result *r)
{
    return r->fit_switch.known && r->fit_switch.fits != r->fits;
}
