#include "task/task_pool.h"

#include "base/wide.h"

const char *const pool_part_name[POOL_N_PARTS] = {
#define P(id, text, doc) text,
    POOL_PARTS(P)
#undef P
};

/* Share i of n: shares add up to the total. */
static uint64_t share_of(uint64_t total, uint64_t i, uint64_t n)
{
    return (uint64_t)((u128)total * (i + 1) / n - (u128)total * i / n);
}

struct task_pool task_pool_step(const struct task_pool *p, uint64_t i)
{
    struct task_pool s = { .steps = 1,
                           .threads = p->threads,
                           .read = share_of(p->read, i, p->steps),
                           .written = share_of(p->written, i, p->steps),
                           .useful = share_of(p->useful, i, p->steps) };

    for (int part = 0; part < POOL_N_PARTS; part++)
        s.cycles[part] = share_of(p->cycles[part], i, p->steps);
    return s;
}

enum pool_part task_pool_longest(const struct task_pool *p)
{
    enum pool_part longest = POOL_CORES;

    for (unsigned part = POOL_CORES; part < POOL_N_PARTS; part++)
        if (p->cycles[part] > p->cycles[longest])
            longest = (enum pool_part)part;
    return longest;
}
