#include "hw/hbm/hbm_leg.h"

#include "base/memory.h"

static uint32_t bit_of_way(uint32_t way)
{
    return UINT32_C(1) << way;
}

/* The mixture of ways, those that set up left out. */
static uint32_t find_mixture(const struct hbm *h, uint32_t ways)
{
    hbm_mix_key key = 0;

    for (; ways; ways &= ways - 1) {
        const struct hbm_way *w = &h->way[__builtin_ctz(ways)];
        if (w->phase != HBM_SETS_UP)
            key += hbm_mix_one(w->kind[w->phase]);
    }
    return hbm_part_mix(h->part, key);
}

/* Set the cost of the leg's bursts, by the mix of ways in service, and the mixture they count to.
 */
static void price_leg(struct hbm *h)
{
    struct hbm_leg *g = &h->leg;
    const struct hbm_way *w = &h->way[g->way];
    uint32_t kind = w->kind[w->phase];

    g->mixture = HBM_NO_MIX;
    g->cost = HBM_FINE;
    g->opens = false;
    if (!h->part || w->phase == HBM_SETS_UP)
        return;
    if (!h->par.contention)
        h->mixture = find_mixture(h, bit_of_way(g->way));
    else if (h->mixture == HBM_NO_MIX)
        h->mixture = find_mixture(h, h->busy);
    g->mixture = h->mixture;
    g->cost = h->part->mixture[g->mixture].cost[kind];
    g->opens = hbm_kind_is_rows(kind);
}

/* The way whose turn it is: the same one until its turn is used up, then the next in service. */
static uint32_t choose_way(struct hbm *h)
{
    if (h->turn_left && (h->busy & bit_of_way(h->turn)))
        return h->turn;
    uint32_t later = h->busy & ~(bit_of_way(h->turn) | (bit_of_way(h->turn) - 1));
    h->turn = (uint32_t)__builtin_ctz(later ? later : h->busy);
    h->turn_left = h->turn_bursts;
    return h->turn;
}

void hbm_leg_choose(struct hbm *h)
{
    struct hbm_leg *g = &h->leg;

    g->way = choose_way(h);
    const struct hbm_way *w = &h->way[g->way];
    g->bursts = w->left[w->phase] < h->turn_left ? w->left[w->phase] : h->turn_left;
    g->counted = 0;
    price_leg(h);
}

void hbm_leg_count(struct hbm *h, uint64_t bursts)
{
    uint64_t more = bursts - h->leg.counted;
    uint32_t mixture = h->leg.mixture;

    h->leg.counted = bursts;
    h->lost[h->leg.opens] += (hbm_moment)more * (h->leg.cost - HBM_FINE);
    if (mixture == HBM_NO_MIX) {
        h->setting_up += more;
        return;
    }
    if (mixture >= h->n_served) {
        MEMORY_GROW(h->served, mixture + 1, h->n_served);
    }
    h->served[mixture] += more;
}

bool hbm_leg_close(struct hbm *h)
{
    struct hbm_leg *g = &h->leg;
    struct hbm_way *w = &h->way[g->way];

    hbm_leg_count(h, g->bursts);
    g->folded = h->serving = false;
    h->at = h->until;
    h->turn_left -= g->bursts;
    w->left[w->phase] -= g->bursts;
    if (w->left[w->phase])
        return true;
    hbm_leg_mix_changes(h);
    return hbm_leg_enter_phase(w);
}
