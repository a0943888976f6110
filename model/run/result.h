/* result.h - what a replay found out: exact numbers, ready to be printed.
 *
 * `run` fills it, `report` prints it; all names are owned by the result. */
#ifndef RUN_RESULT_H
#define RUN_RESULT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "passes/footprint.h"
#include "task/cause.h"
#include "task/use.h"

/* What the ledger of a result is about: in names of figures, and in words. */
#define RUN_LEDGER_KEY "mxu"
#define RUN_LEDGER_NAME "matrix units"

/* The ledger of the matrix units: where the multiply-accumulates went that they could have done,
 * per step and core.  Uses and waits add up to the capacity exactly. */
struct run_slots {
    mpq_t capacity;
    mpq_t use[N_USES];    /* of units with a command */
    mpq_t not_issued;     /* of them, in cycles in which the program issues no rows */
    mpq_t wait[N_CAUSES]; /* of units without, by what the core waited for */
};

void run_slots_init(struct run_slots *s);
void run_slots_clear(struct run_slots *s);
void run_slots_add(struct run_slots *sum, const struct run_slots *s);
/* What had a command; what had none. */
void run_slots_busy(mpq_t q, const struct run_slots *s);
void run_slots_waiting(mpq_t q, const struct run_slots *s);

/* A phase or an operation, summed over the measured steps and divided by their number; times are
 * means over the cores of the slice. */
struct run_row {
    char *name, *phase, *kind; /* phases: kind "", phase == name */
    uint64_t count;            /* executions in one step of those it is in */
    uint64_t every;            /* 1, or that step runs once in so many */
    mpq_t seconds;             /* per step */
    mpq_t cause[N_CAUSES];     /* seconds per step, adding up to `seconds` exactly */
    enum cause bound_by;       /* the largest of them */
    mpz_t flops;               /* useful, per step and core */
    mpz_t hbm_bytes;           /* moved, per step and core */
    mpq_t mxu;                 /* FLOPs of matmuls and convolutions / (peak of a core * seconds) */
    struct run_slots slots;
    char *
        *advice; /* sentences on what is wasted most, most first (run/advice.h); operations only */
    size_t n_advice;
};

/* An empty row with copies of its names, NULL as ""; and free what a row owns. */
void run_row_init(struct run_row *w, const char *name, const char *phase, const char *kind);
void run_row_clear(struct run_row *w);

/* A figure with its place in the JSON ("utilization.hbm") and a sentence on what it means. */
struct run_figure {
    const char *column, *doc;
    bool known; /* false: prints null */
    mpq_t value;
};

/* The client, where it serves cores one by one. */
struct run_server {
    bool serves;   /* else what follows is 0 */
    mpq_t updates; /* a second */
    mpq_t missed;  /* that were made between reading the weights and applying their gradients, the
                      mean */
};

struct run_link { /* one direction of one chip-to-chip link */
    char *name;   /* "chip0->chip1" */
    mpz_t bytes;  /* per step */
    mpq_t utilization;
};

/* A stage of a pipelined step: means over its cores, per step. */
struct run_stage {
    uint64_t peak_bytes;   /* of a core */
    mpq_t seconds, bubble; /* of the step, without and with nothing but waiting for other stages */
};

/* What would save memory, and how much. */
struct run_remedy {
    char *what;           /* "keep activations and gradients in bf16" */
    uint64_t saves, peak; /* bytes of a core; that are needed then */
    bool fits;
};

struct run_result {
    char *machine, *trace, *workload;
    uint32_t cores, chips, hosts;
    uint64_t steps;           /* measured, after one warm-up step that fills the input queues */
    uint64_t cycles_per_step; /* core clock, rounded to the nearest when steps > 1 */
    uint64_t core_hz;
    uint32_t slices;                        /* joined over the data centre's network */
    uint32_t mesh[3];                       /* chips of a slice along x, y, z */
    mpq_t peak_flops, hbm_bytes_per_second; /* of a core: bf16; its share of the chip's HBM */
    mpq_t seconds_per_step;
    bool has_epoch;             /* the trace says how many samples an epoch has */
    mpz_t samples_per_step;     /* of all cores */
    uint64_t samples_per_epoch; /* 0: the trace does not say */
    mpq_t steps_per_epoch, seconds_per_epoch, samples_per_second;
    bool has_price, has_preemptible;
    mpq_t usd_per_hour, usd_per_hour_preemptible; /* the whole slice */
    mpq_t usd_per_epoch, usd_per_epoch_preemptible;
    char *price_source; /* where the prices come from: "[ju-2020: 2020-04-07]" */
    uint64_t epochs;    /* of a run, 0: nobody asked */
    bool has_power;     /* somebody measured the power of the chips */
    mpq_t watts;        /* of all of them, the mean over a step */
    char *power_source;

