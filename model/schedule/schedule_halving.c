/* Halving and doubling, of a power of two of members.  Partners in step k differ in bit k of their
 * numbers.  Halving: each sends the half of its range that the other keeps.  Doubling goes back
 * through the same steps in reverse. */
#include "schedule/schedule_axis.h"

static uint32_t count_levels(uint32_t n)
{
    uint32_t k = 0;

    while (n > 1u << k)
        k++;
    return k;
}

static uint32_t halving_steps(const struct schedule *s)
{
    return count_levels(s->group.size) * (uint32_t)(schedule_scatters(s) + schedule_gathers(s));
}

/* True if step `i` is one of the way back; and its level. */
static bool is_way_back(const struct schedule *s, uint32_t i, uint32_t *level)
{
    uint32_t n = count_levels(s->group.size);
    bool back = !schedule_scatters(s) || i >= n;

    *level = back ? n - 1 - i % n : i;
    return back;
}

/* The longest route of the pairs that differ in one bit; a link on a route of n links may carry the
 * parts of n pairs. */
static struct schedule_cost level_cost(const struct schedule *s, uint32_t level, uint64_t bytes)
{
    uint32_t bit = 1u << level;
    uint64_t apart = 0;

    for (uint32_t a = 0; a + bit < s->group.size; a++) {
        uint64_t links = a & bit ? 0 : schedule_links(s, a, a + bit);
        apart = links > apart ? links : apart;
    }
    return (struct schedule_cost){ apart, apart * bytes };
}

static bool halving_fits(const struct schedule *s)
{
    return (s->group.size & (s->group.size - 1)) == 0 &&
           (s->kind == SCHEDULE_ALL_REDUCE || s->kind == SCHEDULE_REDUCE_SCATTER ||
            s->kind == SCHEDULE_ALL_GATHER || s->kind == SCHEDULE_BARRIER);
}

static uint64_t halving_parts(const struct schedule *s)
{
    return s->group.size;
}

/* The range of a member after `level` halvings: it keeps the upper half where bit k is set. */
static struct schedule_part range_at_level(const struct schedule *s, uint32_t member,
                                           uint32_t level)
{
    uint64_t bytes = schedule_padded(s), offset = 0;

    for (uint32_t k = 0; k < level; k++) {
        bytes /= 2;
        offset += member >> k & 1 ? bytes : 0;
    }
    return (struct schedule_part){ .offset = offset, .bytes = bytes, .pitch = bytes, .count = 1 };
}

static void halving_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                         struct schedule_step *out)
{
    uint32_t level;
    bool back = is_way_back(s, i, &level);
    uint32_t partner = member ^ 1u << level;
    struct schedule_part mine = range_at_level(s, member, level + 1);
    struct schedule_part other = range_at_level(s, partner, level + 1);

    mine.chip = other.chip = mesh_group_chip(&s->group, group, partner);
    out->sum = !back;
    /* half of the part sent, or all but the last chunk, was received in earlier steps: from HBM */
    schedule_send(out, back ? mine : other, true);
    schedule_recv(out, back ? other : mine, !back, true);
}

static uint32_t halving_share(const struct schedule *s, uint32_t member,
                              struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    out[0] = range_at_level(s, member, count_levels(s->group.size));
    return 1;
}

static struct schedule_cost halving_cost(const struct schedule *s)
{
    struct schedule_cost sum = { 0, 0 };

    for (uint32_t k = 0; k < count_levels(s->group.size); k++) {
        struct schedule_cost c = level_cost(s, k, schedule_padded(s) >> (k + 1));
        sum.hops += c.hops;
        sum.bytes += c.bytes;
    }
    sum.hops *= (uint64_t)(schedule_scatters(s) + schedule_gathers(s));
    sum.bytes *= (uint64_t)(schedule_scatters(s) + schedule_gathers(s));
    return sum;
}

const struct schedule_family schedule_halving = { halving_fits,  halving_steps, halving_step,
                                                  halving_parts, halving_share, halving_cost,
                                                  false };
