#include "task/grid.h"

#include "base/wide.h"

const char *const grid_pipe_name[GRID_N_PIPES] = {
#define P(id, text, doc) text,
    GRID_PIPES(P)
#undef P
};

/* Share i of n: shares add up to the total. */
static uint64_t share_of(uint64_t total, uint64_t i, uint64_t n)
{
    return (uint64_t)((u128)total * (i + 1) / n - (u128)total * i / n);
}

struct task_grid_part task_grid_part(const struct task_grid *g, uint64_t i)
{
    struct task_grid_part p = {
        .in = { share_of(g->in.l2, i, g->steps), share_of(g->in.hbm, i, g->steps) },
        .out = { share_of(g->out.l2, i, g->steps), share_of(g->out.hbm, i, g->steps) },
        .sm_cycles = share_of(g->sm_cycles, i, g->steps),
    };

    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        p.cycles[pipe] = share_of(g->cycles[pipe], i, g->steps);
    return p;
}

enum grid_pipe task_grid_longest(const struct task_grid_part *p)
{
    enum grid_pipe longest = GRID_FMA;

    for (unsigned pipe = 0; pipe < GRID_N_PIPES; pipe++)
        if (p->cycles[pipe] > p->cycles[longest])
            longest = (enum grid_pipe)pipe;
    return longest;
}
