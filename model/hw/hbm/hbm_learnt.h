/* hbm_learnt.h - mixes that were walked in this process, or by another worker of its sweep.
 *
 * What a walk counts depends on the part, the turn and the mix alone, as for built-in parts
 * (hbm_walked.h).  So a walk made for one machine serves all others with the same part: points of a
 * sweep that change something else, or machines of a comparison.
 *
 * A table of HBM_LEARNT_MOST rows, which never change once they are there; what finds no room is
 * walked again.  All threads may ask and add at any time. */
#ifndef HW_HBM_HBM_LEARNT_H
#define HW_HBM_HBM_LEARNT_H

#include <stdbool.h>

#include "hw/hbm/hbm_walked.h"

#define HBM_LEARNT_MOST 4096 /* rows */

/* Copy the row of a part (hbm_walked_part()) and a mix to *row; false: there is none.  O(1). */
bool hbm_learnt_find(uint64_t part, hbm_mix_key key, struct hbm_walked *row);
/* Keep a row.  O(1). */
void hbm_learnt_add(const struct hbm_walked *row);
/* From now on the table is shared with processes that are forked later, and among them.  Without
 * memory for that each keeps its own. */
void hbm_learnt_share(void);

#endif
