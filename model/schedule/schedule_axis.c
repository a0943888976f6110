#include "schedule/schedule_axis.h"

/* by <= 2 n */
static uint32_t place_behind(uint32_t i, uint32_t by, uint32_t n)
{
    return (i + 2 * n - by) % n;
}

/* Count chunks from the other end: the downward direction is the upward one, mirrored. */
static void mirror_chunks(const struct schedule_axis *a, struct schedule_axis_move *m)
{
    m->out = a->n - 1 - m->out;
    m->in = a->n - 1 - m->in;
}

/* The chunk for place j leaves place i < j at step n - 1 - j + i, the farthest first. */
static void scatter_line(uint32_t n, uint32_t i, uint32_t step, struct schedule_axis_move *m)
{
    m->send = i + 1 < n && step >= i;
    m->out = m->send ? n - 1 - step + i : 0;
    m->fresh = i == 0;
    m->recv = i > 0 && step + 1 >= i;
    m->in = m->recv ? n - 2 - step + i : 0;
    m->own = true;
    m->last = m->in == i;
}

void schedule_axis_scatter(const struct schedule_axis *a, uint32_t i, uint32_t step, bool down,
                           struct schedule_axis_move *m)
{
    uint32_t n = a->n, place = down ? n - 1 - i : i;

    *m = (struct schedule_axis_move){ 0 };
    if (n < 2 || step > n - 2 || (down && a->one_way))
        return;
    if (a->ring) {
        *m = (struct schedule_axis_move){ true,
                                          true,
                                          place_behind(place, 1 + step, n),
                                          place_behind(place, 2 + step, n),
                                          step == 0,
                                          true,
                                          step == n - 2 };
    } else {
        scatter_line(n, place, step, m);
        /* the last chunk comes from both sides: the own one is read once, the sum written once */
        if (down && m->last && i > 0)
            m->own = m->last = false;
    }
    if (down)
        mirror_chunks(a, m);
}

/* A place sends its own chunk first, then passes on what came. */
static void gather_line(uint32_t n, uint32_t i, uint32_t step, struct schedule_axis_move *m)
{
    m->send = i + 1 < n && i >= step;
    m->out = m->send ? i - step : 0;
    m->fresh = step == 0;
    m->recv = i > 0 && i - 1 >= step;
    m->in = m->recv ? i - 1 - step : 0;
    m->last = true;
}

void schedule_axis_gather(const struct schedule_axis *a, uint32_t i, uint32_t step, bool down,
                          struct schedule_axis_move *m)
{
    uint32_t n = a->n, place = down ? n - 1 - i : i;

    *m = (struct schedule_axis_move){ 0 };
    if (n < 2 || step > n - 2 || (down && a->one_way))
        return;
    if (a->ring) {
        *m = (struct schedule_axis_move){
            true,  true, place_behind(place, step, n), place_behind(place, 1 + step, n), step == 0,
            false, true
        };
    } else {
        gather_line(n, place, step, m);
        /* the own chunk is read once for both directions */
        if (down && i + 1 < n)
            m->fresh = false;
    }
    if (down)
        mirror_chunks(a, m);
}

void schedule_send(struct schedule_step *out, struct schedule_part part, bool fresh)
{
    out->send[out->n_send++] = part;
    if (fresh)
        out->read += part.bytes * part.count;
}

void schedule_recv(struct schedule_step *out, struct schedule_part part, bool own, bool last)
{
    uint64_t bytes = part.bytes * part.count;

    out->recv[out->n_recv++] = part;
    if (out->sum)
        out->added += bytes;
    if (own)
        out->read += bytes;
    if (last)
        out->write += bytes;
}

uint32_t schedule_no_share(const struct schedule *s, uint32_t member,
                           struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    (void)s;
    (void)member;
    (void)out;
    return 0;
}

struct schedule_cost schedule_stream_cost(const struct schedule *s, uint32_t depth, uint64_t links,
                                          uint32_t times)
{
    uint64_t steps = depth ? depth + s->pieces - 1 : 0;
    uint64_t latencies = links > 1 ? steps * links : depth;

    return (struct schedule_cost){ times * latencies,
                                   times * steps * links * (schedule_padded(s) / s->pieces) };
}

uint32_t schedule_links(const struct schedule *s, uint32_t a, uint32_t b)
{
    return mesh_distance(&s->mesh, mesh_group_chip(&s->group, 0, a),
                         mesh_group_chip(&s->group, 0, b));
}

bool schedule_adjacent(const struct schedule *s)
{
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (s->group.box.n[d] > 1 && s->group.hop[d] != 1)
            return false;
    return s->group.size == 1 || s->group.hop[0] != 0;
}
