#include "des/des_impl.h"

static struct process *add(struct des *sim, struct des_module m, const char *name, void *self,
                           uint32_t *id)
{
    struct label l = des_label(sim, m, name);

    *id = TABLE_ADD(sim, processes, l);
    TABLE_ADD(sim, process_infos, l);
    sim->process_infos.at[*id].label = l;
    sim->processes.at[*id].self = self;
    sim->processes.at[*id].timer = DES_NEVER;
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
    p->flags = PROCESS_THREAD;
    return (struct des_process){ id };
}

/* --- waiting ------------------------------------------------------------------------------ */

static void arm_clocks(struct des *sim, uint32_t id)
{
    const uint32_t *event = sim->process_clocks + sim->process_infos.at[id].clocks;

    for (; *event; event++)
        des_clock_arm(sim, *event);
}

static void wait_static(struct des *sim, uint32_t id)
{
    struct process *p = &sim->processes.at[id];

    p->state = PROCESS_STATIC;
    if (p->flags & PROCESS_CLOCKED && sim->idle_clocks)
        arm_clocks(sim, id);
}

static uint32_t *ring_of(struct des *sim, uint32_t wait)
{
    if (wait & WAIT_LIST)
        return &sim->lists.at[wait & ~WAIT_LIST].waiters;
    return &sim->events.at[wait].waiters;
}

static void need_all(struct des *sim, struct process *p, const struct list *l)
{
    p->need = l->n == 64 ? UINT64_MAX : (UINT64_C(1) << l->n) - 1;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t e = sim->list_events.at[l->first + i];
        if (sim->events.at[e].edge)
            des_clock_arm(sim, e);
    }
}

static void wait_for(struct des *sim, struct process *p, uint32_t id)
{
    p->wait = sim->next_wait;
    sim->next_wait = 0;
    des_ring_add(sim, ring_of(sim, p->wait), id);
    if (p->wait & WAIT_LIST)
        need_all(sim, p, &sim->lists.at[p->wait & ~WAIT_LIST]);
    else if (unlikely(sim->events.at[p->wait].edge))
        des_clock_arm(sim, p->wait);
}

void des_wake_waiter(struct des *sim, uint32_t id)
{
    struct process *p = &sim->processes.at[id];

    p->wait = 0;
    if (p->timer != DES_NEVER)
        des_timer_cancel(sim, id);
    p->flags &= (uint8_t)~PROCESS_TIMED_OUT;
    des_make_runnable(sim, id);
}

void des_timer_cancel(struct des *sim, uint32_t id)
{
    struct process *p = &sim->processes.at[id];
    bool timed = p->timer != 0 && p->timer != DES_NEVER;

    p->timer = DES_NEVER;
    if (timed)
        des_queue_forget(sim);
}

void des_stop_waiting(struct des *sim, uint32_t id)
{
    struct process *p = &sim->processes.at[id];

    if (p->wait)
        des_ring_remove(sim, ring_of(sim, p->wait), id);
    p->wait = 0;
    des_timer_cancel(sim, id);
}

/* --- running ------------------------------------------------------------------------------ */

/* Commit what the process asked to be woken by; des_next_time has set the timer already. */
static void wait_as_asked(struct des *sim, struct process *p, uint32_t id)
{
    if (sim->next_wait)
        wait_for(sim, p, id);
    sim->next_timer = false;
    p->state = PROCESS_DYNAMIC;
}

static void activate(struct des *sim, struct process *p, uint32_t id)
{
    p->state = PROCESS_RUNNING; /* so that it cannot wake itself in this evaluation */
    p->ran = sim->phase;
    sim->current = id;
    sim->activations++;
    if (p->flags & PROCESS_THREAD) {
        p->at = p->run.thread(sim, p->self, p->at);
        if (unlikely(p->at == DES_THREAD_DONE))
            p->flags |= PROCESS_KILLED;
    } else {
        p->run.method(sim, p->self);
    }
    sim->current = 0;
    if (unlikely(p->flags & (PROCESS_KILLED | PROCESS_HELD))) {
        if (p->flags & PROCESS_KILLED) {
            des_end_process(sim, id);
            return;
        }
        p->state = PROCESS_RUNNABLE; /* it waits for its resumption */
        return;
    }
    if (sim->next_wait || sim->next_timer)
        wait_as_asked(sim, p, id);
    else
        wait_static(sim, id);
}

