/* xlu.h - the unit that transposes, reduces and permutes vector registers across lanes.
 *
 *      cycles = registers * cycles_per_register
 *
 * Sums and spreads along lanes follow each other faster than that, and wait for their results at
 * the end (xla.lane_reduce_time); rows of a register that go to places of their own take longer.
 * Lowering has rates of its own for them (kernels/tpu/stated.c). */
#ifndef HW_CORE_XLU_H
#define HW_CORE_XLU_H

#include "base/param.h"
#include "hw/core/core_unit.h"

/* clang-format off */
#define XLU_PARAMS(P)                                                                              \
    P(U32, cycles_per_register, "cycle", "12", "1", "1024",                                        \
      "cycles a vector register takes across the lanes [calibrated: tpu_v4_ops]")                    \
    P(U32, lane_cycles, "cycle", "0", "0", "1024",                                                 \
      "of a register that compiled programs sum or spread along lanes; 0: as cycles_per_register [unverified]") \
    P(U32, hand_cycles, "cycle", "3", "1", "1024",                                                 \
      "of a register that a kernel by hand sums or spreads along lanes [calibrated: tpu_v4_ops]")     \
    P(U32, rows_cycles, "cycle", "0", "0", "1024",                                                 \
      "of a register's rows moved each to its own place by compiled programs; 0: as cycles_per_register [unverified]")

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

/* Make the unit in a core of `core_hz` Hz.  `fold` NULL: walk every cycle. */
void xlu_init(struct xlu *v, struct des *sim, struct des_module parent,
              const struct xlu_params *par, uint64_t core_hz, lane_fold_fn *fold);

#endif
