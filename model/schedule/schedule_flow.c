#include "schedule/schedule_flow.h"

#include "base/units.h"
#include "base/wide.h"

static uint32_t block_of(const struct schedule *s)
{
    return s->group.size > 1 ? s->group.size * s->group.stride : 1;
}

static bool waits_for_all(const struct schedule *s)
{
    return s->kind != SCHEDULE_PERMUTE;
}

/* Empty steps within a slice. */
static uint32_t count_greetings(const struct schedule *s)
{
    return waits_for_all(s) ? block_of(s) - 1 : 0;
}

uint32_t schedule_flow_meetings(const struct schedule *s)
{
    uint32_t n = 0;

    while (s->outer.n > 1 && waits_for_all(s) && s->outer.n > UINT32_C(1) << n)
        n++;
    return n;
}

uint32_t schedule_flow_steps(const struct schedule *s)
{
    return count_greetings(s) + schedule_flow_meetings(s) + 1;
}

static void exchange_parts(struct schedule_step *out, uint32_t to, uint32_t from, uint64_t bytes)
{
    out->send[out->n_send++] = (struct schedule_part){ to, 0, bytes, bytes, 1 };
    out->recv[out->n_recv++] = (struct schedule_part){ from, 0, bytes, bytes, 1 };
}

/* With the chips `places` before and after it in its block. */
static void exchange_near(const struct schedule *s, uint32_t chip, uint64_t bytes,
                          struct schedule_step *out)
{
    uint32_t block = block_of(s), first = chip / block * block, at = chip - first;

    exchange_parts(out, first + (at + 1) % block, first + (at + block - 1) % block, bytes);
}

/* With the chips at its place `away` slices before and after. */
static void exchange_far(const struct schedule *s, uint32_t chip, uint32_t away, uint64_t bytes,
                         struct schedule_step *out)
{
    uint32_t all = mesh_size(&s->mesh), n = s->outer.n, stride = s->outer.stride;
    uint32_t place = chip / all / stride % n;
    uint32_t next = (place + away) % n, last = (place + n - away) % n;

    exchange_parts(out, chip + (next - place) * stride * all, chip + (last - place) * stride * all,
                   bytes);
}

void schedule_flow_step(const struct schedule *s, uint32_t chip, uint32_t i,
                        struct schedule_step *out)
{
    uint32_t near = count_greetings(s), far = schedule_flow_meetings(s);

    out->n_send = out->n_recv = 0;
    out->sum = false;
    out->read = out->write = out->added = 0;
    if (i < near) {
        exchange_near(s, chip, 0, out);
    } else if (i < near + far) {
        exchange_far(s, chip, UINT32_C(1) << (i - near), 0, out);
    } else {
        if (block_of(s) > 1)
            exchange_near(s, chip, s->flow.near, out);
        if (s->outer.n > 1 && (s->flow.far || waits_for_all(s)))
            exchange_far(s, chip, 1, s->flow.far, out);
        out->read = s->flow.read;
        out->write = s->flow.write;
        out->added = s->flow.added;
    }
}

/* The chip behind the last one of a box is its first only if the block is the whole box. */
bool schedule_flow_uniform(const struct schedule *s)
{
    uint32_t block = block_of(s);

    return block == 1 || (block == mesh_size(&s->mesh) && mesh_closed(&s->mesh));
}

struct schedule_cost schedule_flow_cost(const struct schedule *s)
{
    return (struct schedule_cost){ .hops = count_greetings(s) + 1,
                                   .bytes = (uint64_t)((u128)s->flow.near * s->flow.times /
                                                       PPB_PER_ONE) };
}

struct schedule_far schedule_flow_far(const struct schedule *s)
{
    return (struct schedule_far){ .hops = schedule_flow_meetings(s) + 1,
                                  .bytes = s->flow.far,
                                  .parts = schedule_flow_meetings(s) + 1 };
}
