/* The family of schedules whose groups are listed: see schedule_list.h. */
#include "base/err.h"
#include "schedule/schedule_axis.h"
#include "schedule/schedule_list.h"

static bool listed_fits(const struct schedule *s)
{
    switch (s->kind) {
    case SCHEDULE_ALL_TO_ALL: return s->algorithm == SCHEDULE_DIRECT && !s->list->pairs;
    case SCHEDULE_PERMUTE: return s->algorithm == SCHEDULE_DIRECT;
    default: return s->algorithm == SCHEDULE_RING && !s->list->pairs;
    }
}

/* Steps of a group of n. */
static uint32_t steps_of(const struct schedule *s, uint32_t n)
{
    if (s->kind == SCHEDULE_PERMUTE)
        return 1;
    if (n < 2)
        return 0;
    if (s->kind == SCHEDULE_ALL_TO_ALL)
        return n / 2;
    if (s->kind == SCHEDULE_BROADCAST)
        return s->pieces + n - 2;
    return (n - 1) * (uint32_t)(schedule_scatters(s) + schedule_gathers(s));
}

static uint32_t listed_steps(const struct schedule *s)
{
    return steps_of(s, s->list->longest);
}

static uint64_t listed_parts(const struct schedule *s)
{
    return s->kind == SCHEDULE_BROADCAST ? s->pieces : 1;
}

/* One of `n` equal parts, of whole elements. */
static uint64_t part_of(const struct schedule *s, uint64_t n)
{
    uint64_t unit = n * s->element;

    return (s->bytes + unit - 1) / unit * s->element;
}

/* --- a core in a step ---------------------------------------------------------------------- */

struct place {
    const struct schedule *s;
    struct schedule_step *out;
    uint32_t chip, group, n, at; /* n: cores of its group */
};

static uint32_t chip_at(const struct place *p, uint32_t at)
{
    const struct schedule_list *l = p->s->list;

    return l->core[l->first[p->group] + at % p->n] / l->per_chip;
}

static struct schedule_part whole_part(uint32_t chip, uint64_t bytes)
{
    return (struct schedule_part){ .chip = chip, .bytes = bytes, .pitch = bytes, .count = 1 };
}

/* Within a chip a part goes through HBM. */
static void send_to(const struct place *p, uint32_t chip, uint64_t bytes, bool fresh)
{
    if (chip == p->chip)
        p->out->read += bytes;
    else
        schedule_send(p->out, whole_part(chip, bytes), fresh);
}

static void take_from(const struct place *p, uint32_t chip, uint64_t bytes, bool own, bool last)
{
    if (chip != p->chip) {
        schedule_recv(p->out, whole_part(chip, bytes), own, last);
        return;
    }
    p->out->added += p->out->sum ? bytes : 0;
    p->out->read += own ? bytes : 0;
    p->out->write += bytes;
}

static void step_round(const struct place *p, uint32_t i)
{
    const struct schedule *s = p->s;
    struct schedule_axis axis = { p->n, p->n > 2, false };
    bool gather = !schedule_scatters(s) || i >= p->n - 1;
    uint64_t bytes = part_of(s, (uint64_t)p->n * (axis.ring ? 2 : 1));

    p->out->sum = !gather;
    for (int down = 0; down < 2; down++) {
        struct schedule_axis_move m;
        if (gather)
            schedule_axis_gather(&axis, p->at, i % (p->n - 1), down, &m);
        else
            schedule_axis_scatter(&axis, p->at, i, down, &m);
        if (m.send)
            send_to(p, chip_at(p, p->at + (down ? p->n - 1 : 1)), bytes, m.fresh);
        if (m.recv)
            take_from(p, chip_at(p, p->at + (down ? 1 : p->n - 1)), bytes, m.own, m.last);
    }
}

static void step_exchange(const struct place *p, uint32_t i)
{
    uint64_t bytes = part_of(p->s, p->n);
    uint32_t by = i + 1, up = chip_at(p, p->at + by), down = chip_at(p, p->at + p->n - by);

    send_to(p, up, bytes, true);
    take_from(p, down, bytes, false, true);
    if (2 * by == p->n)
        return;
    send_to(p, down, bytes, true);
    take_from(p, up, bytes, false, true);
}

/* Piece k leaves the d-th core of the round in step k + d. */
static void step_broadcast(const struct place *p, uint32_t i)
{
    uint64_t bytes = part_of(p->s, p->s->pieces);
    uint32_t d = (p->at + p->n - p->s->list->source[p->group]) % p->n;

    if (d + 1 < p->n && i >= d && i - d < p->s->pieces)
        send_to(p, chip_at(p, p->at + 1), bytes, d == 0);
    if (d > 0 && i + 1 >= d && i + 1 - d < p->s->pieces)
        take_from(p, chip_at(p, p->at + p->n - 1), bytes, false, true);
}

/* A permute of pairs, or of a shift within the group. */
static void step_permute(const struct place *p, uint32_t core)
{
    const struct schedule *s = p->s;
    const struct schedule_list *l = s->list;

    if (l->pairs) {
        if (l->to[core] != SCHEDULE_NOBODY && l->to[core] != core)
            send_to(p, l->to[core] / l->per_chip, s->bytes, true);
        if (l->from[core] != SCHEDULE_NOBODY && l->from[core] != core)
            take_from(p, l->from[core] / l->per_chip, s->bytes, false, true);
        return;
    }
    uint32_t by = s->shift % p->n;
    if (by == 0)
        return;
    send_to(p, chip_at(p, p->at + by), s->bytes, true);
    take_from(p, chip_at(p, p->at + p->n - by), s->bytes, false, true);
}

static void listed_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                        struct schedule_step *out)
{
    const struct schedule_list *l = s->list;

    (void)group; /* all chips are one: its members are the chips */
    for (uint32_t core = member * l->per_chip; core < (member + 1) * l->per_chip; core++) {
        struct place p = { .s = s, .out = out, .chip = member };
        if (!l->pairs && l->group[core] == SCHEDULE_NOBODY)
            continue;
        if (!l->pairs) {
            p.group = l->group[core];
            p.n = l->first[p.group + 1] - l->first[p.group];
            p.at = l->at[core];
            if (i >= steps_of(s, p.n))
                continue;
        }
        switch (s->kind) {
        case SCHEDULE_PERMUTE: step_permute(&p, core); break;
        case SCHEDULE_ALL_TO_ALL: step_exchange(&p, i); break;
        case SCHEDULE_BROADCAST: step_broadcast(&p, i); break;
        default: step_round(&p, i);
        }
    }
}

/* --- cost ---------------------------------------------------------------------------------- */

/* A lower bound of bytes on links: each part is counted with links of its own, although groups may
 * share some. */
static struct schedule_cost listed_cost(const struct schedule *s)
{
    uint64_t n = s->list->longest, steps = listed_steps(s), bytes = s->bytes;

    if (s->kind == SCHEDULE_BROADCAST)
        bytes = part_of(s, s->pieces) * steps;
    else if (s->kind == SCHEDULE_ALL_TO_ALL)
        bytes = n ? part_of(s, n) * steps : 0;
    else if (s->kind != SCHEDULE_PERMUTE)
        bytes = n ? part_of(s, n * (n > 2 ? 2 : 1)) * steps : 0;
    return (struct schedule_cost){ steps * s->list->way, bytes };
}

const struct schedule_family schedule_listed = { listed_fits,  listed_steps,      listed_step,
                                                 listed_parts, schedule_no_share, listed_cost,
                                                 true };
