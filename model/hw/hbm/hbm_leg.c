#include "hw/hbm/hbm_leg.h"

#include "base/memory.h"

void hbm_leg_grow(struct hbm *h)
{
    MEMORY_GROW(h->served, h->leg.mixture + 1, h->n_served);
}
