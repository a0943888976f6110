/* launch_queue.h - the host thread that launches the kernels of a GPU's program, ahead of it.
 *
 *      program >--[ task_cursor ]--[ host time of a kernel ]--[ queue ]--> launched
 *
 * The thread works through the program as the GPU does, and is ahead of it by at most `places`
 * kernels.  For each kernel it works as long as the kernel says (struct task_grid), which is the
 * framework's time for the operation and the call that launches it; the kernel reaches the GPU
 * `latency` later.  It begins a step when the step begins. */
#ifndef HW_GPU_LAUNCH_QUEUE_H
#define HW_GPU_LAUNCH_QUEUE_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_gpu.h"
#include "task/task_cursor.h"

/* clang-format off */
#define LAUNCH_QUEUE_PARAMS(P)                                                                     \
    P(ENUM, framework, "eager|graph|xla", "eager", "", "",                                         \
      "eager: the host dispatches each operation; graph: the same kernels from a graph of the framework; xla: a fusion is one kernel [frontends]") \
    P(ENUM, tf32, "auto|no|yes", "auto", "", "", "products of f32 operands in TF32, where the chip has it; auto: tensorflow and jax yes, pytorch (a trace that states none, if framework = eager) in convolutions alone [pytorch-tf32]") \
    P(FS,  dispatch, "s", "20 us", "0 s", "1 s", "of the host for each operation that it dispatches, eager [neusight]") \
    P(FS,  node,     "s", "6 us",  "0 s", "1 s", "of the host for each operation of a graph of the framework [unverified]") \
    P(FS,  call,     "s", "4 us",  "0 s", "1 s", "of the host to launch a kernel [kineto-r50]")    \
    P(FS,  latency,  "s", "7 us",  "0 s", "1 s", "from that call to the begin of the kernel on an idle GPU [kineto-r50]") \
    P(U32, places,   "kernels", "1024", "1", "65536", "by which the host may be ahead [unverified]")

#define LAUNCH_QUEUE_STATS(C, R)                                                                   \
    C(elapsed, "fs", "the measured time")                                                          \
    C(busy,    "fs", "of it with work for the thread")                                             \
    R("utilization.launch", busy, elapsed, "time in which the host thread that launches kernels works")
/* clang-format on */

enum launch_framework { LAUNCH_EAGER, LAUNCH_GRAPH, LAUNCH_XLA }; /* as launch.framework says */
enum launch_tf32 { LAUNCH_TF32_AUTO, LAUNCH_TF32_NO, LAUNCH_TF32_YES }; /* as launch.tf32 does */

struct launch_queue_params {
    LAUNCH_QUEUE_PARAMS(PARAM_FIELD)
};
struct launch_queue_stats {
    LAUNCH_QUEUE_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table launch_queue_param_table;
extern const struct stat_table launch_queue_stat_table;

struct launch_queue {
    struct des_module mod;
    struct launch_queue_params par;
    struct launch_queue_stats st;
    struct des_event begin;
    struct des_out launched; /* struct gpu_launch, on a wire of `places` */
    struct task_cursor cursor;
    bool begun; /* a step has, whose kernels are to be launched */
};

/* Make the thread of one GPU; it has no program yet. */
void launch_queue_init(struct launch_queue *q, struct des *sim, struct des_module parent,
                       const struct launch_queue_params *par);
/* The program of the steps that begin from now on. */
void launch_queue_load(struct launch_queue *q, const struct task_program *p, uint32_t stage);
/* A step begins. */
void launch_queue_begin(struct launch_queue *q, struct des *sim);

#endif
