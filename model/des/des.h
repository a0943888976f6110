/* des.h - the discrete-event kernel: time, events, processes, clocks, modules.  It includes
 * des/channel.h (channels and ports), des/probe.h and des/report.h.  docs/reference/des.md is the
 * manual and compares each construct with SystemC.
 *
 * Semantics are those of IEEE 1666 (SystemC).  A delta cycle evaluates every runnable process, then
 * updates every written channel, then notifies; delta cycles repeat until nothing is runnable; then
 * time advances.  A process never sees a value written in its own delta.  Ties are broken by the
 * order of notification alone, so a run is a function of its input.
 *
 * Objects are 32-bit handles into the kernel's arrays; id 0 is null.  All objects are created
 * before des_elaborate(); a run allocates nothing.  Misuse is an error of the calling program: the
 * kernel makes a fatal report with an id, the object's path and the simulated time, and aborts.
 * Only unbound ports are returned as an error, which lists all of them.  A program may have several
 * `struct des`; there are no globals. */
#ifndef DES_DES_H
#define DES_DES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef uint64_t des_time; /* femtoseconds since the start; 64 bits last 5.1 hours */

#define DES_FS_PER_S UINT64_C(1000000000000000) /* femtoseconds of a second */
#define DES_NEVER UINT64_MAX                    /* a time that does not come */

struct des;
struct des_module {
    uint32_t id;
};
/* Handles: indices into tables of the simulation, to be copied freely. */
struct des_event {
    uint32_t id;
};
struct des_list { /* several events, to wait for any or all of them */
    uint32_t id;
};
struct des_process {
    uint32_t id;
};
struct des_clock {
    uint32_t id;
};

/* --- a simulation ------------------------------------------------------------------------- */

/* A simulation at time 0, to be freed by des_free(), which frees all that was made in it. */
struct des *des_new(void);
void des_free(struct des *sim); /* NULL is allowed */

/* End construction: run the call-backs DES_BEFORE_END_OF_ELABORATION, follow every port to its
 * channel, allocate storage, make every process runnable (except those of des_dont_initialize), run
 * the call-backs DES_END_OF_ELABORATION.  Errors: ERR_UNKNOWN with the name of each unbound port.
 * Bind them and call again; a call-back that has run does not run again. */
int des_elaborate(struct des *sim, struct err *err);

/* Run all deltas of the next time at which anything happens.  False if nothing was left to do, or
 * the simulation has ended. */
bool des_step(struct des *sim);
/* Run everything up to and including `until`, or to a des_pause or des_stop.  Returns false if
 * nothing is left to do, or the simulation has ended.  An `until` before now is misuse.  Afterwards
 * des_now() is the last time at which something happened, which may be before `until`. */
bool des_run(struct des *sim, des_time until);
/* From a process: return from des_run or des_step after the current delta; the next call goes on.
 */
void des_pause(struct des *sim);
/* End the simulation.  From a process: after the current delta.  From a call-back at the start of
 * the simulation: before anything runs.  From outside: the same as des_finish. */
void des_stop(struct des *sim);
/* Run the call-backs DES_END_OF_SIMULATION, once.  Afterwards to notify, write or run is misuse. */
void des_finish(struct des *sim);
bool des_finished(const struct des *sim);

/* Simulated time, fs. */
static inline des_time des_now(const struct des *sim);
/* The time at which something happens next: now if this time is not over, DES_NEVER if nothing
 * does. */
des_time des_next_activity(struct des *sim);
/* From inside a process: no other process runs and des_run does not return before this time,
 * whatever happens to the running process; now where that is not sure.  A process may thus work
 * ahead of the clock for objects that it alone owns, up to this time and not into it. */
des_time des_quiet_until(struct des *sim);
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
/* The module of this path, null if there is none.  The parent of a module, null for a child of the
 * root. */
struct des_module des_module_find(const struct des *sim, const char *path);
struct des_module des_module_parent(const struct des *sim, struct des_module m);

