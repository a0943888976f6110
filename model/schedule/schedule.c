#include "schedule/boardfly.h"
#include "schedule/schedule_axis.h"
#include "schedule/schedule_flow.h"
#include "schedule/schedule_list.h"
#include "schedule/schedule_slices.h"

#include <stdio.h>

#include "base/err.h"
#include "base/units.h"
#include "base/wide.h"

const char *const schedule_kind_name[] = {
#define K(id, text) text,
    SCHEDULE_KINDS(K)
#undef K
};
const char *const schedule_algorithm_name[] = {
#define A(id, text, doc) text,
    SCHEDULE_ALGORITHMS(A)
#undef A
};

bool schedule_fits(const struct schedule *s)
{
    return schedule_over_slices(s) ? schedule_slices_fits(s) : schedule_inside_fits(s);
}

uint32_t schedule_candidates(const struct schedule *s)
{
    struct schedule each = *s;
    uint32_t set = 0;

    for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
        each.algorithm = (enum schedule_algorithm)a;
        set |= schedule_fits(&each) ? UINT32_C(1) << a : 0;
    }
    return set;
}

uint32_t schedule_algorithms(enum schedule_kind kind)
{
    /* two neighbours are a box, a row, a power of two and part of a board */
    struct schedule s = { .kind = kind, .mesh = { .n = { 2, 1, 1 } } };

    s.mesh.wrap[MESH_BOARDS] = true;
    BUG_ON(!mesh_group(&s.group, &s.mesh, 2, 1));
    return schedule_candidates(&s);
}

void schedule_list(uint32_t algorithms, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t s = algorithms; s && used < size; s &= s - 1) {
        const char *between = s == algorithms ? "" : s & (s - 1) ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between,
                                 schedule_algorithm_name[__builtin_ctz(s)]);
    }
}

uint32_t schedule_steps(const struct schedule *s)
{
    return schedule_over_slices(s) && !s->flow.by ? schedule_slices_steps(s)
                                                  : schedule_inside_steps(s);
}

void schedule_step(const struct schedule *s, uint32_t chip, uint32_t i, struct schedule_step *out)
{
    if (schedule_over_slices(s) && !s->flow.by)
        schedule_slices_step(s, chip, i, out);
    else
        schedule_inside_step(s, chip, i, out);
}

uint32_t schedule_share(const struct schedule *s, uint32_t chip,
                        struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    return schedule_over_slices(s) ? schedule_slices_share(s, chip, out)
                                   : schedule_inside_share(s, chip, out);
}

bool schedule_uniform(const struct schedule *s)
{
    return schedule_over_slices(s) && !s->flow.by ? schedule_slices_uniform(s)
                                                  : schedule_inside_uniform(s);
}

/* Groups repeat with those of boards, or go round all of them. */
static bool repeats_boards(const struct schedule *s)
{
    const struct mesh_group *g = &s->group;
    uint64_t span = (uint64_t)g->size * g->stride;

    return schedule_family_of(s) == &schedule_exchange && !g->chips &&
           (BOARDFLY_GROUP % span == 0 ||
            (span == mesh_size(&s->mesh) && BOARDFLY_GROUP % g->stride == 0));
}

bool schedule_mirrored(const struct schedule *s)
{
    if (s->mesh.wrap[MESH_BOARDS])
        return !s->flow.by && repeats_boards(s);
    return !s->flow.by && s->group.size == mesh_size(&s->mesh) && schedule_adjacent(s) &&
           schedule_family_of(s) == &schedule_axes && !s->mesh.wrap[MESH_TWIST] &&
           (s->algorithm == SCHEDULE_TORUS || s->algorithm == SCHEDULE_HIERARCHICAL);
}

struct schedule_cost schedule_cost(const struct schedule *s)
{
    return schedule_over_slices(s) && !s->flow.by ? schedule_slices_cost(s)
                                                  : schedule_inside_cost(s);
}

/* hops * latency + bytes / rate, both times the rate */
static u128 price_of(const struct schedule *s, uint64_t latency_fs, uint64_t bytes_per_s)
{
    struct schedule_cost c = schedule_cost(s);

    return (u128)c.hops * latency_fs * bytes_per_s + (u128)c.bytes * FS_PER_S;
}

/* Set s->pieces to the least power of two with which it takes at most 1 % longer than with the best
 * one. */
static void choose_pieces(struct schedule *s, uint64_t latency_fs, uint64_t bytes_per_s)
{
    uint32_t most = schedule_family_of(s)->in_pieces ? SCHEDULE_MAX_PIECES : 1;
    u128 least = 0;

    for (s->pieces = 1; s->pieces <= most; s->pieces *= 2) {
        u128 p = price_of(s, latency_fs, bytes_per_s);
        least = s->pieces == 1 || p < least ? p : least;
    }
    for (s->pieces = 1; price_of(s, latency_fs, bytes_per_s) > least + least / 100;)
        s->pieces *= 2;
}

void schedule_choose(struct schedule *s, uint64_t latency_fs, uint64_t bytes_per_s)
{
    struct schedule best = *s;
    u128 least = 0;

    if (s->algorithm != SCHEDULE_AUTO) {
        choose_pieces(s, latency_fs, bytes_per_s);
        return;
    }
    for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
        s->algorithm = (enum schedule_algorithm)a;
        if (!schedule_fits(s))
            continue;
        choose_pieces(s, latency_fs, bytes_per_s);
        u128 cost = price_of(s, latency_fs, bytes_per_s);
        /* less than 1 % does not justify leaving an algorithm that treats all chips alike */
        if (best.algorithm == SCHEDULE_AUTO || cost < least - least / 100) {
            least = cost;
            best = *s;
        }
    }
    *s = best;
}
