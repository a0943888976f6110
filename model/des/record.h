/* record.h - what the kernel keeps of each object: events, processes, signals, ports, clocks.
 *
 * Records are indexed by id and 0 is unused.  What the run loop touches is kept in small records
 * apart from names: a process is one cache line, its private timer included, an event half of one.
 * Only model/des includes this file. */
#ifndef DES_RECORD_H
#define DES_RECORD_H

#include "des/des.h"

struct label { /* what a message calls an object: module path + "." + name */
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

struct event {            /* 32 bytes */
    des_time when;        /* of its notification: 0 in the next delta, DES_NEVER none */
    uint32_t stamp;       /* of the entry that stands for it */
    uint32_t first, n;    /* its static listeners in sim->listeners */
    uint32_t waiters;     /* last of the processes that wait for it once, a ring; 0: none */
    uint32_t lists;       /* index in sim->memberships of a run that ends with list 0; 0: none */
    uint16_t flags, edge; /* edge: it is that stream of a clock, + 1 */
};

struct event_info {
    struct label label;
    uint32_t owner; /* the clock, signal or FIFO behind it, or 0 */
    uint32_t watch;
};

struct list {
    uint32_t waiters; /* as in an event */
    uint32_t first, n;
    bool all;
    struct label label;
};

struct membership { /* of an event in a list, at this place */
    uint32_t list, place;
};

enum process_state {
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

struct process { /* 64 bytes */
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

struct process_info {
    struct label label;
    uint32_t clocks; /* index in sim->process_clocks of a run of events that ends with 0 */
    uint32_t terminated;
};

enum heard {
    HEARD_NOT,
    HEARD_BY_ONE, /* by one static listener alone */
    HEARD,        /* or may be */
};

struct signal_info {
    struct label label;
    uint32_t changed; /* its event */
    uint32_t watch;
};

struct probe { /* 16 bytes */
    uint64_t value;
    uint32_t watch;
    bool fine; /* of the first of a table: a fine one is watched */
};

struct probe_info {
    struct label label;
    const struct des_probe_row *row;
    uint32_t first; /* of its table */
};

struct channel {
    void *self;
    des_callback *update;
    const struct des_interface *type;
    bool updating;
    struct label label;
};

struct mutex {
    uint32_t unlocked, owner;
    bool locked;
};

struct semaphore {
    uint32_t posted, value;
};

struct port { /* ports of every kind, and exports */
    enum des_kind kind;
    struct des_object to; /* what it is bound to; id 0: nothing */
    uint32_t item_size;   /* of FIFOs */
    const struct des_interface *type;
    struct label label;
};

struct edges {            /* one stream of edges of a clock, n / (2 hz) s with n even or odd */
    uint64_t floor, rest; /* the edge found last: floor(n * 1e15 / (2 hz)) and the remainder */
    uint32_t event;
    bool watched, begun; /* begun: rising edge 0 has been scheduled */
};

struct clock {
    uint64_t hz, step, step_rest; /* a period: step + step_rest / (2 hz) fs */
    struct edges edges[2];        /* rising, falling */
    struct label label;
};

struct sensitivity {
    uint32_t process;
    struct des_object source; /* as declared; ports are resolved at elaboration */
};

struct module {
    const char *path;
    uint32_t parent;
    bool watched; /* something in or below it is */
};

struct callback {
    des_callback *call;
    void *self;
    enum des_phase phase;
    bool called;
};

struct watch {
    des_watcher *seen;
    void *self;
    uint32_t tag, next;
    uint64_t value; /* of an event: what the watcher is told */
};

struct actions {
    const char *id;
    enum des_severity severity;
    unsigned actions;
};

#endif
