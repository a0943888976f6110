/* The units of all stages in the order in which they begin, if each takes what it costs and sends
 * take no time.  A unit needs that of the stage before it (a backward: of the stage behind it) for
 * the same micro-batch, and all before it in its stage's own order. */
#include <stdlib.h>

#include "base/memory.h"
#include "passes/shard/pipeline_impl.h"

/* The k-th unit of a stage: GPipe is one that runs all M forwards ahead. */
static struct pipeline_unit unit_of_stage(const struct pipeline_plan *plan, uint32_t stage,
                                          uint64_t k)
{
    uint64_t m = plan->microbatches, ahead = plan->stages - 1 - stage;
    bool backward;
    uint64_t micro;

    if (plan->schedule == PIPELINE_GPIPE || ahead > m)
        ahead = m;
    if (k < ahead) {
        backward = false;
        micro = k;
    } else if (k < 2 * m - ahead) { /* a forward and a backward in turn */
        backward = (k - ahead) % 2 == 1;
        micro = backward ? (k - ahead) / 2 : ahead + (k - ahead) / 2;
    } else {
        backward = true;
        micro = k - m;
    }
    return (struct pipeline_unit){ stage, (uint32_t)micro, backward };
}

struct order {
    const struct pipeline_plan *plan;
    uint64_t *end;  /* [stage][micro][backward] when it ends; 0: not yet known */
    uint64_t *free; /* [stage] */
    uint64_t *next; /* [stage] */
};

static uint64_t *end_of(const struct order *o, const struct pipeline_unit *u)
{
    return &o->end[(u->stage * o->plan->microbatches + u->micro) * 2 + u->backward];
}

/* The earliest time at which a unit can begin; false: what it needs has no time yet. */
static bool can_begin(const struct order *o, const struct pipeline_unit *u, uint64_t *at)
{
    bool first = u->backward ? u->stage + 1 == o->plan->stages : u->stage == 0;
    struct pipeline_unit before = *u;

    *at = o->free[u->stage];
    if (first)
        return true;
    before.stage = u->backward ? u->stage + 1 : u->stage - 1;
    uint64_t end = *end_of(o, &before);
    *at = end > *at ? end : *at;
    return end != 0;
}

void pipeline_order(const struct pipeline_plan *plan, const uint64_t *cost,
                    struct pipeline_unit *out)
{
    uint64_t each = 2 * plan->microbatches, all = plan->stages * each;
    struct order o = { .plan = plan };

    o.end = memory_zeroed(all, sizeof *o.end);
    o.free = memory_zeroed(plan->stages, sizeof *o.free);
    o.next = memory_zeroed(plan->stages, sizeof *o.next);
    for (uint64_t n = 0; n < all; n++) {
        uint64_t least = UINT64_MAX, at;
        for (uint32_t s = 0; s < plan->stages; s++) {
            struct pipeline_unit u = unit_of_stage(plan, s, o.next[s]);
            if (o.next[s] == each || !can_begin(&o, &u, &at) || at >= least)
                continue;
            least = at;
            out[n] = u;
        }
        BUG_ON(least == UINT64_MAX); /* both schedules can always go on */
        uint32_t s = out[n].stage;
        o.free[s] = least + cost[2 * s + out[n].backward] + 1;
        *end_of(&o, &out[n]) = o.free[s];
        o.next[s]++;
    }
    free(o.end);
    free(o.free);
    free(o.next);
}
