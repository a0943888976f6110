/* schedule_axis.h - collectives along one axis, a ring or a line of n places, and what the families
 * of schedules share.
 *
 * The data are n chunks; chunk i belongs to place i.  Each takes n - 1 steps:
 *     scatter   chunk i ends as the sum over all places, at place i
 *     gather    from there to all places
 * On a ring half of each chunk goes up and half goes down, or all of it up; on a line all of it
 * goes both ways from its place (gather), or comes from both sides to it (scatter). */
#ifndef SCHEDULE_SCHEDULE_AXIS_H
#define SCHEDULE_SCHEDULE_AXIS_H

#include "schedule/schedule.h"

struct schedule_axis {
    uint32_t n;
    bool ring;    /* closed, of at least 3 */
    bool one_way; /* a ring on which all goes up */
};

/* What place i does in one direction in one step. */
struct schedule_axis_move {
    bool send, recv;
    uint32_t out, in; /* chunks */
    bool fresh;       /* what is sent is not what came in just before */
    bool own;         /* the chunk that comes in is added to this place's own */
    bool last;        /* nothing more is added to it */
};

void schedule_axis_scatter(const struct schedule_axis *a, uint32_t i, uint32_t step, bool down,
                           struct schedule_axis_move *m);
void schedule_axis_gather(const struct schedule_axis *a, uint32_t i, uint32_t step, bool down,
                          struct schedule_axis_move *m);

/* --- for the families ---------------------------------------------------------------------- */

/* Does a family do this kind at all; how many steps; what a chip does in one; bytes are multiples
 * of this; its ranges; the closed form. */
struct schedule_family {
    bool (*fits)(const struct schedule *s);
    uint32_t (*steps)(const struct schedule *s);
    void (*step)(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                 struct schedule_step *out);
    uint64_t (*parts)(const struct schedule *s);
    uint32_t (*share)(const struct schedule *s, uint32_t member,
                      struct schedule_part out[SCHEDULE_MAX_PARTS]);
    struct schedule_cost (*cost)(const struct schedule *s);
    bool in_pieces; /* s->pieces of them follow each other */
};
extern const struct schedule_family schedule_axes, schedule_halving, schedule_tree, schedule_stream,
    schedule_direct;

/* Does a collective of an axis begin with a scatter; does it end with a gather? */
static inline bool schedule_scatters(const struct schedule *s)
{
    return s->kind != SCHEDULE_ALL_GATHER;
}
static inline bool schedule_gathers(const struct schedule *s)
{
    return s->kind != SCHEDULE_REDUCE_SCATTER;
}

/* Sends and takes in; `fresh` and `own` as above, `last`: what comes in goes to HBM. */
void schedule_send(struct schedule_step *out, struct schedule_part part, bool fresh);
void schedule_recv(struct schedule_step *out, struct schedule_part part, bool own, bool last);

/* Of chips without ranges of their own. */
uint32_t schedule_no_share(const struct schedule *s, uint32_t member,
                           struct schedule_part out[SCHEDULE_MAX_PARTS]);
/* The closed form of pieces that follow each other over `depth` edges of `links` links at most,
 * `times` times.  Where edges are longer, they may be in each other's way: then as if each piece
 * waited for the one before to come in, on every link of the longest edge. */
struct schedule_cost schedule_stream_cost(const struct schedule *s, uint32_t depth, uint64_t links,
                                          uint32_t times);

/* Links between two members. */
uint32_t schedule_links(const struct schedule *s, uint32_t a, uint32_t b);
/* Are neighbours along every dimension of the group neighbours on the mesh? */
bool schedule_adjacent(const struct schedule *s);

#endif
