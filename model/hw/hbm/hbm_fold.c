/* The shortcut of hbm.c: the end of a leg without its bursts.
 *
 * All bursts of a leg cost the same and only refreshes delay them.  So a moment is converted to the
 * work that was possible before it, as if there were no refreshes; the leg's bursts are added; and
 * the sum is converted back. */
#include "hw/hbm/hbm_serve.h"

static hbm_moment end_of_leg(struct hbm *h)
{
    hbm_moment from = h->leg.from, work = (hbm_moment)h->leg.cost * h->leg.bursts;

    if (!h->every)
        return from + work;
    /* most legs end before the refresh that an earlier leg has looked up */
    if (from > h->refresh || from + h->every <= h->refresh)
        h->refresh = from <= h->every ? h->every : (hbm_divide(from - 1, h->every) + 1) * h->every;
    if (from + work <= h->refresh)
        return from + work;
    return hbm_fold_moment(h, hbm_fold_work(h, from) + work);
}

static uint64_t count_ended(struct hbm *h, hbm_moment now)
{
    hbm_moment to = hbm_fold_work(h, now), from = hbm_fold_work(h, h->leg.from);
    uint64_t bursts = to > from ? (uint64_t)hbm_divide(to - from, h->leg.cost) : 0;

    return bursts < h->leg.bursts ? bursts : h->leg.bursts;
}

const struct hbm_fold hbm_fold = { end_of_leg,       count_ended,     hbm_client_pass,
                                   hbm_client_serve, hbm_client_join, hbm_client_ask };
