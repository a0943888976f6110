#include "hw/program/sequencer.h"

#include "base/wide.h"
#include "hw/program/core_show.h"

#define C(...) STAT_COUNTER(struct sequencer_stats, __VA_ARGS__)
#define R(...)
static const struct stat_desc stats[] = { SEQUENCER_STATS(C, R) };
const struct stat_table sequencer_stat_table = { "core", stats, sizeof stats / sizeof *stats,
                                                 sizeof(struct sequencer_stats) };

void sequencer_load(struct sequencer *s, const struct sequencer_program *p)
{
    s->core.cursor.program = p->program;
    s->core.cursor.stage = p->stage;
    s->core.cursor.passed = 0;
    s->core.ledger.row = p->row;
    s->collective.sent_at = p->sent_at;
    s->send.came = p->came;
}

void sequencer_position(const struct sequencer *s, uint64_t *passed, uint64_t *all)
{
    const struct task_cursor *c = &s->core.cursor;

    *passed = c->passed + (c->task ? s->owner.passed(s->owner.self, c->task) : 0);
    *all = task_cursor_length(c);
}

static bool asks_network(const struct task *t)
{
    return (t->kind == TASK_COLLECTIVE && t->async != TASK_DONE) || t->kind == TASK_SEND;
}

/* Time that a kernel takes at least, whose end may be rounded to an earlier edge than its cycles.
 */
static des_time least_time(const struct sequencer *s, const struct task *t, uint64_t passed)
{
    const struct sequencer_core *o = &s->owner;
    uint64_t cycles = o->least && t->kind == TASK_KERNEL ? o->least(o->self, t, passed) : 0;
    u128 fs = (u128)cycles * DES_FS_PER_S / o->core_hz;

    return fs == 0 ? 0 : fs > DES_NEVER / 4 ? DES_NEVER / 4 : (des_time)fs - 1;
}

des_time sequencer_lookahead(const struct sequencer *s)
{
    struct task_cursor c = s->core.cursor;
    des_time least;

    if (!c.task)
        return DES_NEVER;
    if (asks_network(c.task))
        return 0;
    /* the grid step at work may be nearly over */
    least = least_time(s, c.task, s->owner.passed(s->owner.self, c.task) + 1);
    for (int i = 0; i < SEQUENCER_AHEAD && least < DES_NEVER / 4; i++) {
        if (!task_cursor_next(&c) || asks_network(c.task))
            return least;
        least += least_time(s, c.task, 0);
    }
    return least;
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
    s->owner.begin(sim, s->owner.self);
    ledger_begin(&s->core.ledger, des_now(sim));
}

static void begin_task(struct des *sim, struct sequencer *s)
{
    const struct task *t = core_task(&s->core);
    uint32_t more_rows = t->kind == TASK_KERNEL ? t->kernel.mode.more_rows : 0;

    ledger_turn_to(&s->core.ledger, t->row, more_rows);
    core_show_task(sim, &s->core);
}

/* Cycles from the begin of the task at hand to its runner. */
static uint64_t launch_cycles(struct sequencer *s)
{
    return s->owner.launch(s->owner.self, core_task(&s->core));
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

/* --- making --------------------------------------------------------------------------------- */

static void init_context(struct sequencer *s, struct des *sim, struct des_module parent)
{
    struct core_context *c = &s->core;
    const struct sequencer_core *o = &s->owner;

    c->parent = parent;
    c->mod = des_module_new(sim, parent, "sequencer");
    c->clock = des_clock_new(sim, c->mod, "clock", o->core_hz);
    core_show_init(c, sim);
    c->thread = des_thread_new(sim, c->mod, "run", run_steps, s);
    ledger_init(&c->ledger, o->core_hz, o->matrix_hz, o->matrix_units, &s->st.faster);
}

static void init_runners(struct sequencer *s, struct des *sim)
{
    collective_runner_init(&s->collective, sim, &s->core, s->owner.alone);
    send_runner_init(&s->send, sim, &s->core);
    host_runner_init(&s->host, sim, &s->core);
    s->runner[TASK_COLLECTIVE] = (struct runner){ collective_runner_run, &s->collective };
    s->runner[TASK_INFEED] = (struct runner){ host_runner_infeed, &s->host };
    s->runner[TASK_OUTFEED] = (struct runner){ host_runner_call, &s->host };
    s->runner[TASK_HOST] = (struct runner){ host_runner_call, &s->host };
    s->runner[TASK_SEND] = (struct runner){ send_runner_send, &s->send };
    s->runner[TASK_RECEIVE] = (struct runner){ send_runner_receive, &s->send };
}

void sequencer_init(struct sequencer *s, struct des *sim, struct des_module parent,
                    const struct sequencer_core *owner)
{
    *s = (struct sequencer){ .owner = *owner, .core.core = owner->core };
    init_context(s, sim, parent);
    s->go = des_in_new(sim, s->core.mod, "go", sizeof(struct step_token));
    s->finished = des_out_new(sim, s->core.mod, "finished", sizeof(struct step_token));
    des_sensitive(sim, s->core.thread, s->go);
    des_sensitive(sim, s->core.thread, s->finished);
    init_runners(s, sim);
    component_add(sim, owner->class, s->core.mod, s);
}
