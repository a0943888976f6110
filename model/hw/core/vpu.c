/* Slots and cycles of vector operations. */
#include "hw/core/vpu.h"

#include "base/arith.h"

#define P(...) PARAM_DESC(struct vpu_params, __VA_ARGS__)
static const struct param_desc params[] = { VPU_PARAMS(P) };
const struct param_table vpu_param_table = { "vpu", params, sizeof params / sizeof *params,
                                             sizeof(struct vpu_params), NULL };
#define C(...) STAT_COUNTER(struct core_unit_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct core_unit_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { VPU_STATS(C, R) };
const struct stat_table vpu_stat_table = { "vpu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct core_unit_stats) };
static const struct component_class vpu_class = { .name = "vpu",
                                                  .parameters = &vpu_param_table,
                                                  .statistics = &vpu_stat_table,
                                                  .counters = offsetof(struct core_unit, st),
                                                  .finish = core_unit_finish };

uint64_t vpu_slots(const struct vpu_params *par, const uint64_t ops[N_VECTOR_OPS])
{
    uint64_t sum = 0;

#define V(id, text, doc) sum += ops[VECTOR_##id] * par->text##_slots;
    VECTOR_OPS(V)
#undef V
    uint64_t special = ops[VECTOR_DIVIDE] + ops[VECTOR_EXP];
    special = arith_ceil_div(special * par->alus, par->functions);
    return sum > special ? sum : special;
}

static uint64_t count_cycles(const struct core_unit *u, const void *cmd)
{
    const struct vpu *v = (const struct vpu *)u;
    const struct unit_vector *c = cmd;

    return (vpu_slots(&v->par, c->ops) + v->par.alus - 1) / v->par.alus;
}

void vpu_init(struct vpu *v, struct des *sim, struct des_module parent,
              const struct vpu_params *par, uint64_t core_hz, lane_fold_fn *fold)
{
    v->par = *par;
    core_unit_init(&v->unit, sim, parent, &vpu_class, core_hz, fold, CAUSE_VPU,
                   sizeof(struct unit_vector), count_cycles);
}
