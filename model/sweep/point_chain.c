#include "sweep/point_chain.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "sweep/point.h"

struct place {
    uint64_t replay; /* two replays of one hash share a chain, which costs one of them no more than
                        its replay */
    size_t at;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->replay != y->replay)
        return x->replay < y->replay ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool has_price_axis(const struct plan *p)
{
    for (size_t a = 0; a < p->n_axes; a++)
        if (!point_is_timed(&p->axis[a]))
            return true;
    return false;
}

/* Link points of one replay; marks those that are behind another. */
static void link_points(struct point_chain *c, const struct plan *p, const size_t *ids, size_t n,
                        bool *behind)
{
    struct place *place = memory_zeroed(n, sizeof *place);

    for (size_t i = 0; i < n; i++) {
        char *text = point_replay(p, ids[i]);
        place[i] = (struct place){ XXH3_64bits(text, strlen(text)), i };
        free(text);
    }
    qsort(place, n, sizeof *place, compare_places);
    for (size_t i = 1; i < n; i++)
        if (place[i].replay == place[i - 1].replay) {
            c->next[place[i - 1].at] = place[i].at;
            behind[place[i].at] = true;
        }
    free(place);
}

void point_chain_make(struct point_chain *c, const struct plan *p, const size_t *ids, size_t n)
{
    bool *behind = memory_zeroed(n + 1, sizeof *behind);

    *c = (struct point_chain){ .first = memory_zeroed(n + 1, sizeof *c->first),
                               .next = memory_zeroed(n + 1, sizeof *c->next) };
    for (size_t i = 0; i < n; i++)
        c->next[i] = POINT_CHAIN_END;
    if (n > 1 && has_price_axis(p))
        link_points(c, p, ids, n, behind);
    for (size_t i = 0; i < n; i++)
        if (!behind[i])
            c->first[c->n_first++] = i;
    free(behind);
}

void point_chain_free(struct point_chain *c)
{
    free(c->first);
    free(c->next);
    *c = (struct point_chain){ 0 };
}
