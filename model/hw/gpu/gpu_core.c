#include "hw/gpu/gpu_core.h"

#define P(...) PARAM_DESC(struct gpu_core_params, __VA_ARGS__)
static const struct param_desc params[] = { GPU_CORE_PARAMS(P) };
const struct param_table gpu_core_param_table = { "gpu", params, sizeof params / sizeof *params,
                                                  sizeof(struct gpu_core_params), NULL };
static const struct component_class sequencer_class = { .name = "sequencer",
                                                        .parameters = &gpu_core_param_table,
                                                        .statistics = &sequencer_stat_table,
                                                        .counters =
                                                            offsetof(struct sequencer, st) };

static void begin_step(struct des *sim, void *self)
{
    struct gpu_core *g = self;

    g->kernel_ran = false;
    launch_queue_begin(&g->launch, sim);
}

static uint64_t launch_cycles(void *self, const struct task *t)
{
    struct gpu_core *g = self;
    bool behind = t->kind == TASK_GRID && g->kernel_ran && !t->grid.node;

    if (t->kind == TASK_SCALAR)
        return t->scalar.cycles;

    g->kernel_ran |= t->kind == TASK_GRID;
    return behind ? g->gap_cycles : 0;
}

static uint64_t count_passed(const void *self, const struct task *t)
{
    const struct gpu_core *g = self;

    return t->kind == TASK_GRID ? g->grid.i : 0;
}

void gpu_core_load(struct gpu_core *g, const struct sequencer_program *p)
{
    sequencer_load(&g->sequencer, p);
    launch_queue_load(&g->launch, p->program, p->stage);
}

/* Instructions that no kernel needs are part of what the host does; what takes a stated time has
 * taken it when it is launched. */
static uint32_t run_scalar(struct des *sim, void *self, uint32_t at)
{
    (void)sim, (void)self, (void)at;
    return DES_THREAD_DONE;
}

void gpu_core_init(struct gpu_core *g, struct des *sim, struct des_module parent,
                   const struct gpu_core_place *place, lane_fold_fn *fold)
{
    struct sequencer_core owner = { .self = g,
                                    .class = &sequencer_class,
                                    .begin = begin_step,
                                    .launch = launch_cycles,
                                    .passed = count_passed,
                                    .core_hz = place->hz,
                                    .matrix_hz = place->hz,
                                    .alone = place->alone };
    struct sequencer *s = &g->sequencer;

    *g = (struct gpu_core){ .gap_cycles = des_edge_index(place->gpu->kernel_gap, place->hz) };
    sequencer_init(s, sim, parent, &owner);
    grid_runner_init(&g->grid, sim, &s->core, des_edge_index(place->gpu->kernel_time, place->hz),
                     des_edge_index(place->gpu->node_time, place->hz));
    s->runner[TASK_GRID] = (struct runner){ grid_runner_run, &g->grid };
    s->runner[TASK_SCALAR] = (struct runner){ run_scalar, g };
    sms_init(&g->sms, sim, parent, place->sm, place->hz, fold);
    l2_init(&g->l2, sim, parent, place->l2);
    launch_queue_init(&g->launch, sim, parent, place->launch);
}
