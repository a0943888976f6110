/* des.h - the discrete-event kernel: time, events, processes, clocks, modules.  Channels and ports
 * stand in des/channel.h, reports in des/report.h; this header brings both.  docs/des.md teaches
 * their use and sets each construct of IEEE 1666 beside ours.
 *
 * Semantics are those of IEEE 1666: evaluate every runnable process, then update every written
 * channel, then notify; repeat in delta cycles until nothing is runnable; then advance time.  A
 * process never sees a value written in its own delta.  Ties are broken by order of notification;
 * there is no other source of order, so a run is a function of its input.
 *
 * Objects are 32-bit handles into the kernel's arrays; id 0 is null.  Everything is created before
 * des_elaborate(); after it a run allocates nothing.  Misuse is a fault of the caller: a fatal
 * report with an id, the path and the simulated time, then abort(); only unbound ports are an
 * error, since they are found all at once.  One `struct des` per run; no globals. */
#ifndef DES_DES_H
#define DES_DES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef uint64_t des_time; /* femtoseconds since reset; 64 bits last 5.1 hours */

#define DES_FS_PER_S UINT64_C(1000000000000000)
#define DES_NEVER UINT64_MAX

struct des;
struct des_module {
    uint32_t id;
};
struct des_event {
    uint32_t id;
};
struct des_list { /* several events to wait for: any or all */
    uint32_t id;
};
struct des_process {
    uint32_t id;
};
struct des_clock {
    uint32_t id;
};

/* --- a simulation ------------------------------------------------------------------------- */

struct des *des_new(void);
void des_free(struct des *sim); /* NULL is allowed */

/* Call back before the end of elaboration, bind ports to channels, check that every port is bound,
 * fix the storage, make every process runnable once (except those that des_dont_initialize named),
 * call back at the end of elaboration.  Errors: ERR_UNKNOWN naming each unbound port; bind them and
 * call again, which calls nobody back twice. */
int des_elaborate(struct des *sim, struct err *err);

/* Run all deltas of the next time at which anything happens; false when nothing was left, or the
 * simulation has ended. */
bool des_step(struct des *sim);
/* Run while the next time is at most `until`, or until des_pause or des_stop.  Returns false when
 * nothing is left to do at all, or the simulation has ended.  `until` before now is misuse; time
 * stays at the last that was run, which may be before `until`. */
bool des_run(struct des *sim, des_time until);
/* From a process: end des_run or des_step after the current delta; the next call goes on. */
void des_pause(struct des *sim);
/* From a process or a call-back: the same, and end the simulation as des_finish does, at the start
 * of the simulation before anything runs.  Outside: des_finish. */
void des_stop(struct des *sim);
/* Call back at the end of simulation; once.  Afterwards to notify, write or run is misuse. */
void des_finish(struct des *sim);
bool des_finished(const struct des *sim);

des_time des_now(const struct des *sim);
/* Time of the next thing to happen, now if something is left of this time, DES_NEVER if nothing. */
des_time des_next_activity(struct des *sim);
uint64_t des_delta_count(const struct des *sim);
uint64_t des_activations(const struct des *sim); /* process activations so far */
size_t des_memory(const struct des *sim);        /* bytes that the kernel holds */
/* A pointer that who builds the simulation leaves for those who make objects in it; NULL until it
 * is set.  The kernel does nothing with it. */
void des_set_user(struct des *sim, void *user);
void *des_user(const struct des *sim);

/* --- the module tree ---------------------------------------------------------------------- */

/* A child of `parent` (null: the root).  Siblings have distinct names without dots. */
struct des_module des_module_new(struct des *sim, struct des_module parent, const char *name);
/* "chip0.core1.mxu0"; lives as long as `sim`. */
const char *des_module_path(const struct des *sim, struct des_module m);
/* The module of this path, null if there is none; and the parent, null for the root's children. */
struct des_module des_module_find(const struct des *sim, const char *path);
struct des_module des_module_parent(const struct des *sim, struct des_module m);

/* When the kernel calls a module back, in order of registration.  Objects can still be created and
 * ports bound in the first; processes write and notify from the third on. */
enum des_phase {
    DES_BEFORE_END_OF_ELABORATION,
    DES_END_OF_ELABORATION,
    DES_START_OF_SIMULATION, /* at the first des_step or des_run */
    DES_END_OF_SIMULATION    /* at des_finish, or after des_stop */
};
typedef void des_callback(struct des *sim, void *self);
void des_on(struct des *sim, struct des_module m, enum des_phase phase, des_callback *call,
            void *self);

/* --- events ------------------------------------------------------------------------------- */

struct des_event des_event_new(struct des *sim, struct des_module m, const char *name);

/* At most one notification of an event is pending; an earlier one wins (immediate before delta
 * before timed, sooner before later) and a later one is dropped.  Immediate: waiting processes run
 * in this evaluation phase; the running process does not wait, so it never wakes itself that way.
 * A delay of 0 is a delta notification.  Time overflow and a time before now are misuse, as is to
 * notify or cancel an event that a channel or a clock owns. */
