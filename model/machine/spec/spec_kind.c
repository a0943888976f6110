/* Values that each kind of chip has under names of its own. */
#include "base/units.h"
#include "base/wide.h"
#include "machine/spec/spec.h"

#define BIT(cause) (UINT32_C(1) << CAUSE_##cause)

uint32_t spec_causes(const struct machine_spec *m)
{
    static const uint32_t of_tpu = BIT(MXU) | BIT(VPU) | BIT(XLU);
    static const uint32_t of_gpu = BIT(TENSOR) | BIT(CUDA) | BIT(SFU) | BIT(SMEM) | BIT(L2);
    static const uint32_t of_cpu =
        BIT(CORES) | BIT(CACHE) | BIT(NUMA) | BIT(MEMORY) | BIT(PAGES) | BIT(SERIAL);
    static const uint32_t of_chips = BIT(HBM); /* whose memory is on the package */
    const uint32_t own[CHIP_N_KINDS] = {
        [CHIP_TPU] = of_tpu | of_chips, [CHIP_GPU] = of_gpu | of_chips, [CHIP_CPU] = of_cpu
    };
    const uint32_t all = of_tpu | of_gpu | of_cpu | of_chips;

    return (((UINT32_C(1) << N_CAUSES) - 1) & ~all) | own[m->kind];
}

uint64_t spec_clock(const struct machine_spec *m)
{
    const uint64_t hz[CHIP_N_KINDS] = {
        [CHIP_TPU] = m->core.clock, [CHIP_GPU] = m->gpu.clock, [CHIP_CPU] = m->cpu.clock
    };

    return hz[m->kind];
}

uint32_t spec_matrix_units(const struct machine_spec *m)
{
    const uint32_t n[CHIP_N_KINDS] = { [CHIP_TPU] = m->mxu.count };

    return n[m->kind];
}

uint64_t spec_macs_per_cycle(const struct machine_spec *m)
{
    const struct sms_params *sm = &m->sm;
    uint32_t half = sm->bf16 > sm->f16 ? sm->bf16 : sm->f16;
    const uint64_t macs[CHIP_N_KINDS] = {
        [CHIP_TPU] = (uint64_t)m->mxu.size * m->mxu.size * m->mxu.rows_per_cycle * m->mxu.count,
        [CHIP_GPU] = (uint64_t)sm->count * (half ? half : sm->f32),
        [CHIP_CPU] = (uint64_t)m->cpu.sockets * m->cpu.count * m->cpu.lanes * m->cpu.fma,
    };

    return macs[m->kind];
}

const char *spec_peak_dtype(const struct machine_spec *m)
{
    const struct sms_params *sm = &m->sm;
    const char *const dtype[CHIP_N_KINDS] = { [CHIP_TPU] = "bf16",
                                              [CHIP_GPU] = sm->bf16 >= sm->f16 && sm->bf16 ? "bf16"
                                                           : sm->f16                       ? "f16"
                                                                                           : "f32",
                                              [CHIP_CPU] = "f32" };

    return dtype[m->kind];
}

const char *spec_constants(const struct machine_spec *m)
{
    static const char *const of[] = { NULL, "volta", "ampere", "hopper" }; /* sm.constants */

    return m->kind == CHIP_GPU ? of[m->sm.constants] : NULL;
}

uint64_t spec_adds_per_cycle(const struct machine_spec *m)
{
    const uint64_t adds[CHIP_N_KINDS] = {
        [CHIP_TPU] = (uint64_t)spec_cores_of_chip(m) * m->vpu.lanes * m->vpu.sublanes * m->vpu.alus,
        [CHIP_GPU] = (uint64_t)m->sm.count * m->sm.f32,
        [CHIP_CPU] = (uint64_t)m->cpu.sockets * m->cpu.count * m->cpu.lanes,
    };

    return adds[m->kind];
}

/* Behind a switch, or where each GPU has links to several others, a GPU sends at the rate of all
 * its links together, whichever GPU it sends to; one of a box of two at that of the links that join
 * them.  So its links stand as one to the GPU behind it, and one to the GPU before it. */
static struct link_params links_of_box(const struct machine_spec *m)
{
    const struct nvlink_params *n = &m->nvlink;
    uint32_t pair = n->pair_links ? n->pair_links : n->links;
    bool two = spec_slice_chips(m) == 2;

    return (struct link_params){ .bandwidth = n->bandwidth * (two ? pair : n->links),
                                 .flit = n->packet,
                                 .latency = n->latency };
}

/* A node is alone: what joins its sockets is the only link there is. */
static struct link_params links_of_node(const struct machine_spec *m)
{
    return (struct link_params){ .bandwidth = m->cpu.link_bandwidth,
                                 .flit = 64,
                                 .algorithm = SCHEDULE_RING };
}

static struct link_params links_of_slice(const struct machine_spec *m)
{
    return m->ici;
}

struct link_params spec_links(const struct machine_spec *m)
{
    static struct link_params (*const links[CHIP_N_KINDS])(const struct machine_spec *) = {
        [CHIP_TPU] = links_of_slice, [CHIP_GPU] = links_of_box, [CHIP_CPU] = links_of_node
    };

    return links[m->kind](m);
}
