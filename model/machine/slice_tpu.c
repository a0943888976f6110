/* Building TensorCores: their units, and the wires to them and to HBM. */
#include "machine/slice_core.h"

#include <stddef.h>
#include <stdio.h>

enum { COPIES = COPY_RUNNER_PLACES, KERNELS = SPARSECORE_PLACES };

/* Places of the wires between a core's DMA and its neighbours. */
static uint32_t memory_places(const struct machine_spec *s)
{
    uint32_t flight = dma_in_flight(&s->dma);

    return flight > SLICE_MEMORY ? flight : SLICE_MEMORY;
}

/* The shortcuts of a kind of units, for one of them. */
static struct unit_serve serve_unit(const struct unit_serve *kind, void *unit)
{
    struct unit_serve s = *kind;

    s.unit = unit;
    return s;
}

static void build_mxus(struct slice *m, struct core *c, uint64_t clock,
                       const struct machine_folds *folds)
{
    const struct mxu_params *par = &m->spec->mxu;
    struct kernel_runner *k = &c->tensor.kernel;
    struct des_module mod = c->mod;
    char name[32];

    for (uint32_t i = 0; i < par->count; i++) {
        snprintf(name, sizeof name, "mxu%u", i);
        mxu_init(&c->mxu[i], m->sim, mod, name, par, clock, folds->mxu);
        mxu_bind(&c->mxu[i], &c->tensor.sequencer.st.faster);
        SLICE_WIRE(k->mxu[i], c->mxu[i].cmd, unit_gemm, SLICE_ONE, "to_mxu%u", i);
        SLICE_WIRE(c->mxu[i].done, k->mxu_done[i], unit_done, SLICE_ONE, "from_mxu%u", i);
        k->serve.mxu[i] = serve_unit(&folds->mxu_serve, &c->mxu[i]);
    }
}

/* Units that work beside kernels of the core: copies, SparseCores. */
static void build_background(struct slice *m, struct core *c, uint64_t clock)
{
    const struct machine_spec *s = m->spec;
    struct tensorcore *q = &c->tensor;
    struct des_module mod = c->mod;

    dma_init_more(&c->copies, m->sim, mod, "copies", &c->dma);
    SLICE_WIRE(q->copy.dma, c->copies.cmd, mem_request, COPIES, "to_copies");
    SLICE_WIRE(c->copies.done, q->copy.dma_done, dma_done, COPIES, "from_copies");
    if (!s->sparsecore.count)
        return;
    sparsecore_init(&c->sparsecore, m->sim, mod, &s->sparsecore, clock);
    SLICE_WIRE(q->sparse.cmd, c->sparsecore.cmd, unit_sparse, KERNELS, "to_sparsecore");
    SLICE_WIRE(c->sparsecore.done, q->sparse.done, unit_done, KERNELS, "from_sparsecore");
}

