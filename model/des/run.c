/* run.c - the loop of the kernel: evaluate, update, notify; then advance to the next time.  The
 * order of everything that runs is that of docs/reference/des.md, "Order". */
#include "des/des_impl.h"

/* --- waiting ------------------------------------------------------------------------------ */

static __attribute__((noinline)) void arm_clocks(struct des *sim, uint32_t id)
{
    const uint32_t *event = sim->process_clocks + sim->process_infos.at[id].clocks;

    for (; *event; event++)
        des_clock_arm(sim, *event);
}

static inline uint32_t id_of_process(const struct des *sim, const struct des_process_record *p)
{
    return (uint32_t)(p - sim->processes.at);
}

static inline void wait_static(struct des *sim, struct des_process_record *p, uint32_t id)
{
    p->state = PROCESS_STATIC;
    if (unlikely(sim->idle_clocks) && p->flags & PROCESS_CLOCKED)
        arm_clocks(sim, id);
}

/* --- evaluating ------------------------------------------------------------------------------ */

/* A suspended process stays runnable, outside the run list, until it is resumed. */
static void hold_process(struct des_process_record *p)
{
    if (p->state == PROCESS_DONE)
        return;
    p->state = PROCESS_RUNNABLE;
    p->flags |= PROCESS_HELD;
}

/* Make the process wait for what it asked for.  Its timer, if any, is set already. */
static __attribute__((noinline)) void wait_as_asked(struct des *sim, struct des_process_record *p,
                                                    uint32_t id)
{
    uint32_t next = sim->hot.next;

    sim->hot.next = 0;
    p->state = PROCESS_DYNAMIC;
    if (next == NEXT_END) {
        des_end_process(sim, id);
    } else if (next == NEXT_RESUME) {
        if (p->flags & PROCESS_SUSPENDED)
            hold_process(p);
        else /* resumed in the same activation */
            des_make_runnable(sim, id);
    } else {
        des_wait_for(sim, id, next & ~(uint32_t)NEXT_TAGS);
    }
}

/* The usual wait of a blocked thread: for an event that nothing else listens to.  False: another.
 */
static inline bool wait_alone(struct des *sim, struct des_process_record *p, uint32_t id)
{
    uint32_t wait = sim->hot.next;

    if (wait >= NEXT_TIMER) /* a list, a time-out, the end */
        return false;
    struct des_event_record *e = &sim->events.at[wait];
    if (e->waiters || (e->flags & ~EVENT_OWNED) != EVENT_PLAIN)
        return false;
    sim->hot.next = 0;
    e->waiters = p->next = p->prev = id;
    p->wait = wait;
    p->state = PROCESS_DYNAMIC;
    return true;
}

/* Make the process wait after it has run. */
static inline __attribute__((always_inline)) void
wait_next(struct des *sim, struct des_process_record *p, uint32_t id)
{
    if (sim->hot.next == 0) {
        wait_static(sim, p, id);
    } else if (sim->hot.next == NEXT_TIMER) {
        sim->hot.next = 0;
        p->state = PROCESS_DYNAMIC;
    } else if (sim->hot.next == NEXT_SLOT) {
        sim->hot.next = 0;
        p->state = PROCESS_DYNAMIC;
        p->slot = sim->hot.slot;
        *p->slot = id;
    } else if (!wait_alone(sim, p, id)) {
        wait_as_asked(sim, p, id);
    }
}

static inline __attribute__((always_inline)) void
activate_process(struct des *sim, struct des_process_record *p, uint32_t id)
{
    uint8_t flags = p->flags;

    p->state = PROCESS_RUNNING; /* it cannot wake itself in this evaluation */
    p->ran = sim->phase;
    sim->hot.current = id;
    sim->activations++;
    if (flags & PROCESS_THREAD) {
        p->at = p->run.thread(sim, p->self, p->at);
        if (unlikely(p->at == DES_THREAD_DONE))
            des_ask_for_end(sim);
    } else {
        p->run.method(sim, p->self);
    }
    if (unlikely(flags & PROCESS_TIMED_OUT))
        p->flags &= (uint8_t)~PROCESS_TIMED_OUT;
    wait_next(sim, p, id);
}

