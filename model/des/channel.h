/* channel.h - communication between modules: signals, FIFOs, mutexes, semaphores, user-defined
 * channels, the ports and exports that lead to them, and subscriptions to their changes.  Part of
 * des.h, which includes it. */
#ifndef DES_CHANNEL_H
#define DES_CHANNEL_H

#include "des/des.h"

/* Handles of channels, ports and exports: indices, to be copied freely.  A des_signal holds a
 * 64-bit value, a des_fifo a queue of items of one size. */
struct des_signal {
    uint32_t id;
};
struct des_fifo {
    uint32_t id;
};
struct des_mutex {
    uint32_t id;
};
struct des_semaphore {
    uint32_t id;
};
struct des_channel { /* user-defined: its interface is a struct of functions */
    uint32_t id;
};
struct des_in { /* port that takes items from a FIFO */
    uint32_t id;
};
struct des_out { /* port that puts items into a FIFO */
    uint32_t id;
};
struct des_signal_in { /* port that reads a signal */
    uint32_t id;
};
struct des_signal_out { /* port that writes a signal, and may read it */
    uint32_t id;
};
struct des_port { /* port to a user-defined channel */
    uint32_t id;
};
struct des_export { /* name of a channel in this module, to which ports outside may be bound */
    uint32_t id;
};

/* An object of any kind, for calls that take several kinds. */
enum des_kind {
    DES_MODULE,
    DES_EVENT,
    DES_LIST,
    DES_PROCESS,
    DES_CLOCK,
    DES_SIGNAL,
    DES_FIFO,
    DES_MUTEX,
    DES_SEMAPHORE,
    DES_CHANNEL,
    DES_IN,
    DES_OUT,
    DES_SIGNAL_IN,
    DES_SIGNAL_OUT,
    DES_PORT,
    DES_EXPORT,
    DES_PROBE
};
struct des_object {
    enum des_kind kind;
    uint32_t id;
};
/* clang-format off */
#define DES_OBJECT(x)                                                                              \
    ((struct des_object){ _Generic((x),                                                            \
        struct des_module: DES_MODULE, struct des_event: DES_EVENT, struct des_list: DES_LIST,     \
        struct des_process: DES_PROCESS, struct des_clock: DES_CLOCK,                              \
        struct des_signal: DES_SIGNAL, struct des_fifo: DES_FIFO, struct des_mutex: DES_MUTEX,     \
        struct des_semaphore: DES_SEMAPHORE, struct des_channel: DES_CHANNEL,                      \
        struct des_in: DES_IN, struct des_out: DES_OUT, struct des_signal_in: DES_SIGNAL_IN,       \
        struct des_signal_out: DES_SIGNAL_OUT, struct des_port: DES_PORT,                          \
        struct des_export: DES_EXPORT, struct des_probe: DES_PROBE), (x).id })
/* clang-format on */

/* Write path of the module and name, "core0.dma.cmd", to `buf`, cut to `size` bytes with the NUL.
 * Returns `buf`. */
char *des_path(const struct des *sim, struct des_object x, char *buf, size_t size);
/* The function behind des_sensitive (des.h). */
void des_sensitive_to(struct des *sim, struct des_process p, struct des_object x);

/* --- signals ------------------------------------------------------------------------------ */

/* A signal carries a 64-bit value.  A written value is visible after the update phase; if it
 * differs, the event des_changed() is notified in the next delta.  Only one process may write a
 * signal: a second one is misuse.  Writes from outside any process (a test bench between two runs)
 * do not count. */
struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial);
struct des_event des_changed(const struct des *sim, struct des_signal s);

/* Ports of module `m` to read a signal by, or to write it by. */
struct des_signal_in des_signal_in_new(struct des *sim, struct des_module m, const char *name);
struct des_signal_out des_signal_out_new(struct des *sim, struct des_module m, const char *name);

/* des_read(sim, x) and des_write(sim, x, value) take a signal or a port to one.
 * des_signal_of(sim, port) is the signal that a port is bound to; call it after elaboration. */
