/* A schedule within a slice, by the family of its algorithm. */
#include <stdio.h>

#include "schedule/schedule_axis.h"
#include "schedule/schedule_flow.h"
#include "schedule/schedule_list.h"
#include "schedule/schedule_slices.h"

const struct schedule_family *schedule_family_of(const struct schedule *s)
{
    if (schedule_is_listed(s))
        return &schedule_listed;
    switch (s->algorithm) {
    case SCHEDULE_RING:
    case SCHEDULE_LINE: return s->kind == SCHEDULE_BROADCAST ? &schedule_stream : &schedule_axes;
    case SCHEDULE_TORUS: return s->kind == SCHEDULE_ALL_TO_ALL ? &schedule_direct : &schedule_axes;
    case SCHEDULE_HALVING: return &schedule_halving;
    case SCHEDULE_TREE: return &schedule_tree;
    case SCHEDULE_DIRECT: return &schedule_direct;
    case SCHEDULE_EXCHANGE: return &schedule_exchange;
    default: return &schedule_axes;
    }
}

bool schedule_over_slices(const struct schedule *s)
{
    return s->outer.n > 1;
}

uint64_t schedule_padded(const struct schedule *s)
{
    struct schedule in = schedule_inside(s, s->kind);
    uint64_t unit = schedule_family_of(&in)->parts(&in) * s->element *
                    (schedule_over_slices(s) ? s->outer.n : 1);

    return (s->bytes + unit - 1) / unit * unit;
}

struct schedule schedule_inside(const struct schedule *s, enum schedule_kind kind)
{
    struct schedule in = *s;

    in.kind = kind;
    in.outer = (struct schedule_outer){ 0, 0 };
    return in;
}

bool schedule_inside_fits(const struct schedule *s)
{
    return schedule_family_of(s)->fits(s);
}

struct schedule_cost schedule_inside_cost(const struct schedule *s)
{
    return s->flow.by ? schedule_flow_cost(s) : schedule_family_of(s)->cost(s);
}

uint32_t schedule_inside_steps(const struct schedule *s)
{
    return s->flow.by ? schedule_flow_steps(s) : schedule_family_of(s)->steps(s);
}

void schedule_inside_step(const struct schedule *s, uint32_t chip, uint32_t i,
                          struct schedule_step *out)
{
    uint32_t group, member, n = mesh_size(&s->mesh), first = chip / n * n;

    if (s->flow.by) {
        schedule_flow_step(s, chip, i, out);
        return;
    }
    out->n_send = out->n_recv = 0;
    out->sum = false;
    out->read = out->write = out->added = 0;
    mesh_group_of(&s->group, chip - first, &group, &member);
    schedule_family_of(s)->step(s, group, member, i, out);
    for (uint32_t k = 0; k < out->n_send; k++)
        out->send[k].chip += first;
    for (uint32_t k = 0; k < out->n_recv; k++)
        out->recv[k].chip += first;
}

uint32_t schedule_inside_share(const struct schedule *s, uint32_t chip,
                               struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    uint32_t group, member;

    mesh_group_of(&s->group, chip % mesh_size(&s->mesh), &group, &member);
    return schedule_family_of(s)->share(s, member, out);
}
