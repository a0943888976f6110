#include "hw/hbm/hbm_leg.h"

#include "base/memory.h"

uint32_t hbm_leg_mixture(const struct hbm *h, uint32_t ways)
{
    hbm_mix_key key = 0;

    for (; ways; ways &= ways - 1) {
        const struct hbm_way *w = &h->way[__builtin_ctz(ways)];
        if (w->phase != HBM_SETS_UP)
            key += hbm_mix_one(w->kind[w->phase]);
    }
    return hbm_part_mix(h->part, key);
}

void hbm_leg_grow(struct hbm *h)
{
    MEMORY_GROW(h->served, h->leg.mixture + 1, h->n_served);
}
