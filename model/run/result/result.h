/* result.h - the result of a replay, and the request for one.
 *
 * Numbers are exact; they are rounded when they are printed.  The result owns all its names.  Rows,
 * seconds and slots are of one step and one core: sums over the measured steps and the cores of all
 * slices, divided by how many these are. */
#ifndef RUN_RESULT_RESULT_H
#define RUN_RESULT_RESULT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/amounts.h"
#include "base/err.h"
#include "base/texts.h"
#include "cost/cost.h"
#include "passes/footprint.h"
#include "passes/host_loop.h"
#include "run/result/account.h"
#include "run/result/allow.h"
#include "run/result/expected_error.h"
#include "task/cause.h"
#include "task/task.h"
#include "task/use.h"

/* The ledger of a result, below, is of this unit: in names of figures, and in words. */
#define RUN_LEDGER_KEY "mxu"
#define RUN_LEDGER_UNIT "MXU"
#define RUN_LEDGER_NAME "matrix units"

/* The ledger of the matrix units, in multiply-accumulates of a step and a core:
 *
 *     capacity = sum of use[] + not_issued + sum of wait[]     exactly
 *
 * A unit has a command (is busy) or has none (is idle). */
struct run_slots {
    mpq_t capacity;      /* what the units could have done */
    struct amounts use;  /* [enum use] busy units, by what became of the slot */
    mpq_t not_issued;    /* busy units, in cycles in which the program issues no rows */
    struct amounts wait; /* [enum cause] idle units, by what the core waited for */
};

/* Make them 0; give back what they hold; add `s` to `sum`. */
void run_slots_init(struct run_slots *s);
void run_slots_clear(struct run_slots *s);
void run_slots_add(struct run_slots *sum, const struct run_slots *s);
/* q = the slots of busy units; of idle units. */
void run_slots_busy(mpq_t q, const struct run_slots *s);
void run_slots_waiting(mpq_t q, const struct run_slots *s);

/* Changes that advice names and that can be replayed: study/trial.h. */
enum run_trial {
    RUN_TRIAL_BATCH, /* of a generated trace */
    RUN_TRIAL_BF16,
    RUN_TRIAL_TF32, /* settings of the machine */
    RUN_TRIAL_FUSED,
    RUN_TRIAL_PAGES,
    RUN_TRIAL_PINNED,
    RUN_N_TRIALS
};

/* The ground of a sentence of advice. */
struct run_advised {
    uint32_t trials;  /* bits of [enum run_trial]: changes that do what it says */
    uint32_t part;    /* of the time of its operation, in thousandths, rounded up */
    enum cause cause; /* of the wait that it is about; N_CAUSES: of none */
    size_t fact;      /* length of its first half, which says what is so; then what to do */
};

/* Replays beside the one that was asked for, which its figures do not contain. */
struct run_trials {
    uint64_t replays, events;
    bool hands;             /* kernels were cut anew: the machine as it stands ran by both hands, */
    int32_t hands_permille; /* and ours took so many thousandths longer than the compiler's */
};

/* A phase or an operation.  Its texts but for advice are the result's. */
struct run_row {
    const char *name, *phase, *kind; /* phases: kind "", phase == name */
    const char *group; /* of identical layers: its label; else the name (layer_group.h) */
    uint64_t names;    /* of a sum of rows: how many names they have; else 0 */
    uint64_t count;    /* executions in a step that runs it */
    uint64_t every;    /* 1, or N: the step that runs it comes once in N steps */
    mpq_t seconds;
    uint32_t causes;            /* [enum cause] bits: those of its kind of core */
    struct amounts cause;       /* [enum cause] seconds; they add up to `seconds` exactly */
    enum cause bound_by;        /* the largest of them */
    mpz_t flops, hbm_bytes;     /* useful FLOPs; bytes moved to and from HBM */
    bool compiled;              /* part of a compiled program, with what the next three say */
    const char *scope, *source; /* "jit(step)/jvp()/conv", "gan3d.py:56"; else "" */
    uint8_t retiled;            /* 1 + enum task_retiled, why it was cut anew; 0: it was not */
    mpq_t estimated;            /* seconds by the compiler's own estimate; 0: it gives none */
    enum account_class rests;   /* of operations */
    mpq_t assumed;              /* seconds of models that an unverified value sets the pace of */
    const char *why;            /* "" of measured and modelled ones */
    mpq_t mxu; /* FLOPs of the matrix units, in those of bf16 / (bf16 peak of a core * seconds) */
    struct run_slots slots;
    const char *padding;   /* of operations: the padded rows they are on, "" none; NULL: of a trace
                              without any */
    uint64_t real, padded; /* of these rows; 0 without them */
    char **advice; /* of operations: sentences on the largest losses, largest first (advice.h) */
    struct run_advised *advised; /* [n_advice] */
    size_t n_advice;
};

