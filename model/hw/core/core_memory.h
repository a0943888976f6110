/* core_memory.h - the memories of a core that a program manages itself: how much they hold.
 *
 * Lowering cuts tiles to fit vector memory (VMEM) and keeps indices of rows in scalar memory
 * (SMEM).  Loads and stores of VMEM take slots of an instruction word (task/bundle.h). */
#ifndef HW_CORE_CORE_MEMORY_H
#define HW_CORE_CORE_MEMORY_H

#include "base/param.h"

/* clang-format off */
#define SMEM_PARAMS(P)                                                                             \
    P(U64, capacity, "B", "16 KiB", "1 KiB", "1 GiB", "scalar memory of a core: indices of rows are read from it [norrie-2021]")

#define VMEM_PARAMS(P)                                                                             \
    P(U64, capacity, "B", "16 MiB", "64 KiB", "16 GiB", "vector memory of a core [jax]")
/* clang-format on */

struct smem_params {
    SMEM_PARAMS(PARAM_FIELD)
};
struct vmem_params {
    VMEM_PARAMS(PARAM_FIELD)
};
extern const struct param_table smem_param_table;
extern const struct param_table vmem_param_table;

#endif
