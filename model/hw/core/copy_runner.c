#include "hw/core/copy_runner.h"

#include "hw/program/core_show.h"

static void set_flag(struct copy_runner *r, enum copy_way way, des_time at)
{
    r->flag[way][r->back.at[way]++ % COPY_RUNNER_PLACES] = at;
}

/* Take the answers that are there. */
static void take_back(struct des *sim, struct copy_runner *r)
{
    struct dma_done d;
    struct host_copy h;

    while (des_get(sim, r->dma_done, &d))
        set_flag(r, d.write ? COPY_WRITE : COPY_READ, d.flag);
    for (unsigned up = 0; up < 2; up++)
        while (des_get(sim, r->host_done[up], &h))
            set_flag(r, up ? COPY_TO_HOST : COPY_FROM_HOST, des_now(sim));
}

static uint64_t count_under_way(const struct copy_runner *r)
{
    uint64_t n = 0;

    for (unsigned way = 0; way < COPY_WAYS; way++)
        n += r->started.at[way] - r->back.at[way];
    return n;
}

/* Ask for one direction of the copy at hand, out of HBM or into it; nothing where it has no bytes.
 * The wires have room for all under way. */
static void ask_for(struct des *sim, struct copy_runner *r, bool write)
{
    const struct task_copy *t = &core_task(r->core)->copy;
    uint64_t bytes = write ? t->out : t->in;
    enum copy_way way = write ? COPY_WRITE : COPY_READ;

    if (bytes == 0)
        return;
    uint32_t text = write ? core_show_writes(r->core) : core_show_reads(r->core);
    if (t->host) {
        struct host_copy h = { bytes, text };
        way = write ? COPY_FROM_HOST : COPY_TO_HOST;
        BUG_ON(!des_put(sim, r->host[!write], &h));
    } else {
        struct mem_request q = {
            .move.bytes = bytes, .write = write, .first = !write, .text = text
        };
        BUG_ON(!des_put(sim, r->dma, &q));
    }
    r->mark[r->core->cursor.pc].at[way] = ++r->started.at[way];
}

/* Start the copy at hand; false: as many are under way as there may be. */
static bool start_copy(struct des *sim, struct copy_runner *r)
{
    take_back(sim, r);
    if (count_under_way(r) > COPY_RUNNER_PLACES - 2)
        return false;
    r->mark[r->core->cursor.pc] = (struct copy_mark){ 0 };
    ask_for(sim, r, false);
    ask_for(sim, r, true);
    return true;
}

/* When the n-th copy of a way has set its flag; long ago if its place was taken since. */
static des_time flag_of(const struct copy_runner *r, enum copy_way way, uint64_t n)
{
    if (n == 0 || r->back.at[way] - n >= COPY_RUNNER_PLACES)
        return 0;
    return r->flag[way][(n - 1) % COPY_RUNNER_PLACES];
}

/* True once all up to `m` are back; then r->flagged is set. */
static bool are_back(struct des *sim, struct copy_runner *r, const struct copy_mark *m)
{
    take_back(sim, r);
    r->flagged = 0;
    for (unsigned way = 0; way < COPY_WAYS; way++) {
        if (r->back.at[way] < m->at[way])
            return false;
        des_time flag = flag_of(r, way, m->at[way]);
        r->flagged = flag > r->flagged ? flag : r->flagged;
    }
    return true;
}

/* The task that started the copies that the task at hand waits for: itself where it does both. */
static uint32_t starter_of_task(const struct copy_runner *r)
{
    const struct task *t = core_task(r->core);

    return t->async == TASK_DONE ? t->start : r->core->cursor.pc;
}

static enum cause cause_of_wait(const struct copy_runner *r)
{
    return r->core->cursor.program->task[starter_of_task(r)].copy.host ? CAUSE_PCIE : CAUSE_HBM;
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
        DES_WAIT_UNTIL(are_back(sim, r, &r->mark[starter_of_task(r)]));
        if (r->flagged > des_now(sim))
            DES_WAIT_FOR(sim, r->flagged - des_now(sim));
    }
    CORE_ALIGN(sim, c);
    core_book(sim, c, cause_of_wait(r));
    DES_END;
}

void copy_runner_init(struct copy_runner *r, struct des *sim, struct core_context *core)
{
    *r = (struct copy_runner){ .core = core };
    r->dma = des_out_new(sim, core->mod, "copy", sizeof(struct mem_request));
    r->dma_done = des_in_new(sim, core->mod, "copied", sizeof(struct dma_done));
    des_sensitive(sim, core->thread, r->dma_done);
    for (unsigned up = 0; up < 2; up++) {
        r->host[up] =
            des_out_new(sim, core->mod, up ? "to_host" : "from_host", sizeof(struct host_copy));
        r->host_done[up] =
            des_in_new(sim, core->mod, up ? "at_host" : "of_host", sizeof(struct host_copy));
        des_sensitive(sim, core->thread, r->host_done[up]);
    }
}
