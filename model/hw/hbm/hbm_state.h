/* hbm_state.h - the state of a run as bytes in which nothing is absolute: times from now on, rows
 * from the row of the stream's period, requests by their age.
 *
 * Two states of equal bytes at equal distance from the next refresh go on alike, cycle for cycle,
 * as long as the stream does.  Private to the shortcut of hbm_memory. */
#ifndef HW_HBM_HBM_STATE_H
#define HW_HBM_HBM_STATE_H

#include "hw/hbm/hbm_memory.h"

struct hbm_state {
    uint8_t *bytes;
    size_t n;
    uint32_t room;
};

/* The state of `r` before the step of cycle `t`; `s` is cleared and grown as needed. */
void hbm_state_take(struct hbm_state *s, const struct hbm_run *r, uint64_t t);
void hbm_state_free(struct hbm_state *s);

/* Move all rows that wait or are open on by `rows`. */
void hbm_state_shift(struct hbm_run *r, uint32_t rows);

#endif
