#include "hw/gpu/grid_access.h"

void grid_access_init(struct grid_access *g, struct des *sim, struct des_module mod,
                      struct des_process thread)
{
    g->access = des_out_new(sim, mod, "access", sizeof(struct gpu_access));
    g->done = des_in_new(sim, mod, "accessed", sizeof(struct gpu_access_done));
    des_sensitive(sim, thread, g->done);
}

void grid_access_begin(struct grid_access *g, const struct task_grid *grid, uint32_t reads,
                       uint32_t writes)
{
    g->grid = grid;
    g->ahead = 0;
    g->read = g->write = (struct grid_way){ 0 };
    g->text[0] = reads;
    g->text[1] = writes;
}

/* Ask for an access; one of nothing needs no asking. */
static void ask_for(struct des *sim, struct grid_access *g, const struct task_flow *flow,
                    bool write)
{
    struct gpu_access a = { *flow, write, g->text[write] };

    if (flow->l2 == 0)
        return;
    BUG_ON(!des_put(sim, g->access, &a)); /* the wire holds all that are in flight */
    (write ? &g->write : &g->read)->asked++;
}

void grid_access_read(struct des *sim, struct grid_access *g, uint64_t i)
{
    while (g->ahead < g->grid->steps && g->ahead <= i + GRID_AHEAD) {
        struct task_grid_part part = task_grid_part(g->grid, g->ahead);
        ask_for(sim, g, &part.in, false);
        g->read.mark[g->ahead++ % GRID_KEPT] = g->read.asked;
    }
}

void grid_access_write(struct des *sim, struct grid_access *g, uint64_t i,
                       const struct task_flow *out)
{
    ask_for(sim, g, out, true);
    g->write.mark[i % GRID_KEPT] = g->write.asked;
}

static void take_back(struct grid_way *w, const struct gpu_access_done *d)
{
    uint64_t n = w->back++;

    w->at[n % GRID_KEPT] = d->at;
    w->cached[n % GRID_KEPT] = d->cached;
}

/* Add the n-th access of a way to those waited for. */
static void add_wait(struct grid_access *g, const struct grid_way *w, uint64_t n)
{
    if (n == 0 || w->at[(n - 1) % GRID_KEPT] <= g->over)
        return;
    g->over = w->at[(n - 1) % GRID_KEPT];
    g->cached = w->cached[(n - 1) % GRID_KEPT];
}

/* True once so many reads and writes of the kernel are answered; then g->over is set. */
static bool are_back(struct des *sim, struct grid_access *g, uint64_t reads, uint64_t writes)
{
    struct gpu_access_done d;

    while (des_get(sim, g->done, &d))
        take_back(d.write ? &g->write : &g->read, &d);
    if (g->read.back < reads || g->write.back < writes)
        return false;
    g->over = 0;
    g->cached = false;
    add_wait(g, &g->read, reads);
    add_wait(g, &g->write, writes);
    return true;
}

bool grid_access_ready(struct des *sim, struct grid_access *g, uint64_t i)
{
    return are_back(sim, g, g->read.mark[i % GRID_KEPT],
                    i < GRID_AHEAD ? 0 : g->write.mark[(i - GRID_AHEAD) % GRID_KEPT]);
}

bool grid_access_all_back(struct des *sim, struct grid_access *g)
{
    return are_back(sim, g, g->read.asked, g->write.asked);
}
