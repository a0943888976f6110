#include "hw/gpu/sms.h"

#include "base/wide.h"

#define P(...) PARAM_DESC(struct sms_params, __VA_ARGS__)
static const struct param_desc params[] = { SMS_PARAMS(P) };
const struct param_table sms_param_table = { "sm", params, sizeof params / sizeof *params,
                                             sizeof(struct sms_params), NULL };
#define C(...) STAT_COUNTER(struct sms_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct sms_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { SMS_STATS(C, R) };
const struct stat_table sms_stat_table = { "sm", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct sms_stats) };

static bool take_step(struct des *sim, void *self, uint64_t *units)
{
    struct sms *s = self;
    struct gpu_step cmd;
    uint64_t most = 0;

    if (!des_get(sim, s->cmd, &cmd))
        return false;
    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        most = cmd.cycles[pipe] > most ? cmd.cycles[pipe] : most;
    s->st.busy += cmd.sm_cycles;
    s->st.tensor += cmd.cycles[GRID_TENSOR];
    s->st.fma += cmd.cycles[GRID_FMA];
    if (most > 0) {
        s->st.macs += wide_mul_div(cmd.cycles[GRID_TENSOR] * s->par.f16, cmd.sm_cycles, most);
        s->st.fmas += wide_mul_div(cmd.cycles[GRID_FMA] * s->par.f32, cmd.sm_cycles, most);
    }
    *units = most;
    return true;
}

static bool finish_step(struct des *sim, void *self)
{
    struct sms *s = self;

    return des_put(sim, s->done, &(struct gpu_step_done){ 0 });
}

static void finish_measuring(void *self, des_time now, des_time elapsed)
{
    struct sms *s = self;

    s->st.cycles = des_edge_index(now, s->hz) - des_edge_index(now - elapsed, s->hz);
    s->st.capacity = s->st.cycles * s->par.count;
}

static const struct component_class sms_class = { .name = "sms",
                                                  .parameters = &sms_param_table,
                                                  .statistics = &sms_stat_table,
                                                  .counters = offsetof(struct sms, st),
                                                  .finish = finish_measuring };

void sms_init(struct sms *s, struct des *sim, struct des_module parent,
              const struct sms_params *par, uint64_t hz, lane_fold_fn *fold)
{
    *s = (struct sms){ .par = *par, .hz = hz };
    s->mod = des_module_new(sim, parent, "sms");
    component_add(sim, &sms_class, s->mod, s);
    s->cmd = des_in_new(sim, s->mod, "cmd", sizeof(struct gpu_step));
    s->done = des_out_new(sim, s->mod, "done", sizeof(struct gpu_step_done));
    lane_init(&s->lane, sim, s->mod, hz, fold, s, take_step, finish_step);
    des_sensitive(sim, s->lane.serve, s->cmd);
    des_sensitive(sim, s->lane.serve, s->done);
}
