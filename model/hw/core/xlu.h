/* xlu.h - the unit that transposes, reduces and permutes vector registers across lanes.
 *
 *      cycles = registers * cycles_per_register */
#ifndef HW_CORE_XLU_H
#define HW_CORE_XLU_H

#include "base/param.h"
#include "hw/core/core_unit.h"

/* clang-format off */
#define XLU_PARAMS(P)                                                                              \
    P(U32, cycles_per_register, "cycle", "12", "1", "1024",                                        \
      "cycles a vector register takes across the lanes [calibrated: tpu_v4_ops]")

#define XLU_STATS(C, R)                                                                            \
    CORE_UNIT_STATS(C)                                                                                  \
    R("utilization.xlu", busy, cycles, "time with work in the transpose/reduce/permute unit")
/* clang-format on */

struct xlu_params {
    XLU_PARAMS(PARAM_FIELD)
};
extern const struct param_table xlu_param_table;
extern const struct stat_table xlu_stat_table;

struct xlu {
    struct core_unit unit; /* first: a struct xlu * is a struct core_unit * */
    struct xlu_params par;
};

void xlu_init(struct xlu *v, struct des *sim, struct des_module parent,
              const struct xlu_params *par, uint64_t core_hz, lane_fold_fn *fold);

#endif
