/* Collectives among boards (boardfly.h), along the places of a board, its boards and its groups one
 * after the other: along each, every place sends to every other one at once, or to as many as a
 * step has parts.
 *
 *      scatter   to each place its chunk of the range that the axis before has left
 *      gather    the own chunk to all places; axes in reverse
 *      all-to-all    to each place the blocks for all members there */
#include "base/err.h"
#include "schedule/boardfly.h"
#include "schedule/schedule_axis.h"

struct axes {
    uint32_t n_axes, n[MESH_DIMS], weight[MESH_DIMS]; /* places; members between neighbours */
};

static void axes_of(const struct schedule *s, struct axes *x)
{
    uint32_t weight = 1;

    *x = (struct axes){ 0 };
    for (uint32_t d = 0; d < MESH_DIMS; weight *= s->group.box.n[d++])
        if (s->group.box.n[d] > 1) {
            x->n[x->n_axes] = s->group.box.n[d];
            x->weight[x->n_axes++] = weight;
        }
}

/* Steps along an axis: each sends SCHEDULE_MAX_PARTS parts, the last one what is left. */
static uint32_t axis_steps(uint32_t places)
{
    return (places - 1 + SCHEDULE_MAX_PARTS - 1) / SCHEDULE_MAX_PARTS;
}

static uint32_t steps_one_way(const struct axes *x)
{
    uint32_t sum = 0;

    for (uint32_t a = 0; a < x->n_axes; a++)
        sum += axis_steps(x->n[a]);
    return sum;
}

static bool exchange_fits(const struct schedule *s)
{
    return s->mesh.wrap[MESH_BOARDS] && s->kind != SCHEDULE_PERMUTE &&
           s->kind != SCHEDULE_BROADCAST;
}

static uint32_t exchange_steps(const struct schedule *s)
{
    struct axes x;

    axes_of(s, &x);
    if (s->kind == SCHEDULE_ALL_TO_ALL)
        return steps_one_way(&x);
    return steps_one_way(&x) * (uint32_t)(schedule_scatters(s) + schedule_gathers(s));
}

static uint64_t exchange_parts(const struct schedule *s)
{
    return s->group.size;
}

static uint32_t place_along(const struct axes *x, uint32_t member, uint32_t a)
{
    BUG_ON(x->weight[a] == 0 || x->n[a] == 0); /* a is one of its axes */
    return member / x->weight[a] % x->n[a];
}

/* The member `by` places further along an axis, round its end. */
static uint32_t member_beside(const struct axes *x, uint32_t member, uint32_t a, uint32_t by)
{
    uint32_t at = place_along(x, member, a);

    return member + ((at + by) % x->n[a] - at) * x->weight[a];
}

/* The range that a member is left with before axis `a` scatters. */
static struct schedule_part range_of(const struct schedule *s, const struct axes *x,
                                     uint32_t member, uint32_t a)
{
    uint64_t bytes = schedule_padded(s), offset = 0;

    for (uint32_t p = 0; p < a; p++) {
        bytes /= x->n[p];
        offset += place_along(x, member, p) * bytes;
    }
    return (struct schedule_part){ .offset = offset, .bytes = bytes, .pitch = bytes, .count = 1 };
}

/* The chunk of that range for the place of member `of`, with member `other` at its other end. */
static struct schedule_part chunk_for(const struct schedule *s, const struct axes *x,
                                      uint32_t group, uint32_t of, uint32_t other, uint32_t a)
{
    struct schedule_part part = range_of(s, x, of, a + 1);

    part.chip = mesh_group_chip(&s->group, group, other);
    return part;
}

/* The blocks for all members at the place of `to` along an axis, with that member. */
static struct schedule_part blocks_for(const struct schedule *s, const struct axes *x,
                                       uint32_t group, uint32_t to, uint32_t a)
{
    uint64_t block = schedule_padded(s) / s->group.size, w = x->weight[a], all = w * x->n[a];

    BUG_ON(all == 0);
    return (struct schedule_part){ mesh_group_chip(&s->group, group, to),
                                   place_along(x, to, a) * w * block, w * block, all * block,
                                   s->group.size / all };
}

