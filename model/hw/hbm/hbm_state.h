/* hbm_state.h - the state of a run as bytes without absolute values: times count from now, rows
 * from the row of the stream's period, requests by their age.
 *
 * Two states with equal bytes at the same distance from the next refresh go on cycle for cycle
 * alike, as long as the stream does.  Private to the shortcut of hbm_memory. */
#ifndef HW_HBM_HBM_STATE_H
#define HW_HBM_HBM_STATE_H

#include "hw/hbm/hbm_memory.h"

struct hbm_state {
    uint8_t *bytes;
    size_t n;
    uint32_t room;
};

/* Write the state of `r` before the step of cycle `t` into `s`, over what was there. */
void hbm_state_take(struct hbm_state *s, const struct hbm_run *r, uint64_t t);
void hbm_state_free(struct hbm_state *s);

/* Add `rows` to all rows that are open or waited for. */
void hbm_state_shift(struct hbm_run *r, uint32_t rows);

#endif
