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

static const struct schedule_family *family_of(const struct schedule *s)
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
    default: return &schedule_axes;
    }
}

static bool is_over_slices(const struct schedule *s)
{
    return s->outer.n > 1;
}

bool schedule_fits(const struct schedule *s)
{
    return is_over_slices(s) ? schedule_slices_fits(s) : family_of(s)->fits(s);
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
    /* two neighbours are a box, a row and a power of two */
    struct schedule s = { .kind = kind, .mesh = { .n = { 2, 1, 1 } } };

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
    if (s->flow.by)
        return schedule_flow_steps(s);
    return is_over_slices(s) ? schedule_slices_steps(s) : family_of(s)->steps(s);
}

void schedule_step(const struct schedule *s, uint32_t chip, uint32_t i, struct schedule_step *out)
{
    uint32_t group, member, n = mesh_size(&s->mesh), first = chip / n * n;

    if (s->flow.by) {
        schedule_flow_step(s, chip, i, out);
        return;
    }
    if (is_over_slices(s)) {
        schedule_slices_step(s, chip, i, out);
        return;
    }
    out->n_send = out->n_recv = 0;
    out->sum = false;
    out->read = out->write = out->added = 0;
    mesh_group_of(&s->group, chip - first, &group, &member);
    family_of(s)->step(s, group, member, i, out);
    for (uint32_t k = 0; k < out->n_send; k++)
        out->send[k].chip += first;
    for (uint32_t k = 0; k < out->n_recv; k++)
        out->recv[k].chip += first;
}

uint64_t schedule_padded(const struct schedule *s)
{
    struct schedule in = schedule_inside(s, s->kind);
    uint64_t unit = family_of(&in)->parts(&in) * s->element * (is_over_slices(s) ? s->outer.n : 1);

    return (s->bytes + unit - 1) / unit * unit;
}

uint32_t schedule_share(const struct schedule *s, uint32_t chip,
                        struct schedule_part out[SCHEDULE_MAX_PARTS])
{
    uint32_t group, member;

    if (is_over_slices(s))
        return schedule_slices_share(s, chip, out);
    mesh_group_of(&s->group, chip % mesh_size(&s->mesh), &group, &member);
    return family_of(s)->share(s, member, out);
}

/* True if every dimension of the group has at most so many chips, or is closed. */
static bool is_even_sided(const struct schedule *s, uint32_t most)
{
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (s->group.box.n[d] > most && !s->group.box.wrap[d])
            return false;
    return true;
}

bool schedule_goes_round(const struct schedule *s)
{
    const uint32_t *n = s->group.box.n;
    bool row = n[0] == s->group.size || n[1] == s->group.size || n[2] == s->group.size;

    return !row && !s->flow.by && !schedule_is_listed(s) &&
           (s->algorithm == SCHEDULE_RING || s->algorithm == SCHEDULE_RING_ONE_WAY ||
            s->kind == SCHEDULE_PERMUTE);
}

bool schedule_uniform(const struct schedule *s)
{
    const struct mesh *box = &s->group.box;
    uint32_t n = s->group.size;

    if (s->flow.by)
        return schedule_flow_uniform(s);
    if (is_over_slices(s))
        return schedule_slices_uniform(s);
    if (schedule_is_listed(s))
        return false;
    if (n == 1)
        return true;
    if (!schedule_adjacent(s) || (schedule_goes_round(s) && n != mesh_size(&s->mesh)))
        return false;
    switch (s->algorithm) {
    case SCHEDULE_RING:
    case SCHEDULE_RING_ONE_WAY: return s->kind != SCHEDULE_BROADCAST && mesh_closed(box);
    case SCHEDULE_HIERARCHICAL: return is_even_sided(s, 2);
    case SCHEDULE_TORUS:
        if (s->kind == SCHEDULE_ALL_TO_ALL) /* one link to each partner */
            return box->n[0] <= 3 && box->n[1] <= 3 && box->n[2] <= 3 && is_even_sided(s, 2);
        return is_even_sided(s, 2);
    case SCHEDULE_HALVING: return box->n[0] <= 2 && box->n[1] <= 2 && box->n[2] <= 2;
    case SCHEDULE_LINE: return n == 2 && s->kind != SCHEDULE_BROADCAST;
    case SCHEDULE_DIRECT:
        if (s->kind == SCHEDULE_ALL_TO_ALL)
            return n <= 3 && mesh_closed(box);
        return mesh_closed(box) &&
               (s->further ? s->shift == 0 : s->shift == 1 || s->shift == n - 1);
    default: return false;
    }
}

bool schedule_mirrored(const struct schedule *s)
{
    return !s->flow.by && s->group.size == mesh_size(&s->mesh) && schedule_adjacent(s) &&
           family_of(s) == &schedule_axes && !s->mesh.wrap[MESH_TWIST] &&
           (s->algorithm == SCHEDULE_TORUS || s->algorithm == SCHEDULE_HIERARCHICAL);
}

struct schedule_cost schedule_cost(const struct schedule *s)
{
    if (s->flow.by)
        return schedule_flow_cost(s);
    return is_over_slices(s) ? schedule_slices_cost(s) : family_of(s)->cost(s);
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
    uint32_t most = family_of(s)->in_pieces ? SCHEDULE_MAX_PIECES : 1;
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
