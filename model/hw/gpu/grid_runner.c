#include "hw/gpu/grid_runner.h"

#include "hw/program/core_show.h"

static const enum cause cause_of_pipe[GRID_N_PIPES] = {
    [GRID_TENSOR] = CAUSE_TENSOR, [GRID_FMA] = CAUSE_CUDA,  [GRID_F64] = CAUSE_CUDA,
    [GRID_SFU] = CAUSE_SFU,       [GRID_SMEM] = CAUSE_SMEM,
};

static const struct task_grid *kernel_of(const struct grid_runner *r)
{
    return &core_task(r->core)->grid;
}

static uint64_t fixed_cost(const struct grid_runner *r)
{
    const struct task_grid *g = kernel_of(r);

    return (g->node ? r->node_cycles : r->kernel_cycles) + g->fixed_cycles;
}

static enum cause cause_of_access(const struct grid_runner *r)
{
    return r->access.cached ? CAUSE_L2 : CAUSE_HBM;
}

static bool has_work(const struct task_grid_part *p)
{
    return p->cycles[task_grid_longest(p)] > 0;
}

/* Compute begins; SMs are idle between steps. */
static void start_sms(struct des *sim, struct grid_runner *r)
{
    struct gpu_step cmd = { .sm_cycles = r->part.sm_cycles };

    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        cmd.cycles[pipe] = r->part.cycles[pipe];
    BUG_ON(!des_put(sim, r->sms, &cmd));
}

static void begin_kernel(struct grid_runner *r)
{
    grid_access_begin(&r->access, kernel_of(r), core_show_reads(r->core),
                      core_show_writes(r->core));
}

/* Time until the accesses waited for are over. */
static des_time time_to_end(const struct des *sim, const struct grid_runner *r)
{
    return r->access.over > des_now(sim) ? r->access.over - des_now(sim) : 0;
}

uint32_t grid_runner_run(struct des *sim, void *self, uint32_t at)
{
    struct grid_runner *r = self;
    struct core_context *c = r->core;
    struct gpu_step_done done;

    DES_BEGIN(at);
    core_show_state(sim, c, SHOW_LAUNCH);
    DES_WAIT_UNTIL(des_get(sim, r->launched, &r->launch));
    if (r->launch.at > des_now(sim))
        DES_WAIT_FOR(sim, r->launch.at - des_now(sim));
    CORE_ALIGN(sim, c);
    DES_WAIT_FOR(sim, des_clock_delay(sim, c->clock, fixed_cost(r)));
    core_book(sim, c, CAUSE_LAUNCH);
    begin_kernel(r);
    for (r->i = 0; r->i < kernel_of(r)->steps; r->i++) {
        grid_access_read(sim, &r->access, r->i);
        core_show_grid(sim, c, r->i);
        core_show_state(sim, c, SHOW_READ);
        DES_WAIT_UNTIL(grid_access_ready(sim, &r->access, r->i));
        if (time_to_end(sim, r))
            DES_WAIT_FOR(sim, time_to_end(sim, r));
        CORE_ALIGN(sim, c);
        core_book(sim, c, cause_of_access(r));
        r->part = task_grid_part(kernel_of(r), r->i);
        core_show_state(sim, c, SHOW_COMPUTE);
        if (has_work(&r->part)) {
            start_sms(sim, r);
            DES_WAIT_UNTIL(des_get(sim, r->sms_done, &done));
        }
        core_book(sim, c, cause_of_pipe[task_grid_longest(&r->part)]);
        grid_access_write(sim, &r->access, r->i, &r->part.out);
    }
    core_show_state(sim, c, SHOW_WRITE);
    DES_WAIT_UNTIL(grid_access_all_back(sim, &r->access));
    if (time_to_end(sim, r))
        DES_WAIT_FOR(sim, time_to_end(sim, r));
    CORE_ALIGN(sim, c);
    core_book(sim, c, cause_of_access(r));
    DES_END;
}

void grid_runner_init(struct grid_runner *r, struct des *sim, struct core_context *core,
                      uint64_t kernel_cycles, uint64_t node_cycles)
{
    *r = (struct grid_runner){ .core = core,
                               .kernel_cycles = kernel_cycles,
                               .node_cycles = node_cycles };
    r->launched = des_in_new(sim, core->mod, "launched", sizeof(struct gpu_launch));
    r->sms = des_out_new(sim, core->mod, "sms", sizeof(struct gpu_step));
    r->sms_done = des_in_new(sim, core->mod, "sms_done", sizeof(struct gpu_step_done));
    des_sensitive(sim, core->thread, r->launched);
    des_sensitive(sim, core->thread, r->sms_done);
    grid_access_init(&r->access, sim, core->mod, core->thread);
}
