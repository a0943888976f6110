/* des.h - the discrete-event kernel: time, events, processes, channels, modules.
 *
 * Semantics are those of IEEE 1666: evaluate every runnable process, then update every written
 * channel, then notify; repeat in delta cycles until nothing is runnable; then advance time.  A
 * process never sees a value written in its own delta.  Ties are broken by order of notification;
 * there is no other source of order, so a run is a function of its input.
 *
 * Objects are 32-bit handles into the kernel's arrays; id 0 is null.  Everything is created before
 * des_elaborate(); after it a run allocates nothing.  Misuse is a bug of the caller and aborts
 * with the module path and the simulated time (des_bug); only unbound ports are an error, since
 * they are found all at once.  One `struct des` per run; no globals. */
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
struct des_process {
    uint32_t id;
};
struct des_signal {
    uint32_t id;
};
struct des_fifo {
    uint32_t id;
};
struct des_clock {
    uint32_t id;
};
struct des_in { /* port that takes items from a FIFO */
    uint32_t id;
};
struct des_out { /* port that puts items into a FIFO */
    uint32_t id;
};

/* --- a simulation ------------------------------------------------------------------------- */

struct des *des_new(void);
void des_free(struct des *sim); /* NULL is allowed */

/* Check that every port is bound, fix the storage, make every process runnable once (except those
 * that des_dont_initialize named).  Errors: ERR_UNKNOWN naming each unbound port by its path. */
int des_elaborate(struct des *sim, struct err *err);

/* Run all deltas of the next time at which anything happens; false when nothing is left. */
bool des_step(struct des *sim);
/* Run while the next time is at most `until`, or until des_stop.  Returns false when nothing is
 * left to do at all. */
bool des_run(struct des *sim, des_time until);
void des_stop(struct des *sim); /* from a process: end des_run after the current delta */

des_time des_now(const struct des *sim);
uint64_t des_delta_count(const struct des *sim);
uint64_t des_activations(const struct des *sim); /* process activations so far */

/* Abort with "BUG path @ time fs: message". */
_Noreturn void des_bug(const struct des *sim, struct des_module m, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* --- the module tree ---------------------------------------------------------------------- */

/* A child of `parent` (null: the root).  Siblings have distinct names without dots. */
struct des_module des_module_new(struct des *sim, struct des_module parent, const char *name);
/* "chip0.core1.mxu0"; lives as long as `sim`. */
const char *des_module_path(const struct des *sim, struct des_module m);

/* --- events ------------------------------------------------------------------------------- */

struct des_event des_event_new(struct des *sim, struct des_module m, const char *name);

/* At most one notification of an event is pending; an earlier one wins (immediate before delta
 * before timed, sooner before later) and a later one is dropped.  Immediate: waiting processes run
 * in this evaluation phase; the running process does not wait, so it never wakes itself that way.
 * A delay of 0 is a delta notification.  Time overflow is a bug. */
void des_notify(struct des *sim, struct des_event e);
void des_notify_delta(struct des *sim, struct des_event e);
void des_notify_after(struct des *sim, struct des_event e, des_time delay);
void des_cancel(struct des *sim, struct des_event e);
bool des_event_pending(const struct des *sim, struct des_event e);

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
 *             DES_WAIT_UNTIL(des_get(sim, d->cmd, &d->cur));     -- static sensitivity
 *             DES_WAIT_FOR(sim, des_clock_delay(sim, d->clk, 4)); -- simulated time
 *         }
 *         DES_END;
 *     }
 * Two waits on one source line do not compile; no `switch` may enclose a wait. */
typedef uint32_t des_thread(struct des *sim, void *self, uint32_t at);
struct des_process des_thread_new(struct des *sim, struct des_module m, const char *name,
                                  des_thread *run, void *self);

/* Static sensitivity: wake `p` whenever `e` is notified and `p` waits for nothing else.  An event
 * wakes its static listeners in the order of these calls, then those that wait for it once. */
void des_sensitive(struct des *sim, struct des_process p, struct des_event e);
void des_dont_initialize(struct des *sim, struct des_process p);