/* True of a method that waits for its static list and is not suspended. */
static inline bool is_plain_method(const struct des_process_record *p)
{
    static const uint8_t none[2] = { UINT8_MAX, PROCESS_SUSPENDED | PROCESS_THREAD };
    uint16_t both, mask;

    memcpy(&both, &p->state, sizeof both); /* state and flags, in one load */
    memcpy(&mask, none, sizeof mask);
    return (both & mask) == 0;
}

/* Run the static listeners of an event that was notified in this delta.  A listener that has run in
 * this phase is skipped: it did not wait when the event was notified.  A method that listens to
 * this event alone stays PROCESS_STATIC while it runs, since nothing else can wake it: its record
 * is only read.  Activations are counted ahead, all at once. */
static __attribute__((noinline)) void walk_listeners(struct des *sim, uint32_t event)
{
    struct des_process_record *processes = sim->processes.at;
    const uint32_t *listener = sim->listeners + sim->events.at[event].first;
    uint32_t n = sim->events.at[event].n;

    sim->activations += n;
    sim->walking = true;
    for (const uint32_t *end = listener + n; listener < end; listener++) {
        struct des_process_record *p = &processes[*listener];
        if (DES_LIKELY(is_plain_method(p) && p->ran != sim->phase)) {
            sim->hot.current = *listener;
            p->run.method(sim, p->self);
            if (unlikely(sim->hot.next | sim->idle_clocks))
                wait_next(sim, p, *listener);
            continue;
        }
        sim->activations--;
        if (p->state != PROCESS_STATIC || p->ran == sim->phase)
            continue;
        if (p->flags & PROCESS_SUSPENDED)
            hold_process(p);
        else
            activate_process(sim, p, *listener);
    }
    sim->walking = false;
}

/* Run the processes whose timers are due, except those killed meanwhile. */
static __attribute__((noinline)) void walk_timers(struct des *sim)
{
    const uint64_t *due = sim->queue.now;
    uint32_t n = sim->queue.n_now;
    bool far = sim->queue.fetch; /* too many processes for the caches */

    sim->walking = n > 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = des_target(due[i]) & ~TARGET_TIMER;
        struct des_process_record *p = &sim->processes.at[id];
        if (far)
            __builtin_prefetch(&sim->processes.at[des_target(due[i + DES_AHEAD]) & ~TARGET_TIMER],
                               1);
        if (unlikely(p->state != PROCESS_DYNAMIC))
            continue;
        p->timer = DES_NEVER;
        if (unlikely(p->flags & PROCESS_SUSPENDED))
            hold_process(p);
        else
            activate_process(sim, p, id);
    }
    sim->walking = false;
}

static inline __attribute__((always_inline)) void evaluate_run_list(struct des *sim)
{
    while (sim->run_head != sim->run_tail) {
        uint32_t id = sim->run[sim->run_head++ & sim->run_mask];
        if (id & RUN_LISTENERS) {
            if (id == RUN_NOW)
                walk_timers(sim);
            else
                walk_listeners(sim, id & ~RUN_LISTENERS);
            continue;
        }
        struct des_process_record *p = &sim->processes.at[id];
        if (unlikely(sim->controlled) &&
            (p->state != PROCESS_RUNNABLE || p->flags & PROCESS_SUSPENDED))
            hold_process(p);
        else
            activate_process(sim, p, id);
    }
    sim->hot.current = 0;
}

void des_start_processes(struct des *sim)
{
    for (uint32_t id = 1; id < sim->processes.n; id++) {
        if (sim->processes.at[id].flags & PROCESS_DONT_INITIALIZE)
            wait_static(sim, &sim->processes.at[id], id);
        else
            des_make_runnable(sim, id);
    }
}

/* --- delta cycles and time ---------------------------------------------------------------- */

static inline void update_signals(struct des *sim)
{
    uint32_t n = sim->hot.n_signal_updates;

    for (uint32_t i = 0; i < n; i++) {
        struct des_signal_record *s = sim->hot.signal_updates[i];

        s->updating = false;
        if (s->now == s->next)
            continue;
        s->now = s->next;
        if (s->heard == HEARD_BY_ONE) {
            if (s->listener->state == PROCESS_STATIC)
                des_make_runnable(sim, id_of_process(sim, s->listener));
        } else if (s->heard) {
            des_fire(sim, sim->signal_infos.at[s - sim->signals.at].changed);
        }
        if (unlikely(s->watched))
            des_call_watchers(sim, sim->signal_infos.at[s - sim->signals.at].watch, s->now);
    }
    sim->hot.n_signal_updates = 0;
}

