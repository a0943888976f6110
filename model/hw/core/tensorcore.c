#include "hw/core/tensorcore.h"

#define P(...) PARAM_DESC(struct tensorcore_params, __VA_ARGS__)
static const struct param_desc params[] = { TENSORCORE_PARAMS(P) };
const struct param_table tensorcore_param_table = { "core", params, sizeof params / sizeof *params,
                                                    sizeof(struct tensorcore_params), NULL };
#undef P
static const struct component_class sequencer_class = { .name = "sequencer",
                                                        .parameters = &tensorcore_param_table,
                                                        .statistics = &sequencer_stat_table,
                                                        .counters =
                                                            offsetof(struct sequencer, st) };

static void begin_step(struct des *sim, void *self)
{
    struct tensorcore *c = self;

    (void)sim;
    c->kernel_ran = false;
}

static uint64_t launch_kernel(struct tensorcore *c, const struct task_kernel *k)
{
    uint64_t gap = c->kernel_ran ? c->gap_cycles : 0;

    c->kernel_ran = true;
    return gap + c->kernel_launch_cycles + k->extra_cycles;
}

static uint64_t launch_cycles(void *self, const struct task *t)
{
    struct tensorcore *c = self;

    switch (t->kind) {
    case TASK_KERNEL: return launch_kernel(c, &t->kernel);
    case TASK_COPY: return c->kernel.units.dma_issue;
    case TASK_SCALAR: return t->scalar.cycles;
    default: return c->launch_cycles;
    }
}

static uint64_t count_passed(const void *self, const struct task *t)
{
    const struct tensorcore *c = self;

    return c->kernel.walk.kernel == &t->kernel ? c->kernel.i : 0;
}

static uint64_t least_cycles(const void *self, const struct task *t, uint64_t passed)
{
    const struct tensorcore *c = self;

    return (passed ? 0 : c->kernel_launch_cycles) +
           kernel_runner_least(&c->kernel, &t->kernel, passed);
}

/* Instructions of the scalar unit are over when their time is. */
static uint32_t run_scalar(struct des *sim, void *self, uint32_t at)
{
    (void)sim, (void)self, (void)at;
    return DES_THREAD_DONE;
}

void tensorcore_load(struct tensorcore *c, const struct sequencer_program *p,
                     struct copy_mark *copied)
{
    sequencer_load(&c->sequencer, p);
    c->copy.mark = copied;
    c->sparse.sent_at = p->sent_at;
}

static void init_runners(struct tensorcore *c, struct des *sim, const struct bundle_params *bundle,
                         const struct kernel_units *units, uint32_t step_overhead)
{
    struct sequencer *s = &c->sequencer;

    kernel_runner_init(&c->kernel, sim, &s->core, bundle, units, step_overhead);
    copy_runner_init(&c->copy, sim, &s->core);
    if (units->sparse)
        sparse_runner_init(&c->sparse, sim, &s->core);
    s->runner[TASK_KERNEL] = (struct runner){ kernel_runner_run, &c->kernel };
    s->runner[TASK_COPY] = (struct runner){ copy_runner_run, &c->copy };
    s->runner[TASK_SPARSE] = (struct runner){ sparse_runner_run, &c->sparse };
    s->runner[TASK_SCALAR] = (struct runner){ run_scalar, c };
}

void tensorcore_init(struct tensorcore *c, struct des *sim, struct des_module parent,
                     const struct tensorcore_params *par, const struct bundle_params *bundle,
                     const struct kernel_units *units, const struct tensorcore_place *place)
{
    des_time both = units->dma_latency, launch = par->op_overhead;
    struct sequencer_core owner = { .self = c,
                                    .class = &sequencer_class,
                                    .begin = begin_step,
                                    .launch = launch_cycles,
                                    .passed = count_passed,
                                    .least = least_cycles,
                                    .core_hz = place->hz,
                                    .matrix_hz = units->mxu_hz,
                                    .matrix_units = units->mxu_count,
                                    .core = place->core,
                                    .alone = place->alone };

    *c = (struct tensorcore){
        .launch_cycles = des_edge_index(launch, place->hz),
        .gap_cycles = des_edge_index(par->kernel_gap, place->hz),
        .kernel_launch_cycles = des_edge_index(launch > both ? launch - both : 0, place->hz),
    };
    sequencer_init(&c->sequencer, sim, parent, &owner);
    init_runners(c, sim, bundle, units, par->step_overhead);
    c->kernel.launched = c->kernel_launch_cycles > 0;
}