void des_notify(struct des *sim, struct des_event e);
void des_notify_delta(struct des *sim, struct des_event e);
void des_notify_after(struct des *sim, struct des_event e, des_time delay);
void des_notify_at(struct des *sim, struct des_event e, des_time when);
void des_cancel(struct des *sim, struct des_event e);
bool des_event_pending(const struct des *sim, struct des_event e);

/* A list a process can wait for: until any of the events is notified, or until each has been since
 * it began to wait (at most 64 of them, each once).  Lists are made before elaboration. */
struct des_list des_any(struct des *sim, struct des_module m, const char *name,
                        const struct des_event *events, size_t n);
struct des_list des_all(struct des *sim, struct des_module m, const char *name,
                        const struct des_event *events, size_t n);

/* --- processes ---------------------------------------------------------------------------- */

/* A method runs to completion each time it is woken. */
typedef void des_method(struct des *sim, void *self);
struct des_process des_method_new(struct des *sim, struct des_module m, const char *name,
                                  des_method *run, void *self);

/* A thread is a function that returns where it wants to go on: no stack, no assembly.  Locals do
 * not survive a wait, so state lives in `self`.  Write it as
 *     static uint32_t fetch(struct des *sim, void *self, uint32_t at)
 *     {
 *         struct dma *d = self;
 *         DES_BEGIN(at);
 *         for (;;) {
 *             DES_GET(sim, d->cmd, &d->cur);                      -- blocks while empty
 *             DES_WAIT_FOR(sim, des_clock_delay(sim, d->clk, 4)); -- simulated time
 *         }
 *         DES_END;
 *     }
 * Two waits on one source line do not compile; no `switch` may enclose a wait. */
typedef uint32_t des_thread(struct des *sim, void *self, uint32_t at);
struct des_process des_thread_new(struct des *sim, struct des_module m, const char *name,
                                  des_thread *run, void *self);

/* Static sensitivity: wake `p` whenever `x` is notified and `p` waits for nothing else.  `x` is an
 * event, a clock (its rising edge), a signal or a port to one (its change), a port that takes from
 * a FIFO (items arrived) or one that puts into it (room appeared).  Ports may be bound later.  An
 * event wakes its static listeners in the order of these calls, then those that wait for it once,
 * then those that wait for a list it is in. */
#define des_sensitive(sim, p, x) des_sensitive_to(sim, p, DES_OBJECT(x))
void des_dont_initialize(struct des *sim, struct des_process p);

/* From inside a running process: what wakes it next, instead of its static sensitivity, once; the
 * last call holds.  With a time-out the first of the two wakes it, and des_timed_out tells in the
 * next activation whether it was the time.  Of a delay, 0 is the next delta. */
void des_next_event(struct des *sim, struct des_event e);
void des_next_time(struct des *sim, des_time delay);
void des_next_list(struct des *sim, struct des_list l);
void des_next_event_for(struct des *sim, struct des_event e, des_time timeout);
void des_next_list_for(struct des *sim, struct des_list l, des_time timeout);
void des_next_resume(struct des *sim); /* suspend the running process until it is resumed */
void des_next_static(struct des *sim); /* take the others back */
bool des_timed_out(const struct des *sim);

/* Control, from any process or outside.  A killed process never runs again; one that kills itself
 * ends when it returns.  A suspended one keeps its sensitivity but does not run; if it was woken
 * meanwhile (or was runnable when suspended), it is runnable at its resumption.  What already
 * ended is left alone. */
void des_kill(struct des *sim, struct des_process p);
void des_suspend(struct des *sim, struct des_process p);
void des_resume(struct des *sim, struct des_process p);
struct des_process des_self(const struct des *sim); /* the running one; null outside */
bool des_done(const struct des *sim, struct des_process p);
/* Notified in the delta after `p` ends or is killed; ask for it before elaboration. */
struct des_event des_terminated(struct des *sim, struct des_process p);

#define DES_THREAD_DONE UINT32_MAX
#define DES_BEGIN(at)                                                                              \
    switch (at) {                                                                                  \
    case 0:
#define DES_END                                                                                    \
    }                                                                                              \
    return DES_THREAD_DONE
/* Return here and go on from here. */
#define DES_YIELD_                                                                                 \
    return __LINE__;                                                                               \
    case __LINE__:;
/* Wait for the static sensitivity list. */
#define DES_WAIT()                                                                                 \
    do {                                                                                           \
        DES_YIELD_                                                                                 \
    } while (0)
/* Wait, once or more, for the static list until `cond` holds; no wait if it holds now. */
#define DES_WAIT_UNTIL(cond)                                                                       \
    do {                                                                                           \
        if (0) {                                                                                   \
        case __LINE__:;                                                                            \
        }                                                                                          \
        if (!(cond))                                                                               \
            return __LINE__;                                                                       \
    } while (0)
