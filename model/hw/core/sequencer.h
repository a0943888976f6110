/* sequencer.h - the core's sequencer: runs a lowered step, one operation after the other.
 *
 *                        +--> mxu[i], vpu, xlu,   |
 *                        |    cmem >--------------+
 *      go >-- sequencer -+--> dma (HBM) >---------+--> finished
 *                        +--> ici, pcie/host >----+
 *
 * A kernel costs `op_overhead`, of which two DMA latencies are paid where they arise, each of its
 * grid steps `step_overhead`, less the start of transfers that it does not have.  Tiles are read
 * one step ahead into the second of two input buffers, and written behind from two output buffers:
 *     compute(i) starts when  compute(i-1) is done, read(i) is done, write(i-2) is done
 *     read(i+1) starts when   compute(i-1) is done
 * The units of a step run side by side; it ends with the last of them, and not before its last
 * bundle is issued (hw/core/bundle.h).
 *
 * Every wait is booked when it ends, to the operation at hand and to its cause
 * (model/task/cause.h), so that the causes of a step add up to the step by themselves.  In the same
 * books stands what the MXUs of the core did meanwhile: what they say of their commands, and for
 * how long each had none, by what the sequencer waited for. */
#ifndef HW_CORE_SEQUENCER_H
#define HW_CORE_SEQUENCER_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"
#include "hw/core/bundle.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/msg_mem.h"
#include "hw/wires/msg_net.h"
#include "hw/wires/msg_unit.h"
#include "hw/wires/show.h"
#include "task/task_walk.h"

#define SEQUENCER_MAX_MXUS 16
#define SEQUENCER_MAX_DEPTH 64
#define SEQUENCER_FLAGS 8 /* more than transfers that came back and are not waited for yet */
#define SEQUENCER_ASYNC 4 /* asynchronous operations at a time that are shown */

/* clang-format off */
#define SEQUENCER_PARAMS(P)                                                                        \
    P(U64, clock,         "Hz",    "-",       "1 MHz", "10 GHz", "of the core and all its units [norrie-2021]") \
    P(FS,  op_overhead,   "s",     "1.03 us", "0 s",   "1 s",                                      \
      "fixed cost of an operation, DMA latency both ways included [calibrated: tpu_v2-8_fc]")                \
    P(U32, halves, "", "1", "1", "2", "TensorCores that run one program as one core; units and VMEM are those of all [jax]") \
    P(U64, step_overhead, "cycle", "115",     "0",     "1000000",                                  \
      "fixed cost of a grid step, the start of two transfers included [calibrated: tpu_v4_gemm]")

#define SEQUENCER_STATS(C, R)                                                                      \
    C(faster, "cycle", "cycles, as often as the operation's products are faster than those of bf16")
/* clang-format on */

