/* Capabilities that follow from the values of a machine, by the kind of its chips. */
#include "des/des.h"
#include "machine/spec/spec.h"

/* Whole core cycles of a time. */
static uint64_t cycles_of_time(const struct machine_spec *m, uint64_t fs)
{
    return des_edge_index(fs, spec_clock(m));
}

/* Bandwidth of one core while all cores of its chip stream: its share of HBM, if its DMA takes as
 * much. */
static uint64_t stream_bytes_per_s(const struct machine_spec *m)
{
    uint64_t share = hbm_stream_bytes_per_s(&m->hbm, &m->dram) / m->slice.cores_per_chip;

    return m->dma.bandwidth && m->dma.bandwidth < share ? m->dma.bandwidth : share;
}

uint32_t spec_tile_lanes(const struct machine_spec *m)
{
    return m->vpu.lanes < m->xla.tile_lanes ? m->vpu.lanes : m->xla.tile_lanes;
}

uint32_t spec_tile_sublanes(const struct machine_spec *m)
{
    return m->vpu.sublanes < m->xla.tile_sublanes ? m->vpu.sublanes : m->xla.tile_sublanes;
}

static void set_vector_slots(struct cap *cap, const struct machine_spec *m)
{
#define V(id, text, doc) cap->vector_slots[VECTOR_##id] = m->vpu.text##_slots;
    VECTOR_OPS(V)
#undef V
    cap->vector_alus = m->vpu.alus;
    cap->vector_functions = m->vpu.functions;
}

/* The compiler's parameters, the times of kernels in core cycles. */
static void set_compiler(const struct machine_spec *m, struct cap *cap)
{
    cap->xla = m->xla;
#define AS_STATED(...)
#define IN_CYCLES(kind, name, ...) cap->xla.name = cycles_of_time(m, m->xla.name);
    XLA_ROWS(AS_STATED, IN_CYCLES)
#undef IN_CYCLES
#undef AS_STATED
}

/* Waits of kernels, of sums and of lanes that move. */
static void set_waits(const struct machine_spec *m, struct cap *cap)
{
    cap->gap_cycles = cycles_of_time(m, m->core.kernel_gap);
    cap->write_cycles = m->dma.way_bandwidth ? cap->dma_cycles : 0;
    cap->lane_cycles = m->xlu.lane_cycles;
    cap->rows_cycles = m->xlu.rows_cycles;
    cap->hand_cycles = m->xlu.hand_cycles;
    cap->hand_wait = m->core.hand_wait;
    cap->meet_cycles = cycles_of_time(m, m->core.meet_time);
}

/* Kernels for one kind of operation or type: 8 and 16 bits, top-k. */
static void set_kernels(const struct machine_spec *m, struct cap *cap)
{
    cap->e5m2_rate = m->mxu.e5m2_rate;
    cap->e4m3b11_rate = m->mxu.e4m3b11_rate;
    cap->top_k = m->top_k;
    cap->packed16 = m->vpu.packed16;
}