    uint64_t peak_bytes_per_core, capacity_bytes_per_core;
    bool fits;
    char *peak_at; /* name of the operation where memory peaks */
    struct footprint memory;
    uint32_t peak_stage;     /* and the stage of a pipeline that needs it */
    struct run_stage *stage; /* of a pipelined step; none of others */
    uint32_t n_stages;
    struct run_remedy *remedies; /* where it does not fit */
    size_t n_remedies;

    mpq_t cause[N_CAUSES];  /* seconds per step, mean over cores; sums to seconds_per_step */
    mpq_t hop_seconds;      /* latency of all hops of a step's collectives, one after the other */
    enum cause bound_by;    /* the largest of them */
    enum cause limited_by;  /* the same, unless the host or its storage never rests */
    bool limited_by_server; /* it is CAUSE_HOST, and that is the parameter server */
    struct run_server server;

    struct run_slots slots; /* of the step */

    struct run_figure *figures; /* utilization.*, mxu_waste.* in the order of the JSON */
    size_t n_figures;
    struct run_row *phases, *ops; /* in program order */
    size_t n_phases, n_ops;
    struct run_link *links;
    size_t n_links;

    uint64_t uncovered_ops; /* unknown operations, costed as memory traffic */
    mpq_t uncovered_share;  /* of the step */

    uint64_t trace_checksum, machine_checksum;
    char **changed; /* "mxu.count = 4" */
    size_t n_changed;
    uint32_t unverified; /* machine values in use whose source is [unverified] */
    uint64_t events;     /* process activations simulated, a measure of work */
    bool exact;
};

void run_result_free(struct run_result *r);

/* What limits the step: the name of a cause, or "server", the parameter server. */
const char *result_limit_name(const struct run_result *r);

/* [enum footprint_role] "weights" */
extern const char *const result_role_name[N_FOOTPRINT_ROLES];

struct des;

/* Somebody who looks at the machine while it runs: subscribes to what it shows, and changes
 * nothing. Nothing here is called twice. */
struct run_observer {
    void *self;
    /* The machine is built and not yet elaborated: time to subscribe. */
    int (*attach)(void *self, struct des *sim, struct err *err);
    /* Measuring begins; one step took `step_fs`, and `steps` follow. */
    int (*begin)(void *self, struct des *sim, uint64_t step_fs, uint64_t steps, struct err *err);
    /* The measured steps are over, or the run has failed; what the machine shows after this is not
     * to be recorded.  Called in any case, even if attach failed. */
    void (*end)(void *self, struct des *sim);
    bool one_chip; /* it looks at the first chip alone, which may then stand for all that are alike
                    */
};

/* What `compare` asks of one machine. */
struct run_request {
    const char *trace; /* path or "-"; with a text, its name for messages */
    const char *text;  /* NULL, or the trace itself, text or container; borrowed */
    size_t text_size;
    const char *machine;    /* name or path of an .ini */
    const char *const *set; /* "mxu.count=4" */
    size_t n_set;
    uint64_t steps; /* to measure, at least 1 */
    bool exact;     /* every shortcut off */
    bool allow_unknown;
    uint64_t epochs; /* of a run, whose time and cost are wanted; 0: none */
    /* called now and then with work done and in all, in steps of the program; may be NULL */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    const struct run_observer *observer; /* n_observers of them */
    size_t n_observers;
};

/* Replay a trace on a machine.  A program that does not fit the memory is replayed all the same:
 * `fits` says so.  Errors: all of the trace reader and machine files; ERR_FIT when an operation
 * cannot run on this machine at all. */
int run_replay(const struct run_request *q, struct run_result *r, struct err *err);

/* What a step takes of a core's memory. */
struct run_memory {
    struct footprint peak;
    uint64_t capacity; /* bytes of a core */
};

/* Lower a trace for a machine without running it.  Errors: those of run_replay(). */
int run_lower(const struct run_request *q, struct run_memory *m, struct err *err);

#endif