/* The same, but for the event `e`. */
#define DES_WAIT_EVENT_UNTIL(sim, e, cond)                                                         \
    do {                                                                                           \
        if (0) {                                                                                   \
        case __LINE__:;                                                                            \
        }                                                                                          \
        if (!(cond)) {                                                                             \
            des_next_event(sim, e);                                                                \
            return __LINE__;                                                                       \
        }                                                                                          \
    } while (0)
#define DES_WAIT_FOR(sim, delay)                                                                   \
    do {                                                                                           \
        des_next_time(sim, delay);                                                                 \
        DES_YIELD_                                                                                 \
    } while (0)
#define DES_WAIT_EVENT(sim, event)                                                                 \
    do {                                                                                           \
        des_next_event(sim, event);                                                                \
        DES_YIELD_                                                                                 \
    } while (0)
#define DES_WAIT_EVENT_FOR(sim, event, timeout) /* then see des_timed_out */                       \
    do {                                                                                           \
        des_next_event_for(sim, event, timeout);                                                   \
        DES_YIELD_                                                                                 \
    } while (0)
#define DES_WAIT_LIST(sim, list)                                                                   \
    do {                                                                                           \
        des_next_list(sim, list);                                                                  \
        DES_YIELD_                                                                                 \
    } while (0)
#define DES_WAIT_LIST_FOR(sim, list, timeout)                                                      \
    do {                                                                                           \
        des_next_list_for(sim, list, timeout);                                                     \
        DES_YIELD_                                                                                 \
    } while (0)
/* Suspend the running thread until somebody resumes it. */
#define DES_SUSPEND(sim)                                                                           \
    do {                                                                                           \
        des_next_resume(sim);                                                                      \
        DES_YIELD_                                                                                 \
    } while (0)

/* A call of a thread by a thread.  The callee is a function as above with a `self` of its own; its
 * waits are those of the calling process, to which nothing is added: no event, no delta cycle, no
 * activation.  It ends at its DES_END, or where it returns DES_THREAD_DONE, and the caller goes on
 * at once.  `call` is a struct des_call that survives waits, zero at first, and part of what the
 * callee works on, so that nobody enters it a second time before its end (des/call). */
struct des_call {
    uint32_t at; /* where the callee goes on; 0: it is not under way */
};
#define DES_CALL(sim, call, run, self)                                                             \
    do {                                                                                           \
        des_call_begin(sim, &(call));                                                              \
        if (0) {                                                                                   \
        case __LINE__:;                                                                            \
        }                                                                                          \
        if (!des_call_goes_on(sim, &(call), run, self))                                            \
            return __LINE__;                                                                       \
    } while (0)
void des_call_entered(const struct des *sim); /* misuse: entered again before its end */

static inline void des_call_begin(const struct des *sim, const struct des_call *call)
{
    if (call->at)
        des_call_entered(sim);
}

/* Run the callee up to its next wait, or to its end: true. */
static inline bool des_call_goes_on(struct des *sim, struct des_call *call, des_thread *run,
                                    void *self)
{
    uint32_t at = call->at;

    call->at = DES_THREAD_DONE; /* while it runs, it is under way too */
    at = run(sim, self, at);
    call->at = at == DES_THREAD_DONE ? 0 : at;
    return at == DES_THREAD_DONE;
}

/* --- clocks ------------------------------------------------------------------------------- */

/* Rising edge i of a clock of `hz` is at ceil(i * 1e15 / hz) fs, the falling one after it at
 * ceil((2 i + 1) * 1e15 / (2 hz)): computed from the absolute index with 128 bits and rounded once,
 * so 700 MHz never drifts.  1 <= hz <= 1e15.  Rising edge 0 comes in the delta after the
 * initialisation.  Who begins to wait at the time of an edge gets the next one.  A clock costs
 * nothing while no process waits for its edges. */
struct des_clock des_clock_new(struct des *sim, struct des_module m, const char *name, uint64_t hz);
struct des_event des_posedge(const struct des *sim, struct des_clock c);
struct des_event des_negedge(const struct des *sim, struct des_clock c);
uint64_t des_clock_hz(const struct des *sim, struct des_clock c);
/* Index of the first rising edge at or after now. */
uint64_t des_clock_index(const struct des *sim, struct des_clock c);
/* Delay from now to the edge `cycles` after the first edge at or after now; with 0 it aligns. */
des_time des_clock_delay(const struct des *sim, struct des_clock c, uint64_t cycles);
/* The two conversions behind these, pure. */
des_time des_edge(uint64_t index, uint64_t hz);   /* ceil(index * 1e15 / hz); overflow: bug */
uint64_t des_edge_index(des_time t, uint64_t hz); /* smallest i with des_edge(i, hz) >= t */

#include "des/channel.h"
#include "des/report.h"

#endif
