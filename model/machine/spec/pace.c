#include "machine/spec/pace.h"

#include <string.h>

#include "base/err.h"

/* The rates and fixed times that the seconds of a cause grow with, first those that matter most. */
/* clang-format off */
static const struct {
    enum cause cause;
    const char *section, *key;
} paces[] = {
    { CAUSE_MXU,      "core",      "clock" },
    { CAUSE_MXU,      "mxu",       "issue" },
    { CAUSE_VPU,      "core",      "clock" },
    { CAUSE_VPU,      "vpu",       "alus" },
    { CAUSE_XLU,      "xlu",       "cycles_per_register" },
    { CAUSE_HBM,      "hbm",       "bandwidth" },
    { CAUSE_HBM,      "hbm",       "efficiency" },
    { CAUSE_ICI,      "ici",       "bandwidth" },
    { CAUSE_ICI,      "ici",       "latency" },
    { CAUSE_ICI,      "nvlink",    "bandwidth" },
    { CAUSE_DCN,      "dcn",       "bandwidth" },
    { CAUSE_DCN,      "dcn",       "nics" },
    { CAUSE_DCN,      "dcn",       "latency" },
    { CAUSE_PCIE,     "pcie",      "bandwidth" },
    { CAUSE_STORAGE,  "storage",   "bandwidth" },
    { CAUSE_HOST,     "host",      "infeed_bandwidth" },
    { CAUSE_HOST,     "host",      "infeed_overhead" },
    { CAUSE_COMPILE,  "xla",       "compile_time" },
    { CAUSE_LAUNCH,   "core",      "op_overhead" },
    { CAUSE_LAUNCH,   "core",      "step_overhead" },
    { CAUSE_LAUNCH,   "gpu",       "kernel_gap" },
    { CAUSE_LAUNCH,   "framework", "dispatch" },
    { CAUSE_TENSOR,   "gpu",       "clock" },
    { CAUSE_TENSOR,   "sm",        "constants" },
    { CAUSE_CUDA,     "gpu",       "clock" },
    { CAUSE_CUDA,     "sm",        "constants" },
    { CAUSE_SFU,      "gpu",       "clock" },
    { CAUSE_SMEM,     "sm",        "constants" },
    { CAUSE_L2,       "l2",        "bandwidth" },
    { CAUSE_CORES,    "cpu",       "clock" },
    { CAUSE_CACHE,    "cpu",       "core_bandwidth" },
    { CAUSE_NUMA,     "cpu",       "link_bandwidth" },
    { CAUSE_MEMORY,   "hbm",       "bandwidth" },
    { CAUSE_MEMORY,   "hbm",       "efficiency" },
    { CAUSE_PAGES,    "framework", "fault" },
    { CAUSE_SERIAL,   "cpu",       "clock" },
};
/* clang-format on */

/* Constants of the chip's own were fitted on it; those of another chip are a guess. */
static bool is_own(const struct machine_spec *m, const char *key)
{
    return m->kind == CHIP_GPU && strcmp(key, "constants") == 0 && !spec_constants(m);
}

bool pace_is_unverified(const struct machine_spec *m, const char *section, const char *key)
{
    int t = spec_table(section);

    BUG_ON(t < 0);
    const struct param_desc *d = param_find(spec_tables[t], key);
    BUG_ON(!d);
    return spec_has(m->kind, (size_t)t) && !is_own(m, key) &&
           spec_is_unverified(m, (size_t)t, (size_t)(d - spec_tables[t]->rows));
}

void pace_unverified(const struct machine_spec *m, char name[N_CAUSES][PACE_NAME])
{
    memset(name, 0, N_CAUSES * sizeof *name);
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
        char *to = name[paces[i].cause];
        if (!*to && pace_is_unverified(m, paces[i].section, paces[i].key))
            snprintf(to, PACE_NAME, "%s.%s", paces[i].section, paces[i].key);
    }
}
