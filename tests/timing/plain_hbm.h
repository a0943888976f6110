/* plain_hbm.h - overrides for cycles by hand of what is around HBM; test_hbm_turns.c has HBM's own.
 *
 * PLAIN_HBM leaves of HBM only its rate, 0.86 of the peak: no refresh, no contention, no limit of a
 * core.  PLAIN_COSTS does so too and gives operations of all kinds a fixed cost of 1.03 us. */
#ifndef TESTS_PLAIN_HBM_H
#define TESTS_PLAIN_HBM_H

#define PLAIN_HBM                                                                                  \
    "dram.refresh=none", "hbm.contention=no", "dma.bandwidth=0 B/s", "hbm.efficiency=0.86"
#define N_PLAIN_HBM 4
#define PLAIN_COSTS PLAIN_HBM, "core.op_overhead=1.03 us", "xla.vector_time=0 s"
#define N_PLAIN_COSTS (N_PLAIN_HBM + 2)

#endif