/* An empty row with these names, borrowed, NULL as ""; and free what a row owns. */
void run_row_init(struct run_row *w, uint32_t causes, const char *name, const char *phase,
                  const char *kind);
void run_row_clear(struct run_row *w);

/* Rows that are filled up to a size (run/result/padding.h); names of those that are samples. */
#define PADDING_SAMPLES "samples"
#define PADDING_EPOCH "epoch"
struct run_padding {
    char *name;         /* "nodes", "samples", "epoch" */
    mpz_t real, padded; /* rows with data, and all: of a step and core; of samples: of a step and
                           all cores, of an epoch */
    mpq_t share;        /* 1 - real / padded */
    mpq_t seconds;      /* of a step that goes to the others */
};

/* A figure with its place in the JSON ("utilization.hbm") and a sentence on what it means. */
struct run_figure {
    const char *column, *doc;
    bool known; /* false: prints null */
    mpq_t value;
};

/* The client as a parameter server, which serves cores one by one. */
struct run_server {
    bool serves;   /* false: there is none, and the others are 0 */
    mpq_t updates; /* in a second */
    mpq_t missed; /* updates between reading the weights and applying their gradients, on average */
};

/* Work that takes energy, of a step and all chips.  0 where a run is brief. */
struct run_work {
    mpq_t macs;  /* of the matrix units, in bf16 or f16; of TPUs without those that are padding */
    mpq_t fmas;  /* of CUDA cores, in f32 */
    mpq_t bytes; /* to and from memory */
    mpq_t link_bytes; /* on links between chips */
};

struct run_link { /* one direction of one chip-to-chip link */
    char *name;   /* "chip0->chip1" */
    mpz_t bytes;  /* per step */
    mpq_t utilization;
};

/* A stage of a pipelined step. */
struct run_stage {
    uint64_t peak_bytes; /* of memory, of a core */
    mpq_t seconds;       /* in which its cores work, or wait for anything but other stages */
    mpq_t bubble;        /* seconds in which they wait for other stages */
};

/* A change that would save memory. */
enum run_remedy_kind { RUN_REMEDY_OTHER, RUN_REMEDY_REMAT, RUN_REMEDY_SHARD, RUN_REMEDY_BATCH };
struct run_remedy {
    char *what;            /* "keep activations and gradients in bf16" */
    uint64_t saves;        /* bytes of a core; 0: it needs a larger memory instead */
    uint64_t peak;         /* bytes of a core with the change */
    bool fits, tried;      /* `peak` does; it was replayed: */
    int32_t cost_permille; /* seconds of a step more than without it, in thousandths */
    bool about; /* `peak` is an estimate of another step, which nobody has made: it may fit */
    enum run_remedy_kind kind; /* of that step, */
    uint64_t n;                /* over so many cores, of so many samples a core */
};

/* The memory that the step would need with the other value of a switch of the compiler, which
 * nobody has measured for this step. */
struct run_fit_switch {
    const char *set; /* "xla.narrow_activations=no" */
    uint64_t peak;   /* bytes of a core with it */
    bool known;      /* false: the trace leaves the compiler no choice */
    bool fits;
};

/* The times of a step that is short against the interval of refreshes (run/moments.h). */
struct run_moments {
    uint64_t n;        /* moments of the interval at which it began; 0: it is not averaged */
    mpq_t least, most; /* seconds */
};

/* Bytes alive at the peak that a line of source or a scope owns (run/result/memory_owner.h). */
struct run_owner {
    char *name;               /* "gan3d.py:56", "jit(step)/conv"; "": not stated, all of one role */
    enum footprint_role role; /* of its largest buffer */
    uint64_t bytes, buffers;
    char *largest; /* buffer: "fusion.12 bf16[16,4096]" */
    uint64_t largest_bytes;
};
/* A buffer alive at the peak: what is in it, and from which operation to which. */
struct run_buffer {
    char *name, *shape, *scope, *source; /* "fusion.546:0", "f32[226000,256]{1,0:T(8,128)}" */
    char *made, *last;                   /* operations; "": before the step, until its end */
    enum footprint_role role;
    uint64_t bytes, logical; /* as it is allocated; of its elements alone */
};
#define RUN_BEFORE UINT32_MAX
/* A tensor on its way to an operation that reads it. */
struct run_edge {
    uint32_t from, to; /* in ops; from RUN_BEFORE: it is there before the step */
    const char *tensor;
    uint64_t bytes; /* as it is kept */
};
struct run_flow {
    struct run_edge *edge; /* in the order of their readers */
    size_t n;
};

