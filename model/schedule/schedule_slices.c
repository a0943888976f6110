#include "schedule/schedule_slices.h"

#include "schedule/schedule_axis.h"
#include "schedule/schedule_flow.h"

bool schedule_slices_kind(enum schedule_kind kind)
{
    return kind == SCHEDULE_ALL_REDUCE || kind == SCHEDULE_REDUCE_SCATTER ||
           kind == SCHEDULE_ALL_GATHER || kind == SCHEDULE_BARRIER;
}

/* The schedule within a slice, of the padded buffer. */
static struct schedule padded_inside(const struct schedule *s, enum schedule_kind kind)
{
    struct schedule in = schedule_inside(s, kind);

    in.bytes = schedule_padded(s);
    return in;
}

bool schedule_slices_fits(const struct schedule *s)
{
    struct schedule scatter = schedule_inside(s, SCHEDULE_REDUCE_SCATTER),
                    gather = schedule_inside(s, SCHEDULE_ALL_GATHER);

    return schedule_slices_kind(s->kind) &&
           (!schedule_scatters(s) || schedule_inside_fits(&scatter)) &&
           (!schedule_gathers(s) || schedule_inside_fits(&gather));
}

/* Steps within the slices before those between slices, after them, and between. */
static uint32_t steps_before(const struct schedule *s)
{
    struct schedule in = padded_inside(s, SCHEDULE_REDUCE_SCATTER);

    return schedule_scatters(s) ? schedule_inside_steps(&in) : 0;
}

static uint32_t steps_after(const struct schedule *s)
{
    struct schedule in = padded_inside(s, SCHEDULE_ALL_GATHER);

    return schedule_gathers(s) ? schedule_inside_steps(&in) : 0;
}

static uint32_t steps_between(const struct schedule *s)
{
    return (s->outer.n - 1) * (uint32_t)(schedule_scatters(s) + schedule_gathers(s));
}

uint32_t schedule_slices_steps(const struct schedule *s)
{
    return steps_before(s) + steps_between(s) + steps_after(s);
}

static struct schedule_axis axis_of_slices(const struct schedule *s)
{
    return (struct schedule_axis){ s->outer.n, s->outer.n > 2, s->outer.n > 2 };
}

/* The place of a slice among those that take part with it; and the chip at such a place. */
static uint32_t place_of(const struct schedule *s, uint32_t slice)
{
    return slice / s->outer.stride % s->outer.n;
}

static uint32_t chip_at(const struct schedule *s, uint32_t chip, uint32_t place)
{
    uint32_t n = mesh_size(&s->mesh), from = place_of(s, chip / n);

    return chip + (place - from) * s->outer.stride * n;
}

static struct schedule_part chunk_of_range(const struct schedule *s,
                                           const struct schedule_part *range, uint32_t i,
                                           uint32_t chip)
{
    uint64_t bytes = range->bytes / s->outer.n;

    return (struct schedule_part){ chip, range->offset + i * bytes, bytes, bytes, 1 };
}

/* A step between slices: chunks of all of the chip's ranges. */
static void step_between(const struct schedule *s, uint32_t chip, uint32_t i,
                         struct schedule_step *out)
{
    struct schedule in = padded_inside(s, SCHEDULE_REDUCE_SCATTER);
    struct schedule_part range[SCHEDULE_MAX_PARTS];
    struct schedule_axis x = axis_of_slices(s);
    uint32_t n = s->outer.n, n_ranges = schedule_inside_share(&in, chip, range);
    uint32_t place = place_of(s, chip / mesh_size(&s->mesh));
    bool gather = !schedule_scatters(s) || i >= n - 1;

    *out = (struct schedule_step){ .sum = !gather };
    for (int down = 0; down < 2; down++) {
        uint32_t next = chip_at(s, chip, (place + (down ? n - 1 : 1)) % n);
        uint32_t previous = chip_at(s, chip, (place + (down ? 1 : n - 1)) % n);
        struct schedule_axis_move m;
        if (gather)
            schedule_axis_gather(&x, place, i % (n - 1), down, &m);
        else
            schedule_axis_scatter(&x, place, i, down, &m);
        for (uint32_t r = 0; r < n_ranges; r++) {
            if (m.send)
                schedule_send(out, chunk_of_range(s, &range[r], m.out, next), true);
            if (!m.recv)
                continue;
            struct schedule_part part = chunk_of_range(s, &range[r], m.in, previous);
            schedule_recv(out, part, false, true);
            if (!gather) { /* it and one's own are read, and the sum is written */
                out->read += 2 * part.bytes;
                out->write += part.bytes;
            }
        }
    }
}

void schedule_slices_step(const struct schedule *s, uint32_t chip, uint32_t i,
                          struct schedule_step *out)
{
    uint32_t first = steps_before(s), far = steps_between(s);

    if (i >= first && i < first + far) {
        step_between(s, chip, i - first, out);
        return;
    }
    struct schedule in =
        padded_inside(s, i < first ? SCHEDULE_REDUCE_SCATTER : SCHEDULE_ALL_GATHER);
    schedule_inside_step(&in, chip, i < first ? i : i - first - far, out);
}

uint32_t schedule_slices_share(const struct schedule *s, uint32_t chip,
                               struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    struct schedule in = padded_inside(s, SCHEDULE_REDUCE_SCATTER);
    uint32_t n = schedule_inside_share(&in, chip, out),
             place = place_of(s, chip / mesh_size(&s->mesh));

    for (uint32_t i = 0; i < n; i++)
        out[i] = chunk_of_range(s, &out[i], place, out[i].chip);
    return n;
}

struct schedule_cost schedule_slices_cost(const struct schedule *s)
{
    struct schedule scatter = padded_inside(s, SCHEDULE_REDUCE_SCATTER),
                    gather = padded_inside(s, SCHEDULE_ALL_GATHER);
    struct schedule_cost sum = { 0, 0 };

    if (schedule_scatters(s))
        sum = schedule_inside_cost(&scatter);
    if (schedule_gathers(s)) {
        struct schedule_cost back = schedule_inside_cost(&gather);
        sum.hops += back.hops;
        sum.bytes += back.bytes;
    }
    return sum;
}

struct schedule_far schedule_far(const struct schedule *s)
{
    struct schedule_part range[SCHEDULE_MAX_PARTS];
    struct schedule_far far = { 0, 0, 0 };

    if (s->outer.n < 2)
        return far;
    if (s->flow.by)
        return schedule_flow_far(s);
    struct schedule in = padded_inside(s, SCHEDULE_REDUCE_SCATTER);
    far.hops = steps_between(s);
    for (uint32_t r = schedule_inside_share(&in, 0, range); r-- > 0; far.parts += far.hops)
        far.bytes += far.hops * (range[r].bytes / s->outer.n);
    return far;
}

bool schedule_slices_uniform(const struct schedule *s)
{
    struct schedule scatter = padded_inside(s, SCHEDULE_REDUCE_SCATTER),
                    gather = padded_inside(s, SCHEDULE_ALL_GATHER);

    return schedule_inside_uniform(&scatter) && schedule_inside_uniform(&gather);
}
