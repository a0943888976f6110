#include "kernels/common/stream.h"

#include "base/arith.h"
#include "base/wide.h"
#include "kernels/common/layout.h"

void stream_array_of(struct stream_array *a, const struct step_value *v, uint32_t over,
                     const struct cap *cap)
{
    const struct trace_shape *s = &v->shape;

    *a = (struct stream_array){ { 1, 1, 1, 1 }, { [STREAM_SUMMED] = true } };
    if (s->rank < 2) {
        a->units[STREAM_LANES] = arith_ceil_div(trace_elements(s), cap_tile(cap));
        a->summed[STREAM_LANES] = over != 0;
        return;
    }
    struct tiling_order l = layout_of_value(v, cap);
    for (uint32_t d = 0; d < s->rank; d++) {
        bool summed = over >> d & 1;
        if (d == l.minor) {
            a->units[STREAM_LANES] = arith_ceil_div(s->dim[d], cap->lanes);
            a->summed[STREAM_LANES] = summed;
        } else if (d == l.second) {
            a->units[STREAM_SUBLANES] = arith_ceil_div(s->dim[d], cap->sublanes);
            a->summed[STREAM_SUBLANES] = summed;
        } else {
            a->units[summed ? STREAM_SUMMED : STREAM_KEPT] *= s->dim[d];
        }
    }
}

uint64_t stream_units(const struct stream_array *a)
{
    uint64_t n = 1;

    for (int d = 0; d < STREAM_N_DIMS; d++)
        n *= a->units[d];
    return n;
}

/* Windows of all halves, which share those along one dimension. */
static uint64_t count_steps(const struct stream_array *a, const uint64_t *units, uint32_t halves)
{
    uint64_t all = 1, least = UINT64_MAX;

    for (int d = 0; d < STREAM_N_DIMS; d++)
        all *= arith_ceil_div(a->units[d], units[d]);
    for (int d = 0; d < STREAM_N_DIMS && halves > 1; d++) {
        uint64_t n = arith_ceil_div(a->units[d], units[d]);
        uint64_t steps = all / n * arith_round_up(n, halves);
        least = steps < least ? steps : least;
    }
    return halves > 1 && all > 1 ? least : all;
}

struct search {
    const struct stream_array *a;
    uint64_t target, weight; /* in halves */
    uint32_t halves;
    uint64_t units[STREAM_N_DIMS], best[STREAM_N_DIMS];
    uint64_t cost, steps, chain;
};

static uint64_t count_chain(const struct search *s)
{
    uint64_t n = 1;

    for (int d = 0; d < STREAM_N_DIMS; d++)
        n *= s->a->summed[d] ? s->units[d] : 1;
    return n;
}

static void try_window(struct search *s, uint64_t units)
{
    uint64_t away = units > s->target ? units - s->target : s->target - units;
    uint64_t steps = count_steps(s->a, s->units, s->halves), chain = count_chain(s);
    uint64_t cost = steps * (2 * units + 5 * s->target / 8 + s->weight * away);

    if (cost > s->cost || (cost == s->cost && steps > s->steps) ||
        (cost == s->cost && steps == s->steps && chain <= s->chain))
        return;
    s->cost = cost;
    s->steps = steps;
    s->chain = chain;
    for (int d = 0; d < STREAM_N_DIMS; d++)
        s->best[d] = s->units[d];
}

/* The shortest window of a dimension that takes no more steps than one of `n` units. */
static uint64_t trim_window(uint64_t all, uint64_t n)
{
    return arith_ceil_div(all, arith_ceil_div(all, n));
}

/* The next shorter one. */
static uint64_t shorten_window(uint64_t all, uint64_t n)
{
    uint64_t longest = (all - 1) / arith_ceil_div(all, n);

    return longest ? trim_window(all, longest) : 0;
}

/* Each window of dimensions 0 to `d`, of `taken` units along the others, the longest first. */
static void search_dim(struct search *s, int d, uint64_t taken, uint64_t most)
{
    if (d < 0) {
        try_window(s, taken);
        return;
    }
    uint64_t all = s->a->units[d], longest = most / taken;
    uint64_t n = longest < all ? trim_window(all, longest) : all;
    for (; n > 0; n = shorten_window(all, n)) {
        s->units[d] = n;
        search_dim(s, d - 1, taken * n, most);
        if (d == 0 && 2 * n <= longest)
            break;
    }
}

/* The dimension that halves divide with the least beyond the array, the major one in a tie. */
static int find_split(const struct stream_array *a, uint32_t halves)
{
    int best = STREAM_KEPT;

    for (int d = 0; d < STREAM_N_DIMS; d++) {
        uint64_t n = a->units[d], m = a->units[best];
        u128 padded = (u128)arith_round_up(n, halves) * m,
             least = (u128)arith_round_up(m, halves) * n;
        if (n > 1 && (m == 1 || padded < least))
            best = d;
    }
    return best;
}

static void take_whole(struct stream_window *w, const struct stream_array *a, uint32_t halves)
{
    int split = find_split(a, halves);

    for (int d = 0; d < STREAM_N_DIMS; d++)
        w->units[d] = d == split ? arith_ceil_div(a->units[d], halves) : a->units[d];
}

static bool sums_up(const struct stream_array *a)
{
    bool any = false;

    for (int d = 0; d < STREAM_N_DIMS; d++)
        any |= a->summed[d] && a->units[d] > 1;
    return any;
}

void stream_choose(struct stream_window *w, const struct stream_array *a, uint64_t target,
                   const struct cap *cap)
{
    bool lanes = a->summed[STREAM_LANES];
    struct search s = { .a = a,
                        .target = target,
                        .weight = lanes        ? 0
                                  : sums_up(a) ? 1
                                               : 2,
                        .halves = cap->halves,
                        .cost = UINT64_MAX };

    if (target == 0) {
        take_whole(w, a, cap->halves);
    } else {
        search_dim(&s, STREAM_N_DIMS - 1, 1, lanes ? target : target + target / 12);
        for (int d = 0; d < STREAM_N_DIMS; d++)
            w->units[d] = s.best[d];
    }
    w->steps = count_steps(a, w->units, cap->halves);
    w->sum_steps = 1;
    for (int d = 0; d < STREAM_N_DIMS; d++)
        if (a->summed[d])
            w->sum_steps *= arith_ceil_div(a->units[d], w->units[d]);
}
