#include "hw/vpu.h"

#define P(...) PARAM_DESC(struct vpu_params, __VA_ARGS__)
static const struct param_desc params[] = { VPU_PARAMS(P) };
const struct param_table vpu_param_table = { "vpu", params, sizeof params / sizeof *params,
                                             sizeof(struct vpu_params) };
#undef P
#define C(...) STAT_COUNTER(struct vpu_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct vpu_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { VPU_STATS(C, R) };
const struct stat_table vpu_stat_table = { "vpu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct vpu_stats) };

static bool take(struct des *sim, void *self, uint64_t *units)
{
    struct vpu *u = self;
    struct unit_vector cmd;

    if (!des_get(sim, u->cmd, &cmd))
        return false;
    *units = (cmd.ops + u->par.alus - 1) / u->par.alus;
    u->st.ops += cmd.ops;
    u->st.busy += *units;
    return true;
}

static bool finish(struct des *sim, void *self)
{
    struct vpu *u = self;

    return des_put(sim, u->done, &(struct unit_done){ CAUSE_VPU });
}

void vpu_init(struct vpu *u, struct des *sim, struct des_module parent,
              const struct vpu_params *par, uint64_t core_hz, lane_fold_fn *fold)
{
    *u = (struct vpu){ .par = *par };
    u->mod = des_module_new(sim, parent, "vpu");
    u->cmd = des_in_new(sim, u->mod, "cmd", sizeof(struct unit_vector));
    u->done = des_out_new(sim, u->mod, "done", sizeof(struct unit_done));
    lane_init(&u->lane, sim, u->mod, core_hz, fold, u, take, finish);
    des_sensitive_in(sim, u->lane.serve, u->cmd);
    des_sensitive_out(sim, u->lane.serve, u->done);
}

void vpu_finish(struct vpu *u, uint64_t cycles)
{
    u->st.cycles = cycles;
}
