/* hbm_leg.h - legs of an HBM: whose turn it is, what a burst costs, what is counted.  Inline, for
 * most of a step's time goes here. */
#ifndef HW_HBM_HBM_LEG_H
#define HW_HBM_HBM_LEG_H

#include "hw/hbm/hbm.h"

/* Make room to count bursts of the leg's mixture. */
void hbm_leg_grow(struct hbm *h);

/* The ways in service, or their phases, are others from now on. */
static inline void hbm_leg_mix_changes(struct hbm *h)
{
    h->mixture = HBM_NO_MIX;
}

/* Go to the next phase that has bursts; false: none has. */
static inline bool hbm_leg_enter_phase(struct hbm *h, struct hbm_way *w)
{
    while (w->phase < HBM_N_PHASES && w->left[w->phase] == 0)
        w->phase++;
    hbm_leg_mix_changes(h);
    if (w->phase == HBM_N_PHASES)
        return false;
    h->mix += w->mix[w->phase];
    return true;
}

/* Set the cost of the leg's bursts, by the mix of ways in service, and the mixture they count to.
 */
static inline void hbm_leg_price(struct hbm *h)
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
        h->mixture = hbm_part_mix(h->part, hbm_mix_one(kind));
    else if (h->mixture == HBM_NO_MIX)
        h->mixture = hbm_part_mix(h->part, h->mix);
    g->mixture = h->mixture;
    g->cost = h->part->mixture[g->mixture].cost[kind];
    g->opens = hbm_kind_is_rows(kind);
}

#define HBM_LONG_TRANSFER (UINT64_C(4) << 30) /* bytes from which on turns are longer */
#define HBM_LONG_TURNS 256                    /* of what is left of such a transfer */

/* Bursts of a turn of that way.  Of a transfer so long that no more than its rate matters, parts of
 * it: its turns would take most of the time of a simulation. */
static inline uint64_t hbm_leg_turn(const struct hbm *h, const struct hbm_way *w)
{
    uint64_t left = w->left[w->phase];

    return left > HBM_LONG_TRANSFER / h->par.burst ? left / HBM_LONG_TURNS : h->turn_bursts;
}

/* The way whose turn it is: the same one until its turn is used up, then the next in service. */
static inline uint32_t hbm_leg_way(struct hbm *h)
{
    uint32_t turn = UINT32_C(1) << h->turn;

    if (h->turn_left && (h->busy & turn))
        return h->turn;
    uint32_t later = h->busy & ~(turn | (turn - 1));
    h->turn = (uint32_t)__builtin_ctz(later ? later : h->busy);
    h->turn_left = hbm_leg_turn(h, &h->way[h->turn]);
    return h->turn;
}

/* Set the next leg; some way is in service. */
static inline void hbm_leg_choose(struct hbm *h)
{
    struct hbm_leg *g = &h->leg;

    g->way = hbm_leg_way(h);
    const struct hbm_way *w = &h->way[g->way];
    g->bursts = w->left[w->phase] < h->turn_left ? w->left[w->phase] : h->turn_left;
    g->counted = 0;
    hbm_leg_price(h);
}

/* Count the leg's first `bursts` bursts, less those counted already. */
static inline void hbm_leg_count(struct hbm *h, uint64_t bursts)
{
    uint64_t more = bursts - h->leg.counted;
    uint32_t mixture = h->leg.mixture;

    h->leg.counted = bursts;
    h->lost[h->leg.opens] += (hbm_moment)more * (h->leg.cost - HBM_FINE);
    if (mixture == HBM_NO_MIX) {
        h->setting_up += more;
        return;
    }
    if (mixture >= h->n_served)
        hbm_leg_grow(h);
    h->served[mixture] += more;
}

/* All bursts of the leg are served, at h->until.  False: its transfer is over. */
static inline bool hbm_leg_close(struct hbm *h)
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
    h->mix -= w->mix[w->phase];
    return hbm_leg_enter_phase(h, w);
}

#endif
