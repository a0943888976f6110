#include "des/des_impl.h"

/* An indexed binary heap: each event knows where its entry is, so that cancelling is O(log n). */

static bool before(const struct timed *a, const struct timed *b)
{
    return a->when != b->when ? a->when < b->when : a->seq < b->seq;
}

static void place(struct des *sim, uint32_t pos, struct timed t)
{
    sim->queue[pos] = t;
    sim->events.at[t.event].pos = pos;
}

static void sift_up(struct des *sim, uint32_t pos, struct timed t)
{
    struct timed *q = sim->queue;

    for (; pos > 1 && before(&t, &q[pos / 2]); pos /= 2)
        place(sim, pos, q[pos / 2]);
    place(sim, pos, t);
}

static void sift_down(struct des *sim, uint32_t pos, struct timed t)
{
    struct timed *q = sim->queue;
    uint32_t n = sim->n_queue;

    for (uint32_t child; (child = 2 * pos) <= n; pos = child) {
        if (child < n)
            child += before(&q[child + 1], &q[child]);
        if (!before(&q[child], &t))
            break;
        place(sim, pos, q[child]);
    }
    place(sim, pos, t);
}

void des_queue_insert(struct des *sim, des_time when, uint32_t event)
{
    sift_up(sim, ++sim->n_queue, (struct timed){ when, sim->seq++, event });
}

void des_queue_remove(struct des *sim, uint32_t pos)
{
    struct timed last = sim->queue[sim->n_queue--];

    sim->events.at[sim->queue[pos].event].pos = 0;
    if (pos > sim->n_queue)
        return;
    if (pos > 1 && before(&last, &sim->queue[pos / 2]))
        sift_up(sim, pos, last);
    else
        sift_down(sim, pos, last);
}

uint32_t des_queue_pop(struct des *sim)
{
    uint32_t event = sim->queue[1].event;
    struct timed last = sim->queue[sim->n_queue--];

    sim->events.at[event].pos = 0;
    if (sim->n_queue > 0)
        sift_down(sim, 1, last);
    return event;
}
