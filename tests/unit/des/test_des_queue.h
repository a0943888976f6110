/* test_des_queue.h - a random program, as the kernel and the simulator that it is held against play
 * it: the decisions are made in test_des_queue.c and are the same for both. */
#ifndef UNIT_DES_TEST_DES_QUEUE_H
#define UNIT_DES_TEST_DES_QUEUE_H

#include "des/des.h"

enum {
    PERIOD = 10, /* of the clock, in fs */
    SENSES = 3,  /* a process listens to so many at most */
    LISTS = 6,
    LIST_EVENTS = 4,
    LOG_MAX = 400000,
    NONE = -1,
    STATIC_LIST = -2,
    ENDED = -3,
    RESUMED = -4,
};

enum delays { EQUAL, CLUSTERS, EXPONENTIAL, TINY, BIMODAL, DECREASING, GRID, LAST };

struct program {
    enum delays delays;
    int processes, events, signals; /* events: of the user's own */
    bool clock;
    bool wide;  /* every other process listens to the clock or to a signal and to nothing else */
    bool alone; /* each signal is listened to by one process and by nobody who waits for it once */
    unsigned slices, burst;       /* runs, and notifications from outside between two */
    unsigned now, control, waits; /* of 64 actions: immediate ones, kill and suspend; of 8: waits */
    size_t limit;                 /* activations after which nobody does anything */
};

struct entry {
    int process;
    bool timed_out;
    des_time when;
    uint64_t deltas;
};

struct world;

struct rules { /* the kernel under test, or the simulator that it is held against */
    void (*notify)(struct world *w, int e);
    void (*delta)(struct world *w, int e);
    void (*after)(struct world *w, int e, des_time delay);
    void (*cancel)(struct world *w, int e);
    void (*write)(struct world *w, int s, uint64_t value);
    void (*wait_event)(struct world *w, int e, des_time timeout); /* DES_NEVER: none */
    void (*wait_list)(struct world *w, int l, des_time timeout);
    void (*wait_time)(struct world *w, des_time delay);
    void (*wait_resume)(struct world *w);
    void (*kill)(struct world *w, int p);
    void (*suspend)(struct world *w, int p);
    void (*resume)(struct world *w, int p);
    void (*run)(struct world *w, des_time until);
    des_time (*time)(struct world *w);
};

struct target { /* an event, or the timer of a process */
    enum { IDLE, DELTA, TIMED } kind;
    des_time when;
    uint64_t seq;
};

struct process {
    enum { STATIC, DYNAMIC, RUNNABLE, RUNNING, DONE } state;
    bool suspended, held, timed_out;
    int wait, list; /* the event and the list it waits for, or NONE */
    bool seen[LIST_EVENTS];
    uint64_t seq; /* when it began to wait */
};

struct world {
    const struct program *program;
    const struct rules *rules;
    uint64_t random;
    unsigned descent;
    size_t n_log;
    struct entry *log;
    int n_senses, (*senses)[2]; /* process, event: in the order in which they are declared */
    int lists[LISTS][LIST_EVENTS];

    struct des *sim;
    struct des_event *events; /* the user's, the clock's, those of signals */
    struct des_signal *signals;
    struct des_list list_handles[LISTS];
    struct des_process *handles;

    struct target *targets; /* events, then timers */
    struct process *processes;
    uint64_t *values, *next_values;
    bool *written;
    int *writes, n_writes, *runs, first_run, n_runs, current, next_event, next_list;
    des_time now;
    uint64_t seq, deltas;
    bool begun;
};

/* The events of a program: the user's, then that of the clock, then those of the signals. */
int clock_of(const struct program *p); /* NONE: there is none */
int event_of_signal(const struct program *p, int s);
int n_events(const struct program *p);
/* One activation of a process: log it and decide what it does. */
void act(struct world *w, struct entry activation);

extern const struct rules plain_rules;
void prepare_plain(struct world *w); /* make every process runnable */

#endif
