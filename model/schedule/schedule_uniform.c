/* Schedules in which all chips do the same at the same time. */
#include <stdio.h>

#include "schedule/schedule_axis.h"
#include "schedule/schedule_flow.h"
#include "schedule/schedule_list.h"
#include "schedule/schedule_slices.h"

/* True if every dimension of the group has at most so many chips, or is closed. */
static bool is_even_sided(const struct schedule *s, uint32_t most)
{
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (s->group.box.n[d] > most && !s->group.box.wrap[d])
            return false;
    return true;
}

bool schedule_goes_round(const struct schedule *s)
{
    const uint32_t *n = s->group.box.n;
    bool row = n[0] == s->group.size || n[1] == s->group.size || n[2] == s->group.size;

    return !row && !s->flow.by && !schedule_is_listed(s) &&
           (s->algorithm == SCHEDULE_RING || s->algorithm == SCHEDULE_RING_ONE_WAY ||
            s->kind == SCHEDULE_PERMUTE);
}

bool schedule_inside_uniform(const struct schedule *s)
{
    const struct mesh *box = &s->group.box;
    uint32_t n = s->group.size;

    if (s->flow.by)
        return schedule_flow_uniform(s);
    if (schedule_is_listed(s))
        return false;
    if (n == 1)
        return true;
    if (!schedule_adjacent(s) || (schedule_goes_round(s) && n != mesh_size(&s->mesh)))
        return false;
    switch (s->algorithm) {
    case SCHEDULE_RING:
    case SCHEDULE_RING_ONE_WAY: return s->kind != SCHEDULE_BROADCAST && mesh_closed(box);
    case SCHEDULE_HIERARCHICAL: return is_even_sided(s, 2);
    case SCHEDULE_TORUS:
        if (s->kind == SCHEDULE_ALL_TO_ALL) /* one link to each partner */
            return box->n[0] <= 3 && box->n[1] <= 3 && box->n[2] <= 3 && is_even_sided(s, 2);
        return is_even_sided(s, 2);
    case SCHEDULE_HALVING: return box->n[0] <= 2 && box->n[1] <= 2 && box->n[2] <= 2;
    case SCHEDULE_LINE: return n == 2 && s->kind != SCHEDULE_BROADCAST;
    case SCHEDULE_DIRECT:
        if (s->kind == SCHEDULE_ALL_TO_ALL)
            return n <= 3 && mesh_closed(box);
        return mesh_closed(box) &&
               (s->further ? s->shift == 0 : s->shift == 1 || s->shift == n - 1);
    default: return false;
    }
}
