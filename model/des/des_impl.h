/* des_impl.h - the kernel from inside: its state and the calls between its files.
 *
 *   notify -> [ queue (timed) | delta list ] -> fire -> [ run list ] -> evaluate -> processes
 *                                ^                                                     |
 *   update <- [ signals, FIFOs and channels that were written ] <----------------------+
 *
 * record_impl.h has the records of objects, queue_impl.h the queue.  An entry of the queue or the
 * delta list names a target (an event or the timer of a process) and a stamp.  A cancelled
 * notification leaves its entry behind; the stamp tells that it is stale.  Only model/des includes
 * this file. */
#ifndef DES_DES_IMPL_H
#define DES_DES_IMPL_H

#include "base/wide.h"
#include "des/des.h"
#include "des/queue_impl.h"
#include "des/record_impl.h"

#define DES_AHEAD 8 /* a process is prefetched so many processes before its turn */

struct des_names; /* a block of copied names (record_table.c) */

/* A growing array of records; item 0 is the null record. */
#define TABLE(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    }

struct des {
    struct des_hot hot;
    void *user;      /* des_set_user */
    bool open;       /* elaborated and not finished: what runs may be called */
    uint8_t halt;    /* enum des_halt */
    bool controlled; /* a process was suspended or killed: entries of the run list may be void */
    bool elaborated, begun, started, finished;
    bool walking;         /* several processes may still run in this delta, outside the run list */
    des_time until;       /* argument of the des_run under way; 0 in des_step */
    bool busy;            /* inside a call that may call the user back */
    uint32_t idle_clocks; /* streams of edges with static listeners and no scheduled edge */
    uint64_t phase;       /* evaluation phases so far */
    uint64_t activations, deltas;

    uint32_t *run; /* ring: a process; RUN_LISTENERS | an event to walk the listeners of; RUN_NOW:
                      the timers in queue.now */
    uint32_t run_head, run_tail, run_mask;
    uint32_t n_delta, cap_delta;
    uint64_t *delta; /* notifications for the next delta */
    uint32_t *channel_updates;
    uint32_t n_channel_updates;
    void **port_channels; /* by port: `self` of the user-defined channel behind it */

    TABLE(struct des_event_record) events;
    TABLE(struct des_process_record) processes;
    uint32_t *listeners, *process_clocks;
    struct des_membership *memberships;
    TABLE(struct des_signal_record) signals;
    TABLE(struct des_fifo_record) fifos;
    TABLE(struct des_channel_record) channels;
    TABLE(struct des_mutex_record) mutexes;
    TABLE(struct des_semaphore_record) semaphores;
    TABLE(struct des_list_record) lists;
    TABLE(struct des_clock_record) clocks;
    TABLE(struct des_watch_record) watches;
    TABLE(struct des_probe_record) probes;
    unsigned char *items; /* of all FIFOs */

    struct des_queue queue;

    TABLE(struct des_port_record) ports;
    TABLE(struct des_event_info) event_infos;
    TABLE(struct des_process_info) process_infos;
    TABLE(struct des_signal_info) signal_infos;
    TABLE(struct des_probe_info) probe_infos;
    TABLE(struct des_label) fifo_labels;
    TABLE(struct des_label) mutex_labels;
    TABLE(struct des_label) semaphore_labels;
    TABLE(uint32_t) list_events;
    TABLE(struct des_sensitivity) sensitivities;
    TABLE(struct des_module_record) modules;
    TABLE(struct des_callback_record) callbacks;
    TABLE(struct des_actions) actions;
    uint32_t *module_hash; /* open addressing over paths */
    uint32_t cap_hash;
    struct des_names *names;
    size_t memory;
    const char *const *texts; /* of probes */
    uint32_t n_texts;
    uint64_t flows;
    des_report_handler *show;
    void *show_self;
    uint64_t reports[4];
};

