#include "hw/core/sequencer.h"

#include "hw/core/core_show.h"
#include "hw/wires/component.h"

#define P(...) PARAM_DESC(struct sequencer_params, __VA_ARGS__)
static const struct param_desc params[] = { SEQUENCER_PARAMS(P) };
const struct param_table sequencer_param_table = { "core", params, sizeof params / sizeof *params,
                                                   sizeof(struct sequencer_params) };
#undef P
#define C(...) STAT_COUNTER(struct sequencer_stats, __VA_ARGS__)
#define R(...)
static const struct stat_desc stats[] = { SEQUENCER_STATS(C, R) };
const struct stat_table sequencer_stat_table = { "core", stats, sizeof stats / sizeof *stats,
                                                 sizeof(struct sequencer_stats) };

static const struct component_class sequencer_class = { .name = "sequencer",
                                                        .parameters = &sequencer_param_table,
                                                        .statistics = &sequencer_stat_table,
                                                        .counters =
                                                            offsetof(struct sequencer, st) };

void sequencer_load(struct sequencer *s, const struct sequencer_program *p)
{
    s->core.cursor.program = p->program;
    s->core.cursor.stage = p->stage;
    s->core.cursor.passed = 0;
    s->core.ledger.row = p->row;
    s->collective.sent_at = p->sent_at;
    s->send.came = p->came;
    s->copy.mark = p->copied;
    s->sparse.sent_at = p->sent_at;
}

void sequencer_position(const struct sequencer *s, uint64_t *passed, uint64_t *all)
{
    const struct task_cursor *c = &s->core.cursor;
    bool inside = c->task && s->kernel.walk.kernel == &c->task->kernel;

    *passed = c->passed + (inside ? s->kernel.i : 0);
    *all = task_cursor_length(c);
}

void sequencer_end_step(struct sequencer *s, struct des *sim)
{
    bool staged = s->core.cursor.program->stages > 1;

    core_book(sim, &s->core, staged ? CAUSE_BUBBLE : CAUSE_SYNC);
}

/* --- the thread ----------------------------------------------------------------------------- */

static void begin_step(struct des *sim, struct sequencer *s)
{
    task_cursor_begin(&s->core.cursor);
    s->kernel_ran = false;
    ledger_begin(&s->core.ledger, des_now(sim));
}

static void begin_task(struct des *sim, struct sequencer *s)
{
    const struct task *t = core_task(&s->core);
    uint32_t more_rows = t->kind == TASK_KERNEL ? t->kernel.mode.more_rows : 0;

    ledger_turn_to(&s->core.ledger, t->row, more_rows);
    core_show_task(sim, &s->core);
}

static uint64_t launch_kernel(struct sequencer *s, const struct task_kernel *k)
{
    uint64_t gap = s->kernel_ran ? s->gap_cycles : 0;

    s->kernel_ran = true;
    return gap + s->kernel_launch_cycles + k->extra_cycles;
}

/* Cycles from the begin of the task at hand to its runner. */
static uint64_t launch_cycles(struct sequencer *s)
{
    const struct task *t = core_task(&s->core);

    switch (t->kind) {
    case TASK_KERNEL: return launch_kernel(s, &t->kernel);
    case TASK_COPY: return s->kernel.units.dma_issue;
    case TASK_SCALAR: return t->scalar.cycles;
    default: return s->launch_cycles;
    }
}

static const struct runner *runner_of_task(const struct sequencer *s)
{
    return &s->runner[core_task(&s->core)->kind];
}

static uint32_t run_steps(struct des *sim, void *self, uint32_t at)
{
    struct sequencer *s = self;
    struct core_context *c = &s->core;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(des_get(sim, s->go, &s->token));
        begin_step(sim, s);
        CORE_ALIGN(sim, c); /* the step before ended on an edge of another chip's clock, maybe */
        core_show_step(sim, c, s->token.step);
        while (task_cursor_next(&c->cursor)) {
            begin_task(sim, s);
            if (core_task(c)->async != TASK_DONE) {
                DES_WAIT_FOR(sim, des_clock_delay(sim, c->clock, launch_cycles(s)));
                core_book(sim, c, CAUSE_LAUNCH);
            }
            DES_CALL(sim, s->running, runner_of_task(s)->run, runner_of_task(s)->self);
            core_show_task_end(sim, c);
        }
        core_show_step(sim, c, 0);
        DES_WAIT_UNTIL(des_put(sim, s->finished, &s->token));
    }
    DES_END;
}

