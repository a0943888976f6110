/* vpu.h - vector unit: lanes x sublanes of 32-bit elements, `alus` operations a cycle.
 *
 *      cycles = ceil(register operations / alus) */
#ifndef HW_VPU_H
#define HW_VPU_H

#include "base/param.h"
#include "hw/unit.h"

/* clang-format off */
#define VPU_PARAMS(P)                                                                              \
    P(U32, lanes,    "", "128", "8", "1024", "32-bit lanes of a vector register [scaling-book]")   \
    P(U32, sublanes, "", "8",   "1", "64",   "rows of lanes of a vector register [scaling-book]")  \
    P(U32, alus,     "", "2",   "1", "16",   "register operations per cycle [norrie-2021]")

#define VPU_STATS(C, R)                                                                            \
    UNIT_STATS(C)                                                                                  \
    R("utilization.vpu", busy, cycles, "time with work in the vector unit")
/* clang-format on */

struct vpu_params {
    VPU_PARAMS(PARAM_FIELD)
};
extern const struct param_table vpu_param_table;
extern const struct stat_table vpu_stat_table;

struct vpu {
    struct unit unit; /* first: a struct vpu * is a struct unit * */
    struct vpu_params par;
};

void vpu_init(struct vpu *v, struct des *sim, struct des_module parent,
              const struct vpu_params *par, uint64_t core_hz, lane_fold_fn *fold);

#endif