static void exchange_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                          struct schedule_step *out)
{
    struct axes x;
    uint32_t a = 0;

    axes_of(s, &x);
    uint32_t half = steps_one_way(&x);
    bool all_to_all = s->kind == SCHEDULE_ALL_TO_ALL;
    bool gather = !all_to_all && (!schedule_scatters(s) || i >= half);
    BUG_ON(half == 0); /* i is one of the steps */
    i = gather ? half - 1 - i % half : i;
    out->sum = !gather && !all_to_all;
    while (i >= axis_steps(x.n[a]))
        i -= axis_steps(x.n[a++]);
    if (gather) /* axes in reverse, the steps of each in order */
        i = axis_steps(x.n[a]) - 1 - i;
    for (uint32_t k = 0; k < SCHEDULE_MAX_PARTS; k++) {
        uint32_t by = i * SCHEDULE_MAX_PARTS + k + 1, n = x.n[a];
        if (by >= n)
            break;
        uint32_t to = member_beside(&x, member, a, by);
        uint32_t from = member_beside(&x, member, a, n - by);
        if (all_to_all) {
            schedule_send(out, blocks_for(s, &x, group, to, a), true);
            schedule_recv(out, blocks_for(s, &x, group, from, a), false, true);
        } else if (gather) {
            schedule_send(out, chunk_for(s, &x, group, member, to, a), by == 1);
            schedule_recv(out, chunk_for(s, &x, group, from, from, a), false, true);
        } else {
            schedule_send(out, chunk_for(s, &x, group, to, to, a), true);
            schedule_recv(out, chunk_for(s, &x, group, member, from, a), by == 1, by + 1 == n);
        }
    }
}

static uint32_t exchange_share(const struct schedule *s, uint32_t member,
                               struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    struct axes x;

    axes_of(s, &x);
    out[0] = range_of(s, &x, member, x.n_axes);
    return 1;
}

/* Put what a chip of the first group sends in a step onto its way.  All groups are wired alike and
 * do the same, so a link carries what its likes of all groups carry of the first one's parts. */
static uint64_t load_links(const struct schedule *s, uint32_t chip, uint32_t step,
                           uint64_t load[BOARDFLY_GROUP][MESH_PORTS])
{
    struct schedule_step out = { 0 };
    uint32_t group, member;
    uint64_t longest = 0;

    mesh_group_of(&s->group, chip, &group, &member);
    exchange_step(s, group, member, step, &out);
    for (uint32_t k = 0; k < out.n_send; k++) {
        uint64_t links = 0;
        for (uint32_t at = chip; at != out.send[k].chip; links++) {
            uint32_t port = mesh_port(&s->mesh, at, out.send[k].chip);
            load[at % BOARDFLY_GROUP][port] += out.send[k].bytes * out.send[k].count;
            at = mesh_neighbour(&s->mesh, at, port);
        }
        longest = links > longest ? links : longest;
    }
    return longest;
}

/* Each step lasts as long as its longest way and its busiest link.  Exact for groups of all chips;
 * a gather takes as long as a scatter. */
static struct schedule_cost exchange_cost(const struct schedule *s)
{
    uint32_t chips = mesh_size(&s->mesh) < BOARDFLY_GROUP ? mesh_size(&s->mesh) : BOARDFLY_GROUP;
    uint64_t times =
        s->kind == SCHEDULE_ALL_TO_ALL ? 1 : (uint64_t)(schedule_scatters(s) + schedule_gathers(s));
    struct schedule_cost sum = { 0, 0 };
    struct axes x;

    axes_of(s, &x);
    for (uint32_t i = 0; i < steps_one_way(&x); i++) {
        uint64_t load[BOARDFLY_GROUP][MESH_PORTS] = { { 0 } }, hops = 0, bytes = 0;
        for (uint32_t chip = 0; chip < chips; chip++) {
            uint64_t links = load_links(s, chip, i, load);
            hops = links > hops ? links : hops;
        }
        for (uint32_t chip = 0; chip < chips; chip++)
            for (uint32_t port = 0; port < MESH_PORTS; port++)
                bytes = load[chip][port] > bytes ? load[chip][port] : bytes;
        sum.hops += hops;
        sum.bytes += bytes;
    }
    return (struct schedule_cost){ times * sum.hops, times * sum.bytes };
}

const struct schedule_family schedule_exchange = { exchange_fits,  exchange_steps, exchange_step,
                                                   exchange_parts, exchange_share, exchange_cost,
                                                   false };
