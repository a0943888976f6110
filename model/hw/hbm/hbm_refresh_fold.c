/* The refreshes between which a moment lies, and a sum of work, for the shortcuts. */
#include "hw/hbm/hbm_serve.h"

void hbm_fold_find_round(struct hbm *h, hbm_moment t)
{
    hbm_moment rounds = hbm_divide(t, h->every);

    h->round.begin = rounds * h->every;
    h->round.lost = (rounds - 1) * h->takes;
}

void hbm_fold_find_span(struct hbm *h, hbm_moment work)
{
    hbm_moment free = h->every - h->takes, spans = hbm_divide(work - h->every - 1, free);

    h->span.after = h->every + spans * free;
    h->span.lost = (spans + 1) * h->takes;
}
