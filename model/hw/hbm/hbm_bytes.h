/* hbm_bytes.h - the bytes of transfers: in how many bursts, and how many have moved by when.
 *
 * Reports, waves and timelines count a leg evenly over its time, so they agree to the byte. */
#ifndef HW_HBM_HBM_BYTES_H
#define HW_HBM_HBM_BYTES_H

#include "hw/hbm/hbm.h"

/* Bursts of a stream. */
uint64_t hbm_bytes_bursts(const struct hbm *h, uint64_t bytes);
/* Bytes that rows at random places take on the bus: whole accesses. */
uint64_t hbm_bytes_of_rows(const struct hbm *h, const struct task_move *m);
/* Bytes of the leg at hand, which move evenly from its begin to its end.  O(1) where it takes the
 * shortcut, else O(bursts). */
struct des_ramp hbm_bytes_of_leg(const struct hbm *h);
/* Bytes that transfers in service, which read or write, still have to move at `now`. */
uint64_t hbm_bytes_to_move(const struct hbm *h, bool write, des_time now);

#endif
