/* hbm_moment.h - moments of the memory's clock as times, and bursts between refreshes. */
#ifndef HW_HBM_HBM_MOMENT_H
#define HW_HBM_HBM_MOMENT_H

#include "hw/hbm/hbm.h"

/* The time of a moment, rounded up; the last moment whose time is not after `now`. */
static inline des_time hbm_moment_time(const struct hbm *h, hbm_moment at)
{
    uint64_t hz = h->hz * HBM_FINE;

    return wide_divide(at * DES_FS_PER_S + hz - 1, &h->fine_hz);
}
/* The last moment of the memory's clock that is not after `now`. */
hbm_moment hbm_moment_before(const struct hbm *h, des_time now);
/* End of a burst that begins at `at`; a refresh interrupts it. */
hbm_moment hbm_moment_burst_end(const struct hbm *h, hbm_moment at, uint64_t cost);

#endif
