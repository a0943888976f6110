#include "hw/vpu.h"

#define P(...) PARAM_DESC(struct vpu_params, __VA_ARGS__)
static const struct param_desc params[] = { VPU_PARAMS(P) };
const struct param_table vpu_param_table = { "vpu", params, sizeof params / sizeof *params,
                                             sizeof(struct vpu_params) };
#define C(...) STAT_COUNTER(struct unit_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct unit_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { VPU_STATS(C, R) };
const struct stat_table vpu_stat_table = { "vpu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct unit_stats) };

static uint64_t cycles(const struct unit *u, uint64_t ops)
{
    const struct vpu *v = (const struct vpu *)u;

    return (ops + v->par.alus - 1) / v->par.alus;
}

void vpu_init(struct vpu *v, struct des *sim, struct des_module parent,
              const struct vpu_params *par, uint64_t core_hz, lane_fold_fn *fold)
{
    v->par = *par;
    unit_init(&v->unit, sim, parent, "vpu", core_hz, fold, CAUSE_VPU, cycles);
}