struct sequencer_params {
    SEQUENCER_PARAMS(PARAM_FIELD)
};
struct sequencer_stats {
    SEQUENCER_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table sequencer_param_table;
extern const struct stat_table sequencer_stat_table;

/* What is booked to a row of a program on one core. */
struct sequencer_book {
    des_time time[N_CAUSES];
    uint64_t cycles, ticks;  /* of the core's clock and of its MXUs' in that time */
    uint64_t slots[N_USES];  /* multiply-accumulates of its MXUs while they had a command */
    uint64_t idle[N_CAUSES]; /* ticks without one, of all MXUs together */
};

/* What has come from other stages of a transfer. */
struct sequencer_arrival {
    uint64_t count; /* that are not waited for yet */
    des_time sent;  /* the last sender had called */
};

/* What the sequencer must know of the units it feeds. */
struct sequencer_units {
    uint32_t mxu_count, mxu_size, mxu_row_granule;
    uint64_t dma_latency;     /* fs */
    uint32_t dma_issue;       /* core cycles */
    bool cmem;                /* the chip has a common memory */
    bool mxu_sums;            /* the matrix units add up partial sums */
    uint32_t lanes, sublanes; /* of a vector register */
    uint64_t mxu_hz;
};

/* How the matrix units share a block, as long as it is the same. */
struct sequencer_share {
    struct task_gemm block; /* b of 0: not worked out yet */
    struct task_gemm part[SEQUENCER_MAX_MXUS];
    struct bundle_need need; /* of all parts */
};

/* The ways around the units' wires; all or none. */
struct sequencer_serve {
    struct unit_serve mxu[SEQUENCER_MAX_MXUS], vpu, xlu;
};

/* Calls of the host that are served by themselves. */
struct sequencer_each {
    uint32_t open;           /* that have no answer yet */
    uint64_t version, used;  /* of the weights: that came last, and that are read */
    struct host_reply reply; /* the last */
    bool early;              /* among theirs was the answer to a call that is waited for later */
};

struct sequencer;
/* The shortcut of a grid step whose tiles are there (sequencer_fold.c): everything up to its last
 * instruction is booked, and `*late` says whether what follows comes a delta later than the timer:
 * as on the wires, where the step ends with a unit's answer.  Returns the time left, 0 when there
 * is no shortcut: somebody looks, operands stream from the common memory, or a step has no control.
 */
typedef des_time sequencer_fold_fn(struct des *sim, struct sequencer *s, bool *late);
sequencer_fold_fn sequencer_fold;

struct sequencer {
    struct des_module mod;
    struct sequencer_params par;
    struct bundle_params bundle;
    struct sequencer_stats st;
    struct sequencer_units units;
    uint32_t core; /* on its chip */
    bool alone;    /* the only core of the slice: collectives cost nothing but their overhead */

    struct des_in go;                           /* struct step_token */
    struct des_out finished;                    /* struct step_token */
    struct des_out mxu[SEQUENCER_MAX_MXUS];     /* struct unit_gemm */
    struct des_out vpu, xlu;                    /* struct unit_vector, unit_lanes */
    struct des_in mxu_done[SEQUENCER_MAX_MXUS]; /* struct unit_done */
    struct des_in vpu_done, xlu_done;           /* struct unit_done */
    struct des_out dma;                         /* struct mem_request */
    struct des_out cmem;     /* struct unit_feed; of a core with a common memory */
    struct des_in cmem_done; /* struct unit_done */
    struct des_in dma_done;  /* struct dma_done */
    struct des_out net;      /* struct net_call */
    struct des_in net_reply; /* struct net_reply */
    struct des_out send;     /* struct net_send */
    struct des_in arrived;   /* struct net_arrival */
    struct des_in feed;      /* struct host_feed */
    struct des_in returned;  /* struct host_feed: what calls give back */
    struct des_out call;     /* struct host_call */
    struct des_in answer;    /* struct host_reply */

    struct des_clock clock;
    struct des_process run;
    sequencer_fold_fn *fold;      /* NULL: every step goes over the wires */
    struct sequencer_serve serve; /* for the fold */
    bool late;
    des_time left; /* of a step that takes the shortcut */
    const struct task_program *program;
    struct sequencer_book *book;    /* [row]; owned by whoever loaded the program */
    uint64_t *sent_at;              /* [task] collective calls made when it was started */
    struct sequencer_arrival *came; /* [transfer] */
    uint32_t stage;                 /* what its program does: the tasks of all, and of this one */

