#include "hw/hbm/hbm_moment.h"

#include "base/wide.h"

hbm_moment hbm_moment_before(const struct hbm *h, des_time now)
{
    static const struct wide_divisor second = WIDE_DIVISOR(DES_FS_PER_S, 14);
    u128 moments = (u128)now * h->hz * HBM_FINE;

    return wide_fits(moments, &second) ? wide_divide(moments, &second) : moments / DES_FS_PER_S;
}

/* The next refresh after work that ended at `at`. */
static hbm_moment next_refresh_after(const struct hbm *h, hbm_moment at)
{
    return at <= h->every ? h->every : (at - 1) / h->every * h->every + h->every;
}

hbm_moment hbm_moment_burst_end(const struct hbm *h, hbm_moment at, uint64_t cost)
{
    hbm_moment to = at + cost;

    if (!h->every)
        return to;
    for (hbm_moment rest = next_refresh_after(h, at); to > rest; rest += h->every)
        to += h->takes;
    return to;
}
