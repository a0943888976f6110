/* Lanes and places. */
#include "hw/core/flow.h"

#include "base/err.h"

void flow_lanes_init(struct flow_lanes *l, uint32_t width)
{
    *l = (struct flow_lanes){ .width = width };
}

uint64_t flow_lanes_pass(struct flow_lanes *l, uint64_t from)
{
    if (from <= l->cycle && l->used == l->width)
        from = l->cycle + 1;
    if (from > l->cycle) {
        l->cycle = from;
        l->used = 0;
    }
    l->used++;
    return l->cycle;
}

void flow_lanes_close(struct flow_lanes *l)
{
    l->used = l->width;
}

void flow_places_init(struct flow_places *p, uint32_t depth, uint64_t *freed)
{
    *p = (struct flow_places){ .depth = depth, .freed = freed };
}

bool flow_places_known(const struct flow_places *p)
{
    return !p->depth || p->put - p->back < p->depth;
}

uint64_t flow_places_from(const struct flow_places *p)
{
    return !p->depth || p->put < p->depth ? 0 : p->freed[p->put % p->depth];
}

uint64_t flow_places_last(const struct flow_places *p)
{
    return p->depth && p->back ? p->freed[(p->back - 1) % p->depth] : 0;
}

void flow_places_put(struct flow_places *p)
{
    BUG_ON(!flow_places_known(p));
    p->put++;
}

void flow_places_back(struct flow_places *p, uint64_t cycle)
{
    BUG_ON(p->back == p->put || cycle < flow_places_last(p));
    if (p->depth)
        p->freed[p->back % p->depth] = cycle;
    p->back++;
}
