/* gpu_core.h - a GPU: its sequencer, which is the hardware's queue of a stream, its kernels, SMs,
 * L2, and the host thread that launches its kernels.
 *
 *      launch --kernels--> sequencer --task--+--> grid_runner --+--> sms
 *                                            |                  +--> l2 --> HBM
 *                                            +--> collectives, host
 *
 * Kernels of a program run one after the other. */
#ifndef HW_GPU_GPU_CORE_H
#define HW_GPU_GPU_CORE_H

#include "base/param.h"
#include "hw/gpu/grid_runner.h"
#include "hw/gpu/l2.h"
#include "hw/gpu/launch_queue.h"
#include "hw/gpu/sms.h"
#include "hw/program/sequencer.h"

/* clang-format off */
#define GPU_CORE_PARAMS(P)                                                                              \
    P(U64, clock, "Hz", "-", "1 MHz", "10 GHz", "of the SMs under load [nvidia-v100]")             \
    P(FS,  kernel_time, "s", "1 us", "0 s", "1 s",                                                 \
      "fixed cost of a kernel [calibrated: gpu-kernels]") \
    P(FS,  kernel_gap,  "s", "0.75 us", "0 s", "1 s", "from a kernel's end to the next's begin in the queue [hta-ns]") \
    P(FS,  node_time, "s", "0.55 us", "0 s", "1 s", "of a kernel within a CUDA graph, in place of kernel_time and kernel_gap [calibrated: xla-h100]")
/* clang-format on */

struct gpu_core_params {
    GPU_CORE_PARAMS(PARAM_FIELD)
};
extern const struct param_table gpu_core_param_table;

struct gpu_core {
    struct sequencer sequencer;
    uint64_t gap_cycles;
    bool kernel_ran; /* in this step */
    struct grid_runner grid;
    struct sms sms;
    struct l2 l2;
    struct launch_queue launch;
};

/* The parameters of a GPU's parts, and its place. */
struct gpu_core_place {
    const struct gpu_core_params *gpu;
    const struct sms_params *sm;
    const struct l2_params *l2;
    const struct launch_queue_params *launch;
    uint64_t hz; /* gpu->clock, unless a fault slows it down */
    bool alone;  /* the only GPU of the machine */
};

/* Make a GPU with all that is listed above.  `fold` NULL: walk every cycle. */
void gpu_core_init(struct gpu_core *g, struct des *sim, struct des_module parent,
                   const struct gpu_core_place *place, lane_fold_fn *fold);
/* The program of the steps that begin from now on. */
void gpu_core_load(struct gpu_core *g, const struct sequencer_program *p);

#endif
