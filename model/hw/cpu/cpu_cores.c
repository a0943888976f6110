#include "hw/cpu/cpu_cores.h"

#define P(...) PARAM_DESC(struct cpu_cores_params, __VA_ARGS__)
static const struct param_desc params[] = { CPU_CORES_PARAMS(P) };
const struct param_table cpu_cores_param_table = { "cpu", params, sizeof params / sizeof *params,
                                                   sizeof(struct cpu_cores_params), NULL };
#define C(...) STAT_COUNTER(struct cpu_cores_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct cpu_cores_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { CPU_CORES_STATS(C, R) };
const struct stat_table cpu_cores_stat_table = { "cpu", stats, sizeof stats / sizeof *stats,
                                                 sizeof(struct cpu_cores_stats) };

static bool take_work(struct des *sim, void *self, uint64_t *units)
{
    struct cpu_cores *c = self;
    struct cores_work w;

    if (!des_get(sim, c->work, &w))
        return false;
    c->st.any += w.cycles;
    c->st.busy += w.cycles * w.threads;
    *units = w.cycles;
    return true;
}

static bool finish_work(struct des *sim, void *self)
{
    struct cpu_cores *c = self;

    return des_put(sim, c->done, &(struct cores_done){ 0 });
}

static void finish_measuring(void *self, des_time now, des_time elapsed)
{
    struct cpu_cores *c = self;

    c->st.cycles = des_edge_index(now, c->hz) - des_edge_index(now - elapsed, c->hz);
    c->st.capacity = c->st.cycles * c->par.count * c->par.sockets;
}

static const struct component_class cpu_cores_class = { .name = "cores",
                                                        .parameters = &cpu_cores_param_table,
                                                        .statistics = &cpu_cores_stat_table,
                                                        .counters = offsetof(struct cpu_cores, st),
                                                        .finish = finish_measuring };

void cpu_cores_init(struct cpu_cores *c, struct des *sim, struct des_module parent,
                    const struct cpu_cores_params *par, uint64_t hz, lane_fold_fn *fold)
{
    *c = (struct cpu_cores){ .par = *par, .hz = hz };
    c->mod = des_module_new(sim, parent, "cores");
    component_add(sim, &cpu_cores_class, c->mod, c);
    c->work = des_in_new(sim, c->mod, "work", sizeof(struct cores_work));
    c->done = des_out_new(sim, c->mod, "done", sizeof(struct cores_done));
    lane_init(&c->lane, sim, c->mod, hz, fold, c, take_work, finish_work);
    des_sensitive(sim, c->lane.serve, c->work);
    des_sensitive(sim, c->lane.serve, c->done);
}
