/* vpu.h - vector unit: operations on registers of lanes x sublanes 32-bit elements.
 *
 *      cycles = ceil(sum over classes of (operations * slots of the class) / alus)
 *
 * The vector unit has no divider.  Operations other than additions, multiplications and choices are
 * short programs of those (a seed and Newton steps, or a polynomial) and take the slots of all of
 * them.  Programs of many registers overlap, so latencies do not show. */
#ifndef HW_CORE_VPU_H
#define HW_CORE_VPU_H

#include "base/param.h"
#include "hw/core/core_unit.h"

/* clang-format off */
#define VPU_PARAMS(P)                                                                              \
    P(U32, lanes,    "", "128", "8", "1024", "32-bit lanes of a vector register [scaling-book]")   \
    P(U32, sublanes, "", "8",   "1", "64",   "rows of lanes of a vector register [scaling-book]")  \
    P(U32, alus,     "", "2",   "1", "16",   "slots per cycle: operations of one slot it begins [norrie-2021]") \
    P(ENUM, packed16, "no|yes", "no", "", "", "it computes on bf16, two in each place of a register [xla-kernels]") \
    P(U32, add_slots,    "slots", "1", "1", "1024", "of an addition, multiplication, comparison or logic operation [norrie-2021]") \
    P(U32, select_slots, "slots", "1", "1", "1024", "of a choice between registers, or a move within one [pallas]") \
    P(U32, cast_slots,   "slots", "1", "1", "1024", "of a change of dtype [pallas]")               \
    P(U32, divide_slots, "slots", "8", "1", "1024",                                                \
      "of a division or root [unverified: order after pallas]") \
    P(U32, exp_slots,    "slots", "7", "1", "1024",                                               \
      "of an exponential, logarithm or tanh, half of a power [calibrated: tpu_v4_ops]") \
    P(U32, sine_slots,   "slots", "40", "1", "1024",                                               \
      "of a sine, cosine or error function [unverified: order after pallas]") \
    P(U32, sublanes_slots, "slots", "6", "1", "1024",                                              \
      "of a sum over the sublanes [derived]")

#define VPU_STATS(C, R)                                                                            \
    CORE_UNIT_STATS(C)                                                                                  \
    R("utilization.vpu", busy, cycles, "time with work in the vector unit")
/* clang-format on */

struct vpu_params {
    VPU_PARAMS(PARAM_FIELD)
};
extern const struct param_table vpu_param_table;
extern const struct stat_table vpu_stat_table;

struct vpu {
    struct core_unit unit; /* first: a struct vpu * is a struct core_unit * */
    struct vpu_params par;
};

/* Slots of ops[class] operations.  They fit 64 bits if the time of the kernel does
 * (model/run/job/limit.c). */
uint64_t vpu_slots(const struct vpu_params *par, const uint64_t ops[N_VECTOR_OPS]);

/* Make the vector unit of a core of `core_hz` Hz.  `fold` NULL: walk every cycle. */
void vpu_init(struct vpu *v, struct des *sim, struct des_module parent,
              const struct vpu_params *par, uint64_t core_hz, lane_fold_fn *fold);

#endif