enum {
    /* bits of sim->hot.next; the others are an event or a list, as in process.wait */
    NEXT_TIMER = 1 << 29,                /* its timer, which is set */
    NEXT_RESUME = 1 << 30,               /* des_resume; no event or list with it */
    NEXT_END = NEXT_TIMER | NEXT_RESUME, /* nothing: it ends */
    NEXT_TAGS = NEXT_TIMER | NEXT_RESUME,
};
/* The process waits in hot.slot, which is empty (WAIT_LIST with NEXT_RESUME is nothing else). */
#define NEXT_SLOT DES_NEXT_SLOT
enum des_halt { HALT_NOT, HALT_PAUSE, HALT_STOP };
#define RUN_LISTENERS UINT32_C(0x80000000)
#define RUN_NOW UINT32_C(0xffffffff)

/* --- misuse (misuse.c) -------------------------------------------------------------------- */

#define unlikely(cond) __builtin_expect(!!(cond), 0)

/* An object as its path says, "" is (root); a message to the handler, or to stderr as
 * "FATAL des/two-writers chip0.mxu0.cmd @ 12 fs: ...". */
void des_write_path(const struct des *sim, struct des_label l, char *buf, size_t size);
void des_show_message(const struct des *sim, const struct des_message *m);
/* A fatal report of the kernel; `id` starts with "des/". */
_Noreturn void des_misuse(const struct des *sim, struct des_label l, const char *id,
                          const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A null or foreign handle, reported at the running process; `what` is its kind, for the message.
 */
_Noreturn void des_handle_misuse(const struct des *sim, const char *what);
/* Use before elaboration or after the end.  `l` is the object; NULL: the simulation. */
_Noreturn void des_closed_misuse(const struct des *sim, const struct des_label *l);
/* Misuse if a process or a call-back is running; `what` is a verb for the message. */
void des_need_idle(const struct des *sim, const char *what);

/* The record of a handle.  A null or foreign handle is misuse; `what` is its kind, for the message.
 */
#define RECORD(sim, table, handle, what)                                                           \
    (unlikely((handle).id - 1 >= (sim)->table.n - 1) ? des_handle_misuse(sim, what) : (void)0,     \
     &(sim)->table.at[(handle).id])

static inline void des_need_open(const struct des *sim, const struct des_label *l)
{
    if (unlikely(!sim->open))
        des_closed_misuse(sim, l);
}

struct des_label des_label_of(const struct des *sim, struct des_object x);

/* --- storage (record_table.c) ------------------------------------------------------------- */

/* Zeroed memory that starts on a cache line, counted in sim->memory; never NULL. */
void *des_alloc(struct des *sim, size_t n, size_t size);
/* Append a zeroed record; the value is its id.  After elaboration it is misuse. */
#define TABLE_ADD(sim, table, l)                                                                   \
    ((sim)->table.at = des_table_room(sim, l, (sim)->table.at, sizeof *(sim)->table.at,            \
                                      (sim)->table.n, &(sim)->table.cap),                          \
     (sim)->table.n++)
/* Make room for item n; returns the array, which may have moved.  des_table_room is for objects,
 * which cannot be created after elaboration. */
void *des_table_room(struct des *sim, struct des_label l, void *at, size_t size, uint32_t n,
                     uint32_t *cap);
void *des_table_grow(struct des *sim, void *at, size_t size, uint32_t n, uint32_t *cap);
const char *des_keep_name(struct des *sim, const char *prefix, const char *name);
void des_free_names(struct des *sim);
/* Check module and name, and keep a copy of the name. */
struct des_label des_label(struct des *sim, struct des_module m, const char *name);

/* --- queue (queue*.c): FIFO among equal times --------------------------------------------- */

void des_queue_storage(struct des *sim); /* at elaboration */
void des_queue_insert_other(struct des *sim, des_time when, uint64_t what);
static inline void des_queue_insert(struct des *sim, des_time when, uint32_t target, uint32_t stamp)
{
    struct des_queue *q = &sim->queue;

    if (when == q->same_when)
        q->same[q->n_same++] = des_what(target, stamp);
    else
        des_queue_insert_other(sim, when, des_what(target, stamp));
}
/* Insert an entry that is not the timer of a process that waits for nothing else. */
static inline void des_queue_insert_mixed(struct des *sim, des_time when, uint32_t target,
                                          uint32_t stamp)
{
    des_queue_insert(sim, when, target, stamp);
    sim->queue.mixed |= when == sim->queue.same_when;
}
/* True unless the entry is stale: its notification was cancelled or replaced. */
static inline bool des_queue_is_pending(const struct des *sim, des_time when, uint64_t what)
{
    uint32_t target = des_target(what), stamp = des_stamp(what);

    if (target & TARGET_TIMER) {
        const struct des_process_record *p = &sim->processes.at[target & ~TARGET_TIMER];
        return p->stamp == stamp && p->timer == when;
    }
    const struct des_event_record *e = &sim->events.at[target];
    return e->stamp == stamp && e->when == when;
}
void des_queue_sweep(struct des *sim); /* drop all stale entries */
/* Move all but the first entries of near, which holds many, to the levels (queue_levels.c). */
void des_levels_spill(struct des *sim);
/* Move the first entries of the levels to near and head, or to flat; all three are empty. */
void des_levels_take(struct des *sim);
des_time des_levels_bound(const struct des_queue *q); /* no time in the levels is before it */
/* Prefetch the records of the entries that the next des_levels_take will move. */
void des_levels_fetch(const struct des *sim);
static inline bool des_queue_full_of_stale(const struct des_queue *q)
{
    uint32_t stored = q->n_head + q->n_near + q->n_same + q->n_far + q->flat.n - q->flat.skip;

    return q->stale > stored / 2 + NEAR_MAX;
}
/* Count an entry that has become stale.  Sweeping keeps them fewer than the others, up to a
 * constant, so a cancellation costs O(1) amortised. */
static inline void des_queue_forget(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    q->stale++;
    if (unlikely(des_queue_full_of_stale(q)) && !q->firing)
        des_queue_sweep(sim);
}
/* If the next time is at most `until`, advance to it and fire every due entry; else return false.
 */
bool des_queue_advance(struct des *sim, des_time until);
des_time des_queue_next(struct des *sim); /* the next time; DES_NEVER: empty */
void des_queue_fetch(const struct des *sim);
void des_queue_refill(struct des *sim); /* fill head, which is empty, from near */
/* Take the first entry of head. */
static inline uint64_t des_head_pop(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t first = des_head_first(q);
    uint64_t what = q->head_what[first];

    q->order = q->order >> 4 | q->order << 60; /* its place is free, and the next to be used */
    q->head_when[first] = DES_NEVER;
    if (unlikely(--q->n_head == 0) && q->n_near)
        des_queue_refill(sim);
    return what;
}
/* True if a single entry is due next, the first of head, at `until` or before. */
static inline bool des_queue_one_next(const struct des_queue *q, des_time until)
{
    des_time when = q->head_when[des_head_first(q)];

    return when < q->flat_when && when < q->same_when && when <= until && !q->stale &&
           q->head_when[des_head_second(q)] != when && q->head_limit != when;
}
/* If a single entry is due next, and it is the timer of a process that waits for nothing else,
 * advance to its time, take it and return the process; else 0. */
static inline uint32_t des_queue_single(struct des *sim, des_time until)
{
    struct des_queue *q = &sim->queue;
    uint32_t first = des_head_first(q);

    if (!des_queue_one_next(q, until))
        return 0;
    uint32_t target = des_target(q->head_what[first]), id = target & ~TARGET_TIMER;
    if (!(target & TARGET_TIMER) || sim->processes.at[id].wait ||
        sim->processes.at[id].flags & PROCESS_SUSPENDED)
        return 0;
    sim->hot.now = q->head_when[first];
    sim->processes.at[id].timer = DES_NEVER;
    if (unlikely(q->fetch))
        des_queue_fetch(sim);
    des_head_pop(sim);
    return id;
}
/* If a single entry is due next, and it does nothing but run the static listeners of an event, an
 * edge of a clock for instance, advance to its time, take it and return the event; else 0. */
static inline uint32_t des_queue_walked(struct des *sim, des_time until)
{
    struct des_queue *q = &sim->queue;

    if (!des_queue_one_next(q, until))
        return 0;
    uint32_t target = des_target(q->head_what[des_head_first(q)]);
    if (target & TARGET_TIMER)
        return 0;
    struct des_event_record *e = &sim->events.at[target];
    if (!(e->flags & EVENT_WALKED) || e->flags & EVENT_WATCHED || e->waiters | e->lists)
        return 0;
    sim->hot.now = q->head_when[des_head_first(q)];
    des_head_pop(sim);
    e->when = DES_NEVER;
    sim->idle_clocks += e->edge > 0;
    return target;
}
/* If only timers of processes that wait for nothing else are due next, at `until` or before, and
 * all are in `same`, advance to their time and move them to queue.now; else return false. */
static inline bool des_queue_same_alone(struct des *sim, des_time until)
{
    struct des_queue *q = &sim->queue;
    des_time now = q->same_when;

    if (now > until || now >= q->limit || now >= q->flat_when || q->mixed || q->stale ||
        q->head_when[des_head_first(q)] <= now)
        return false;
    sim->hot.now = now;
    des_queue_set_apart(q);
    return true;
}

/* --- events (event.c, fire.c) ------------------------------------------------------------- */

uint32_t des_event_add(struct des *sim, struct des_label l, unsigned flags);
/* Notify or cancel without the checks of the public functions. */
void des_event_delta(struct des *sim, uint32_t e);
void des_event_at(struct des *sim, uint32_t e, des_time when);
void des_event_cancel(struct des *sim, uint32_t e);
/* Make every process that waits for e runnable, and call the watchers of e. */
void des_fire(struct des *sim, uint32_t e);
/* The id of an event, which the caller may notify or cancel; else misuse. */
uint32_t des_own_event(const struct des *sim, struct des_event e);
/* True if a notification of e would have an effect. */
static inline bool des_heard(const struct des_event_record *e)
{
    return e->n | e->waiters | e->lists | (e->flags & EVENT_WATCHED);
}

/* Put a target into the delta list. */
void des_delta_add(struct des *sim, uint32_t target, uint32_t stamp);
/* True of an entry of the delta list that was not cancelled. */
static inline bool des_delta_pending(const struct des *sim, uint64_t what)
{
    uint32_t target = des_target(what), stamp = des_stamp(what);

    if (target & TARGET_TIMER) {
        const struct des_process_record *p = &sim->processes.at[target & ~TARGET_TIMER];
        return p->timer == 0 && p->stamp == stamp;
    }
    return sim->events.at[target].when == 0 && sim->events.at[target].stamp == stamp;
}
void des_fire_deltas(struct des *sim, uint32_t from); /* those from this place in the list on */

/* now + delay; an overflow is misuse of the object. */
_Noreturn void des_overflow_misuse(const struct des *sim, struct des_object x, des_time delay);
static inline des_time des_after(const struct des *sim, struct des_object x, des_time delay)
{
    if (unlikely(delay >= DES_NEVER - sim->hot.now)) /* DES_NEVER itself is no time */
        des_overflow_misuse(sim, x, delay);
    return sim->hot.now + delay;
}

/* --- lists (event_list.c) ----------------------------------------------------------------- */

void des_link_lists(struct des *sim); /* at elaboration */
void des_fire_lists(struct des *sim, uint32_t e);

/* --- processes (process.c) ---------------------------------------------------------------- */

/* Open the simulation for use, or close it: with hot.ports = 0 the inline functions find no port.
 */
static inline void des_set_open(struct des *sim, bool open)
{
    sim->open = open;
    sim->hot.ports = open ? sim->ports.n : 0;
}

static inline void des_make_runnable(struct des *sim, uint32_t id)
{
    sim->processes.at[id].state = PROCESS_RUNNABLE;
    sim->run[sim->run_tail++ & sim->run_mask] = id;
}

/* Make a process wait for an event or a list, as in process.wait. */
void des_wait_for(struct des *sim, uint32_t id, uint32_t wait);
/* Cancel the timer of a process. */
void des_timer_cancel(struct des *sim, uint32_t id);
/* Make a process runnable that waited for an event or a list and has left its ring. */
void des_wake_waiter(struct des *sim, uint32_t id);
void des_stop_waiting(struct des *sim, uint32_t id);
void des_link_processes(struct des *sim);                /* at elaboration; sensitivity.c */
void des_start_processes(struct des *sim);               /* after it; run.c */
void des_end_process(struct des *sim, uint32_t id);      /* control.c */
void des_ask_for_event(struct des *sim, uint32_t event); /* the running process waits for it next */
void des_ask_for_end(struct des *sim); /* the running process ends when it returns */

/* Fire an event of a FIFO.  The usual cases, one listener or one blocked thread, are inline. */
static inline void des_fire_fifo(struct des *sim, uint32_t id)
{
    struct des_event_record *e = &sim->events.at[id];
    uint32_t w = e->waiters;

    if (!(e->flags & EVENT_PLAIN)) {
        if (e->n == 1 && !(w | e->lists) && !(e->flags & (EVENT_WALKED | EVENT_WATCHED))) {
            uint32_t listener = sim->listeners[e->first];
            if (sim->processes.at[listener].state == PROCESS_STATIC)
                des_make_runnable(sim, listener);
        } else {
            des_fire(sim, id);
        }
    } else if (w) {
        struct des_process_record *p = &sim->processes.at[w];
        if (p->next != w || p->timer != DES_NEVER) {
            des_fire(sim, id);
            return;
        }
        e->waiters = 0;
        p->wait = 0;
        des_make_runnable(sim, w);
    }
}

static inline void des_fire_timer(struct des *sim, uint32_t id)
{
    struct des_process_record *p = &sim->processes.at[id];

    p->timer = DES_NEVER;
    if (unlikely(p->wait)) {
        p->flags |= PROCESS_TIMED_OUT;
        des_stop_waiting(sim, id);
    }
    des_make_runnable(sim, id);
}

/* --- rings of waiters, doubly linked through their processes ------------------------------ */

static inline uint32_t *des_ring_of(struct des *sim, uint32_t wait)
{
    if (wait & WAIT_LIST)
        return &sim->lists.at[wait & ~WAIT_LIST].waiters;
    return &sim->events.at[wait].waiters;
}

static inline void des_ring_add(struct des *sim, uint32_t *last, uint32_t id)
{
    struct des_process_record *p = sim->processes.at;

    if (*last) {
        uint32_t first = p[*last].next;
        p[id].next = first;
        p[id].prev = *last;
        p[*last].next = id;
        p[first].prev = id;
    } else {
        p[id].next = p[id].prev = id;
    }
    *last = id;
}

static inline void des_ring_remove(struct des *sim, uint32_t *last, uint32_t id)
{
    struct des_process_record *p = sim->processes.at;

    if (p[id].next == id) {
        *last = 0;
        return;
    }
    p[p[id].prev].next = p[id].next;
    p[p[id].next].prev = p[id].prev;
    if (*last == id)
        *last = p[id].prev;
}

/* --- channels, ports, clocks, watchers ---------------------------------------------------- */

void des_link_signals(struct des *sim); /* at elaboration */
void des_update_channels(struct des *sim);
void des_fifo_storage(struct des *sim); /* at elaboration */
/* Follow every port to its channel.  Errors: ERR_UNKNOWN with a list of unbound ports. */
int des_resolve_ports(struct des *sim, struct err *err);
/* The channel behind a port; any other object itself. */
struct des_object des_behind(const struct des *sim, struct des_object x);
/* The event by which an object wakes its static listeners. */
uint32_t des_event_behind(const struct des *sim, struct des_object x);
/* Schedule the next edge of a clock whose event this is, unless one is scheduled. */
void des_clock_arm(struct des *sim, uint32_t event);
void des_start_clocks(struct des *sim); /* those that are watched */
bool des_clock_level(const struct des *sim, uint32_t clock);
void des_call_watchers(struct des *sim, uint32_t watch, uint64_t value);
void des_call_back(struct des *sim, enum des_phase phase);

#endif
