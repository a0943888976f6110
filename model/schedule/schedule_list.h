/* schedule_list.h - groups and pairs of cores that are listed one by one.
 *
 * Groups of one size whose chips stand on equal boxes of the mesh run as any other group does:
 * `boxed`.  For all others each group is a round of its own through its cores, in the order of the
 * round through all chips:
 *
 *      all-reduce, reduce-scatter, all-gather, barrier    round in both directions, as `ring`
 *      all-to-all    in step r between cores r places apart
 *      broadcast     in pieces along the round, from the core that is listed first
 *      permute       pairs, or cores `shift` places on, in one step
 *
 * Groups may have several sizes: the smaller ones are done before the last step.  Cores of one chip
 * exchange through HBM.  What crosses which link is left to the mesh. */
#ifndef SCHEDULE_SCHEDULE_LIST_H
#define SCHEDULE_SCHEDULE_LIST_H

#include "schedule/schedule.h"

#define SCHEDULE_NOBODY UINT32_MAX /* no group, or no partner */

struct schedule_list {
    uint32_t cores, per_chip; /* of a slice, of a chip */
    uint32_t n_groups, longest;
    uint32_t way; /* links between neighbours of a round, or of pairs, at most */
    bool pairs, boxed;
    uint32_t size, fan;      /* boxed: chips of a group, cores of a chip that are in it */
    uint32_t *first;         /* [n_groups + 1] */
    uint32_t *core;          /* of the groups, in the order of their rounds */
    uint32_t *source;        /* [group] its place in the round */
    uint32_t *group, *at;    /* [core] its group, or SCHEDULE_NOBODY; its place in the round */
    uint32_t *to, *from;     /* [core] of pairs, or SCHEDULE_NOBODY */
    uint32_t *chips, *place; /* as in struct mesh_group */
};

/* A list of groups, or of pairs: lists i has core[first[i]] to core[first[i + 1] - 1], each below
 * `cores`.  Free it with schedule_list_free(). */
struct schedule_list *schedule_list_new(const struct mesh *m, uint32_t per_chip, bool pairs,
                                        const uint32_t *first, uint32_t n_lists,
                                        const uint32_t *core);
void schedule_list_free(struct schedule_list *l);

/* True if the schedule's list is not a box: it is of this file's family. */
static inline bool schedule_is_listed(const struct schedule *s)
{
    return s->list && !s->list->boxed;
}
/* Put the list into a schedule, whose mesh is set, and set its group. */
void schedule_list_use(struct schedule *s, struct schedule_list *l);

#endif
