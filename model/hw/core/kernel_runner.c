#include "hw/core/kernel_runner.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/wide.h"
#include "hw/program/core_show.h"

/* --- what a grid step takes ----------------------------------------------------------------- */

uint64_t kernel_runner_control(struct kernel_runner *k)
{
    uint64_t starts = k->tiles.started + !kernel_tiles_is_empty(&k->walk.step.out);

    k->tiles.started = 0;
    return k->step_overhead + starts * k->units.dma_issue + k->walk.kernel->joined_cycles;
}

bool kernel_runner_has_vector_work(const struct task_grid_step *w)
{
    for (int op = 0; op < N_VECTOR_OPS; op++)
        if (w->vpu[op])
            return true;
    return false;
}

static bool is_same(const struct task_gemm *a, const struct task_gemm *b)
{
    return a->b == b->b && a->m == b->m && a->k == b->k && a->n == b->n && a->useful == b->useful;
}

const struct kernel_share *kernel_runner_share(struct kernel_runner *k)
{
    const struct task_kernel *t = k->walk.kernel;
    const struct task_gemm *g = &k->walk.step.gemm;
    const struct kernel_units *u = &k->units;
    struct kernel_share *h = &k->share[k->walk.shape];
    struct bundle_shape shape = { u->mxu_size, u->lanes,      u->sublanes, u->mxu_sums,
                                  t->streamed, t->stationary, t->mode,     u->register_elements };

    if (is_same(&h->block, g))
        return h;
    *h = (struct kernel_share){ .block = *g };
    for (uint32_t i = 0; g->b && i < u->mxu_count; i++) {
        h->part[i] = task_share(g, &t->parts, i, u->mxu_row_granule, u->mxu_size);
        if (h->part[i].b)
            bundle_gemm(&h->need, &h->part[i], &shape);
    }
    return h;
}

uint64_t kernel_runner_bundles(const struct kernel_runner *k)
{
    struct bundle_need need = k->share[k->walk.shape].need;
    struct bundle_params par = k->bundle;

    if (k->walk.kernel->moves)
        par.issue = PPB_PER_ONE;
    bundle_step(&need, &k->walk.step, &par);
    uint64_t bundles = bundle_count(&need, &par), chain = k->walk.kernel->chain_cycles;
    return (bundles > chain ? bundles : chain) + k->walk.kernel->sum_cycles;
}

uint64_t kernel_runner_least(const struct kernel_runner *k, const struct task_kernel *t,
                             uint64_t passed)
{
    uint64_t left = t->grid_steps > passed ? t->grid_steps - passed : 0;
    u128 cycles =
        (u128)left * ((u128)k->step_overhead + t->joined_cycles + t->chain_cycles + t->sum_cycles);

    return cycles > UINT64_MAX ? UINT64_MAX : (uint64_t)cycles;
}

/* --- a grid step over the wires ------------------------------------------------------------- */

/* Compute begins: the tile is read, the output buffer filled.  Units are idle between grid steps.
 */
static void start_units(struct des *sim, struct kernel_runner *k)
{
    const struct task_grid_step *w = &k->walk.step;
    const struct kernel_share *h = kernel_runner_share(k);

    k->pending = 0;
    for (uint32_t i = 0; i < k->units.mxu_count; i++)
        if (h->part[i].b) {
            struct unit_gemm cmd = kernel_runner_command(k, &h->part[i]);
            BUG_ON(!des_put(sim, k->mxu[i], &cmd));
            k->pending++;
            ledger_unit_starts(&k->core->ledger);
        }
    if (kernel_runner_has_vector_work(w)) {
        struct unit_vector cmd;
        memcpy(cmd.ops, w->vpu, sizeof cmd.ops);
        BUG_ON(!des_put(sim, k->vpu, &cmd));
        k->pending++;
    }
    if (w->xlu) {
        BUG_ON(!des_put(sim, k->xlu, &(struct unit_lanes){ w->xlu }));
        k->pending++;
    }
    if (w->feed) {
        BUG_ON(!des_put(sim, k->cmem, &(struct unit_feed){ w->feed }));
        k->pending++;
    }
    k->issued = des_clock_index(sim, k->core->clock) + kernel_runner_bundles(k);
}