static void set_tpu(const struct machine_spec *m, struct cap *cap)
{
    *cap = (struct cap){
        .replicas = spec_cores(m),
        .halves = m->core.halves,
        .core_hz = m->core.clock,
        .mxu_count = m->mxu.count,
        .mxu_free = m->mxu.stationary,
        .mxu_issue = m->mxu.issue,
        .mxu = mxu_array(&m->mxu),
        .int8_rate = m->mxu.int8_rate,
        .fp8_rate = m->mxu.fp8_rate,
        .mxu_row_granule = m->mxu.row_granule,
        .vector_elements = m->vpu.lanes * m->vpu.sublanes,
        .xlu_cycles = m->xlu.cycles_per_register,
        .bundle = m->bundle,
        .lanes = spec_tile_lanes(m),
        .sublanes = spec_tile_sublanes(m),
        .array_sums = m->mxu.sums,
        .smem_bytes = m->smem.capacity / m->core.halves,
        .vmem_bytes = m->vmem.capacity / m->core.halves,
        .net = { .slices = m->dcn.slices,
                 .cores_per_chip = spec_cores_of_chip(m),
                 .algorithm = (enum schedule_algorithm)m->ici.algorithm,
                 .latency_fs = m->ici.latency,
                 .bytes_per_s = m->ici.bandwidth },
        .cmem_bytes = m->cmem.capacity / m->slice.cores_per_chip,
        .hbm_bytes_per_s = stream_bytes_per_s(m),
        .hbm_cores = spec_cores_of_chip(m),
        .dma_cycles = cycles_of_time(m, m->dma.latency),
        .request_bytes = m->hbm.request_overhead,
        .dma_granule = m->dma.granule,
        .op_cycles = cycles_of_time(m, m->core.op_overhead),
        .step_cycles = m->core.step_overhead,
        .scalar_cycles = m->core.scalar_cycles,
        .sparsecores = m->sparsecore.count,
        .variable = { m->host.copy_overhead, m->host.copy_message, m->host.copy_bandwidth,
                      m->host.copy_reused, m->host.fresh_bandwidth },
    };
    set_vector_slots(cap, m);
    set_compiler(m, cap);
    set_waits(m, cap);
    set_kernels(m, cap);
    spec_mesh(m, &cap->net.mesh);
}

/* --- GPUs ------------------------------------------------------------------------------------ */

/* Buckets that overlap with the backward pass, of frameworks that begin them there. */
static struct cap_overlap buckets_of(const struct machine_spec *m)
{
    static const bool overlaps[] = {
        [LAUNCH_EAGER] = true, [LAUNCH_GRAPH] = false, [LAUNCH_XLA] = false
    };
    bool follows = m->nccl.overlap == NCCL_OVERLAP_AUTO;
    bool on = follows ? overlaps[m->launch.framework] : m->nccl.overlap == NCCL_OVERLAP_YES;

    return on ? (struct cap_overlap){ m->nccl.first_bucket, m->nccl.bucket, follows }
              : (struct cap_overlap){ 0 };
}

static void set_library(const struct machine_spec *m, struct gpu_library *lib)
{
#define SECTION(section, component, kinds) lib->section = m->section.lib;
    GPU_TILES_SECTIONS(SECTION)
#undef SECTION
    lib->compiled = m->compiled;
    lib->convolution = m->convolution;
    lib->stream = m->stream;
}

static void set_gpu(const struct machine_spec *m, struct cap *cap)
{
    const struct sms_params *sm = &m->sm;
    struct link_params links = spec_links(m);
    bool eager = m->launch.framework == LAUNCH_EAGER;

    *cap = (struct cap){
        .kind = CHIP_GPU,
        .replicas = spec_cores(m),
        .halves = 1,
        .core_hz = m->gpu.clock,
        .lanes = 1, /* arrays in memory are not padded */
        .sublanes = 1,
        .hbm_bytes_per_s = hbm_stream_bytes_per_s(&m->hbm, &m->dram),
        .hbm_cores = 1,
        .cache_bytes = m->l2.capacity,
        .gpu = { .isa = (enum cap_gpu_isa)sm->isa,
                 .f32_share = (uint32_t)(sm->f32_share / 1000000),
                 .tensor_share = (uint32_t)(sm->tensor_share / 1000000),
                 .strict = m->launch.tf32 == LAUNCH_TF32_NO,
                 .exact = m->launch.tf32 == LAUNCH_TF32_AUTO && eager,
                 .follows = m->launch.tf32 == LAUNCH_TF32_AUTO,
                 .sms = sm->count,
                 .f16 = sm->f16,
                 .bf16 = sm->bf16,
                 .tf32 = sm->tf32,
                 .f8 = sm->f8,
                 .s8 = sm->s8,
                 .f32 = sm->f32,
                 .f64 = sm->f64,
                 .f64_tensor = sm->f64_tensor,
                 .sfu = sm->sfu,
                 .shared_bytes = sm->shared,
                 .l2_bytes = m->l2.capacity,
                 .l2_bytes_per_s = m->l2.bandwidth,
                 .fused = m->launch.framework == LAUNCH_XLA,
                 .dispatch_fs = eager ? m->launch.dispatch : 0,
                 .node_fs = eager ? 0 : m->launch.node,
                 .call_fs = m->launch.call },
        .net = { .slices = m->dcn.slices,
                 .cores_per_chip = 1,
                 .latency_fs = links.latency,
                 .bytes_per_s = links.bandwidth,
                 .far_latency_fs = m->dcn.latency,
                 .far_bytes_per_s = m->dcn.nics * m->dcn.bandwidth / m->slice.chips_per_host,
                 .far_message_fs = m->dcn.message_time * m->slice.chips_per_host,
                 .message = m->dcn.message,
                 .host_bytes_per_s = m->pcie.bandwidth },
        .nccl = m->nccl,
        .bucket_bytes = m->nccl.bucket,
        .overlap = buckets_of(m),
        .process = { m->process.context + m->process.workspace, m->process.granule },
        .variable = { m->host.copy_overhead, m->host.copy_message, m->host.copy_bandwidth,
                      m->host.copy_reused, m->host.fresh_bandwidth },
    };
    set_library(m, &cap->gpu.library);
    spec_mesh(m, &cap->net.mesh);
}

