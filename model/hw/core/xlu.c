/* Cycles of registers through the XLU. */
#include "hw/core/xlu.h"

#define P(...) PARAM_DESC(struct xlu_params, __VA_ARGS__)
static const struct param_desc params[] = { XLU_PARAMS(P) };
const struct param_table xlu_param_table = { "xlu", params, sizeof params / sizeof *params,
                                             sizeof(struct xlu_params), NULL };
#define C(...) STAT_COUNTER(struct core_unit_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct core_unit_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { XLU_STATS(C, R) };
const struct stat_table xlu_stat_table = { "xlu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct core_unit_stats) };
static const struct component_class xlu_class = { .name = "xlu",
                                                  .parameters = &xlu_param_table,
                                                  .statistics = &xlu_stat_table,
                                                  .counters = offsetof(struct core_unit, st),
                                                  .finish = core_unit_finish };

static uint64_t count_cycles(const struct core_unit *u, const void *cmd)
{
    const struct xlu *v = (const struct xlu *)u;
    const struct unit_lanes *c = cmd;

    return c->registers * v->par.cycles_per_register;
}

void xlu_init(struct xlu *v, struct des *sim, struct des_module parent,
              const struct xlu_params *par, uint64_t core_hz, lane_fold_fn *fold)
{
    v->par = *par;
    core_unit_init(&v->unit, sim, parent, &xlu_class, core_hz, fold, CAUSE_XLU,
                   sizeof(struct unit_lanes), count_cycles);
}
