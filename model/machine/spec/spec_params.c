#include "machine/spec/spec_params.h"

#define P(...) PARAM_DESC(struct slice_params, __VA_ARGS__)
static const struct param_desc slice_rows[] = { SLICE_PARAMS(P) };
const struct param_table slice_param_table = { "slice", slice_rows,
                                               sizeof slice_rows / sizeof *slice_rows,
                                               sizeof(struct slice_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct nvlink_params, __VA_ARGS__)
static const struct param_desc nvlink_rows[] = { NVLINK_PARAMS(P) };
const struct param_table nvlink_param_table = { "nvlink", nvlink_rows,
                                                sizeof nvlink_rows / sizeof *nvlink_rows,
                                                sizeof(struct nvlink_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct process_params, __VA_ARGS__)
static const struct param_desc process_rows[] = { PROCESS_PARAMS(P) };
const struct param_table process_param_table = { "process", process_rows,
                                                 sizeof process_rows / sizeof *process_rows,
                                                 sizeof(struct process_params), NULL };
#undef P
#define P(...) PARAM_DESC(struct framework_params, __VA_ARGS__)
static const struct param_desc framework_rows[] = { FRAMEWORK_PARAMS(P) };
const struct param_table framework_param_table = { "framework", framework_rows,
                                                   sizeof framework_rows / sizeof *framework_rows,
                                                   sizeof(struct framework_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct price_params, __VA_ARGS__)
static const struct param_desc price_rows[] = { PRICE_PARAMS(P) };
const struct param_table price_param_table = { "price", price_rows,
                                               sizeof price_rows / sizeof *price_rows,
                                               sizeof(struct price_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct power_params, __VA_ARGS__)
static const struct param_desc power_rows[] = { POWER_PARAMS(P) };
const struct param_table power_param_table = { "power", power_rows,
                                               sizeof power_rows / sizeof *power_rows,
                                               sizeof(struct power_params), NULL };
#undef P

#define P(...) PARAM_DESC(struct die_params, __VA_ARGS__)
static const struct param_desc die_rows[] = { DIE_PARAMS(P) };
const struct param_table die_param_table = { "die", die_rows, sizeof die_rows / sizeof *die_rows,
                                             sizeof(struct die_params), NULL };
#undef P
