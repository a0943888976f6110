/* sms.h - the streaming multiprocessors (SMs) of a GPU.
 *
 *      cmd  >--[ cycles of the longest pipe ]--> done
 *
 * An SM has pipes that work side by side: tensor cores, CUDA cores for f32 and integers, others for
 * f64 and special functions, shared memory.  Blocks of a kernel are alike and SMs take them in
 * turn, so SMs that have one do the same, and one lane serves all: a step takes the cycles of the
 * longest pipe of an SM. */
#ifndef HW_GPU_SMS_H
#define HW_GPU_SMS_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_gpu.h"

/* clang-format off */
#define SMS_PARAMS(P)                                                                              \
    P(ENUM, isa, "volta|ampere|hopper", "volta", "", "", "for which the libraries have kernels of their own [nvidia-v100]") \
    P(U32, capability, "", "70", "10", "999", "compute capability of CUDA, ten times: what programs are compiled for [cuda-guide]") \
    P(ENUM, constants, "own|volta|ampere|hopper", "own", "", "", "whose fitted constants it has; not its own: it was not measured [unverified]") \
    P(PPB, f32_share, "ratio", "1", "0.1", "1", "of the clock that f32 work in the CUDA cores keeps under load [calibrated: gpu-gemm]") \
    P(PPB, tensor_share, "ratio", "1", "0.1", "1", "of the clock that work in the tensor cores keeps under load [nvidia-h100]") \
    P(U32, count,  "", "80", "1", "1024", "streaming multiprocessors in use of the chip [nvidia-v100]") \
    P(U32, f16,    "MAC/cycle", "512", "0", "65536", "of the tensor cores of an SM, f16; 0: they do not take it [nvidia-v100]") \
    P(U32, bf16,   "MAC/cycle", "0", "0", "65536", "of the tensor cores of an SM, bf16 [nvidia-a100]") \
    P(U32, tf32,   "MAC/cycle", "0", "0", "65536", "of the tensor cores of an SM, f32 rounded to TF32 [nvidia-a100]") \
    P(U32, f8,     "MAC/cycle", "0", "0", "65536", "of the tensor cores of an SM, 8-bit floating point [nvidia-h100]") \
    P(U32, s8,     "MAC/cycle", "0", "0", "65536", "of the tensor cores of an SM, 8-bit integers [nvidia-a100]") \
    P(U32, f32,    "MAC/cycle", "64", "1", "4096", "of the CUDA cores of an SM [nvidia-v100]")     \
    P(U32, f64,    "MAC/cycle", "32", "1", "4096", "of an SM [nvidia-v100]")                       \
    P(U32, f64_tensor, "MAC/cycle", "0", "0", "4096", "of the tensor cores of an SM, f64; 0: they do not take it [nvidia-a100]") \
    P(U32, sfu,    "cycle^-1", "16", "1", "4096", "special functions that an SM begins a cycle [nvidia-v100]") \
    P(U64, shared, "B",       "96 KiB", "1 KiB", "1 GiB", "shared memory of an SM, for its blocks together [nvidia-v100]")

#define SMS_STATS(C, R)                                                                            \
    C(cycles,   "cycle", "cycles of the measured time")                                            \
    C(capacity, "cycle", "as many for each SM")                                                    \
    C(busy,     "cycle", "of each SM with a block")                                                \
    C(tensor,   "cycle", "with work in the tensor cores of the busiest SM")                        \
    C(fma,      "cycle", "with work in the CUDA cores of the busiest SM")                          \
    C(macs,     "MAC",   "that the tensor cores of SMs with a block can do in f16 while they have work") \
    C(fmas,     "MAC",   "that the CUDA cores of SMs with a block can do in f32 while they have work") \
    R("utilization.sm",     busy,   capacity, "time in which SMs have a block of a kernel")        \
    R("utilization.tensor", tensor, cycles,   "time with work in the tensor cores")                \
    R("utilization.cuda",   fma,    cycles,   "time with work in the CUDA cores")
/* clang-format on */

struct sms_params {
    SMS_PARAMS(PARAM_FIELD)
};
struct sms_stats {
    SMS_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table sms_param_table;
extern const struct stat_table sms_stat_table;

struct sms {
    struct des_module mod;
    struct sms_params par;
    struct sms_stats st;
    struct des_in cmd;   /* struct gpu_step */
    struct des_out done; /* struct gpu_step_done */
    struct lane lane;
    uint64_t hz;
};

/* Make the SMs of a GPU, at a clock of `hz`.  `fold` NULL: walk every cycle. */
void sms_init(struct sms *s, struct des *sim, struct des_module parent,
              const struct sms_params *par, uint64_t hz, lane_fold_fn *fold);

#endif
