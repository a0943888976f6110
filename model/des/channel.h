/* channel.h - what joins modules: signals, FIFOs, mutexes, semaphores, channels of the user's own,
 * the ports and exports that lead to them, and subscriptions that trace them.  Part of des.h. */
#ifndef DES_CHANNEL_H
#define DES_CHANNEL_H

#include "des/des.h"

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
struct des_channel { /* one whose interface the user declares */
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
struct des_port { /* port to a channel of the user's own */
    uint32_t id;
};
struct des_export { /* a channel in this module that those outside may bind to */
    uint32_t id;
};

/* Any object, for the calls that take several kinds. */
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

/* "core0.dma.cmd": path of the module and name, cut to `size` bytes with the end of the string. */
char *des_path(const struct des *sim, struct des_object x, char *buf, size_t size);
void des_sensitive_to(struct des *sim, struct des_process p, struct des_object x);

/* --- signals ------------------------------------------------------------------------------ */

/* A signal carries a 64-bit value; a write shows after the update, and `changed` is notified in
 * the next delta if the value differs.  One process may write it; a second writer is misuse.  What
 * writes from outside any process (a test bench between two runs) is not counted. */
struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial);
struct des_event des_changed(const struct des *sim, struct des_signal s);

struct des_signal_in des_signal_in_new(struct des *sim, struct des_module m, const char *name);
struct des_signal_out des_signal_out_new(struct des *sim, struct des_module m, const char *name);

/* des_read(sim, x) and des_write(sim, x, value) take a signal or a port to one; des_signal_of(sim,
 * port) is the signal behind a port, after elaboration. */
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

/* A bounded queue of items of `item_size` bytes, copied in and out; capacity at least 1.  What is
 * put becomes visible, and room that is made can be used, in the next delta. */
struct des_fifo des_fifo_new(struct des *sim, struct des_module m, const char *name,
                             size_t item_size, size_t capacity);
size_t des_fifo_count(const struct des *sim, struct des_fifo f); /* items visible now */
size_t des_fifo_capacity(const struct des *sim, struct des_fifo f);

struct des_in des_in_new(struct des *sim, struct des_module m, const char *name, size_t item_size);
struct des_out des_out_new(struct des *sim, struct des_module m, const char *name,
                           size_t item_size);
/* des_get(sim, port, item) and des_put(sim, port, item): `item` points to a variable of the item's
 * type; another size is misuse.  False: the FIFO is empty, and full. */
#define des_get(sim, port, ...) des_get_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
#define des_put(sim, port, ...) des_put_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
/* The same, and a look at the next item, by a pointer to that many bytes, which is not checked. */
bool des_get_any(struct des *sim, struct des_in port, void *item);
bool des_put_any(struct des *sim, struct des_out port, const void *item);
bool des_peek(const struct des *sim, struct des_in port, void *item);
bool des_can_put(const struct des *sim, struct des_out port);
/* Notified in the delta after items arrived at, or room appeared behind, a port.  Ask for them
 * after elaboration. */
struct des_event des_data_written(const struct des *sim, struct des_in port);
struct des_event des_data_read(const struct des *sim, struct des_out port);

/* Do it, or ask to be woken when it may be possible; and for threads, block until it is done. */
#define des_get_or_wait(sim, port, ...)                                                            \
    des_get_or_wait_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
#define des_put_or_wait(sim, port, ...)                                                            \
    des_put_or_wait_sized(sim, port, __VA_ARGS__, sizeof *(__VA_ARGS__))
#define DES_GET(sim, port, ...) DES_WAIT_UNTIL(des_get_or_wait(sim, port, __VA_ARGS__))
#define DES_PUT(sim, port, ...) DES_WAIT_UNTIL(des_put_or_wait(sim, port, __VA_ARGS__))

/* --- mutexes and semaphores --------------------------------------------------------------- */

/* Both notify immediately, so who waits tries again in the same evaluation phase. */
struct des_mutex des_mutex_new(struct des *sim, struct des_module m, const char *name);
bool des_trylock(struct des *sim, struct des_mutex m); /* by a process */
void des_unlock(struct des *sim, struct des_mutex m);  /* by the one that locked it, else misuse */
struct des_event des_unlocked(const struct des *sim, struct des_mutex m);
#define DES_LOCK(sim, mutex)                                                                       \
    DES_WAIT_EVENT_UNTIL(sim, des_unlocked(sim, mutex), des_trylock(sim, mutex))

struct des_semaphore des_semaphore_new(struct des *sim, struct des_module m, const char *name,
                                       uint32_t initial);
bool des_trywait(struct des *sim, struct des_semaphore s); /* take one, false: none left */
void des_post(struct des *sim, struct des_semaphore s);    /* past UINT32_MAX: misuse */
uint32_t des_semaphore_value(const struct des *sim, struct des_semaphore s);
struct des_event des_posted(const struct des *sim, struct des_semaphore s);
#define DES_WAIT_SEMAPHORE(sim, semaphore)                                                         \
    DES_WAIT_EVENT_UNTIL(sim, des_posted(sim, semaphore), des_trywait(sim, semaphore))

/* --- channels of the user's own ----------------------------------------------------------- */

/* An interface is known by its address; `name` is for messages.  Port and channel must agree. */
struct des_interface {
    const char *name;
};
/* `self` is what a port gives access to, usually a struct that starts with functions.  `update` may
 * be NULL; it runs in the update phase after des_request_update, and may ask for more updates,
 * which follow in the same phase. */
struct des_channel des_channel_new(struct des *sim, struct des_module m, const char *name,
                                   const struct des_interface *type, void *self,
                                   des_callback *update);
void des_request_update(struct des *sim, struct des_channel c);
struct des_port des_port_new(struct des *sim, struct des_module m, const char *name,
                             const struct des_interface *type);
void *des_port_channel(const struct des *sim, struct des_port port); /* after elaboration */

/* --- binding ------------------------------------------------------------------------------ */

struct des_export des_export_new(struct des *sim, struct des_module m, const char *name);

/* Bind a port to a channel, to a port of the same kind of the module around, or to an export; bind
 * an export to a channel or to an export of a module inside.  Once each, before elaboration; what
 * does not fit (kind, item size, interface) is misuse. */
#define des_bind(sim, port, to) des_bind_object(sim, DES_OBJECT(port), DES_OBJECT(to))
void des_bind_object(struct des *sim, struct des_object port, struct des_object to);

/* --- tracing by subscription -------------------------------------------------------------- */

/* Call `seen` with `self`, `tag` and the new value whenever it changes, in the update phase: a
 * signal (value), a FIFO (items visible), an event (1 when it fires), a clock (1, 0 at its edges;
 * a watched clock runs); and a probe (value) where it is set.  des_now is the time; several changes
 * at one time come in order of their deltas.  Subscribe before elaboration.  A watcher reads, and
 * changes nothing. */
typedef void des_watcher(struct des *sim, void *self, uint32_t tag, uint64_t value);
#define des_watch(sim, x, seen, self, tag) des_watch_object(sim, DES_OBJECT(x), seen, self, tag)
void des_watch_object(struct des *sim, struct des_object x, des_watcher *seen, void *self,
                      uint32_t tag);
/* The value a watcher would see now: of an event 0, of a clock its level. */
uint64_t des_watched_value(const struct des *sim, struct des_object x);

#include "des/probe.h"

#include "des/inline.h"

#endif
