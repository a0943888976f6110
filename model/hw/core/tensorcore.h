/* tensorcore.h - a TensorCore: its sequencer, and the runners of what its units do.
 *
 *      sequencer --task--+--> kernel_runner   MXUs, VPU, XLU, DMA
 *                        +--> copy_runner     DMA
 *                        +--> sparse_runner   SparseCores
 *
 * An operation costs `op_overhead`, of which a kernel pays two DMA latencies where they arise: with
 * its first transfer in and its last one out; a copy in the background costs the start of a
 * transfer, instructions of the scalar unit what they take.  A kernel costs `kernel_gap` more, but
 * for the first of a step.  Then the runner of its kind goes on. */
#ifndef HW_CORE_TENSORCORE_H
#define HW_CORE_TENSORCORE_H

#include "base/param.h"
#include "hw/core/copy_runner.h"
#include "hw/core/kernel_runner.h"
#include "hw/program/sequencer.h"
#include "hw/sparse/sparse_runner.h"

/* clang-format off */
#define TENSORCORE_PARAMS(P)                                                                       \
    P(U64, clock,         "Hz",    "-",       "1 MHz", "10 GHz", "of the core and all its units [norrie-2021]") \
    P(FS,  op_overhead,   "s",     "1.03 us", "0 s",   "1 s",                                      \
      "fixed cost of an operation, DMA latency both ways included [calibrated: tpu_v2-8_fc]")                \
    P(FS,  kernel_gap,    "s",     "0 s",     "0 s",   "1 s",                                      \
      "from a kernel's end to the next's begin in a program, which a profiler counts for neither [unverified]") \
    P(FS,  program_time,  "s",     "0 s",     "0 s",   "1 s",                                      \
      "idle time from one program to the next; a step is a program [unverified]") \
    P(FS,  meet_time,     "s",     "0 s",     "0 s",   "1 s",                                      \
      "until both halves have begun a kernel; its first read from HBM hides it [calibrated: tpu_v4_ops]") \
    P(U32, halves, "", "1", "1", "2", "TensorCores that run one program as one core [jax]") \
    P(U32, scalar_cycles, "cycle", "10", "0", "1000000", "of an operation on scalars, in a compiled program [unverified]") \
    P(U32, hand_wait, "cycle", "200", "0", "1000000",                                              \
      "of a wait of a kernel by hand for windows, the MXU or the XLU [calibrated: jax-pallas]") \
    P(U32, step_overhead, "cycle", "115",     "0",     "1000000",                                  \
      "fixed cost of a grid step, two transfers started [calibrated: tpu_v4_gemm]")
/* clang-format on */

struct tensorcore_params {
    TENSORCORE_PARAMS(PARAM_FIELD)
};
extern const struct param_table tensorcore_param_table;

struct tensorcore {
    struct sequencer sequencer;
    uint64_t launch_cycles, kernel_launch_cycles; /* before any task's runner; a kernel's */
    uint64_t gap_cycles;                          /* more, for each kernel but the first */
    bool kernel_ran;                              /* in this step */
    struct kernel_runner kernel;
    struct copy_runner copy;
    struct sparse_runner sparse; /* of a core with SparseCores */
};

/* Where a core is, and its clock, which a fault may slow down. */
struct tensorcore_place {
    uint64_t hz;
    uint32_t core; /* on its chip */
    bool alone;    /* the only core of the slice */
};

/* Make a core with its runners; `units` are those that its kernels use. */
void tensorcore_init(struct tensorcore *c, struct des *sim, struct des_module parent,
                     const struct tensorcore_params *par, const struct bundle_params *bundle,
                     const struct kernel_units *units, const struct tensorcore_place *place);
/* The program of the steps that begin from now on; `copied`: [n_tasks]. */
void tensorcore_load(struct tensorcore *c, const struct sequencer_program *p,
                     struct copy_mark *copied);

#endif
