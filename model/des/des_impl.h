/* des_impl.h - the kernel from inside: records, lists and the calls between its files.
 *
 *   outside -> des_notify* -> [ queue (timed) | delta list ] -> des_fire -> [ run list ]
 *                                                                  ^             |
 *   signals, FIFOs -> update list -> des_notify_delta -------------+         process
 *
 * Records are indexed by id and 0 is unused.  What the run loop touches is kept in small records
 * apart from names.  Only model/des includes this file. */
#ifndef DES_DES_IMPL_H
#define DES_DES_IMPL_H

#include "des/des.h"

__extension__ typedef unsigned __int128 des_u128;

struct label { /* what a message calls an object: module path + "." + name */
    const char *name;
    uint32_t module;
};

#define DELTA_BIT UINT32_C(0x80000000)

struct event {          /* 16 bytes */
    uint32_t pos;       /* 0: not pending; DELTA_BIT + index in the delta list; else in the queue */
    uint32_t first;     /* its static listeners in sim->listeners */
    uint32_t n : 31;    /* and their number */
    uint32_t clock : 1; /* a clock notifies it, nobody else may */
    uint32_t waiters;   /* last of the processes that wait for it once, a ring; 0: none */
};

struct event_info {
    struct label label;
    uint32_t clock; /* the clock behind it, or 0 */
};

enum process_state {
    PROCESS_STATIC,  /* waits for its static list: the only state in which that wakes it */
    PROCESS_DYNAMIC, /* waits for one event */
    PROCESS_RUNNABLE,
    PROCESS_RUNNING,
    PROCESS_DONE,
};

struct process { /* 32 bytes */
    void *self;
    union {
        des_method *method;
        des_thread *thread;
    } run;
    uint32_t at;     /* where a thread goes on */
    uint32_t next;   /* in the ring of waiters of an event */
    uint32_t clocks; /* index in sim->process_clocks of a list that ends with 0; 0: no clock */
    uint8_t state;
    bool is_thread, dont_initialize;
};

struct timed { /* an entry of the queue */
    des_time when;
    uint64_t seq; /* ties: first notified, first served */
    uint32_t event;
};

struct signal {
    uint64_t now, next;
    uint32_t changed, writer;
    bool updating;
    struct label label;
};

struct fifo {
    unsigned char *items; /* a ring */
    uint32_t item_size, capacity;
    uint32_t head, count; /* visible items */
    uint32_t put, got;    /* in this delta: not yet visible, room not yet usable */
    uint32_t written, read;
    bool updating;
    struct label label;
};

struct port {
    uint32_t fifo; /* 0: not bound */
    uint32_t item_size;
    struct label label;
};

struct clock { /* the edge found last: floor(index * 1e15 / hz) and the remainder */
    uint64_t hz, step, step_rest;
    uint64_t floor, rest;
    uint32_t event;
    struct label label;
};

enum source_kind { SOURCE_EVENT, SOURCE_IN, SOURCE_OUT };

struct sensitivity { /* as declared; ports are resolved at elaboration */
    uint32_t process, source;
    enum source_kind kind;
};

struct module {
    const char *path;
    uint32_t parent;
};

struct names; /* a block of copied names */

/* A growable array of records; item 0 is the null record. */
#define TABLE(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    }

struct des {
    des_time now;
    uint64_t seq, deltas, activations;
    uint32_t current;   /* the running process */
    uint32_t next_wait; /* the event it asked to wait for */
    bool elaborated, started, stop;

    uint32_t *run; /* ring of runnable processes */
    uint32_t run_head, run_tail, run_mask;
    uint32_t *delta; /* events notified for the next delta; 0 where cancelled */
    uint32_t n_delta, cap_delta;
    uint32_t *update; /* signals 2 * id, FIFOs 2 * id + 1 */
    uint32_t n_update;
    struct timed *queue; /* a binary heap from index 1 */
    uint32_t n_queue;

