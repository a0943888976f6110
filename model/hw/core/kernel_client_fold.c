/* The shortcut of a kernel: the memory runs it (hw/wires/mem_client.h).  Nothing else reaches a
 * core while it runs a kernel, so its grid steps are moments at which it asks for transfers. */
#include "hw/core/kernel_runner.h"

/* The moment at which the kernel at hand asks; it is `due` of the client, or the begin. */
static void ask_memory(struct des *sim, struct kernel_tiles *t, struct mem_request *q)
{
    struct kernel_runner *k = t->asker;

    dma_send(k->dma, q, k->at);
    k->memory.ask(sim, &k->memory, q, k->at);
}

/* All transfers are back, at `at`: the core goes on when their flags are set. */
static void leave_memory(struct des *sim, struct kernel_runner *k, des_time at)
{
    des_time over = k->tiles.flagged > at ? k->tiles.flagged : at, now = des_now(sim);

    k->late = k->memory.late && over == at && over > now;
    k->memory.joined = false;
    if (over > now)
        des_notify_at(sim, k->over, over);
    else
        des_notify(sim, k->over);
}

/* Go on at `at`, where the core waits for transfers: with grid step k->i if its tile is there, or
 * with what comes after the kernel. */
static void go_on(struct des *sim, struct kernel_runner *k, des_time at)
{
    struct mem_client *m = &k->memory;

    if (k->i == k->walk.kernel->grid_steps) {
        if (kernel_tiles_all_back(&k->tiles))
            leave_memory(sim, k, at);
        return;
    }
    if (!kernel_tiles_ready(&k->tiles, k->i))
        return;
    task_walk_next(&k->walk);
    k->walk.step.in = k->tiles.in[k->i % 2];
    m->due = at + k->fold(sim, k, at, &m->late);
}

/* Grid step k->i is computed. */
static void end_grid_step(struct des *sim, struct mem_client *m, des_time at)
{
    struct kernel_runner *k = m->self;

    k->at = at;
    m->due = DES_NEVER;
    kernel_tiles_write(sim, &k->tiles, k->i, &k->walk.step.out);
    if (++k->i < k->walk.kernel->grid_steps)
        kernel_tiles_read(sim, &k->tiles, k->i);
    else
        kernel_tiles_write_resident(sim, &k->tiles);
    go_on(sim, k, at);
}

static void take_answer(struct des *sim, struct mem_client *m, bool write, des_time at)
{
    struct kernel_runner *k = m->self;

    kernel_tiles_take_back(&k->tiles, write, dma_flag(k->dma, write, at));
    if (m->due == DES_NEVER) {
        m->late = false;
        go_on(sim, k, at);
    }
}

bool kernel_client_fold(struct des *sim, struct kernel_runner *k)
{
    struct mem_client *m = &k->memory;

    /* waves and timelines show the wires; a copy that was asked for in this moment would come first
     * there; a flag that is set as its transfer ends would be seen a delta later; and each grid
     * step must have a shortcut that takes time */
    if (!m->memory || !k->launched || des_shown(sim) ||
        des_watched(sim, des_module_parent(sim, k->core->parent)) || k->dma->par.latency == 0 ||
        k->step_overhead == 0 || (k->walk.kernel->all.feed && !k->serve.cmem.serve))
        return false;
    k->at = des_now(sim);
    k->i = 0;
    k->tiles.ask = ask_memory;
    k->tiles.asker = k;
    m->self = k;
    m->act = end_grid_step;
    m->answer = take_answer;
    m->due = DES_NEVER;
    m->late = false;
    m->join(sim, m);
    kernel_tiles_read(sim, &k->tiles, 0);
    go_on(sim, k, k->at);
    return true;
}