/* Instructions of the scalar unit are over when their time is. */
static uint32_t run_scalar(struct des *sim, void *self, uint32_t at)
{
    (void)sim, (void)self, (void)at;
    return DES_THREAD_DONE;
}

/* --- making --------------------------------------------------------------------------------- */

static void init_context(struct sequencer *s, struct des *sim, struct des_module parent,
                         uint64_t mxu_hz, uint32_t mxu_count)
{
    struct core_context *c = &s->core;

    c->parent = parent;
    c->mod = des_module_new(sim, parent, "sequencer");
    c->clock = des_clock_new(sim, c->mod, "clock", s->par.clock);
    core_show_init(c, sim);
    c->thread = des_thread_new(sim, c->mod, "run", run_steps, s);
    ledger_init(&c->ledger, s->par.clock, mxu_hz, mxu_count, &s->st.faster);
}

static void init_runners(struct sequencer *s, struct des *sim, const struct bundle_params *bundle,
                         const struct kernel_units *units, bool alone)
{
    kernel_runner_init(&s->kernel, sim, &s->core, bundle, units, s->par.step_overhead);
    collective_runner_init(&s->collective, sim, &s->core, alone);
    send_runner_init(&s->send, sim, &s->core);
    host_runner_init(&s->host, sim, &s->core);
    copy_runner_init(&s->copy, sim, &s->core);
    if (units->sparse)
        sparse_runner_init(&s->sparse, sim, &s->core);
    s->runner[TASK_KERNEL] = (struct runner){ kernel_runner_run, &s->kernel };
    s->runner[TASK_COLLECTIVE] = (struct runner){ collective_runner_run, &s->collective };
    s->runner[TASK_INFEED] = (struct runner){ host_runner_infeed, &s->host };
    s->runner[TASK_OUTFEED] = (struct runner){ host_runner_call, &s->host };
    s->runner[TASK_HOST] = (struct runner){ host_runner_call, &s->host };
    s->runner[TASK_SEND] = (struct runner){ send_runner_send, &s->send };
    s->runner[TASK_RECEIVE] = (struct runner){ send_runner_receive, &s->send };
    s->runner[TASK_COPY] = (struct runner){ copy_runner_run, &s->copy };
    s->runner[TASK_SPARSE] = (struct runner){ sparse_runner_run, &s->sparse };
    s->runner[TASK_SCALAR] = (struct runner){ run_scalar, s };
}

void sequencer_init(struct sequencer *s, struct des *sim, struct des_module parent,
                    const struct sequencer_params *par, const struct bundle_params *bundle,
                    const struct kernel_units *units, uint32_t core, bool alone)
{
    des_time both = units->dma_latency, launch = par->op_overhead;

    *s = (struct sequencer){
        .par = *par,
        .core.core = core,
        .launch_cycles = des_edge_index(launch, par->clock),
        .gap_cycles = des_edge_index(par->kernel_gap, par->clock),
        .kernel_launch_cycles = des_edge_index(launch > both ? launch - both : 0, par->clock),
    };
    init_context(s, sim, parent, units->mxu_hz, units->mxu_count);
    s->go = des_in_new(sim, s->core.mod, "go", sizeof(struct step_token));
    s->finished = des_out_new(sim, s->core.mod, "finished", sizeof(struct step_token));
    des_sensitive(sim, s->core.thread, s->go);
    des_sensitive(sim, s->core.thread, s->finished);
    init_runners(s, sim, bundle, units, alone);
    component_add(sim, &sequencer_class, s->core.mod, s);
}