uint64_t des_read_signal(const struct des *sim, struct des_signal s);
static inline uint64_t des_read_in(const struct des *sim, struct des_signal_in port);
static inline uint64_t des_read_out(const struct des *sim, struct des_signal_out port);
void des_write_signal(struct des *sim, struct des_signal s, uint64_t value);
static inline void des_write_out(struct des *sim, struct des_signal_out port, uint64_t value);
struct des_signal des_signal_of_in(const struct des *sim, struct des_signal_in port);
struct des_signal des_signal_of_out(const struct des *sim, struct des_signal_out port);
/* clang-format off */
#define des_read(sim, x) _Generic((x),                                                             \
        struct des_signal: des_read_signal,                                                        \
        struct des_signal_in: des_read_in,                                                         \
        struct des_signal_out: des_read_out)(sim, x)
#define des_write(sim, x, value) _Generic((x),                                                     \
        struct des_signal: des_write_signal,                                                       \
        struct des_signal_out: des_write_out)(sim, x, value)
#define des_signal_of(sim, port) _Generic((port),                                                  \
        struct des_signal_in: des_signal_of_in,                                                    \
        struct des_signal_out: des_signal_of_out)(sim, port)
/* clang-format on */

/* --- FIFOs -------------------------------------------------------------------------------- */

/* A bounded queue of items of `item_size` bytes, which are copied in and out; capacity >= 1.  An
 * item that is put can be taken in the next delta; the room of an item that is taken can be used in
 * the next delta. */
struct des_fifo des_fifo_new(struct des *sim, struct des_module m, const char *name,
                             size_t item_size, size_t capacity);
size_t des_fifo_count(const struct des *sim, struct des_fifo f); /* items that can be taken now */
size_t des_fifo_capacity(const struct des *sim, struct des_fifo f);

/* Ports of module `m` to take items of `item_size` bytes from a FIFO by, or to put them by. */
struct des_in des_in_new(struct des *sim, struct des_module m, const char *name, size_t item_size);
struct des_out des_out_new(struct des *sim, struct des_module m, const char *name,
                           size_t item_size);
/* des_get(sim, port, item) takes an item, false if the FIFO is empty; des_put(sim, port, item) puts
 * one, false if it is full.  `item` points to a variable of the item's type; another size is
 * misuse. */
#define des_get(sim, port, ...) des_get_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
#define des_put(sim, port, ...) des_put_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
/* des_get and des_put with an untyped pointer to item_size bytes.  The size is not checked. */
bool des_get_any(struct des *sim, struct des_in port, void *item);
bool des_put_any(struct des *sim, struct des_out port, const void *item);
/* Copy the next item and leave it in the FIFO.  False if the FIFO is empty. */
bool des_peek(const struct des *sim, struct des_in port, void *item);
bool des_can_put(const struct des *sim, struct des_out port);
/* True if an item can be taken now; false outside a run. */
static inline bool des_can_get(const struct des *sim, struct des_in port);
/* Events that are notified in the delta after items were put (data_written) or taken (data_read).
 * Call these after elaboration. */
struct des_event des_data_written(const struct des *sim, struct des_in port);
struct des_event des_data_read(const struct des *sim, struct des_out port);

/* des_get_or_wait and des_put_or_wait: get or put, or return false and wake this process when it
 * may succeed.  DES_GET and DES_PUT, in threads: block until it succeeds. */
#define des_get_or_wait(sim, port, ...)                                                            \
    des_get_or_wait_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
#define des_put_or_wait(sim, port, ...)                                                            \
    des_put_or_wait_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
#define DES_GET(sim, port, ...) DES_WAIT_UNTIL(des_get_or_wait(sim, port, __VA_ARGS__))
#define DES_PUT(sim, port, ...) DES_WAIT_UNTIL(des_put_or_wait(sim, port, __VA_ARGS__))

/* --- mutexes and semaphores --------------------------------------------------------------- */

