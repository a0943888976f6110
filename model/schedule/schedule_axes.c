/* Reduce-scatter, all-gather and all-reduce, one axis after the other.  Ring, line, torus and
 * hierarchical differ in their axes alone.
 *
 *      ring, line     one axis: the round through the group
 *      hierarchical   its dimensions in order
 *      torus          a colour for each dimension: the buffer in as many equal segments, segment c
 *                     starting with dimension c, so that all dimensions are busy at once
 *
 * Along an axis of n places a segment's range is divided into n chunks; the next axis divides the
 * chunk that the chip is left with.  A gather goes through the same ranges in reverse. */
#include "base/err.h"
#include "schedule/schedule_axis.h"

struct axes {
    uint32_t n, colours;
    bool twisted;   /* a torus of a whole twisted mesh */
    uint32_t split; /* its first axis of 2n */
    struct schedule_axis axis[MESH_DIMS];
    uint32_t dim[MESH_DIMS]; /* of the group's box; unused by a round */
    bool round;
};

static void axes_of(const struct schedule *s, struct axes *a)
{
    const struct mesh *box = &s->group.box;

    *a = (struct axes){ .colours = 1 };
    if (s->algorithm == SCHEDULE_TORUS || s->algorithm == SCHEDULE_HIERARCHICAL) {
        for (uint32_t d = 0; d < MESH_DIMS; d++)
            if (box->n[d] > 1) {
                a->axis[a->n] =
                    (struct schedule_axis){ box->n[d], box->wrap[d] && box->n[d] > 2, false };
                a->dim[a->n++] = d;
            }
        if (s->algorithm == SCHEDULE_TORUS && a->n > 1)
            a->colours = a->n;
        a->twisted = s->algorithm == SCHEDULE_TORUS && s->mesh.wrap[MESH_TWIST] &&
                     s->group.size == mesh_size(&s->mesh);
        while (a->twisted && mesh_twists(&s->mesh, a->dim[a->split]))
            a->split++;
    } else if (s->group.size > 1) {
        a->round = true;
        a->n = 1;
        a->axis[0] =
            (struct schedule_axis){ s->group.size,
                                    s->algorithm != SCHEDULE_LINE && s->group.size > 2,
                                    s->algorithm == SCHEDULE_RING_ONE_WAY && s->group.size > 2 };
    }
}

static bool axes_fits(const struct schedule *s)
{
    bool boxed = s->algorithm != SCHEDULE_TORUS && s->algorithm != SCHEDULE_HIERARCHICAL;

    return (boxed || s->group.hop[0] != 0) &&
           (s->kind == SCHEDULE_ALL_REDUCE || s->kind == SCHEDULE_REDUCE_SCATTER ||
            s->kind == SCHEDULE_ALL_GATHER || s->kind == SCHEDULE_BARRIER);
}

/* Axis of a colour in a phase. */
static uint32_t axis_in_phase(const struct axes *a, uint32_t colour, uint32_t phase)
{
    return (colour + phase) % a->n;
}

/* True if a colour begins along a short axis of a twisted mesh.  A ring of its links goes twice
 * along it, the second time n further along every axis of 2n: a ring of 2n places that halves one
 * of those axes. */
static bool goes_twice(const struct axes *a, uint32_t colour)
{
    return a->twisted && !a->axis[axis_in_phase(a, colour, 0)].ring;
}

/* The i-th axis as a colour goes along it. */
static struct schedule_axis axis_of(const struct axes *a, uint32_t colour, uint32_t i)
{
    struct schedule_axis x = a->axis[i];

    if (goes_twice(a, colour) && i == axis_in_phase(a, colour, 0))
        x = (struct schedule_axis){ 2 * x.n, true, false };
    else if (goes_twice(a, colour) && i == a->split)
        x = (struct schedule_axis){ x.n / 2, false, false };
    return x;
}

