/* process.c - processes: creation, dynamic sensitivity, the end of a wait. */
#include "des/des_impl.h"

static struct des_process_record *add_process(struct des *sim, struct des_module m,
                                              const char *name, void *self, uint32_t *id)
{
    struct des_label l = des_label(sim, m, name);

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

    add_process(sim, m, name, self, &id)->run.method = run;
    return (struct des_process){ id };
}

struct des_process des_thread_new(struct des *sim, struct des_module m, const char *name,
                                  des_thread *run, void *self)
{
    uint32_t id;
    struct des_process_record *p = add_process(sim, m, name, self, &id);

    p->run.thread = run;
    p->flags = PROCESS_THREAD;
    return (struct des_process){ id };
}

/* --- the begin of a wait -------------------------------------------------------------------- */

static void need_all_events(struct des *sim, struct des_process_record *p,
                            const struct des_list_record *l)
{
    p->need = l->n >= 64 ? UINT64_MAX : (UINT64_C(1) << l->n) - 1;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t e = sim->list_events.at[l->first + i];
        if (sim->events.at[e].edge)
            des_clock_arm(sim, e);
    }
}

/* A process waits for an event of a FIFO: from now on the event finds those that wait.  One that is
 * in the slot came first. */
static void leave_slot(struct des *sim, struct des_fifo_record *f, uint32_t event)
{
    uint32_t *slot = event == f->written ? &f->reader : &f->writer, id = *slot;

    *slot = DES_BY_EVENT;
    if (id == 0 || id == DES_BY_EVENT)
        return;
    sim->processes.at[id].wait = event;
    des_ring_add(sim, &sim->events.at[event].waiters, id);
}

/* Mark the channel of an event as heard: a process waits for the event. */
static void mark_heard(struct des *sim, uint32_t event)
{
    uint32_t owner = sim->event_infos.at[event].owner;

    if (sim->events.at[event].flags & EVENT_OF_SIGNAL)
        sim->signals.at[owner].heard = HEARD;
    else
        leave_slot(sim, &sim->fifos.at[owner], event);
    sim->events.at[event].flags &=
        (uint16_t) ~(EVENT_OF_SIGNAL | EVENT_OF_FIFO); /* once is enough */
}

void des_wait_for(struct des *sim, uint32_t id, uint32_t wait)
{
    struct des_process_record *p = &sim->processes.at[id];

    if (wait & WAIT_LIST)
        need_all_events(sim, p, &sim->lists.at[wait & ~WAIT_LIST]);
    else if (unlikely(sim->events.at[wait].edge))
        des_clock_arm(sim, wait);
    else if (sim->events.at[wait].flags & (EVENT_OF_SIGNAL | EVENT_OF_FIFO))
        mark_heard(sim, wait);
    p->wait = wait;
    des_ring_add(sim, des_ring_of(sim, wait), id);
}

/* --- the end of a wait ---------------------------------------------------------------------- */

void des_wake_waiter(struct des *sim, uint32_t id)
{
    struct des_process_record *p = &sim->processes.at[id];

    p->wait = 0;
    if (unlikely(p->timer != DES_NEVER))
        des_timer_cancel(sim, id);
    des_make_runnable(sim, id);
}

void des_timer_cancel(struct des *sim, uint32_t id)
{
    struct des_process_record *p = &sim->processes.at[id];
    bool timed = p->timer != 0 && p->timer != DES_NEVER;

    p->timer = DES_NEVER;
    if (timed)
        des_queue_forget(sim);
}

void des_stop_waiting(struct des *sim, uint32_t id)
{
    struct des_process_record *p = &sim->processes.at[id];

    if (p->wait)
        des_ring_remove(sim, des_ring_of(sim, p->wait), id);
    p->wait = 0;
    des_timer_cancel(sim, id);
}

/* --- dynamic sensitivity of the running process ------------------------------------------- */

static struct des_process_record *running_process(const struct des *sim, const char *what)
{
    if (unlikely(sim->hot.current == 0))
        des_misuse(sim, (struct des_label){ "", 0 }, "des/no-process", "%s outside a process",
                   what);
    return &sim->processes.at[sim->hot.current];
}

/* Wait for `next` instead of what the process asked for before, if anything. */
static inline void ask_next(struct des *sim, uint32_t next)
{
    if (unlikely(sim->hot.next)) {
        if (sim->hot.next == NEXT_END) /* it has killed itself */
            return;
        if (sim->hot.next & NEXT_TIMER)
            des_timer_cancel(sim, sim->hot.current);
    }
    sim->hot.next = next;
}

void des_ask_for_end(struct des *sim)
{
    ask_next(sim, NEXT_END);
}

/* Set the timer of the running process; it also waits for what it has asked for. */
static inline void set_timer(struct des *sim, struct des_process_record *p, des_time delay)
{
    uint32_t target = TARGET_TIMER | sim->hot.current, asked = sim->hot.next;

    sim->hot.next = asked | NEXT_TIMER;
    p->stamp++;
    if (unlikely(delay == 0)) {
        p->timer = 0;
        des_delta_add(sim, target, p->stamp);
        return;
    }
    p->timer = des_after(sim, (struct des_object){ DES_PROCESS, sim->hot.current }, delay);
    if (asked)
        des_queue_insert_mixed(sim, p->timer, target, p->stamp);
    else
        des_queue_insert(sim, p->timer, target, p->stamp);
}

void des_next_time(struct des *sim, des_time delay)
{
    struct des_process_record *p = running_process(sim, "des_next_time");

    ask_next(sim, 0);
    if (sim->hot.next != NEXT_END)
        set_timer(sim, p, delay);
}

void des_next_event(struct des *sim, struct des_event e)
{
    (void)RECORD(sim, events, e, "event");
    (void)running_process(sim, "des_next_event");
    ask_next(sim, e.id);
}

void des_ask_for_event(struct des *sim, uint32_t event)
{
    (void)running_process(sim, "a wait");
    ask_next(sim, event);
}

void des_next_list(struct des *sim, struct des_list l)
{
    (void)RECORD(sim, lists, l, "list");
    (void)running_process(sim, "des_next_list");
    ask_next(sim, WAIT_LIST | l.id);
}

void des_next_event_for(struct des *sim, struct des_event e, des_time timeout)
{
    des_next_event(sim, e);
    if (sim->hot.next != NEXT_END)
        set_timer(sim, &sim->processes.at[sim->hot.current], timeout);
}

void des_next_list_for(struct des *sim, struct des_list l, des_time timeout)
{
    des_next_list(sim, l);
    if (sim->hot.next != NEXT_END)
        set_timer(sim, &sim->processes.at[sim->hot.current], timeout);
}

void des_next_resume(struct des *sim)
{
    running_process(sim, "des_next_resume")->flags |= PROCESS_SUSPENDED;
    sim->controlled = true;
    ask_next(sim, NEXT_RESUME);
}

void des_next_static(struct des *sim)
{
    (void)running_process(sim, "des_next_static");
    ask_next(sim, 0);
}

bool des_timed_out(const struct des *sim)
{
    return running_process(sim, "des_timed_out")->flags & PROCESS_TIMED_OUT;
}
