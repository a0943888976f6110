#include <stdlib.h>

#include "des/des_impl.h"

static struct process *add(struct des *sim, struct des_module m, const char *name, void *self,
                           uint32_t *id)
{
    struct label l = des_label(sim, m, name);

    *id = TABLE_ADD(sim, processes, l);
    TABLE_ADD(sim, process_labels, l);
    sim->process_labels.at[*id] = l;
    sim->processes.at[*id].self = self;
    return &sim->processes.at[*id];
}

struct des_process des_method_new(struct des *sim, struct des_module m, const char *name,
                                  des_method *run, void *self)
{
    uint32_t id;

    add(sim, m, name, self, &id)->run.method = run;
    return (struct des_process){ id };
}

struct des_process des_thread_new(struct des *sim, struct des_module m, const char *name,
                                  des_thread *run, void *self)
{
    uint32_t id;
    struct process *p = add(sim, m, name, self, &id);

    p->run.thread = run;
    p->is_thread = true;
    return (struct des_process){ id };
}

/* --- sensitivity -------------------------------------------------------------------------- */

static void add_sensitivity(struct des *sim, struct des_process p, enum source_kind kind,
                            uint32_t source)
{
    (void)RECORD(sim, processes, p, "process");
    uint32_t id = TABLE_ADD(sim, sensitivities, sim->process_labels.at[p.id]);
    sim->sensitivities.at[id] = (struct sensitivity){ p.id, source, kind };
}

void des_sensitive(struct des *sim, struct des_process p, struct des_event e)
{
    (void)RECORD(sim, events, e, "event");
    add_sensitivity(sim, p, SOURCE_EVENT, e.id);
}

void des_sensitive_in(struct des *sim, struct des_process p, struct des_in port)
{
    (void)RECORD(sim, ins, port, "port");
    add_sensitivity(sim, p, SOURCE_IN, port.id);
}

void des_sensitive_out(struct des *sim, struct des_process p, struct des_out port)
{
    (void)RECORD(sim, outs, port, "port");
    add_sensitivity(sim, p, SOURCE_OUT, port.id);
}

void des_dont_initialize(struct des *sim, struct des_process p)
{
    struct process *rec = RECORD(sim, processes, p, "process");

    if (sim->elaborated)
        des_label_bug(sim, sim->process_labels.at[p.id], "des_dont_initialize after elaboration");
    rec->dont_initialize = true;
}

static uint32_t event_of(const struct des *sim, const struct sensitivity *s)
{
    switch (s->kind) {
    case SOURCE_EVENT: return s->source;
    case SOURCE_IN: return sim->fifos.at[sim->ins.at[s->source].fifo].written;
    case SOURCE_OUT: return sim->fifos.at[sim->outs.at[s->source].fifo].read;
    }
    BUG_ON(true);
    return 0;
}

/* Give each event the run of its listeners, in the order of declaration. */
static void link_listeners(struct des *sim)
{
    uint32_t n = sim->sensitivities.n, next = 0;
    struct event *events = sim->events.at;

    sim->listeners = des_alloc(n, sizeof *sim->listeners);
    for (uint32_t i = 1; i < n; i++)
        events[event_of(sim, &sim->sensitivities.at[i])].first++;
    for (uint32_t e = 1; e < sim->events.n; e++) {
        uint32_t count = events[e].first;
        events[e].first = next;
        next += count;
    }
    for (uint32_t i = 1; i < n; i++) {
        struct event *e = &events[event_of(sim, &sim->sensitivities.at[i])];
        sim->listeners[e->first + e->n++] = sim->sensitivities.at[i].process;
    }
}

