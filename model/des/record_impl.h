/* record_impl.h - records of the kernel's objects: events, processes, signals, ports, clocks.
 *
 * Records are indexed by id; id 0 is unused.  Fields that the run loop uses are in small records
 * apart from names: a process with its timer is one cache line, an event half a cache line.  Only
 * model/des includes this file. */
#ifndef DES_RECORD_IMPL_H
#define DES_RECORD_IMPL_H

#include "des/des.h"

struct des_label { /* name of an object in messages: module path + "." + name */
    const char *name;
    uint32_t module;
};

#define TARGET_TIMER UINT32_C(0x80000000) /* | process id, else an event id */
#define ID_LIMIT UINT32_C(0x20000000)     /* ids keep their top bits free for tags */

/* --- records ------------------------------------------------------------------------------ */

enum {
    EVENT_OWNED = 1, /* by a clock or a channel, which alone notifies it */
    EVENT_WATCHED = 2,
    EVENT_OF_SIGNAL = 4,
    EVENT_OF_FIFO = 8,
    EVENT_PLAIN = 16,  /* no static listener, list, watcher or clock: only waiters hear it */
    EVENT_WALKED = 32, /* its static listeners are run from their array instead of the run list.
                          Nothing else wakes them while they wait, so the order is the same */
};

struct des_event_record { /* 32 bytes */
    des_time when;        /* of its notification: 0 in the next delta, DES_NEVER none */
    uint32_t stamp;       /* of its entry in the queue or the delta list */
    uint32_t first, n;    /* its static listeners in sim->listeners */
    uint32_t waiters;     /* last of the ring of processes that wait dynamically; 0: none */
    uint32_t lists;       /* first of its memberships, which end with list 0; 0: none */
    uint16_t flags, edge; /* edge: 1 + index of the clock's stream of edges; 0: no clock */
};

struct des_event_info {
    struct des_label label;
    uint32_t owner; /* clock, signal or FIFO that notifies it, or 0 */
    uint32_t watch;
};

struct des_list_record {
    uint32_t waiters; /* as in an event */
    uint32_t first, n;
    bool all;
    struct des_label label;
};

struct des_membership { /* an event is in this list, at this place */
    uint32_t list, place;
};

enum des_process_state {
    PROCESS_STATIC,  /* waits for its static sensitivity */
    PROCESS_DYNAMIC, /* waits for an event, a list or its timer; static events do not wake it */
    PROCESS_RUNNABLE,
    PROCESS_RUNNING,
    PROCESS_DONE,
};

enum {
    PROCESS_THREAD = 1,
    PROCESS_DONT_INITIALIZE = 2,
    PROCESS_CLOCKED = 4, /* statically sensitive to a clock */
    PROCESS_SUSPENDED = 8,
    PROCESS_HELD = 16, /* would be runnable if it were not suspended */
    PROCESS_TIMED_OUT = 32,
};

#define WAIT_LIST UINT32_C(0x80000000) /* | list id, else an event id */

struct des_process_record { /* 64 bytes */
    void *self;
    union {
        des_method *method;
        des_thread *thread;
    } run;
    des_time timer; /* due time of its timer; 0: the next delta, DES_NEVER: not set */
    uint64_t ran;   /* the evaluation phase in which it ran last */
    union {
        uint64_t need;  /* waits for all of a list: bits of the places not notified yet */
        uint32_t *slot; /* is blocked on a FIFO: its place there; no timer and no `wait` is set */
    };
    uint32_t stamp;       /* of the entry of its timer */
    uint32_t at;          /* where a thread continues */
    uint32_t next, prev;  /* in the ring of waiters */
    uint32_t wait;        /* the ring: an event, or WAIT_LIST | list; 0: none */
    uint8_t state, flags; /* in this order: run.c loads both */
};

struct des_process_info {
    struct des_label label;
    uint32_t clocks;     /* first of its events in sim->process_clocks, which end with 0 */
    uint32_t terminated; /* event of its end; 0: nobody asked for it */
};

enum des_heard_by {
    HEARD_NOT,
    HEARD_BY_ONE, /* by one static listener and nothing else */
    HEARD,        /* by others, perhaps */
};

struct des_signal_info {
    struct des_label label;
    uint32_t changed; /* event of its change */
    uint32_t watch;
};

struct des_probe_record { /* 16 bytes */
    uint64_t value;
    uint32_t watch;
    bool fine; /* in the first probe of a table: a fine probe of the table is watched */
};

struct des_probe_info {
    struct des_label label;
    const struct des_probe_row *row;
    uint32_t first; /* first probe of its table */
    uint32_t ramp_watch;
    struct des_ramp ramp; /* the last one */
    uint64_t peak;        /* 0: unknown */
};

struct des_channel_record {
    void *self;
    des_callback *update;
    const struct des_interface *type;
    bool updating;
    struct des_label label;
};

struct des_mutex_record {
    uint32_t unlocked, owner;
    bool locked;
};

struct des_semaphore_record {
    uint32_t posted, value;
};

struct des_port_record { /* ports of every kind, and exports */
    enum des_kind kind;
    struct des_object to; /* what it is bound to; id 0: nothing */
    uint32_t item_size;   /* of FIFOs */
    const struct des_interface *type;
    struct des_label label;
};

struct des_edges { /* the rising or the falling edges of a clock: n / (2 hz) s, n even or odd */
    uint64_t floor, rest; /* the edge found last: floor(n * 1e15 / (2 hz)) and the remainder */
    uint32_t event;
    bool watched, begun; /* begun: rising edge 0 was scheduled */
};

struct des_clock_record {
    uint64_t hz, step, step_rest; /* a period: step + step_rest / (2 hz) fs */
    struct des_edges edges[2];    /* rising, falling */
    struct des_label label;
};

struct des_sensitivity {
    uint32_t process;
    struct des_object source; /* as declared; elaboration follows ports */
};

struct des_module_record {
    const char *path;
    uint32_t parent;
    bool watched; /* an object in or below it is watched */
};

struct des_callback_record {
    des_callback *call;
    void *self;
    enum des_phase phase;
    bool called;
};

struct des_watch_record {
    des_watcher *seen;
    void *self;
    uint32_t tag, next;
    uint64_t value; /* of an event: the value that the watcher is given */
};

struct des_actions {
    const char *id;
    enum des_severity severity;
    unsigned actions;
};

#endif