/* Operations of one phase or scope (run/result/op_tree.h). */
struct run_branch {
    const char *name; /* a part of a scope: "jvp(G.conv1)" */
    uint32_t depth;   /* 0: the step */
    uint64_t count;   /* executions of all operations below it; the others the same */
    mpq_t seconds, wasted;
    mpz_t flops, hbm_bytes;
    uint32_t *op; /* in ops: those that no branch below has */
    size_t n_ops;
};

struct run_owners {
    struct run_owner *source, *scope; /* none unless the trace is a compiled program */
    size_t n_sources, n_scopes;
    struct run_buffer *buffer; /* of any trace; most bytes first */
    size_t n_buffers;
};

/* The peak that the compiler reports of a program, and ours as it counts (passes/footprint.h). */
struct run_compiler_peak {
    uint64_t stated, counted; /* bytes of a core; stated 0: the program does not say */
    bool agrees;              /* they differ by RUN_PEAK_NEAR at most */
};
#define RUN_PEAK_NEAR 200 /* one part in so many: 0.5 % */

struct run_on_chip {         /* memory on the chip: values of a compiled program between kernels */
    uint64_t peak, capacity; /* bytes of a core; peak 0: it keeps none there */
};

/* A slice whose memory holds a trace. */
struct run_slice {
    char machine[64]; /* "": there is none */
    const char *chip; /* "GPU" */
    uint32_t chips;
    uint64_t peak, capacity; /* bytes of a core: what a step takes, and what there is */
};

/* The nearness of the nearest measurements to a replay: run/result/evidence.h. */
enum run_cover {
    RUN_COVER_NONE,
    RUN_COVER_KERNELS,  /* kernels of the generation, alone */
    RUN_COVER_OTHERS,   /* steps of other workloads on the generation */
    RUN_COVER_SLICES,   /* steps of this workload on other slices of the generation */
    RUN_COVER_WORKLOAD, /* other steps of this workload on this machine */
    RUN_COVER_STEP,     /* this step on this machine */
};

struct run_evidence_line {
    char *class, *machine; /* "3dgan, loop in the graph", "tpu-v3-8" */
    uint64_t rows;
    mpq_t median, worst; /* errors: of absolute values; the largest, with its sign */
};

/* Errors of predictions of measurements that are like this step: `n` lines, owned. */
struct run_evidence {
    enum run_cover cover;
    struct run_evidence_line *line;
    size_t n;
};

/* Free its lines; it has none then. */
void run_evidence_clear(struct run_evidence *e);

struct run_result {
    char *machine, *trace, *workload;
    uint32_t cores, chips, hosts;   /* of all slices */
    uint32_t slices;                /* joined over the data centre's network */
    uint32_t mesh[3];               /* chips of a slice along x, y, z */
    uint32_t tensor_cores;          /* of all slices: 1 or 2 of them run as one core */
    uint32_t mxus, mxu_size;        /* matrix units of a core, 0: it has none; rows of each */
    uint32_t causes;                /* [enum cause] bits: those of its kind of core */
    const char *chip;               /* "TPU", "GPU", "CPU" */
    const char *peak_dtype;         /* of the operands of the peak rate of products */
    const char *constants;          /* "hopper": whose fitted ones a GPU has; NULL: its own */
    const char *memory_name;        /* of a chip: "HBM", "RAM" */
    mpq_t peak_flops;               /* of a core in bf16, FLOP/s */
    mpq_t hbm_bytes_per_second;     /* of a core: its share of the chip's HBM */
    uint64_t link_bytes_per_second; /* one direction of a link between chips; 0: there is none */
    uint64_t core_hz;