    TABLE(struct event) events;
    TABLE(struct process) processes;
    uint32_t *listeners, *process_clocks;
    uint32_t timers; /* the private timer event of process p is timers + p */
    TABLE(struct signal) signals;
    TABLE(struct fifo) fifos;
    TABLE(struct port) ins;
    TABLE(struct port) outs;
    TABLE(struct clock) clocks;
    unsigned char *items; /* of all FIFOs */

    TABLE(struct event_info) event_infos;
    TABLE(struct label) process_labels;
    TABLE(struct sensitivity) sensitivities;
    TABLE(struct module) modules;
    uint32_t *module_hash; /* open addressing over paths */
    uint32_t cap_hash;
    struct names *names;
};

/* --- misuse --- */

_Noreturn void des_label_bug(const struct des *sim, struct label l, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define unlikely(cond) __builtin_expect(!!(cond), 0)

/* The record of a handle; a null or foreign one is a bug.  `what` is a word for the message. */
#define RECORD(sim, table, handle, what)                                                           \
    (unlikely((handle).id - 1 >= (sim)->table.n - 1) ? des_handle_bug(sim, what) : (void)0,        \
     &(sim)->table.at[(handle).id])
_Noreturn void des_handle_bug(const struct des *sim, const char *what);
_Noreturn void des_not_elaborated_bug(const struct des *sim);

static inline void des_need_elaborated(const struct des *sim)
{
    if (unlikely(!sim->elaborated))
        des_not_elaborated_bug(sim);
}

/* --- storage (store.c) --- */

void *des_alloc(size_t n, size_t size); /* zeroed; never NULL */
/* Append a zeroed record and give its id; a bug after elaboration. */
#define TABLE_ADD(sim, table, l)                                                                   \
    ((sim)->table.at = des_table_room(sim, l, (sim)->table.at, sizeof *(sim)->table.at,            \
                                      (sim)->table.n, &(sim)->table.cap),                          \
     (sim)->table.n++)
/* The array, moved if it had to grow, with room for item n. */
void *des_table_room(const struct des *sim, struct label l, void *at, size_t size, uint32_t n,
                     uint32_t *cap);
const char *des_keep_name(struct des *sim, const char *prefix, const char *name);
void des_free_names(struct des *sim);
/* Check module and name, and keep a copy of the name. */
struct label des_label(struct des *sim, struct des_module m, const char *name);

/* --- queue (queue.c): one entry per event at most --- */

void des_queue_insert(struct des *sim, des_time when, uint32_t event);
void des_queue_remove(struct des *sim, uint32_t pos);
uint32_t des_queue_pop(struct des *sim); /* the event of the first entry */

/* --- events (event.c) --- */

uint32_t des_event_add(struct des *sim, struct label l, uint32_t clock);
/* The notifications behind the public ones, without the check for clock events. */
void des_event_delta(struct des *sim, uint32_t e);
void des_event_at(struct des *sim, uint32_t e, des_time when);
void des_event_cancel(struct des *sim, uint32_t e);
/* Make runnable what waits for e. */
void des_fire(struct des *sim, uint32_t e);
/* Notify e `delay` from now, 0: in the next delta; time overflow is a bug. */
void des_event_after(struct des *sim, uint32_t e, des_time delay);

/* --- processes (process.c) --- */

static inline void des_make_runnable(struct des *sim, uint32_t id)
{
    sim->processes.at[id].state = PROCESS_RUNNABLE;
    sim->run[sim->run_tail++ & sim->run_mask] = id;
}

void des_activate(struct des *sim, uint32_t id);
void des_link_processes(struct des *sim);  /* at elaboration */
void des_start_processes(struct des *sim); /* after it */

/* --- channels and clocks --- */

void des_signal_update(struct des *sim, uint32_t id);
void des_fifo_update(struct des *sim, uint32_t id);
void des_fifo_storage(struct des *sim); /* at elaboration */
int des_check_ports(const struct des *sim, struct err *err);
/* Schedule the next edge unless it is scheduled: somebody waits for it. */
void des_clock_arm(struct des *sim, uint32_t clock);

#endif
