/* xlu.h - transpose, reduce and permute unit.
 *
 *      cmd  >--[ cycles_per_register for each register ]--> done
 */
#ifndef HW_XLU_H
#define HW_XLU_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/lane.h"
#include "hw/msg_unit.h"

/* clang-format off */
#define XLU_PARAMS(P)                                                                              \
    P(U32, cycles_per_register, "cycle", "12", "1", "1024",                                        \
      "cycles a vector register takes across the lanes [calibrated: tpu_v4_ops]")
#define XLU_STATS(C, R)                                                                            \
    C(cycles, "cycle",    "cycles of the measured time")                                           \
    C(busy,   "cycle",    "cycles with a command in the unit")                                     \
    C(ops,    "register", "vector registers moved across lanes")                                           \
    R("utilization.xlu", busy, cycles, "time with work in the transpose/reduce/permute unit")
/* clang-format on */

struct xlu_params {
    XLU_PARAMS(PARAM_FIELD)
};
struct xlu_stats {
    XLU_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table xlu_param_table;
extern const struct stat_table xlu_stat_table;

struct xlu {
    struct des_module mod;
    struct xlu_params par;
    struct xlu_stats st;
    struct des_in cmd;   /* struct unit_vector */
    struct des_out done; /* struct unit_done */
    struct lane lane;
};

void xlu_init(struct xlu *u, struct des *sim, struct des_module parent,
              const struct xlu_params *par, uint64_t core_hz, lane_fold_fn *fold);
void xlu_finish(struct xlu *u, uint64_t cycles);

#endif