static inline void wake_from_slot(struct des *sim, uint32_t *slot, uint32_t event)
{
    uint32_t id = *slot;

    if (id == DES_BY_EVENT) {
        des_fire_fifo(sim, event);
    } else {
        *slot = 0;
        des_make_runnable(sim, id);
    }
}

static inline void update_fifos(struct des *sim)
{
    uint32_t n = sim->hot.n_fifo_updates;

    for (uint32_t i = 0; i < n; i++) {
        struct des_fifo_record *f = sim->hot.fifo_updates[i];
        uint32_t room = f->got + f->capacity;
        bool put = f->put != f->shown, got = room != f->room;

        f->updating = false;
        f->shown = f->put;
        f->room = room;
        if (put && f->reader)
            wake_from_slot(sim, &f->reader, f->written);
        if (got && f->writer)
            wake_from_slot(sim, &f->writer, f->written + 1);
        if (unlikely(f->watch))
            des_call_watchers(sim, f->watch, f->shown - f->got);
    }
    sim->hot.n_fifo_updates = 0;
}

/* Update phase and notification phase.  Signals and FIFOs fire their events as they are updated, so
 * notifications from before go first. */
static __attribute__((noinline)) void update_and_notify(struct des *sim, uint32_t from)
{
    if (unlikely(sim->n_channel_updates))
        des_update_channels(sim);
    if (sim->n_delta > from)
        des_fire_deltas(sim, from);
    if (sim->hot.n_signal_updates)
        update_signals(sim);
    if (sim->hot.n_fifo_updates)
        update_fifos(sim);
}

static __attribute__((noinline)) void evaluate_again(struct des *sim)
{
    evaluate_run_list(sim);
}

/* If the only thing left of this delta is the change of one signal with one listener, update it and
 * return the listener, which runs in the next delta; else NULL. */
static inline struct des_process_record *take_single_listener(struct des *sim)
{
    struct des_signal_record *s = sim->hot.signal_updates[0];

    if (sim->hot.n_signal_updates != 1 ||
        sim->hot.n_fifo_updates | sim->n_delta | sim->n_channel_updates)
        return NULL;
    if (s->heard != HEARD_BY_ONE || s->watched || s->now == s->next)
        return NULL;
    struct des_process_record *p = s->listener;
    if (p->state != PROCESS_STATIC || p->flags & PROCESS_SUSPENDED)
        return NULL;
    sim->hot.n_signal_updates = 0;
    s->updating = false;
    s->now = s->next;
    return p;
}

static inline __attribute__((always_inline)) void run_delta(struct des *sim)
{
    uint64_t before = sim->activations;

    sim->phase++;
    evaluate_run_list(sim);
    sim->started = true;
    sim->deltas += sim->activations != before; /* a delta in which nothing runs does not count */
    for (struct des_process_record *p; !sim->halt && (p = take_single_listener(sim));) {
        sim->phase++;
        activate_process(sim, p, id_of_process(sim, p));
        if (unlikely(sim->run_head != sim->run_tail))
            evaluate_again(sim);
        sim->deltas++;
    }
    sim->hot.current = 0;
    update_and_notify(sim, 0);
}

/* The end of a delta in which most processes write nothing. */
static inline void end_delta(struct des *sim)
{
    sim->hot.current = 0;
    if (sim->hot.n_signal_updates | sim->hot.n_fifo_updates | sim->n_delta | sim->n_channel_updates)
        update_and_notify(sim, 0);
}

/* The delta of a single due timer, without the run list. */
static inline void run_timer(struct des *sim, uint32_t id)
{
    sim->phase++;
    activate_process(sim, &sim->processes.at[id], id);
    if (unlikely(sim->run_head != sim->run_tail))
        evaluate_again(sim);
    sim->deltas++;
    end_delta(sim);
}

/* The delta of an event with static listeners alone, or of timers that are due together, without
 * the run list.  False: something else is due next. */