/* Both notify immediately: a process that waits tries again in the same evaluation phase. */
struct des_mutex des_mutex_new(struct des *sim, struct des_module m, const char *name);
/* Lock the mutex for the running process; false if it is locked.  Outside a process: misuse. */
bool des_trylock(struct des *sim, struct des_mutex m);
/* Only the process that locked the mutex may unlock it; another is misuse. */
void des_unlock(struct des *sim, struct des_mutex m);
struct des_event des_unlocked(const struct des *sim, struct des_mutex m);
#define DES_LOCK(sim, mutex)                                                                       \
    DES_WAIT_EVENT_UNTIL(sim, des_unlocked(sim, mutex), des_trylock(sim, mutex))

/* A semaphore in module `m`, with a value; des_posted() is notified when it is posted. */
struct des_semaphore des_semaphore_new(struct des *sim, struct des_module m, const char *name,
                                       uint32_t initial);
bool des_trywait(struct des *sim, struct des_semaphore s); /* decrement; false if it is 0 */
void des_post(struct des *sim, struct des_semaphore s); /* increment; past UINT32_MAX is misuse */
uint32_t des_semaphore_value(const struct des *sim, struct des_semaphore s);
struct des_event des_posted(const struct des *sim, struct des_semaphore s);
/* In a thread: wait until the value is above 0, and decrement it. */
#define DES_WAIT_SEMAPHORE(sim, semaphore)                                                         \
    DES_WAIT_EVENT_UNTIL(sim, des_posted(sim, semaphore), des_trywait(sim, semaphore))

/* --- user-defined channels ---------------------------------------------------------------- */

/* An interface is identified by its address; `name` is for messages.  A port can be bound only to a
 * channel with the same interface. */
struct des_interface {
    const char *name;
};
/* A port to the channel returns `self`, usually a struct that starts with function pointers.
 * `update` may be NULL.  It runs in the update phase after des_request_update; updates that it
 * requests itself follow in the same phase. */
struct des_channel des_channel_new(struct des *sim, struct des_module m, const char *name,
                                   const struct des_interface *type, void *self,
                                   des_callback *update);
void des_request_update(struct des *sim, struct des_channel c);
struct des_port des_port_new(struct des *sim, struct des_module m, const char *name,
                             const struct des_interface *type);
/* `self` of the channel that the port is bound to; call it after elaboration. */
void *des_port_channel(const struct des *sim, struct des_port port);

/* --- binding ------------------------------------------------------------------------------ */

/* An export of module `m`: what enclosing modules bind their ports to. */
struct des_export des_export_new(struct des *sim, struct des_module m, const char *name);

/* Bind a port to a channel, to a port of the same kind of the enclosing module, or to an export;
 * bind an export to a channel or to an export of an enclosed module.  Bind each once, before
 * elaboration.  Kind, item size and interface must agree, else it is misuse. */
#define des_bind(sim, port, to) des_bind_object(sim, DES_OBJECT(port), DES_OBJECT(to))
void des_bind_object(struct des *sim, struct des_object port, struct des_object to);

/* --- subscriptions ------------------------------------------------------------------------ */

/* Call `seen` with `self`, `tag` and the new value whenever x changes: a signal (its value), a FIFO
 * (its number of items), an event (1 when it is notified), a clock (1 and 0 at its edges; a watched
 * clock always runs), in the update phase; a probe (its value), when it is set.  des_now() is the
 * time of the change; changes at one time come in the order of their deltas.  Subscribe before
 * elaboration.  A watcher may read the simulation but not change it. */
typedef void des_watcher(struct des *sim, void *self, uint32_t tag, uint64_t value);
#define des_watch(sim, x, seen, self, tag) des_watch_object(sim, DES_OBJECT(x), seen, self, tag)
void des_watch_object(struct des *sim, struct des_object x, des_watcher *seen, void *self,
                      uint32_t tag);
/* The current value, as a watcher is given it: 0 for an event, the level for a clock. */
uint64_t des_watched_value(const struct des *sim, struct des_object x);

#include "des/probe.h"

#include "des/inline.h"

#endif