/* --- CPUs ------------------------------------------------------------------------------------ */

static void set_cpu(const struct machine_spec *m, struct cap *cap)
{
    const struct cpu_cores_params *c = &m->cpu;
    const struct framework_params *f = &m->framework;
    struct link_params links = spec_links(m);

    *cap = (struct cap){
        .kind = CHIP_CPU,
        .replicas = spec_cores(m),
        .halves = 1,
        .core_hz = c->clock,
        .lanes = 1, /* arrays in memory are not padded */
        .sublanes = 1,
        .hbm_bytes_per_s = hbm_stream_bytes_per_s(&m->hbm, &m->dram),
        .hbm_cores = 1,
        .cache_bytes = c->l3,
        .cpu = { .cores = c->sockets * c->count,
                 .sockets = c->sockets,
                 .lanes = c->lanes,
                 .macs = c->lanes * c->fma,
                 .stream = c->stream_clock,
                 .l3_bytes = c->l3,
                 .core_bytes_per_s = c->core_bandwidth,
                 .link_bytes_per_s = c->link_bandwidth,
                 .away = c->away,
                 .line_fs = c->line,
                 .fused = f->execution == FRAMEWORK_XLA,
                 .dispatch_fs = f->execution == FRAMEWORK_EAGER ? f->dispatch : f->node,
                 .fork_fs = f->fork,
                 .task_cycles = f->task_cycles,
                 .fresh_bytes = f->fresh,
                 .page_bytes = f->page,
                 .fault_fs = f->fault + (uint64_t)((u128)f->page * DES_FS_PER_S / f->clear),
                 .fault_lines = f->fault_lines,
                 .elements = m->elements,
                 .blocks = m->blocks },
        .net = { .slices = m->dcn.slices,
                 .cores_per_chip = 1,
                 .algorithm = (enum schedule_algorithm)links.algorithm,
                 .latency_fs = links.latency,
                 .bytes_per_s = links.bandwidth },
        .variable = { m->host.copy_overhead, m->host.copy_message, m->host.copy_bandwidth,
                      m->host.copy_reused, m->host.fresh_bandwidth },
    };
    spec_mesh(m, &cap->net.mesh);
}

void spec_cap(const struct machine_spec *m, struct cap *cap)
{
    static void (*const set[CHIP_N_KINDS])(const struct machine_spec *, struct cap *) = {
        [CHIP_TPU] = set_tpu, [CHIP_GPU] = set_gpu, [CHIP_CPU] = set_cpu
    };

    set[m->kind](m, cap);
}
