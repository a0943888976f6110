#include "hw/core/copy_runner.h"

#include "hw/core/core_show.h"

/* Take the answers that are there. */
static void take_back(struct des *sim, struct copy_runner *r)
{
    struct dma_done d;

    while (des_get(sim, r->dma_done, &d))
        r->flag[d.write][r->back.at[d.write]++ % COPY_RUNNER_PLACES] = d.flag;
}

static uint64_t count_under_way(const struct copy_runner *r)
{
    return r->started.at[0] + r->started.at[1] - r->back.at[0] - r->back.at[1];
}

/* Ask for one direction of the copy at hand; nothing where it has no bytes. */
static void ask_for(struct des *sim, struct copy_runner *r, bool write)
{
    const struct task_copy *t = &core_task(r->core)->copy;
    struct mem_request q = { .move.bytes = write ? t->out : t->in, .write = write };

    if (q.move.bytes == 0)
        return;
    q.text = write ? core_show_writes(r->core) : core_show_reads(r->core);
    BUG_ON(!des_put(sim, r->dma, &q)); /* the wire has room for all under way */
    r->started.at[write]++;
}

/* Start the copy at hand; false: as many are under way as there may be. */
static bool start_copy(struct des *sim, struct copy_runner *r)
{
    take_back(sim, r);
    if (count_under_way(r) > COPY_RUNNER_PLACES - 2)
        return false;
    ask_for(sim, r, false);
    ask_for(sim, r, true);
    r->mark[r->core->cursor.pc] = r->started;
    return true;
}

/* When the n-th copy of a direction has set its flag; long ago if its place was taken since. */
static des_time flag_of(const struct copy_runner *r, bool write, uint64_t n)
{
    if (n == 0 || r->back.at[write] - n >= COPY_RUNNER_PLACES)
        return 0;
    return r->flag[write][(n - 1) % COPY_RUNNER_PLACES];
}

/* True once all up to `m` are back; then r->flagged is set. */
static bool are_back(struct des *sim, struct copy_runner *r, const struct copy_mark *m)
{
    take_back(sim, r);
    if (r->back.at[0] < m->at[0] || r->back.at[1] < m->at[1])
        return false;
    des_time read = flag_of(r, false, m->at[0]), written = flag_of(r, true, m->at[1]);
    r->flagged = read > written ? read : written;
    return true;
}

/* The copies that the task at hand waits for: its own where it does both. */
static const struct copy_mark *mark_of_task(const struct copy_runner *r)
{
    const struct task *t = core_task(r->core);

    return &r->mark[t->async == TASK_DONE ? t->start : r->core->cursor.pc];
}

uint32_t copy_runner_run(struct des *sim, void *self, uint32_t at)
{
    struct copy_runner *r = self;
    struct core_context *c = r->core;

    DES_BEGIN(at);
    if (core_task(c)->async != TASK_DONE) {
        core_show_state(sim, c, SHOW_READ);
        DES_WAIT_UNTIL(start_copy(sim, r));
    }
    if (core_task(c)->async != TASK_START) {
        core_show_state(sim, c, SHOW_WRITE);
        DES_WAIT_UNTIL(are_back(sim, r, mark_of_task(r)));
        if (r->flagged > des_now(sim))
            DES_WAIT_FOR(sim, r->flagged - des_now(sim));
    }
    CORE_ALIGN(sim, c);
    core_book(sim, c, CAUSE_HBM);
    DES_END;
}

void copy_runner_init(struct copy_runner *r, struct des *sim, struct core_context *core)
{
    *r = (struct copy_runner){ .core = core };
    r->dma = des_out_new(sim, core->mod, "copy", sizeof(struct mem_request));
    r->dma_done = des_in_new(sim, core->mod, "copied", sizeof(struct dma_done));
    des_sensitive(sim, core->thread, r->dma_done);
}