/* One that is suspended stays runnable, outside the run list, until it is resumed. */
static void hold(struct process *p)
{
    if (p->state == PROCESS_DONE)
        return;
    p->state = PROCESS_RUNNABLE;
    p->flags |= PROCESS_HELD;
}

/* Run the static listeners of an event that waited for it when it was notified.  One that has run
 * in this phase did not wait then, or its other wake-up was the same as this one. */
static void walk(struct des *sim, uint32_t event)
{
    const uint32_t *listener = sim->listeners + sim->events.at[event].first;
    uint32_t n = sim->events.at[event].n;

    for (uint32_t i = 0; i < n; i++) {
        struct process *p = &sim->processes.at[listener[i]];
        if (p->state != PROCESS_STATIC || p->ran == sim->phase)
            continue;
        if (unlikely(p->flags & PROCESS_SUSPENDED))
            hold(p);
        else
            activate(sim, p, listener[i]);
    }
}

void des_evaluate(struct des *sim)
{
    sim->phase++;
    while (sim->run_head != sim->run_tail) {
        uint32_t id = sim->run[sim->run_head++ & sim->run_mask];
        if (id & RUN_LISTENERS) {
            walk(sim, id & ~RUN_LISTENERS);
            continue;
        }
        struct process *p = &sim->processes.at[id];
        if (unlikely(p->state != PROCESS_RUNNABLE || p->flags & PROCESS_SUSPENDED))
            hold(p);
        else
            activate(sim, p, id);
    }
}

void des_start_processes(struct des *sim)
{
    for (uint32_t id = 1; id < sim->processes.n; id++) {
        if (sim->processes.at[id].flags & PROCESS_DONT_INITIALIZE)
            wait_static(sim, id);
        else
            des_make_runnable(sim, id);
    }
}

/* --- what wakes the running process next -------------------------------------------------- */

static struct process *current(const struct des *sim, const char *what)
{
    if (unlikely(sim->current == 0))
        des_misuse(sim, (struct label){ "", 0 }, "des/no-process", "%s outside a process", what);
    return &sim->processes.at[sim->current];
}

static void forget(struct des *sim)
{
    sim->processes.at[sim->current].flags &= (uint8_t)~PROCESS_HELD;
    if (sim->next_timer)
        des_timer_cancel(sim, sim->current);
    sim->next_timer = false;
    sim->next_wait = 0;
}

static void set_timer(struct des *sim, struct process *p, des_time delay)
{
    uint32_t target = TARGET_TIMER | sim->current;

    sim->next_timer = true;
    p->stamp++;
    if (delay == 0) {
        p->timer = 0;
        des_delta_add(sim, target, p->stamp);
    } else {
        p->timer = des_after(sim, (struct des_object){ DES_PROCESS, sim->current }, delay);
        des_queue_insert(sim, p->timer, target, p->stamp);
    }
}

void des_next_time(struct des *sim, des_time delay)
{
    struct process *p = current(sim, "des_next_time");

    forget(sim);
    set_timer(sim, p, delay);
}

void des_next_event(struct des *sim, struct des_event e)
{
    (void)RECORD(sim, events, e, "event");
    (void)current(sim, "des_next_event");
    forget(sim);
    sim->next_wait = e.id;
}

void des_next_list(struct des *sim, struct des_list l)
{
    (void)RECORD(sim, lists, l, "list");
    (void)current(sim, "des_next_list");
    forget(sim);
    sim->next_wait = WAIT_LIST | l.id;
}

void des_next_event_for(struct des *sim, struct des_event e, des_time timeout)
{
    des_next_event(sim, e);
    set_timer(sim, current(sim, "des_next_event_for"), timeout);
}

void des_next_list_for(struct des *sim, struct des_list l, des_time timeout)
{
    des_next_list(sim, l);
    set_timer(sim, current(sim, "des_next_list_for"), timeout);
}

void des_next_resume(struct des *sim)
{
    struct process *p = current(sim, "des_next_resume");

    forget(sim);
    p->flags |= PROCESS_SUSPENDED | PROCESS_HELD;
}

void des_next_static(struct des *sim)
{
    (void)current(sim, "des_next_static");
    forget(sim);
}

bool des_timed_out(const struct des *sim)
{
    return current(sim, "des_timed_out")->flags & PROCESS_TIMED_OUT;
}
