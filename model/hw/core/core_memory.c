#include "hw/core/core_memory.h"

#define P(...) PARAM_DESC(struct smem_params, __VA_ARGS__)
static const struct param_desc smem_rows[] = { SMEM_PARAMS(P) };
const struct param_table smem_param_table = { "smem", smem_rows,
                                              sizeof smem_rows / sizeof *smem_rows,
                                              sizeof(struct smem_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct vmem_params, __VA_ARGS__)
static const struct param_desc vmem_rows[] = { VMEM_PARAMS(P) };
const struct param_table vmem_param_table = { "vmem", vmem_rows,
                                              sizeof vmem_rows / sizeof *vmem_rows,
                                              sizeof(struct vmem_params), NULL };
#undef P