/* Colours begin a phase together; it lasts as long as its longest axis. */
static uint32_t phase_steps(const struct axes *a, uint32_t phase)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < a->colours; c++) {
        uint32_t n = axis_of(a, c, axis_in_phase(a, c, phase)).n;
        most = n - 1 > most ? n - 1 : most;
    }
    return most;
}

static uint32_t all_steps(const struct axes *a)
{
    uint32_t sum = 0;

    for (uint32_t p = 0; p < a->n; p++)
        sum += phase_steps(a, p);
    return sum;
}

static uint32_t axes_steps(const struct schedule *s)
{
    struct axes a;

    axes_of(s, &a);
    return all_steps(&a) * (uint32_t)(schedule_scatters(s) + schedule_gathers(s));
}

/* Parts of equal size: chunks of each segment, halves of them on a ring. */
static uint64_t axes_parts(const struct schedule *s)
{
    struct axes a;
    bool halves = false;

    axes_of(s, &a);
    for (uint32_t i = 0; i < a.n; i++)
        halves |= a.axis[i].ring && !a.axis[i].one_way;
    return (uint64_t)s->group.size * a.colours * (halves ? 2 : 1);
}

static uint32_t place_along(const struct schedule *s, const struct axes *a, uint32_t member,
                            uint32_t colour, uint32_t i)
{
    uint32_t at[MESH_DIMS];

    if (a->round)
        return mesh_place(&s->group.box, member);
    mesh_at(&s->group.box, member, at);
    if (goes_twice(a, colour)) {
        uint32_t n = a->axis[a->split].n / 2, along = at[a->dim[a->split]];
        if (i == axis_in_phase(a, colour, 0))
            return at[a->dim[i]] + (along < n ? 0 : n);
        if (i == a->split)
            return along % n;
    }
    return at[a->dim[i]];
}

/* The chip one place up or down along axis `i`, going round. */
static uint32_t chip_beside(const struct schedule *s, const struct axes *a, uint32_t group,
                            uint32_t member, uint32_t colour, uint32_t i, bool down)
{
    const struct mesh *box = &s->group.box;
    uint32_t n = a->axis[i].n, to = (place_along(s, a, member, colour, i) + (down ? n - 1 : 1)) % n;

    if (goes_twice(a, colour)) /* all chips, so a member is a chip */
        return mesh_neighbour(&s->mesh, member, 2 * a->dim[i] + down);
    if (a->round) {
        member = mesh_round(box, to);
    } else {
        uint32_t at[MESH_DIMS];
        mesh_at(box, member, at);
        at[a->dim[i]] = to;
        member = mesh_chip(box, at);
    }
    return mesh_group_chip(&s->group, group, member);
}

/* The range of a colour that this member is left with before `phase`. */
static struct schedule_part range_of(const struct schedule *s, const struct axes *a,
                                     uint32_t member, uint32_t colour, uint32_t phase)
{
    uint64_t bytes = schedule_padded(s) / a->colours, offset = colour * bytes;

    for (uint32_t p = 0; p < phase; p++) {
        uint32_t i = axis_in_phase(a, colour, p);
        bytes /= axis_of(a, colour, i).n;
        offset += place_along(s, a, member, colour, i) * bytes;
    }
    return (struct schedule_part){ .offset = offset, .bytes = bytes, .pitch = bytes, .count = 1 };
}

static struct schedule_part chunk_of_range(struct schedule_part range,
                                           const struct schedule_axis *x, uint32_t i, bool down,
                                           uint32_t chip)
{
    uint64_t bytes = range.bytes / x->n, offset = range.offset + i * bytes;

    if (x->ring && !x->one_way) {
        bytes /= 2;
        offset += down ? bytes : 0;
    }
    return (struct schedule_part){ chip, offset, bytes, bytes, 1 };
}