/* Points of a run at which the kernel calls functions of the user, in the order of registration.
 * Objects can be created and ports bound up to the first; signals can be written and events
 * notified from the third on. */
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

/* An event of module `m`, which nobody has notified; `name` is copied. */
struct des_event des_event_new(struct des *sim, struct des_module m, const char *name);

/* An event has at most one pending notification.  The earlier of two is kept and the later dropped:
 * immediate before delta before timed, sooner before later.  An immediate notification (des_notify)
 * makes waiting processes runnable in this evaluation phase; the running process is not waiting, so
 * it cannot wake itself.  A delay of 0 is a delta notification.  It is misuse to exceed the largest
 * time, to give a time before now, or to notify or cancel an event of a channel or a clock. */
void des_notify(struct des *sim, struct des_event e);
void des_notify_delta(struct des *sim, struct des_event e);
void des_notify_after(struct des *sim, struct des_event e, des_time delay);
void des_notify_at(struct des *sim, struct des_event e, des_time when);
void des_cancel(struct des *sim, struct des_event e);
bool des_event_pending(const struct des *sim, struct des_event e);

/* A list of events.  A process that waits for an `any` list wakes when one of the events is
 * notified; for an `all` list, when each has been notified since the wait began.  An `all` list has
 * at most 64 events, each once.  Create lists before elaboration. */
struct des_list des_any(struct des *sim, struct des_module m, const char *name,
                        const struct des_event *events, size_t n);
struct des_list des_all(struct des *sim, struct des_module m, const char *name,
                        const struct des_event *events, size_t n);

/* --- processes ---------------------------------------------------------------------------- */

/* A method runs to completion each time it is woken. */
typedef void des_method(struct des *sim, void *self);
struct des_process des_method_new(struct des *sim, struct des_module m, const char *name,
                                  des_method *run, void *self);

/* A thread is a function that returns at each wait the place where it continues; it has no stack of
 * its own.  Local variables do not survive a wait, so keep state in `self`.  Write it as
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
 * event, a clock (its rising edge), a signal or a port to one (its change), a mutex (unlocked), a
 * semaphore (posted), a port that takes from a FIFO (items arrived) or one that puts into it (room
 * appeared).  Ports may be bound later.  An event wakes its static listeners in the order of these
 * calls, then processes that wait for it dynamically, then those that wait for a list with it. */
#define des_sensitive(sim, p, x) des_sensitive_to(sim, p, DES_OBJECT(x))
/* Do not run `p` at the start of the simulation, only when it is woken. */
void des_dont_initialize(struct des *sim, struct des_process p);

/* From inside a process: dynamic sensitivity, which replaces its static sensitivity for one wait.
 * The last call before the process returns or waits is valid.  With a time-out, event or time wakes
 * it, whichever is first; in that activation des_timed_out() is true if it was the time.  A delay
 * of 0 is the next delta. */
void des_next_event(struct des *sim, struct des_event e);
void des_next_time(struct des *sim, des_time delay);
void des_next_list(struct des *sim, struct des_list l);
void des_next_event_for(struct des *sim, struct des_event e, des_time timeout);
void des_next_list_for(struct des *sim, struct des_list l, des_time timeout);
void des_next_resume(struct des *sim); /* suspend the running process until it is resumed */
void des_next_static(struct des *sim); /* cancel such a call: wait for the static sensitivity */
bool des_timed_out(const struct des *sim);

/* Process control, from any process or from outside.  A killed process never runs again; a process
 * that kills itself ends when it returns.  A suspended process keeps its sensitivity but does not
 * run; if it was woken while suspended, or was runnable when it was suspended, it becomes runnable
 * when it is resumed.  On a process that has ended these calls do nothing. */
void des_kill(struct des *sim, struct des_process p);
void des_suspend(struct des *sim, struct des_process p);
void des_resume(struct des *sim, struct des_process p);
struct des_process des_self(const struct des *sim); /* the running one; null outside */
bool des_done(const struct des *sim, struct des_process p);
/* The event that is notified in the delta after `p` ends or is killed; call it before elaboration.
 */
