/* vpu.h - vector unit: operations on registers of lanes x sublanes 32-bit elements.
 *
 *      cycles = ceil(max(sum over classes of (operations * slots of the class) / alus,
 *                        (divisions + exponentials) / functions))
 *
 * Exponentials, reciprocals and their like come from a unit of their own, of `functions` registers
 * a cycle; additions and multiplications around them take slots, as many as instruction words of
 * the compiler have.  Programs of many registers overlap, so latencies do not show. */
#ifndef HW_CORE_VPU_H
#define HW_CORE_VPU_H

#include "base/param.h"
#include "hw/core/core_unit.h"

/* clang-format off */
#define VPU_PARAMS(P)                                                                              \
    P(U32, lanes,    "", "128", "8", "1024", "32-bit lanes of a vector register [scaling-book]")   \
    P(U32, sublanes, "", "8",   "1", "64",   "rows of lanes of a vector register [scaling-book]")  \
    P(U32, alus,     "", "2",   "1", "16",   "slots per cycle: operations of one slot it begins [norrie-2021]") \
    P(U32, functions, "", "1", "1", "16", "exponentials, reciprocals and their like begun a cycle [xla-bundles]") \
    P(ENUM, packed16, "no|yes", "no", "", "", "it computes on bf16, two in each place of a register [xla-kernels]") \
    P(U32, add_slots,    "slots", "1", "1", "1024", "of an addition, multiplication, comparison or logic operation [norrie-2021]") \
    P(U32, select_slots, "slots", "1", "1", "1024", "of a choice between registers, or a move within one [pallas]") \
    P(U32, cast_slots,   "slots", "1", "1", "1024", "of a change of dtype to 32 bits [xla-bundles]") \
    P(U32, pack_slots,   "slots", "1", "1", "1024", "of a change of dtype back, of a packed register [xla-bundles]") \
    P(U32, divide_slots, "slots", "14", "1", "1024",                                               \
      "of a division or root of 32 bits [xla-bundles]") \
    P(U32, exp_slots,    "slots", "2", "1", "1024",                                               \
      "of an exponential, logarithm or tanh, half of a power, a division of 16 bits [xla-bundles]") \
    P(U32, sine_slots,   "slots", "192", "1", "1024",                                              \
      "of a sine or cosine [xla-bundles]") \
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
