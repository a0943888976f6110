/* The table of what a compiler costs and chooses. */
#include "kernels/common/xla_params.h"

#define P(...) PARAM_DESC(struct xla_params, __VA_ARGS__)
static const struct param_desc rows[] = { XLA_PARAMS(P) };
const struct param_table xla_param_table = { "xla", rows, sizeof rows / sizeof *rows,
                                             sizeof(struct xla_params), NULL };