struct des_event des_terminated(struct des *sim, struct des_process p);

/* A thread is a function whose body stands between DES_BEGIN(at) and DES_END, which returns that it
 * has ended: it is not called again. */
#define DES_THREAD_DONE UINT32_MAX
#define DES_BEGIN(at)                                                                              \
    switch (at) {                                                                                  \
    case 0:
#define DES_END                                                                                    \
    }                                                                                              \
    return DES_THREAD_DONE
/* Return from the thread; its next activation continues here. */
#define DES_YIELD_                                                                                 \
    return __LINE__;                                                                               \
    case __LINE__:;
/* Wait for the static sensitivity list. */
#define DES_WAIT()                                                                                 \
    do {                                                                                           \
        DES_YIELD_                                                                                 \
    } while (0)
/* Wait for the static sensitivity list until `cond` holds; do not wait if it holds now. */
#define DES_WAIT_UNTIL(cond)                                                                       \
    do {                                                                                           \
        if (0) {                                                                                   \
        case __LINE__:;                                                                            \
        }                                                                                          \
        if (!(cond))                                                                               \
            return __LINE__;                                                                       \
    } while (0)
/* Wait for the event `e` until `cond` holds; do not wait if it holds now. */
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

/* A thread calls a thread.  The callee is a thread function as above with a `self` of its own.  Its
 * waits are waits of the calling process; a call adds no event, no delta cycle and no activation.
 * When the callee reaches DES_END or returns DES_THREAD_DONE, the caller continues at once.  `call`
 * is a struct des_call, zero at first, that survives waits.  Keep it in the state that the callee
 * works on: entering the callee again before its end is then found as misuse (des/call). */
struct des_call {
    uint32_t at; /* where the callee continues; 0: no call is active */
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

/* DES_CALL begins with it: a call that is under way already is misuse. */
static inline void des_call_begin(const struct des *sim, const struct des_call *call)
{
    if (call->at)
        des_call_entered(sim);
}

/* Run the callee to its next wait, false, or to its end, true. */
static inline bool des_call_goes_on(struct des *sim, struct des_call *call, des_thread *run,
                                    void *self)
{
    uint32_t at = call->at;

    call->at = DES_THREAD_DONE; /* the call is active while the callee runs, too */
    at = run(sim, self, at);
    call->at = at == DES_THREAD_DONE ? 0 : at;
    return at == DES_THREAD_DONE;
}

/* --- clocks ------------------------------------------------------------------------------- */

/* A clock of `hz`, 1 <= hz <= 1e15.  Its edges are at
 *
 *     rising  i: ceil(i * 1e15 / hz) fs
 *     falling i: ceil((2 i + 1) * 1e15 / (2 hz)) fs
 *
 * computed from the index i with 128 bits and rounded once, so a clock does not drift.  Rising edge
 * 0 comes in the delta after the initialisation.  A process that begins to wait at the time of an
 * edge gets the next edge.  A clock costs nothing while no process waits for its edges. */
struct des_clock des_clock_new(struct des *sim, struct des_module m, const char *name, uint64_t hz);
struct des_event des_posedge(const struct des *sim, struct des_clock c);
struct des_event des_negedge(const struct des *sim, struct des_clock c);
uint64_t des_clock_hz(const struct des *sim, struct des_clock c);
/* Index of the first rising edge at or after now.  O(1). */
uint64_t des_clock_index(const struct des *sim, struct des_clock c);
/* Delay in fs from now to the rising edge `cycles` after the first one at or after now.  With 0 it
 * aligns to the clock. */
des_time des_clock_delay(const struct des *sim, struct des_clock c, uint64_t cycles);
/* The conversions behind these two functions: index to time and time to index. */
des_time des_edge(uint64_t index, uint64_t hz);   /* ceil(index * 1e15 / hz); overflow: bug */
uint64_t des_edge_index(des_time t, uint64_t hz); /* smallest i with des_edge(i, hz) >= t */

#include "des/channel.h"
#include "des/report.h"

#endif
