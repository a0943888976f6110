#include "hw/xlu.h"

#define P(...) PARAM_DESC(struct xlu_params, __VA_ARGS__)
static const struct param_desc params[] = { XLU_PARAMS(P) };
const struct param_table xlu_param_table = { "xlu", params, sizeof params / sizeof *params,
                                             sizeof(struct xlu_params) };
#undef P
#define C(...) STAT_COUNTER(struct xlu_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct xlu_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { XLU_STATS(C, R) };
const struct stat_table xlu_stat_table = { "xlu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct xlu_stats) };

static bool take(struct des *sim, void *self, uint64_t *units)
{
    struct xlu *u = self;
    struct unit_vector cmd;

    if (!des_get(sim, u->cmd, &cmd))
        return false;
    *units = cmd.ops * u->par.cycles_per_register;
    u->st.ops += cmd.ops;
    u->st.busy += *units;
    return true;
}

static bool finish(struct des *sim, void *self)
{
    struct xlu *u = self;

    return des_put(sim, u->done, &(struct unit_done){ CAUSE_XLU });
}

void xlu_init(struct xlu *u, struct des *sim, struct des_module parent,
              const struct xlu_params *par, uint64_t core_hz, lane_fold_fn *fold)
{
    *u = (struct xlu){ .par = *par };
    u->mod = des_module_new(sim, parent, "xlu");
    u->cmd = des_in_new(sim, u->mod, "cmd", sizeof(struct unit_vector));
    u->done = des_out_new(sim, u->mod, "done", sizeof(struct unit_done));
    lane_init(&u->lane, sim, u->mod, core_hz, fold, u, take, finish);
    des_sensitive_in(sim, u->lane.serve, u->cmd);
    des_sensitive_out(sim, u->lane.serve, u->done);
}

void xlu_finish(struct xlu *u, uint64_t cycles)
{
    u->st.cycles = cycles;
}