static void axes_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                      struct schedule_step *out)
{
    struct axes a;
    uint32_t phase = 0;

    axes_of(s, &a);
    uint32_t half = all_steps(&a);
    bool gather = !schedule_scatters(s) || i >= half;
    out->sum = !gather;
    BUG_ON(half == 0); /* i is one of the steps */
    i %= half;
    if (gather)
        i = half - 1 - i;
    while (i >= phase_steps(&a, phase))
        i -= phase_steps(&a, phase++);
    if (gather) /* phases in reverse, the steps of each in order */
        i = phase_steps(&a, phase) - 1 - i;
    for (uint32_t c = 0; c < a.colours; c++)
        for (int down = 0; down < 2; down++) {
            uint32_t k = axis_in_phase(&a, c, phase);
            struct schedule_axis x = axis_of(&a, c, k);
            struct schedule_part r = range_of(s, &a, member, c, phase);
            struct schedule_axis_move m;
            if (gather)
                schedule_axis_gather(&x, place_along(s, &a, member, c, k), i, down, &m);
            else
                schedule_axis_scatter(&x, place_along(s, &a, member, c, k), i, down, &m);
            if (m.send)
                schedule_send(out,
                              chunk_of_range(r, &x, m.out, down,
                                             chip_beside(s, &a, group, member, c, k, down)),
                              m.fresh);
            if (m.recv)
                schedule_recv(out,
                              chunk_of_range(r, &x, m.in, down,
                                             chip_beside(s, &a, group, member, c, k, !down)),
                              m.own, m.last);
        }
}

static uint32_t axes_share(const struct schedule *s, uint32_t member,
                           struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    struct axes a;

    axes_of(s, &a);
    for (uint32_t c = 0; c < a.colours; c++)
        out[c] = range_of(s, &a, member, c, a.n);
    return a.colours;
}

/* Links that a part passes in one step along an axis.  A round that is not closed returns over all
 * links of the way back, which carry other parts too. */
static struct schedule_cost step_links(const struct schedule *s, const struct axes *a, uint32_t k)
{
    uint64_t apart = 1;
    bool near = mesh_closed(&s->group.box) && schedule_adjacent(s);

    if (!a->round)
        return (struct schedule_cost){ s->group.hop[a->dim[k]], s->group.hop[a->dim[k]] };
    for (uint32_t i = 0; !near && i + !a->axis[k].ring < a->axis[k].n; i++) {
        uint32_t to = mesh_round(&s->group.box, (i + 1) % a->axis[k].n);
        uint64_t links = schedule_links(s, mesh_round(&s->group.box, i), to);
        apart = links > apart ? links : apart;
    }
    return (struct schedule_cost){ apart, apart > 1 ? 2 * apart : 1 };
}

/* In a step along an axis each of its links carries one chunk, or half of one on a ring; the
 * longest of the colours counts. */
static struct schedule_cost axes_cost(const struct schedule *s)
{
    struct schedule_cost sum = { 0, 0 };
    struct axes a;

    axes_of(s, &a);
    for (uint32_t p = 0; p < a.n; p++)
        for (uint32_t i = 0; i < phase_steps(&a, p); i++) {
            uint64_t hops = 0, bytes = 0;
            for (uint32_t c = 0; c < a.colours; c++) {
                uint32_t k = axis_in_phase(&a, c, p);
                struct schedule_axis x = axis_of(&a, c, k);
                if (i + 1 >= x.n)
                    continue;
                struct schedule_part part =
                    chunk_of_range(range_of(s, &a, 0, c, p), &x, 0, false, 0);
                struct schedule_cost links = step_links(s, &a, k);
                hops = links.hops > hops ? links.hops : hops;
                bytes = part.bytes * links.bytes > bytes ? part.bytes * links.bytes : bytes;
            }
            sum.hops += hops;
            sum.bytes += bytes;
        }
    sum.hops *= (uint64_t)(schedule_scatters(s) + schedule_gathers(s));
    sum.bytes *= (uint64_t)(schedule_scatters(s) + schedule_gathers(s));
    return sum;
}

const struct schedule_family schedule_axes = { axes_fits,  axes_steps, axes_step, axes_parts,
                                               axes_share, axes_cost,  false };