static __attribute__((noinline)) bool run_walk(struct des *sim, des_time until)
{
    uint32_t event = des_queue_walked(sim, until);
    uint64_t before = sim->activations;

    if (!event && !des_queue_same_alone(sim, until))
        return false;
    sim->phase++;
    if (event)
        walk_listeners(sim, event);
    else
        walk_timers(sim);
    if (unlikely(sim->run_head != sim->run_tail))
        evaluate_again(sim);
    sim->started = true;
    sim->deltas += sim->activations != before;
    end_delta(sim);
    return true;
}

/* Run the delta of the next notification, if it is of a common kind. */
static inline bool run_next(struct des *sim, des_time until)
{
    uint32_t id = des_queue_single(sim, until);

    if (id)
        run_timer(sim, id);
    return id || run_walk(sim, until);
}

/* True if anything is left to do at the current time. */
static bool is_unsettled(const struct des *sim)
{
    return sim->run_head != sim->run_tail || sim->n_delta || sim->hot.n_signal_updates ||
           sim->hot.n_fifo_updates || sim->n_channel_updates;
}

/* Run deltas until nothing is left to do at this time, or des_pause or des_stop. */
static void settle_time(struct des *sim)
{
    if (!is_unsettled(sim))
        return;
    do {
        run_delta(sim);
    } while (sim->run_head != sim->run_tail && !sim->halt);
}

static void enter_run(struct des *sim)
{
    des_need_open(sim, NULL);
    des_need_idle(sim, "runs the simulation");
    sim->busy = true;
    sim->halt = HALT_NOT;
    if (!sim->begun) {
        sim->begun = true;
        uint32_t n = sim->n_delta;
        des_call_back(sim, DES_START_OF_SIMULATION);
        update_and_notify(sim, n); /* processes see what the call-backs wrote in their first run */
    }
}

static bool leave_run(struct des *sim, bool more)
{
    sim->busy = false;
    if (sim->halt == HALT_STOP)
        des_finish(sim);
    return more && !sim->finished;
}

bool des_step(struct des *sim)
{
    enter_run(sim);
    sim->until = 0;
    bool more = sim->halt || is_unsettled(sim) || des_queue_advance(sim, DES_NEVER);
    if (!sim->halt)
        settle_time(sim);
    return leave_run(sim, more);
}

bool des_run(struct des *sim, des_time until)
{
    if (until < sim->hot.now)
        des_misuse(sim, (struct des_label){ "", 0 }, "des/time-back", "to run until %llu fs",
                   (unsigned long long)until);
    enter_run(sim);
    sim->until = until;
    while (!sim->halt) {
        settle_time(sim);
        while (!sim->halt && run_next(sim, until))
            if (sim->run_head != sim->run_tail && !sim->halt)
                settle_time(sim);
        if (sim->halt || !des_queue_advance(sim, until))
            break;
    }
    return leave_run(sim, is_unsettled(sim) || des_queue_next(sim) != DES_NEVER);
}

void des_pause(struct des *sim)
{
    if (sim->halt == HALT_NOT)
        sim->halt = HALT_PAUSE;
}

void des_finish(struct des *sim)
{
    if (sim->finished)
        return;
    des_need_open(sim, NULL);
    des_need_idle(sim, "finishes the simulation; des_stop ends it");
    sim->finished = sim->busy = true;
    des_call_back(sim, DES_END_OF_SIMULATION);
    sim->busy = false;
    des_set_open(sim, false);
}

void des_stop(struct des *sim)
{
    des_need_open(sim, NULL);
    if (sim->hot.current || sim->busy)
        sim->halt = HALT_STOP;
    else
        des_finish(sim);
}

des_time des_next_activity(struct des *sim)
{
    des_need_open(sim, NULL);
    return is_unsettled(sim) ? sim->hot.now : des_queue_next(sim);
}

des_time des_quiet_until(struct des *sim)
{
    if (sim->walking || sim->halt || is_unsettled(sim) || sim->until <= sim->hot.now)
        return sim->hot.now;
    des_time next = des_queue_next(sim);
    return next <= sim->until ? next : sim->until == DES_NEVER ? DES_NEVER : sim->until + 1;
}
