/* schedule_axis.h - collectives along one axis, which is a ring or a line of n places; and
 * functions that the families of schedules share.  Private to this room.
 *
 * The data are n chunks; chunk i belongs to place i.  Both take n - 1 steps:
 *
 *     scatter   chunk i ends as the sum over all places, at place i
 *     gather    chunk i ends at all places
 *
 * On a ring half of each chunk goes up and half goes down, or all of it up.  On a line a chunk goes
 * from its place in both directions (gather), or comes to it from both (scatter). */
#ifndef SCHEDULE_SCHEDULE_AXIS_H
#define SCHEDULE_SCHEDULE_AXIS_H

#include "schedule/schedule.h"

struct schedule_axis {
    uint32_t n;
    bool ring;    /* closed, of at least 3 */
    bool one_way; /* a ring on which all goes up */
};

/* The sending and receiving of place i in one direction in one step. */
struct schedule_axis_move {
    bool send, recv;
    uint32_t out, in; /* chunks sent and received */
    bool fresh;       /* the chunk sent was not received in the step before: it is in HBM */
    bool own;         /* the chunk received is added to this place's own, which is in HBM */
    bool last;        /* nothing more is added to it: it goes to HBM */
};

/* *m = the move of place `i` in `step` of scatter, or of gather, upwards or `down`. */
void schedule_axis_scatter(const struct schedule_axis *a, uint32_t i, uint32_t step, bool down,
                           struct schedule_axis_move *m);
void schedule_axis_gather(const struct schedule_axis *a, uint32_t i, uint32_t step, bool down,
                          struct schedule_axis_move *m);

/* --- for the families ---------------------------------------------------------------------- */

/* A family of algorithms: schedule_*() of its schedules within a slice. */
struct schedule_family {
    bool (*fits)(const struct schedule *s);
    uint32_t (*steps)(const struct schedule *s);
    void (*step)(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                 struct schedule_step *out);
    uint64_t (*parts)(const struct schedule *s); /* the padded buffer is a multiple of it */
    uint32_t (*share)(const struct schedule *s, uint32_t member,
                      struct schedule_part out[SCHEDULE_MAX_PARTS]);
    struct schedule_cost (*cost)(const struct schedule *s);
    bool in_pieces; /* the buffer goes in s->pieces that follow each other */
};
extern const struct schedule_family schedule_axes, schedule_halving, schedule_tree, schedule_stream,
    schedule_direct, schedule_listed, schedule_exchange;

/* The family of a schedule within a slice, and what it says: of one over slices ask for that of its
 * inside first. */
const struct schedule_family *schedule_family_of(const struct schedule *s);
bool schedule_over_slices(const struct schedule *s);
bool schedule_inside_uniform(const struct schedule *s);
bool schedule_inside_fits(const struct schedule *s);
struct schedule_cost schedule_inside_cost(const struct schedule *s);
uint32_t schedule_inside_steps(const struct schedule *s);
void schedule_inside_step(const struct schedule *s, uint32_t chip, uint32_t i,
                          struct schedule_step *out);
uint32_t schedule_inside_share(const struct schedule *s, uint32_t chip,
                               struct schedule_part out[SCHEDULE_MAX_PARTS]);

/* True if a collective along an axis begins with a scatter; if it ends with a gather. */
static inline bool schedule_scatters(const struct schedule *s)
{
    return s->kind != SCHEDULE_ALL_GATHER;
}
static inline bool schedule_gathers(const struct schedule *s)
{
    return s->kind != SCHEDULE_REDUCE_SCATTER;
}

/* Add a part to the sends or receives of a step, and the HBM traffic for it; `fresh`, `own` and
 * `last` as above. */
void schedule_send(struct schedule_step *out, struct schedule_part part, bool fresh);
void schedule_recv(struct schedule_step *out, struct schedule_part part, bool own, bool last);

/* The share function of families whose chips have no ranges of their own. */
uint32_t schedule_no_share(const struct schedule *s, uint32_t member,
                           struct schedule_part out[SCHEDULE_MAX_PARTS]);
/* The closed form of pieces that follow each other over `depth` edges of at most `links` links,
 * `times` times.  Edges of several links may conflict; then the cost is as if each piece waited
 * until the one before had arrived, on every link of the longest edge. */
struct schedule_cost schedule_stream_cost(const struct schedule *s, uint32_t depth, uint64_t links,
                                          uint32_t times);

/* Links between two members. */
uint32_t schedule_links(const struct schedule *s, uint32_t a, uint32_t b);
/* True if neighbours along every dimension of the group are neighbours on the mesh. */
bool schedule_adjacent(const struct schedule *s);

#endif