/* Collect the units that are done; true when none is at work any more. */
static bool are_units_done(struct des *sim, struct kernel_runner *k)
{
    struct unit_done d = { .cause = k->last };

    for (uint32_t i = 0; i < k->units.mxu_count; i++)
        while (des_get(sim, k->mxu_done[i], &d)) {
            ledger_unit_done(&k->core->ledger, des_now(sim), &d);
            k->pending--;
        }
    while (des_get(sim, k->vpu_done, &d))
        k->pending--;
    while (des_get(sim, k->xlu_done, &d))
        k->pending--;
    while (k->units.cmem && des_get(sim, k->cmem_done, &d))
        k->pending--;
    k->last = d.cause;
    return k->pending == 0;
}

/* Wait for the sync flags of transfers that are back. */
#define WAIT_FOR_FLAGS(sim, t)                                                                     \
    do {                                                                                           \
        if ((t)->flagged > des_now(sim))                                                           \
            DES_WAIT_FOR(sim, (t)->flagged - des_now(sim));                                        \
    } while (0)

/* Cycles until the last bundle of the grid step is issued. */
static uint64_t cycles_to_issue(const struct des *sim, const struct kernel_runner *k)
{
    uint64_t now = des_clock_index(sim, k->core->clock);

    return now < k->issued ? k->issued - now : 0;
}

/* Thread: the grid step at hand, whose tile is back, from its control to its last bundle. */
static uint32_t run_grid_step(struct des *sim, void *self, uint32_t at)
{
    struct kernel_runner *k = self;
    struct core_context *c = k->core;

    DES_BEGIN(at);
    WAIT_FOR_FLAGS(sim, &k->tiles);
    CORE_ALIGN(sim, c);
    core_book(sim, c, CAUSE_HBM);
    core_show_state(sim, c, SHOW_LAUNCH);
    DES_WAIT_FOR(sim, des_clock_delay(sim, c->clock, kernel_runner_control(k)));
    core_book(sim, c, CAUSE_LAUNCH);
    start_units(sim, k);
    core_show_state(sim, c, SHOW_COMPUTE);
    k->last = CAUSE_VPU;
    DES_WAIT_UNTIL(are_units_done(sim, k));
    CORE_ALIGN(sim, c);
    core_book(sim, c, k->last);
    core_show_state(sim, c, SHOW_ISSUE);
    if (cycles_to_issue(sim, k))
        DES_WAIT_FOR(sim, des_clock_delay(sim, c->clock, cycles_to_issue(sim, k)));
    core_book(sim, c, CAUSE_VPU);
    DES_END;
}

/* --- a kernel ------------------------------------------------------------------------------- */

static void begin_kernel(struct des *sim, struct kernel_runner *k)
{
    const struct task_kernel *t = &core_task(k->core)->kernel;

    kernel_tiles_begin(&k->tiles, t, core_show_reads(k->core), core_show_writes(k->core));
    task_walk_begin(&k->walk, t);
    for (uint32_t i = 0; i < TASK_WALK_SHAPES; i++)
        k->share[i].block.b = 0;
    if (k->vmem)
        vmem_hold(sim, k->vmem, t->windows);
}

/* The tile of grid step k->i is back: go on to its work.  Returns the time it takes by the
 * shortcut, 0 without. */
static des_time begin_grid_step(struct des *sim, struct kernel_runner *k)
{
    task_walk_next(&k->walk);
    k->walk.step.in = k->tiles.in[k->i % 2];
    return k->fold ? k->fold(sim, k, des_now(sim), &k->late) : 0;
}

static bool is_tile_ready(struct des *sim, struct kernel_runner *k)
{
    kernel_tiles_hear(sim, &k->tiles);
    if (kernel_tiles_ready(&k->tiles, k->i))
        return true;
    if (des_shown(sim) && kernel_tiles_is_read(&k->tiles, k->i))
        core_show_waits_for_write(sim, k->core);
    return false;
}

static bool are_all_back(struct des *sim, struct kernel_runner *k)
{
    kernel_tiles_hear(sim, &k->tiles);
    return kernel_tiles_all_back(&k->tiles);
}

