#include "hw/cpu/pool_runner.h"

#include "hw/program/core_show.h"

static const enum cause cause_of_part[POOL_N_PARTS] = {
    [POOL_SERIAL] = CAUSE_SERIAL, [POOL_PAGES] = CAUSE_PAGES, [POOL_CORES] = CAUSE_CORES,
    [POOL_CACHE] = CAUSE_CACHE,   [POOL_NUMA] = CAUSE_NUMA,
};

static const struct task_pool *operation_of(const struct pool_runner *r)
{
    return &core_task(r->core)->pool;
}

static void ask_memory(struct des *sim, struct pool_runner *r, uint64_t bytes, bool write)
{
    struct mem_request q = { .move.bytes = bytes,
                             .write = write,
                             .text = write ? core_show_writes(r->core) : core_show_reads(r->core) };

    if (bytes == 0)
        return;
    BUG_ON(!des_put(sim, r->request, &q)); /* the wire holds both transfers of a step */
    r->asked++;
}

static bool has_memory(struct des *sim, struct pool_runner *r)
{
    struct mem_done d;

    while (des_get(sim, r->reply, &d))
        r->replied++;
    return r->replied == r->asked;
}

/* Begin the next step: its bytes are asked for at once. */
static void begin_step(struct des *sim, struct pool_runner *r)
{
    r->step = task_pool_step(operation_of(r), r->i);
    r->asked = r->replied = 0;
    ask_memory(sim, r, r->step.read, false);
    ask_memory(sim, r, r->step.written, true);
    r->part = POOL_SERIAL;
}

/* Only the longest of the parts that overlap is waited for. */
static uint64_t cycles_of_part(const struct pool_runner *r)
{
    if (r->part >= POOL_CORES && r->part != task_pool_longest(&r->step))
        return 0;
    return r->step.cycles[r->part];
}

static void start_cores(struct des *sim, struct pool_runner *r)
{
    struct cores_work w = { cycles_of_part(r), r->part == POOL_SERIAL ? 1 : r->step.threads };

    BUG_ON(!des_put(sim, r->work, &w)); /* cores are idle between parts */
}

uint32_t pool_runner_run(struct des *sim, void *self, uint32_t at)
{
    struct pool_runner *r = self;
    struct core_context *c = r->core;
    struct cores_done done;

    DES_BEGIN(at);
    core_show_state(sim, c, SHOW_LAUNCH);
    if (operation_of(r)->dispatch_fs)
        DES_WAIT_FOR(sim, operation_of(r)->dispatch_fs);
    CORE_ALIGN(sim, c);
    core_book(sim, c, CAUSE_LAUNCH);
    for (r->i = 0; r->i < operation_of(r)->steps; r->i++) {
        core_show_grid(sim, c, r->i);
        core_show_state(sim, c, SHOW_COMPUTE);
        for (begin_step(sim, r); r->part < POOL_N_PARTS; r->part++) {
            if (!cycles_of_part(r))
                continue;
            start_cores(sim, r);
            DES_WAIT_UNTIL(des_get(sim, r->done, &done));
            core_book(sim, c, cause_of_part[r->part]);
        }
        core_show_state(sim, c, SHOW_READ);
        DES_WAIT_UNTIL(has_memory(sim, r));
        CORE_ALIGN(sim, c);
        core_book(sim, c, CAUSE_MEMORY);
    }
    DES_END;
}

void pool_runner_init(struct pool_runner *r, struct des *sim, struct core_context *core)
{
    *r = (struct pool_runner){ .core = core };
    r->work = des_out_new(sim, core->mod, "work", sizeof(struct cores_work));
    r->done = des_in_new(sim, core->mod, "done", sizeof(struct cores_done));
    r->request = des_out_new(sim, core->mod, "request", sizeof(struct mem_request));
    r->reply = des_in_new(sim, core->mod, "reply", sizeof(struct mem_done));
    des_sensitive(sim, core->thread, r->done);
    des_sensitive(sim, core->thread, r->reply);
}