    uint64_t steps;           /* measured, after the steps that warm up queues and servers */
    uint64_t cycles_per_step; /* of the core clock, rounded to the nearest */
    mpq_t seconds_per_step;
    struct run_moments moments;
    mpq_t model_flops; /* of a step, all cores: FLOPs of the matrix units that the model needs,
                          without what is computed again to save memory */
    mpq_t plain_flops; /* FLOPs that take as long in r->peak_dtype at its peak as those of the
                          model in the dtypes that they have: less with 8-bit products */
    bool has_plain,
        has_fast;           /* the step has products in peak_dtype or slower ones; in faster ones */
    bool samples_unknown;   /* the trace does not say how many samples a step has: figures that
                               count samples are of one a replica, and are not shown */
    mpz_t samples_per_step; /* of all cores */
    mpz_t samples_left; /* of an epoch, after its whole steps: dropped; < 0: its steps have so many
                           more than the data set, as padding or once more */
    uint64_t samples_per_epoch; /* 0: the trace does not say */
    bool has_epoch;             /* it does */
    bool unfed; /* a compiled program whose input is in memory: no host feeds it in these times */
    mpq_t steps_per_epoch, seconds_per_epoch, samples_per_second;
    uint64_t epochs; /* of a whole run; 0: nobody asked */

    bool has_price, has_preemptible;
    mpq_t usd_per_hour, usd_per_hour_preemptible; /* of all slices */
    mpq_t usd_per_epoch, usd_per_epoch_preemptible;
    bool price_verified; /* the price on demand has a source */
    char *price_source;  /* "[ju-2020: 2020-04-07]" */
    struct run_work work;
    struct cost_power power; /* of all chips, on average over a step */
    char *power_source;

    uint64_t peak_bytes_per_core, capacity_bytes_per_core;
    bool fits;
    struct run_fit_switch fit_switch;
    char *peak_at;           /* name of the operation where memory peaks */
    struct footprint memory; /* the bytes at the peak, by role */
    struct run_owners owners;
    struct run_compiler_peak compiler_peak;
    struct run_on_chip vmem, cmem;
    uint32_t peak_stage;     /* stage of a pipeline that needs most */
    struct run_stage *stage; /* n_stages: none unless the step is pipelined */
    uint32_t n_stages;
    struct run_remedy *remedies; /* none where it fits */
    size_t n_remedies;
    struct run_slice smallest; /* built-in slice that holds the trace; none where this one does */

    struct amounts cause;  /* [enum cause] seconds of a step; they add up to it exactly */
    mpq_t hop_seconds;     /* latency of all hops of a step's collectives, one after the other */
    enum cause bound_by;   /* the largest cause */
    enum cause limited_by; /* what sets the pace: a unit outside the cores that never rests (host,
                              client, storage), else bound_by */
    bool limited_by_launches; /* limited_by is CAUSE_LAUNCH, and the host's thread never rests */
    bool limited_by_server;   /* limited_by is CAUSE_HOST, and that is the parameter server */
    struct run_server server;

    struct run_slots slots;     /* of the step */
    struct run_figure *figures; /* ratios of statistics, in the order of the JSON */
    size_t n_figures;
    struct run_row *phases, *ops; /* in program order */
    size_t n_phases, n_ops;
    struct run_row *layers, *scopes, *sources; /* sums of ops (run/result/origin.h) */
    size_t n_layers, n_scopes, n_sources;
    struct run_branch *tree; /* of ops; parents before children */
    size_t n_tree;
    struct run_flow flow;
    struct texts texts; /* of all rows */
    struct run_link *links;
    size_t n_links;

    struct run_padding *padding; /* n_padding: those that take time */
    size_t n_padding;
    mpq_t padding_seconds; /* of a step that goes to padding of any kind */

    /* grid steps of a core in all steps of the trace, and those simulated where turns of loops were
     * left out, as others are like them; both 0: all of them */
    uint64_t grid_steps, walked_steps;
    struct task_notes notes; /* kernels of a compiled program that run otherwise than it states */
    bool unknown_compiler;  /* a compiled program says nothing of its compiler: taken for XLA:TPU */
    struct account account; /* what its seconds rest on; they add up to seconds_per_step exactly */

    uint64_t trace_checksum, machine_checksum; /* of the trace as it ran */
    char *compile; /* the command that compiles a compiled program for this machine; else "" */
    uint64_t written_for; /* cores that a generated trace is for; 0: it runs on any slice */
    bool derived;         /* it was derived again for this slice (traces/resize.h) */
    bool local_devices;   /* and that with devices in the machine that its program runs on */
    char *parameters;     /* of a trace as its generator wrote it: "batch=128 x=51"; else "" */
    struct run_evidence evidence;
    struct run_expected expected;
    char **changed; /* parameters that were set: "mxu.count = 4" */
    size_t n_changed;
    uint32_t unverified; /* machine values in use whose source is [unverified] */
    uint64_t events;     /* process activations simulated, a measure of work */
    struct run_trials trials;
    bool exact, retimed; /* without shortcuts; changed parameters may change times */
};

