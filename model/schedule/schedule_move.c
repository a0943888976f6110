/* Collectives that move data without adding.
 *
 *      stream   broadcast in pieces along the round through the group, from member 0's place: both
 *               ways round a ring, one way along a line
 *      direct   permute, in one step; all-to-all along a row, in step r between places r apart
 *      torus    all-to-all, one dimension after the other: along a dimension a chip sends to each
 *               place the blocks for all chips there */
#include "base/err.h"
#include "schedule/schedule_axis.h"

/* --- stream -------------------------------------------------------------------------------- */

static bool stream_fits(const struct schedule *s)
{
    return s->kind == SCHEDULE_BROADCAST;
}

static bool goes_both_ways(const struct schedule *s)
{
    return s->algorithm == SCHEDULE_RING && s->group.size > 2;
}

/* Chips that pieces reach in one direction round: half of the others, the larger half upwards. */
static uint32_t chips_reached(const struct schedule *s, bool down)
{
    uint32_t others = s->group.size - 1;

    if (!goes_both_ways(s))
        return down ? 0 : others;
    return down ? others / 2 : others - others / 2;
}

static uint32_t stream_steps(const struct schedule *s)
{
    return s->group.size < 2 ? 0 : s->pieces + chips_reached(s, false) - 1;
}

static uint64_t stream_parts(const struct schedule *s)
{
    return s->pieces;
}

/* The chip at a place of the round, counted from that of member 0. */
static uint32_t at_place(const struct schedule *s, uint32_t group, uint32_t place)
{
    const struct mesh *box = &s->group.box;
    uint32_t first = mesh_place(box, 0);

    return mesh_group_chip(&s->group, group, mesh_round(box, (first + place) % s->group.size));
}

static uint32_t place_of(const struct schedule *s, uint32_t member)
{
    const struct mesh *box = &s->group.box;

    return (mesh_place(box, member) + s->group.size - mesh_place(box, 0)) % s->group.size;
}

static void stream_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                        struct schedule_step *out)
{
    uint32_t n = s->group.size, place = place_of(s, member);
    uint64_t bytes = schedule_padded(s) / s->pieces;

    for (int down = 0; down < 2; down++) {
        /* d: links from the root in this direction; piece k leaves distance d in step k + d */
        uint32_t d = down ? (n - place) % n : place, far = chips_reached(s, down);
        if (d > far || far == 0)
            continue;
        if (d < far && i >= d && i - d < s->pieces) {
            uint32_t to = at_place(s, group, down ? n - d - 1 : d + 1);
            /* the root reads a piece once for both ways */
            schedule_send(out, (struct schedule_part){ to, (i - d) * bytes, bytes, bytes, 1 },
                          d == 0 && !down);
        }
        if (d > 0 && i + 1 >= d && i + 1 - d < s->pieces) {
            uint32_t from = at_place(s, group, down ? (n - d + 1) % n : d - 1);
            schedule_recv(out, (struct schedule_part){ from, (i + 1 - d) * bytes, bytes, bytes, 1 },
                          false, true);
        }
    }
}

/* Links between places i and i + by of the round, at most over all i. */
static uint64_t longest_way(const struct schedule *s, uint32_t by)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < s->group.size; i++) {
        uint32_t to = mesh_round(&s->group.box, (i + by) % s->group.size);
        uint64_t links = schedule_links(s, mesh_round(&s->group.box, i), to);
        most = links > most ? links : most;
    }
    return most;
}

static struct schedule_cost stream_cost(const struct schedule *s)
{
    uint32_t depth = s->group.size < 2 ? 0 : chips_reached(s, false);

    return schedule_stream_cost(s, depth, depth ? longest_way(s, 1) : 0, 1);
}

const struct schedule_family schedule_stream = { stream_fits,  stream_steps,      stream_step,
                                                 stream_parts, schedule_no_share, stream_cost,
                                                 true };

/* --- direct -------------------------------------------------------------------------------- */

/* All-to-all along the dimensions of the group, or along its round as the only one. */
struct exchange {
    uint32_t n_axes;
    uint32_t n[MESH_DIMS], weight[MESH_DIMS]; /* places; members between neighbours */
    bool round;
};

static void exchange_of(const struct schedule *s, struct exchange *x)
{
    uint32_t weight = 1;

    *x = (struct exchange){ .round = s->algorithm == SCHEDULE_DIRECT };
    if (x->round) {
        x->n_axes = 1;
        x->n[0] = s->group.size;
        x->weight[0] = 1;
        return;
    }
    for (uint32_t d = 0; d < MESH_DIMS; weight *= s->group.box.n[d++])
        if (s->group.box.n[d] > 1) {
            x->n[x->n_axes] = s->group.box.n[d];
            x->weight[x->n_axes++] = weight;
        }
}

static bool direct_fits(const struct schedule *s)
{
    const uint32_t *n = s->group.box.n;
    bool row = n[0] == s->group.size || n[1] == s->group.size || n[2] == s->group.size;

    if (s->algorithm == SCHEDULE_DIRECT)
        return s->kind == SCHEDULE_PERMUTE || (s->kind == SCHEDULE_ALL_TO_ALL && row);
    return s->kind == SCHEDULE_ALL_TO_ALL && s->group.hop[0] != 0;
}

