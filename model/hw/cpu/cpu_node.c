#include "hw/cpu/cpu_node.h"

static const struct component_class sequencer_class = { .name = "sequencer",
                                                        .parameters = &cpu_cores_param_table,
                                                        .statistics = &sequencer_stat_table,
                                                        .counters =
                                                            offsetof(struct sequencer, st) };

static void begin_step(struct des *sim, void *self)
{
    (void)sim, (void)self;
}

/* The runner waits for the dispatch, which is no matter of cycles; what takes a stated time takes
 * it here. */
static uint64_t launch_cycles(void *self, const struct task *t)
{
    (void)self;
    return t->kind == TASK_SCALAR ? t->scalar.cycles : 0;
}

static uint64_t count_passed(const void *self, const struct task *t)
{
    const struct cpu_node *n = self;

    return t->kind == TASK_POOL ? n->pool.i : 0;
}

void cpu_node_load(struct cpu_node *n, const struct sequencer_program *p)
{
    sequencer_load(&n->sequencer, p);
}

/* A reshape takes no time. */
static uint32_t run_scalar(struct des *sim, void *self, uint32_t at)
{
    (void)sim, (void)self, (void)at;
    return DES_THREAD_DONE;
}

void cpu_node_init(struct cpu_node *n, struct des *sim, struct des_module parent,
                   const struct cpu_node_place *place, lane_fold_fn *fold)
{
    struct sequencer_core owner = { .self = n,
                                    .class = &sequencer_class,
                                    .begin = begin_step,
                                    .launch = launch_cycles,
                                    .passed = count_passed,
                                    .core_hz = place->hz,
                                    .matrix_hz = place->hz,
                                    .alone = place->alone };
    struct sequencer *s = &n->sequencer;

    *n = (struct cpu_node){ 0 };
    sequencer_init(s, sim, parent, &owner);
    pool_runner_init(&n->pool, sim, &s->core);
    s->runner[TASK_POOL] = (struct runner){ pool_runner_run, &n->pool };
    s->runner[TASK_SCALAR] = (struct runner){ run_scalar, n };
    cpu_cores_init(&n->cores, sim, parent, place->cores, place->hz, fold);
}