/* Give each process the list of clocks it has to keep going. */
static void link_clocks(struct des *sim)
{
    uint32_t n = sim->sensitivities.n, next = 1;
    uint32_t *count = des_alloc(sim->processes.n, sizeof *count);

    sim->process_clocks = des_alloc((size_t)n + sim->processes.n + 1, sizeof *sim->process_clocks);
    for (uint32_t i = 1; i < n; i++)
        if (sim->events.at[event_of(sim, &sim->sensitivities.at[i])].clock)
            count[sim->sensitivities.at[i].process]++;
    for (uint32_t p = 1; p < sim->processes.n; p++) {
        if (count[p] == 0)
            continue;
        sim->processes.at[p].clocks = next;
        next += count[p] + 1; /* the list ends with 0 */
    }
    for (uint32_t i = n; i-- > 1;) {
        const struct sensitivity *s = &sim->sensitivities.at[i];
        uint32_t e = event_of(sim, s);
        if (sim->events.at[e].clock)
            sim->process_clocks[sim->processes.at[s->process].clocks + --count[s->process]] =
                sim->event_infos.at[e].clock;
    }
    free(count);
}

void des_link_processes(struct des *sim)
{
    link_listeners(sim);
    link_clocks(sim);
    sim->timers = sim->events.n - 1;
    for (uint32_t p = 1; p < sim->processes.n; p++)
        BUG_ON(des_event_add(sim, sim->process_labels.at[p], 0) != sim->timers + p);
}

/* --- running ------------------------------------------------------------------------------ */

static void arm_clocks(struct des *sim, const struct process *p)
{
    for (const uint32_t *c = sim->process_clocks + p->clocks; *c; c++)
        des_clock_arm(sim, *c);
}

static void wait_static(struct des *sim, struct process *p)
{
    p->state = PROCESS_STATIC;
    if (p->clocks)
        arm_clocks(sim, p);
}

static void wait_dynamic(struct des *sim, struct process *p, uint32_t id)
{
    struct event *e = &sim->events.at[sim->next_wait];

    p->state = PROCESS_DYNAMIC;
    if (e->waiters) {
        struct process *last = &sim->processes.at[e->waiters];
        p->next = last->next;
        last->next = id;
    } else {
        p->next = id;
    }
    e->waiters = id;
    if (e->clock)
        des_clock_arm(sim, sim->event_infos.at[sim->next_wait].clock);
    sim->next_wait = 0;
}

static void forget_wait(struct des *sim)
{
    if (sim->next_wait == sim->timers + sim->current)
        des_event_cancel(sim, sim->next_wait);
    sim->next_wait = 0;
}

void des_activate(struct des *sim, uint32_t id)
{
    struct process *p = &sim->processes.at[id];

    p->state = PROCESS_RUNNING; /* so that it cannot wake itself in this evaluation */
    sim->current = id;
    sim->activations++;
    if (p->is_thread) {
        uint32_t at = p->run.thread(sim, p->self, p->at);
        if (at == DES_THREAD_DONE) {
            forget_wait(sim);
            p->state = PROCESS_DONE;
            sim->current = 0;
            return;
        }
        p->at = at;
    } else {
        p->run.method(sim, p->self);
    }
    sim->current = 0;
    if (sim->next_wait)
        wait_dynamic(sim, p, id);
    else
        wait_static(sim, p);
}

void des_start_processes(struct des *sim)
{
    for (uint32_t id = 1; id < sim->processes.n; id++) {
        struct process *p = &sim->processes.at[id];
        if (p->dont_initialize)
            wait_static(sim, p);
        else
            des_make_runnable(sim, id);
    }
}

static void need_current(const struct des *sim, const char *what)
{
    if (unlikely(sim->current == 0))
        des_label_bug(sim, (struct label){ "", 0 }, "%s outside a process", what);
}

void des_next_event(struct des *sim, struct des_event e)
{
    (void)RECORD(sim, events, e, "event");
    need_current(sim, "des_next_event");
    forget_wait(sim);
    sim->next_wait = e.id;
}

void des_next_time(struct des *sim, des_time delay)
{
    need_current(sim, "des_next_time");
    forget_wait(sim);
    sim->next_wait = sim->timers + sim->current;
    des_event_after(sim, sim->next_wait, delay);
}