/* Thread: all grid steps, one by one, until all transfers are back. */
static uint32_t run_grid(struct des *sim, void *self, uint32_t at)
{
    struct kernel_runner *k = self;
    struct core_context *c = k->core;

    DES_BEGIN(at);
    for (k->i = 0; k->i < k->walk.kernel->grid_steps; k->i++) {
        kernel_tiles_read(sim, &k->tiles, k->i);
        core_show_grid(sim, c, k->i);
        core_show_state(sim, c, SHOW_READ);
        DES_WAIT_UNTIL(is_tile_ready(sim, k));
        k->left = begin_grid_step(sim, k);
        if (k->left) {
            DES_WAIT_FOR(sim, k->left);
            if (k->late)
                DES_WAIT_FOR(sim, 0);
        } else {
            DES_CALL(sim, k->step, run_grid_step, k);
        }
        kernel_tiles_write(sim, &k->tiles, k->i, &k->walk.step.out);
    }
    kernel_tiles_write_resident(sim, &k->tiles);
    core_show_state(sim, c, SHOW_WRITE);
    DES_WAIT_UNTIL(are_all_back(sim, k));
    WAIT_FOR_FLAGS(sim, &k->tiles);
    DES_END;
}

uint32_t kernel_runner_run(struct des *sim, void *self, uint32_t at)
{
    struct kernel_runner *k = self;
    struct core_context *c = k->core;

    DES_BEGIN(at);
    begin_kernel(sim, k);
    if (k->join && k->join(sim, k)) {
        DES_WAIT_EVENT(sim, k->over);
        if (k->late)
            DES_WAIT_FOR(sim, 0);
    } else {
        DES_CALL(sim, k->grid, run_grid, k);
    }
    CORE_ALIGN(sim, c);
    core_book(sim, c, CAUSE_HBM);
    if (k->vmem)
        vmem_hold(sim, k->vmem, 0);
    DES_END;
}

/* --- ports: in functions of their own, since cppcheck 2.10 loses track behind many of them --- */

static void make_vector_ports(struct kernel_runner *k, struct des *sim,
                              const struct core_context *core)
{
    k->vpu = des_out_new(sim, core->mod, "vpu", sizeof(struct unit_vector));
    k->xlu = des_out_new(sim, core->mod, "xlu", sizeof(struct unit_lanes));
    k->vpu_done = des_in_new(sim, core->mod, "vpu_done", sizeof(struct unit_done));
    k->xlu_done = des_in_new(sim, core->mod, "xlu_done", sizeof(struct unit_done));
    des_sensitive(sim, core->thread, k->vpu_done);
    des_sensitive(sim, core->thread, k->xlu_done);
}

static void make_cmem_ports(struct kernel_runner *k, struct des *sim,
                            const struct core_context *core)
{
    k->cmem = des_out_new(sim, core->mod, "cmem", sizeof(struct unit_feed));
    k->cmem_done = des_in_new(sim, core->mod, "cmem_done", sizeof(struct unit_done));
    des_sensitive(sim, core->thread, k->cmem_done);
}

static void make_mxu_ports(struct kernel_runner *k, struct des *sim,
                           const struct core_context *core)
{
    char name[32];

    for (uint32_t i = 0; i < k->units.mxu_count; i++) {
        snprintf(name, sizeof name, "mxu%u", i);
        k->mxu[i] = des_out_new(sim, core->mod, name, sizeof(struct unit_gemm));
        snprintf(name, sizeof name, "mxu%u_done", i);
        k->mxu_done[i] = des_in_new(sim, core->mod, name, sizeof(struct unit_done));
        des_sensitive(sim, core->thread, k->mxu_done[i]);
    }
}

void kernel_runner_init(struct kernel_runner *k, struct des *sim, struct core_context *core,
                        const struct bundle_params *bundle, const struct kernel_units *units,
                        uint32_t step_overhead)
{
    uint64_t two = 2 * (uint64_t)units->dma_issue;

    BUG_ON(units->mxu_count > KERNEL_MAX_MXUS);
    *k = (struct kernel_runner){ .core = core,
                                 .bundle = *bundle,
                                 .units = *units,
                                 .step_overhead = step_overhead > two ? step_overhead - two : 0 };
    make_vector_ports(k, sim, core);
    kernel_tiles_init(&k->tiles, sim, core->mod, core->thread);
    k->over = des_event_new(sim, core->mod, "over");
    if (units->cmem)
        make_cmem_ports(k, sim, core);
    make_mxu_ports(k, sim, core);
}
