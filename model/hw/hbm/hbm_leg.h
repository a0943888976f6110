/* hbm_leg.h - legs of an HBM: whose turn it is, what a burst costs, what is counted. */
#ifndef HW_HBM_HBM_LEG_H
#define HW_HBM_HBM_LEG_H

#include "hw/hbm/hbm.h"

/* Set the next leg; some way is in service. */
void hbm_leg_choose(struct hbm *h);
/* Count the leg's first `bursts` bursts, less those counted already. */
void hbm_leg_count(struct hbm *h, uint64_t bursts);
/* All bursts of the leg are served, at h->until.  False: its transfer is over. */
bool hbm_leg_close(struct hbm *h);

/* The ways in service, or their phases, are others from now on. */
static inline void hbm_leg_mix_changes(struct hbm *h)
{
    h->mixture = HBM_NO_MIX;
}

/* Go to the next phase that has bursts; false: none has. */
static inline bool hbm_leg_enter_phase(struct hbm_way *w)
{
    while (w->phase < HBM_N_PHASES && w->left[w->phase] == 0)
        w->phase++;
    return w->phase < HBM_N_PHASES;
}

#endif