/* From inside a running process: what wakes it next, instead of its static sensitivity, once. */
void des_next_event(struct des *sim, struct des_event e);
void des_next_time(struct des *sim, des_time delay); /* 0: the next delta */

#define DES_THREAD_DONE UINT32_MAX
#define DES_BEGIN(at)                                                                              \
    switch (at) {                                                                                  \
    case 0:
#define DES_END                                                                                    \
    }                                                                                              \
    return DES_THREAD_DONE
/* Wait for the static sensitivity list. */
#define DES_WAIT()                                                                                 \
    do {                                                                                           \
        return __LINE__;                                                                           \
    case __LINE__:;                                                                                \
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
#define DES_WAIT_FOR(sim, delay)                                                                   \
    do {                                                                                           \
        des_next_time(sim, delay);                                                                 \
        return __LINE__;                                                                           \
    case __LINE__:;                                                                                \
    } while (0)
#define DES_WAIT_EVENT(sim, event)                                                                 \
    do {                                                                                           \
        des_next_event(sim, event);                                                                \
        return __LINE__;                                                                           \
    case __LINE__:;                                                                                \
    } while (0)

/* --- channels ----------------------------------------------------------------------------- */

/* A signal carries a 64-bit value; a write shows after the update, and `changed` is notified in
 * the next delta if the value differs.  One process may write it; a second writer is a bug. */
struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial);
uint64_t des_read(const struct des *sim, struct des_signal s);
void des_write(struct des *sim, struct des_signal s, uint64_t value);
struct des_event des_changed(const struct des *sim, struct des_signal s);

/* A bounded queue of items of `item_size` bytes, copied in and out; capacity at least 1.  What is
 * put becomes visible, and room that is made can be used, in the next delta. */
struct des_fifo des_fifo_new(struct des *sim, struct des_module m, const char *name,
                             size_t item_size, size_t capacity);
size_t des_fifo_count(const struct des *sim, struct des_fifo f); /* items visible now */

/* Ports: what a module sees of a channel, bound before elaboration. */
struct des_in des_in_new(struct des *sim, struct des_module m, const char *name, size_t item_size);
struct des_out des_out_new(struct des *sim, struct des_module m, const char *name,
                           size_t item_size);
void des_bind_in(struct des *sim, struct des_in port, struct des_fifo f);
void des_bind_out(struct des *sim, struct des_out port, struct des_fifo f);

bool des_get(struct des *sim, struct des_in port, void *item);        /* false: empty */
bool des_peek(const struct des *sim, struct des_in port, void *item); /* false: empty */
bool des_put(struct des *sim, struct des_out port, const void *item); /* false: full */
bool des_can_put(const struct des *sim, struct des_out port);

/* Wake `p` when items arrive at, or room appears behind, a port.  May be called before the port
 * is bound; takes effect at elaboration. */
void des_sensitive_in(struct des *sim, struct des_process p, struct des_in port);
void des_sensitive_out(struct des *sim, struct des_process p, struct des_out port);

/* --- clocks ------------------------------------------------------------------------------- */

/* Edge i of a clock of `hz` is at ceil(i * 1e15 / hz) fs: computed from the absolute index with
 * 128 bits and rounded once, so 700 MHz never drifts.  1 <= hz <= 1e15.  Edge 0 comes in the delta
 * after the initialisation.  Who begins to wait at the time of an edge gets the next one.  A clock
 * costs nothing while no process is sensitive to its edges. */
struct des_clock des_clock_new(struct des *sim, struct des_module m, const char *name, uint64_t hz);
struct des_event des_posedge(struct des *sim, struct des_clock c);
uint64_t des_clock_hz(const struct des *sim, struct des_clock c);
/* Index of the first edge at or after now. */
uint64_t des_clock_index(const struct des *sim, struct des_clock c);
/* Delay from now to the edge `cycles` after the first edge at or after now; with 0 it aligns. */
des_time des_clock_delay(const struct des *sim, struct des_clock c, uint64_t cycles);
/* The two conversions behind these, pure. */
des_time des_edge(uint64_t index, uint64_t hz);   /* ceil(index * 1e15 / hz); overflow: bug */
uint64_t des_edge_index(des_time t, uint64_t hz); /* smallest i with des_edge(i, hz) >= t */

#endif
