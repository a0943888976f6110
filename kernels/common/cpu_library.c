#include "kernels/common/cpu_library.h"

#define P(...) PARAM_DESC(struct elements_params, __VA_ARGS__)
static const struct param_desc elements_rows[] = { ELEMENTS_PARAMS(P) };
const struct param_table elements_param_table = { "elements", elements_rows,
                                                  sizeof elements_rows / sizeof *elements_rows,
                                                  sizeof(struct elements_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct blocks_params, __VA_ARGS__)
static const struct param_desc blocks_rows[] = { BLOCKS_PARAMS(P) };
const struct param_table blocks_param_table = { "blocks", blocks_rows,
                                                sizeof blocks_rows / sizeof *blocks_rows,
                                                sizeof(struct blocks_params), NULL };