/* Free all that a result owns, but not the struct; one that was never filled in is allowed. */
void run_result_free(struct run_result *r);

/* True if kernels of a compiled program run otherwise than it states. */
bool result_has_notes(const struct run_result *r);

/* q = seconds of a step in kernels that were cut anew for this reason, or TASK_N_RETILED: for any.
 * O(operations). */
void result_retiled_seconds(mpq_t q, const struct run_result *r, enum task_retiled why);

/* The name of limited_by, or "server" for the parameter server. */
const char *result_limit_name(const struct run_result *r);

/* [enum footprint_role] "weights" */
extern const char *const result_role_name[N_FOOTPRINT_ROLES];

struct des;

/* An observer subscribes to what a machine shows while it runs, and changes nothing.  Each of its
 * functions is called once. */
struct run_observer {
    void *self;
    /* Subscribe: the machine is built and not yet elaborated. */
    int (*attach)(void *self, struct des *sim, struct err *err);
    /* Measuring begins; warming up took `warm_fs`, which is one step unless servers run behind;
     * `steps` follow. */
    int (*begin)(void *self, struct des *sim, uint64_t warm_fs, uint64_t steps, struct err *err);
    /* The measured steps are over, or the run has failed; what the machine shows after this is not
     * to be recorded.  Called in any case, even if attach failed. */
    void (*end)(void *self, struct des *sim);
    /* It looks at the first chip alone, so that chips which run alike need not all be simulated. */
    bool one_chip;
};

struct machine_spec;

/* Grid steps of all cores that take some minutes to simulate. */
#define RUN_GRID_STEPS UINT64_C(100000000)
/* Grid steps of all cores that take some seconds: of a step with more, turns of loops are left out.
 */
#define RUN_WALKED_STEPS UINT64_C(2000000)

/* One replay, or one lowering, of a trace on a machine. */
struct run_request {
    const char *trace; /* path or "-"; with a text, its name for messages */
    const char *text;  /* NULL, or the trace itself, text or container; borrowed */
    size_t text_size;
    const char *machine;             /* name or path of an .ini */
    const struct machine_spec *spec; /* NULL, or that machine with its changes; borrowed */
    const char *const *set;          /* n_set parameters to change: "mxu.count=4" */
    size_t n_set;
    uint64_t steps;     /* to measure, at least 1 */
    bool exact;         /* every shortcut off */
    unsigned threads;   /* that may simulate chips side by side, with the same figures; 0: 1 */
    bool allow_unknown; /* cost operations of unknown kind as memory traffic instead of refusing */
    struct allow allow; /* limits of the trace and the step; all 0: the usual ones */
    struct host_loop host; /* what a loop on the host adds to the step; all 0: nothing */
    bool alone;  /* the step is a kernel that runs alone, again and again (run/moments.h) */
    bool brief;  /* times, causes and rows of operations: no figures of components, no memory, no
                    evidence, no checksums */
    bool retile; /* tile the kernels of a compiled program anew, on any generation */
    /* count permutes whose pairs differ between chips as shifts; run_replay() does so by itself
     * where the whole slice would take too long to simulate */
    bool even_pairs;
    bool ungroup;       /* no operation shares its group with another (layer_group.h) */
    bool unsigned_rows; /* rows have no signature: their memory is all that is asked */
    uint64_t epochs;    /* of a whole run, whose time and cost are wanted; 0: none */
    bool as_written;    /* refuse a generated trace that would be derived again for the slice */
    /* Called now and then: `done` of `all` in units of `what`; all = 0 is unknown.  May be NULL. */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    /* Asked before each step and now and then within one; unless it returns 0 the run ends with
     * ERR_STOPPED.  May be NULL. */
    int (*stop)(void *self);
    void *stop_self;
    const struct run_observer *observer; /* n_observers of them */
    size_t n_observers;
};

/* Replay a trace on a machine.  A program that does not fit the memory is replayed all the same:
 * `fits` says so.  Errors: all of the trace reader and machine files; ERR_FIT when an operation
 * cannot run on this machine at all. */
int run_replay(const struct run_request *q, struct run_result *r, struct err *err);

/* Memory of a core: what a step needs of it, and what there is. */
struct run_memory {
    struct footprint peak;
    uint64_t capacity; /* bytes of a core */
};

/* Lower a trace for a machine without running it.  Errors: those of run_replay(). */
int run_lower(const struct run_request *q, struct run_memory *m, struct err *err);

#endif