static void build_tensorcore(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    const struct machine_spec *s = m->spec;
    uint32_t on_chip = index % spec_cores_of_chip(m->spec);
    uint64_t clock = slice_clock(m, slice_number(m, index / spec_cores_of_chip(m->spec)));
    struct core *c = &m->core[index];
    struct kernel_units units = { .mxu_count = s->mxu.count,
                                  .mxu_size = s->mxu.size,
                                  .mxu_row_granule = s->mxu.row_granule,
                                  .mxu_sums = s->mxu.sums,
                                  .lanes = spec_tile_lanes(s),
                                  .sublanes = spec_tile_sublanes(s),
                                  .register_elements = s->vpu.lanes * s->vpu.sublanes,
                                  .cmem = s->cmem.capacity != 0,
                                  .sparse = s->sparsecore.count != 0,
                                  .dma_latency = 2 * s->dma.latency + s->dma.first_read,
                                  .dma_issue = s->dma.issue,
                                  .mxu_hz = mxu_hz(&s->mxu, clock) };
    struct tensorcore_place place = { clock, on_chip, m->n_cores == 1 };
    char name[32];

    component_list_place(&m->components, SLICE_CORES, index);
    snprintf(name, sizeof name, "core%u", on_chip);
    c->mod = des_module_new(m->sim, m->chip[index / spec_cores_of_chip(m->spec)].mod, name);
    struct des_module mod = c->mod;
    c->sequencer = &c->tensor.sequencer;
    tensorcore_init(&c->tensor, m->sim, mod, &s->core, &s->bundle, &units, &place);
    c->mxu = &m->mxus[(size_t)index * s->mxu.count];
    build_mxus(m, c, clock, folds);
    vpu_init(&c->vpu, m->sim, mod, &s->vpu, clock, folds->lane);
    xlu_init(&c->xlu, m->sim, mod, &s->xlu, clock, folds->lane);
    vmem_init(&c->vmem, m->sim, mod, &s->vmem, clock, 4 * s->vpu.lanes * s->vpu.sublanes);
    dma_init(&c->dma, m->sim, mod, &s->dma, clock);
    struct kernel_runner *k = &c->tensor.kernel;
    k->fold = folds->step;
    k->join = folds->kernel;
    k->dma = &c->dma;
    k->vmem = &c->vmem;
    k->serve.vpu = serve_unit(&folds->unit_serve, &c->vpu.unit);
    k->serve.xlu = serve_unit(&folds->unit_serve, &c->xlu.unit);
    /* clang-format off */
    /*   from              to                 message      places            name */
    SLICE_WIRE(k->vpu,           c->vpu.unit.cmd,   unit_vector, SLICE_ONE,              "to_vpu");
    SLICE_WIRE(c->vpu.unit.done, k->vpu_done,       unit_done,   SLICE_ONE,              "from_vpu");
    SLICE_WIRE(k->xlu,           c->xlu.unit.cmd,   unit_lanes,  SLICE_ONE,              "to_xlu");
    SLICE_WIRE(c->xlu.unit.done, k->xlu_done,       unit_done,   SLICE_ONE,              "from_xlu");
    SLICE_WIRE(k->tiles.dma,     c->dma.cmd,        mem_request, SLICE_MEMORY,           "to_dma");
    SLICE_WIRE(c->dma.done,      k->tiles.dma_done, dma_done,    memory_places(s), "from_dma");
    /* clang-format on */
    build_background(m, c, clock);
}

static uint32_t count_users(const struct slice *m, uint32_t cores)
{
    return 2 * cores + SLICE_SHARED + (m->spec->sparsecore.count ? cores : 0);
}

static void build_cmem(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    struct chip *c = &m->chip[index];
    uint32_t n = spec_cores_of_chip(m->spec);

    cmem_init(&c->cmem, m->sim, c->mod, &m->spec->cmem, n, folds->lane);
    if (n == 1)
        m->core[index].tensor.kernel.serve.cmem = serve_unit(&folds->cmem_serve, &c->cmem);
}

/* Where a stage and its parameters lie in a core and in a machine; `init` of the last is NULL. */
struct stage_row {
    const char *name;
    memory_stage_init *init;
    size_t component, params;
};
#define STAGE_ROW(section, component, kinds)                                                       \
    { #section, component##_stage, offsetof(struct core, component),                               \
      offsetof(struct machine_spec, section) },
static const struct stage_row stage_rows[] = { MEMORY_STAGES(STAGE_ROW){ NULL, NULL, 0, 0 } };

/* Puts the stages between a core's DMA and HBM; true: there are some.  `dma` is what is still to be
 * wired to HBM: at first the ends of the DMA, then those of the last stage. */
static bool wire_stages(struct slice *m, struct chip *c, struct core *k, uint32_t i,
                        struct memory_stage *dma)
{
    struct des_module mod = c->mod;
    uint32_t memory = memory_places(m->spec);
    struct memory_stage stage;
    bool any = false;

