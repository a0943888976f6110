/* vpu.h - vector unit: lanes x sublanes of 32-bit elements, `alus` operations a cycle.
 *
 *      cmd  >--[ ceil(register operations / alus) cycles ]--> done
 */
#ifndef HW_VPU_H
#define HW_VPU_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/lane.h"
#include "hw/msg_unit.h"

/* clang-format off */
#define VPU_PARAMS(P)                                                                              \
    P(U32, lanes,    "", "128", "8", "1024", "32-bit lanes of a vector register [scaling-book]")   \
    P(U32, sublanes, "", "8",   "1", "64",   "rows of lanes of a vector register [scaling-book]")  \
    P(U32, alus,     "", "2",   "1", "16",   "register operations per cycle [norrie-2021]")
#define VPU_STATS(C, R)                                                                            \
    C(cycles, "cycle",    "cycles of the measured time")                                           \
    C(busy,   "cycle",    "cycles with a command in the unit")                                     \
    C(ops,    "register", "vector register operations")                                           \
    R("utilization.vpu", busy, cycles, "time with work in the vector unit")
/* clang-format on */

struct vpu_params {
    VPU_PARAMS(PARAM_FIELD)
};
struct vpu_stats {
    VPU_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table vpu_param_table;
extern const struct stat_table vpu_stat_table;

struct vpu {
    struct des_module mod;
    struct vpu_params par;
    struct vpu_stats st;
    struct des_in cmd;   /* struct unit_vector */
    struct des_out done; /* struct unit_done */
    struct lane lane;
};

void vpu_init(struct vpu *u, struct des *sim, struct des_module parent,
              const struct vpu_params *par, uint64_t core_hz, lane_fold_fn *fold);
void vpu_finish(struct vpu *u, uint64_t cycles);

#endif
