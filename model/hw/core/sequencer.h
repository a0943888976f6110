/* sequencer.h - the core's sequencer: runs a lowered step, one task after the other.
 *
 *      go >-- [ task_cursor ]-- task --[ launch ]--+--> kernel_runner      MXUs, VPU, XLU, DMA
 *                   |                              +--> collective_runner  ICI
 *                   +------------------------------+--> host_runner        PCIe
 *      finished <-- at the end                     +--> send_runner        ICI
 *                                                  +--> copy_runner        DMA
 *                                                  +--> sparse_runner      SparseCores
 *
 * An operation costs `op_overhead`, of which a kernel pays two DMA latencies where they arise: with
 * its first transfer in and its last one out; a copy in the background costs the start of a
 * transfer, instructions of the scalar unit what they take.  A kernel costs `kernel_gap` more, but
 * for the first of a step.  Then the runner of its kind goes on;
 * the sequencer calls it as a thread and waits for its end.  What all of them share is in
 * hw/core/core_context.h; another kind of core has a sequencer with a kernel runner of its own. */
#ifndef HW_CORE_SEQUENCER_H
#define HW_CORE_SEQUENCER_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/core/collective_runner.h"
#include "hw/core/copy_runner.h"
#include "hw/core/host_runner.h"
#include "hw/core/kernel_runner.h"
#include "hw/core/send_runner.h"
#include "hw/core/sparse_runner.h"

/* clang-format off */
#define SEQUENCER_PARAMS(P)                                                                        \
    P(U64, clock,         "Hz",    "-",       "1 MHz", "10 GHz", "of the core and all its units [norrie-2021]") \
    P(FS,  op_overhead,   "s",     "1.03 us", "0 s",   "1 s",                                      \
      "fixed cost of an operation, DMA latency both ways included [calibrated: tpu_v2-8_fc]")                \
    P(FS,  kernel_gap,    "s",     "0 s",     "0 s",   "1 s",                                      \
      "from the end of a kernel to the begin of the next of the same program, which a profiler counts for neither [unverified]") \
    P(FS,  meet_time,     "s",     "0 s",     "0 s",   "1 s",                                      \
      "until both halves have begun a kernel that they divide; its first read from HBM hides it [calibrated: tpu_v4_ops]") \
    P(U32, halves, "", "1", "1", "2", "TensorCores that run one program as one core; units and VMEM are those of all [jax]") \
    P(U32, scalar_cycles, "cycle", "10", "0", "1000000", "of an operation on scalars, in a compiled program [unverified]") \
    P(U32, step_overhead, "cycle", "115",     "0",     "1000000",                                  \
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

/* A program as one core runs it.  The arrays are its own, and outlive the step. */
struct sequencer_program {
    const struct task_program *program;
    uint32_t stage;            /* that the core belongs to, of a program of several stages */
    struct ledger_row *row;    /* [n_rows] */
    uint64_t *sent_at;         /* [n_tasks] */
    struct copy_mark *copied;  /* [n_tasks] */
    struct send_arrival *came; /* [n_sends] */
};

struct sequencer {
    struct core_context core;
    struct sequencer_params par;
    struct sequencer_stats st;
    struct des_in go;        /* struct step_token */
    struct des_out finished; /* struct step_token */
    struct step_token token;
    uint64_t launch_cycles, kernel_launch_cycles; /* before any task's runner; a kernel's */
    uint64_t gap_cycles;                          /* more, for each kernel but the first */
    bool kernel_ran;                              /* in this step */
    struct runner runner[TASK_REPEAT];            /* [enum task_kind]: of those that take time */
    struct des_call running;                      /* the call of one of them */
    struct kernel_runner kernel;
    struct collective_runner collective;
    struct host_runner host;
    struct send_runner send;
    struct copy_runner copy;
    struct sparse_runner sparse; /* of a core with SparseCores */
};

/* `core`: on its chip.  `alone`: it is the only core of the slice. */
void sequencer_init(struct sequencer *s, struct des *sim, struct des_module parent,
                    const struct sequencer_params *par, const struct bundle_params *bundle,
                    const struct kernel_units *units, uint32_t core, bool alone);
/* The program of the steps that begin from now on. */
void sequencer_load(struct sequencer *s, const struct sequencer_program *p);
/* How far the step under way is: grid steps that it has passed of all of this core, loops
 * multiplied out; a task that is no kernel counts as one. */
void sequencer_position(const struct sequencer *s, uint64_t *passed, uint64_t *all);
/* Every core has finished its step: book the wait for the others. */
void sequencer_end_step(struct sequencer *s, struct des *sim);

#endif