    for (const struct stage_row *r = stage_rows; r->init; r++) {
        component_list_place(&m->components, SLICE_CORES, (uint32_t)(k - m->core));
        bool made = r->init((char *)k + r->component, m->sim, k->mod,
                            (const char *)m->spec + r->params, &stage);
        component_list_place(&m->components, SLICE_CHIPS, (uint32_t)(c - m->chip));
        if (!made)
            continue;
        SLICE_WIRE(dma->passed, stage.request, mem_request, memory, "%s%u", r->name, i);
        SLICE_WIRE(stage.replied, dma->reply, mem_done, memory, "%s%u_reply", r->name, i);
        dma->passed = stage.passed;
        dma->reply = stage.reply;
        any = true;
    }
    return any;
}

/* The wires of the background stand behind those of what the chip shares. */
static void wire_memory(struct slice *m, struct chip *c, struct core *k, uint32_t i)
{
    struct tensorcore *t = &k->tensor;
    struct des_module mod = c->mod;
    uint32_t n = spec_cores_of_chip(m->spec), behind = n + SLICE_SHARED + i;
    uint32_t memory = memory_places(m->spec);
    struct memory_stage dma = { .passed = k->dma.request, .reply = k->dma.reply };

    bool stages = wire_stages(m, c, k, i, &dma);
    if (!stages && dma_in_flight(&m->spec->dma) >= KERNEL_TILES_FLIGHT)
        hbm_add_client(&c->hbm, i, &t->kernel.memory);
    /* clang-format off */
    /*         from                  to                     message      places  name */
    SLICE_WIRE(dma.passed,           c->hbm.request[i],     mem_request, memory, "dma%u", i);
    SLICE_WIRE(c->hbm.reply[i],      dma.reply,             mem_done,    memory, "dma%u_reply", i);
    SLICE_WIRE(k->copies.request,    c->hbm.request[behind], mem_request, memory, "copies%u", i);
    SLICE_WIRE(c->hbm.reply[behind], k->copies.reply,       mem_done,    memory, "copies%u_reply", i);
    if (m->spec->sparsecore.count) {
        SLICE_WIRE(k->sparsecore.request,    c->hbm.request[behind + n], mem_request, memory, "sparse%u", i);
        SLICE_WIRE(c->hbm.reply[behind + n], k->sparsecore.reply,        mem_done,    memory, "sparse%u_reply", i);
    }
    if (m->spec->cmem.capacity) {
        SLICE_WIRE(t->kernel.cmem,   c->cmem.request[i],    unit_feed,   SLICE_ONE, "cmem%u", i);
        SLICE_WIRE(c->cmem.reply[i], t->kernel.cmem_done,   unit_done,   SLICE_ONE, "cmem%u_reply", i);
    }
    /* clang-format on */
}

static void wire_copies(struct slice *m, struct chip *c, struct core *k, uint32_t i)
{
    struct copy_runner *r = &k->tensor.copy;
    struct des_module mod = c->mod;

    for (uint32_t up = 0; up < 2; up++) {
        SLICE_WIRE(r->host[up], c->pcie.copy[up][i], host_copy, COPIES, up ? "up%u" : "down%u", i);
        SLICE_WIRE(c->pcie.copied[up][i], r->host_done[up], host_copy, COPIES,
                   up ? "up%u_done" : "down%u_done", i);
    }
}

static void build_shared(struct slice *m, uint32_t chip, const struct machine_folds *folds)
{
    if (m->spec->cmem.capacity)
        build_cmem(m, chip, folds);
}

static void load_program(struct core *c, const struct sequencer_program *p,
                         struct copy_mark *copied)
{
    tensorcore_load(&c->tensor, p, copied);
}

const struct slice_kind slice_tpu = { .build = build_tensorcore,
                                      .share = build_shared,
                                      .wire = wire_memory,
                                      .wire_more = wire_copies,
                                      .users = count_users,
                                      .load = load_program };
