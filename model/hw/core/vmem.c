#include "hw/core/vmem.h"

#include "base/arith.h"

#define C(...) STAT_COUNTER(struct vmem_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct vmem_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { VMEM_STATS(C, R) };
const struct stat_table vmem_stat_table = { "vmem", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct vmem_stats) };
static const struct component_class vmem_class = { .name = "vmem",
                                                   .parameters = &vmem_param_table,
                                                   .statistics = &vmem_stat_table,
                                                   .counters = offsetof(struct vmem, st),
                                                   .reset = vmem_reset,
                                                   .finish = vmem_finish };

enum { HELD };
static const struct des_probe_row shows[] = {
    [HELD] = SHOW_ROW(LEVEL, "held", "B", "bytes that the windows of the kernel at hand take"),
};

/* Count what is held up to `now`. */
static void count_held(struct vmem *v, des_time now)
{
    uint64_t cycle = des_edge_index(now, v->core_hz);

    v->st.held += v->words * (cycle - v->since);
    v->since = cycle;
}

void vmem_hold(struct des *sim, struct vmem *v, uint64_t bytes)
{
    count_held(v, des_now(sim));
    v->words = arith_ceil_div(bytes, v->word);
    des_show(sim, v->show, HELD, bytes);
}

void vmem_reset(void *self, des_time now)
{
    struct vmem *v = self;

    v->since = des_edge_index(now, v->core_hz);
}

void vmem_finish(void *self, des_time now, des_time elapsed)
{
    struct vmem *v = self;

    count_held(v, now);
    v->st.capacity = v->par.capacity / v->word * des_edge_index(elapsed, v->core_hz);
}

void vmem_init(struct vmem *v, struct des *sim, struct des_module parent,
               const struct vmem_params *par, uint64_t core_hz, uint32_t word)
{
    *v = (struct vmem){ .par = *par, .core_hz = core_hz, .word = word };
    v->mod = des_module_new(sim, parent, "vmem");
    v->show = SHOW_PROBES(sim, v->mod, shows);
    des_probe_set_peak(sim, v->show, HELD, par->capacity);
    component_add(sim, &vmem_class, v->mod, v);
}
