/* record.h - what the kernel keeps of each object: events, processes, signals, ports, clocks.
 *
 * Records are indexed by id and 0 is unused.  What the run loop touches is kept in small records
 * apart from names: a process is one cache line, its private timer included, an event half of one.
 * Only model/des includes this file. */
#ifndef DES_RECORD_H
#define DES_RECORD_H

#include "des/des.h"

struct des_label { /* what a message calls an object: module path + "." + name */
    const char *name;
    uint32_t module;
};

#define TARGET_TIMER UINT32_C(0x80000000) /* | process id, else an event id */
#define ID_LIMIT UINT32_C(0x20000000)     /* ids keep their top bits free for tags */

/* --- records ------------------------------------------------------------------------------ */

enum {
    EVENT_OWNED = 1, /* by a clock or a channel: nobody else may notify it */
    EVENT_WATCHED = 2,
    EVENT_OF_SIGNAL = 4,
    EVENT_OF_FIFO = 8,
    EVENT_PLAIN = 16,  /* only waiters can hear it: no listener, list, watcher or clock */
    EVENT_WALKED = 32, /* its static listeners are walked where they stand, not put into the run
                          list: nothing else wakes them while they wait so, hence the order stays */
};

struct des_event_record { /* 32 bytes */
    des_time when;        /* of its notification: 0 in the next delta, DES_NEVER none */
    uint32_t stamp;       /* of the entry that stands for it */
    uint32_t first, n;    /* its static listeners in sim->listeners */
    uint32_t waiters;     /* last of the processes that wait for it once, a ring; 0: none */
    uint32_t lists;       /* index in sim->memberships of a run that ends with list 0; 0: none */
    uint16_t flags, edge; /* edge: it is that stream of a clock, + 1 */
};

struct des_event_info {
    struct des_label label;
    uint32_t owner; /* the clock, signal or FIFO behind it, or 0 */
    uint32_t watch;
};

struct des_list_record {
    uint32_t waiters; /* as in an event */
    uint32_t first, n;
    bool all;
    struct des_label label;
};

struct des_membership { /* of an event in a list, at this place */
    uint32_t list, place;
};

enum des_process_state {
    PROCESS_STATIC,  /* waits for its static list: the only state in which that wakes it */
    PROCESS_DYNAMIC, /* waits for an event, a list or its timer */
    PROCESS_RUNNABLE,
    PROCESS_RUNNING,
    PROCESS_DONE,
};

enum {
    PROCESS_THREAD = 1,
    PROCESS_DONT_INITIALIZE = 2,
    PROCESS_CLOCKED = 4, /* statically sensitive to a clock */
    PROCESS_SUSPENDED = 8,
    PROCESS_HELD = 16, /* runnable but for being suspended */
    PROCESS_TIMED_OUT = 32,
};

#define WAIT_LIST UINT32_C(0x80000000) /* | list id, else an event id */

struct des_process_record { /* 64 bytes */
    void *self;
    union {
        des_method *method;
        des_thread *thread;
    } run;
    des_time timer;      /* when its timer is due: 0 in the next delta, DES_NEVER not */
    uint64_t ran;        /* the evaluation phase in which it last ran */
    uint64_t need;       /* of a list of which it waits for all: the places still to come */
    uint32_t stamp;      /* of the entry that stands for its timer */
    uint32_t at;         /* where a thread goes on */
    uint32_t next, prev; /* in the ring of waiters */
    uint32_t wait;       /* what ring that is, 0: none */
    uint8_t state, flags;
};

struct des_process_info {
    struct des_label label;
    uint32_t clocks; /* index in sim->process_clocks of a run of events that ends with 0 */
    uint32_t terminated;
};

enum des_heard_by {
    HEARD_NOT,
    HEARD_BY_ONE, /* by one static listener alone */
    HEARD,        /* or may be */
};

struct des_signal_info {
    struct des_label label;
    uint32_t changed; /* its event */
    uint32_t watch;
};

struct des_probe_record { /* 16 bytes */
    uint64_t value;
    uint32_t watch;
    bool fine; /* of the first of a table: a fine one is watched */
};

struct des_probe_info {
    struct des_label label;
    const struct des_probe_row *row;
    uint32_t first; /* of its table */
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

struct des_edges {        /* one stream of edges of a clock, n / (2 hz) s with n even or odd */
    uint64_t floor, rest; /* the edge found last: floor(n * 1e15 / (2 hz)) and the remainder */
    uint32_t event;
    bool watched, begun; /* begun: rising edge 0 has been scheduled */
};

struct des_clock_record {
    uint64_t hz, step, step_rest; /* a period: step + step_rest / (2 hz) fs */
    struct des_edges edges[2];    /* rising, falling */
    struct des_label label;
};

struct des_sensitivity {
    uint32_t process;
    struct des_object source; /* as declared; ports are resolved at elaboration */
};

struct des_module_record {
    const char *path;
    uint32_t parent;
    bool watched; /* something in or below it is */
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
    uint64_t value; /* of an event: what the watcher is told */
};

struct des_actions {
    const char *id;
    enum des_severity severity;
    unsigned actions;
};

#endif