    struct step_token token;
    uint32_t pc, depth;
    uint64_t loop[SEQUENCER_MAX_DEPTH]; /* turns left of the open loops */
    uint32_t row;
    uint32_t more_rows;   /* of its products */
    des_time since;       /* all before is booked */
    uint64_t cycle, tick; /* all before are counted: in the book, and ticks also in `idle` */
    uint32_t mxus_idle;   /* MXUs without a command */
    uint64_t idle;        /* their ticks since the last booking */
    enum cause last;
    uint64_t i, ahead; /* grid step at work, and the next to be read */
    struct task_reads reader;
    struct task_move in[2]; /* what step i % 2 reads */
    struct task_walk walk;  /* its step is the one at work */
    struct sequencer_share share[TASK_WALK_SHAPES];
    uint64_t issued;        /* cycle in which its last bundle is issued */
    uint64_t reads, writes; /* transfers asked for */
    uint64_t read_mark[2];  /* of step i % 2: reads that must be back before it starts */
    uint64_t write_mark[2]; /* of step i % 2: writes that must be back before the next one but
                               one starts */
    uint64_t reads_done, writes_done;  /* transfers that came back */
    des_time flag[2][SEQUENCER_FLAGS]; /* of read or write n % SEQUENCER_FLAGS and all before */
    des_time flagged;                  /* when the transfers waited for have set their flags */
    uint32_t started;                  /* transfers since the last grid step */
    uint32_t pending;                  /* units at work on this step */
    uint32_t sent_tensors;
    uint64_t calls, replies; /* of collectives */
    des_time ready;
    struct host_feed batch;
    struct host_reply reply;
    struct sequencer_each each;
    struct des_probes show;
    uint32_t async[SEQUENCER_ASYNC]; /* those under way: task + 1 */
};

/* --- for sequencer_fold.c ----------------------------------------------------------------- */

/* Everything from the last booking up to a moment was a wait for `cause`. */
void sequencer_book(struct sequencer *s, des_time until, enum cause cause);
/* The same up to a moment in the past, unless that is booked: what one wait had two causes for. */
void sequencer_book_until(struct sequencer *s, des_time until, enum cause cause);
/* The same of a collective that has ended, cause by cause, if it went between slices; while a later
 * one is waited for, too. */
void sequencer_book_far(struct sequencer *s, const struct net_reply *r, des_time now);
/* Count the ticks up to a moment, with the MXUs that had no command in them. */
void sequencer_count(struct sequencer *s, uint64_t tick);
/* A matrix unit is done at that moment. */
void sequencer_mxu_done(struct sequencer *s, des_time at, const struct unit_done *d);
/* Cycles of control of the grid step at hand. */
uint64_t sequencer_control(struct sequencer *s);
/* How the matrix units share the block at hand. */
const struct sequencer_share *sequencer_shared(struct sequencer *s);
/* Bundles of the grid step at hand. */
uint64_t sequencer_bundles(const struct sequencer *s);
bool sequencer_vector_work(const struct task_grid_step *w);

/* --- the host (sequencer_host.c) ---------------------------------------------------------- */

/* Call it for the task at hand; false: there is no room yet. */
bool sequencer_call_host(struct des *sim, struct sequencer *s);
/* Does the task at hand wait for the host to answer it? */
bool sequencer_wants_answer(const struct sequencer *s);
/* Take what has come; true once the answer, or the batch, of the task at hand is there. */
bool sequencer_answered(struct des *sim, struct sequencer *s);
bool sequencer_returned(struct des *sim, struct sequencer *s);
/* The same, of calls served by themselves; true while no more are open than the task allows. */
bool sequencer_goes_on(struct des *sim, struct sequencer *s);
/* Book the wait for an answer, cause by cause. */
void sequencer_book_answer(struct des *sim, struct sequencer *s);
/* The same; from here on the weights that have come are read. */
void sequencer_book_each(struct des *sim, struct sequencer *s);

void sequencer_init(struct sequencer *s, struct des *sim, struct des_module parent,
                    const struct sequencer_params *par, const struct bundle_params *bundle,
                    const struct sequencer_units *units, uint32_t core, bool alone);
/* The program of the steps that begin from now on.  `book` has n_rows entries, `sent_at` n_tasks;
 * all three outlive the step. */
void sequencer_load(struct sequencer *s, const struct task_program *program,
                    struct sequencer_book *book, uint64_t *sent_at);
/* Which stage of that program it runs, if it has several; `came` has n_sends entries. */
void sequencer_stage(struct sequencer *s, uint32_t stage, struct sequencer_arrival *came);
/* At the end of a step, when every core has finished: book the wait for the others. */
void sequencer_close(struct sequencer *s, struct des *sim);

#endif
