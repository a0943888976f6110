/* plain_hbm.h - overrides that leave of HBM only its rate, 0.86 of the peak: no refresh, no
 * contention, no limit of a core.  For cycles by hand of what is around it; test_hbm_turns.c has
 * HBM's own. */
#ifndef TESTS_PLAIN_HBM_H
#define TESTS_PLAIN_HBM_H

#define PLAIN_HBM                                                                                  \
    "dram.refresh=none", "hbm.contention=no", "dma.bandwidth=0 B/s", "hbm.efficiency=0.86"
#define N_PLAIN_HBM 4

#endif