static uint32_t direct_steps(const struct schedule *s)
{
    struct exchange x;
    uint32_t sum = 0;

    if (s->kind == SCHEDULE_PERMUTE)
        return s->group.size > 1 && (s->shift % s->group.size || s->further) ? 1 : 0;
    exchange_of(s, &x);
    for (uint32_t i = 0; i < x.n_axes; i++)
        sum += x.n[i] / 2;
    return sum;
}

static uint64_t direct_parts(const struct schedule *s)
{
    return s->kind == SCHEDULE_ALL_TO_ALL ? s->group.size : 1;
}

static void shift_buffer(const struct schedule *s, uint32_t group, uint32_t member, uint32_t by,
                         uint64_t offset, uint64_t bytes, struct schedule_step *out)
{
    uint32_t n = s->group.size, place = place_of(s, member);

    if (by % n == 0 || bytes == 0)
        return;
    uint32_t to = at_place(s, group, (place + by) % n);
    uint32_t from = at_place(s, group, (place + n - by % n) % n);
    schedule_send(out, (struct schedule_part){ to, offset, bytes, bytes, 1 }, true);
    schedule_recv(out, (struct schedule_part){ from, offset, bytes, bytes, 1 }, false, true);
}

/* The place of a member along the d-th axis, or the only one; and the member at a place. */
static uint32_t axis_place(const struct schedule *s, const struct exchange *x, uint32_t member,
                           uint32_t d)
{
    if (x->round)
        return mesh_place(&s->group.box, member);
    BUG_ON(x->weight[d] == 0 || x->n[d] == 0); /* d is one of its axes */
    return member / x->weight[d] % x->n[d];
}

static uint32_t axis_member(const struct schedule *s, const struct exchange *x, uint32_t member,
                            uint32_t d, uint32_t place)
{
    if (x->round)
        return mesh_round(&s->group.box, place);
    return member + (place - member / x->weight[d] % x->n[d]) * x->weight[d];
}

/* The blocks for all members at the partner's place along the axis, or from them. */
static struct schedule_part blocks_for(const struct schedule *s, const struct exchange *x,
                                       uint32_t group, uint32_t partner, uint32_t d)
{
    uint64_t block = schedule_padded(s) / s->group.size;
    uint32_t index = x->round ? partner : partner / x->weight[d] % x->n[d] * x->weight[d];
    uint64_t run = x->round ? 1 : x->weight[d], all = x->round ? s->group.size : run * x->n[d];

    return (struct schedule_part){ mesh_group_chip(&s->group, group, partner), index * block,
                                   run * block, all * block, s->group.size / all };
}

static void direct_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                        struct schedule_step *out)
{
    struct exchange x;
    uint32_t d = 0;

    if (s->kind == SCHEDULE_PERMUTE) {
        shift_buffer(s, group, member, s->shift, 0, s->bytes, out);
        shift_buffer(s, group, member, s->shift + 1, s->bytes, s->further, out);
        return;
    }
    exchange_of(s, &x);
    while (i >= x.n[d] / 2)
        i -= x.n[d++] / 2;
    uint32_t by = i + 1, n = x.n[d], at = axis_place(s, &x, member, d);
    uint32_t up = axis_member(s, &x, member, d, (at + by) % n);
    uint32_t down = axis_member(s, &x, member, d, (at + n - by) % n);
    schedule_send(out, blocks_for(s, &x, group, up, d), true);
    schedule_recv(out, blocks_for(s, &x, group, down, d), false, true);
    if (up == down)
        return;
    schedule_send(out, blocks_for(s, &x, group, down, d), true);
    schedule_recv(out, blocks_for(s, &x, group, up, d), false, true);
}

/* On a ring a step between places r apart loads each link with r parts in each direction, and their
 * routes are r links long; on a line some go all the way back, over the same links as others. */
static struct schedule_cost direct_cost(const struct schedule *s)
{
    struct schedule_cost sum = { 0, 0 };
    struct exchange x;

    if (s->kind == SCHEDULE_PERMUTE) {
        uint64_t near = s->shift % s->group.size ? longest_way(s, s->shift) : 0;
        uint64_t far =
            s->further && (s->shift + 1) % s->group.size ? longest_way(s, s->shift + 1) : 0;
        return (struct schedule_cost){ near > far ? near : far,
                                       near * s->bytes + far * s->further };
    }
    exchange_of(s, &x);
    for (uint32_t d = 0; d < x.n_axes; d++) {
        struct schedule_part part = blocks_for(s, &x, 0, 0, d);
        for (uint32_t by = 1; by <= x.n[d] / 2; by++) {
            uint64_t most = 0;
            for (uint32_t i = 0; i < x.n[d]; i++) {
                uint32_t a = axis_member(s, &x, 0, d, i);
                uint64_t l = schedule_links(s, a, axis_member(s, &x, 0, d, (i + by) % x.n[d]));
                most = l > most ? l : most;
            }
            sum.hops += most;
            sum.bytes += most * part.bytes * part.count;
        }
    }
    return sum;
}

const struct schedule_family schedule_direct = { direct_fits,  direct_steps,      direct_step,
                                                 direct_parts, schedule_no_share, direct_cost,
                                                 false };
