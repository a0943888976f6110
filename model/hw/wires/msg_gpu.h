/* msg_gpu.h - messages between the runner of a GPU's kernels, its SMs, its L2 and its host. */
#ifndef HW_WIRES_MSG_GPU_H
#define HW_WIRES_MSG_GPU_H

#include "des/des.h"
#include "task/grid.h"

/* runner -> SMs: compute a step of a kernel, operands in reach */
struct gpu_step {
    uint64_t cycles[GRID_N_PIPES]; /* of the SM with the most blocks */
    uint64_t sm_cycles;            /* of all SMs together */
};

/* SMs -> runner */
struct gpu_step_done {
    uint8_t none;
};

/* runner -> L2: move what a step reads, or writes; each way in order */
struct gpu_access {
    struct task_flow flow;
    bool write;
    uint32_t text; /* number of the text with its tensors, for waves and timelines */
};

/* L2 -> runner: the next read, or the next write, is done */
struct gpu_access_done {
    bool write, cached; /* cached: the L2's own path was the last to be done, not HBM */
    des_time at;        /* which may be later than now */
};

/* host -> runner: the next kernel of the program is launched */
struct gpu_launch {
    des_time at;
};

#endif
