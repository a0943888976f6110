/* Building GPUs: SMs, L2, the queue of launches, and the wires to them and to HBM. */
#include "machine/slice_core.h"

static void build_gpu(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    const struct machine_spec *s = m->spec;
    struct core *c = &m->core[index];
    struct gpu_core *g = &c->gpu;
    struct gpu_core_place place = { .gpu = &s->gpu,
                                    .sm = &s->sm,
                                    .l2 = &s->l2,
                                    .launch = &s->launch,
                                    .hz = slice_clock(m, slice_number(m, index)),
                                    .alone = m->n_cores == 1 };

    component_list_place(&m->components, SLICE_CORES, index);
    c->mod = des_module_new(m->sim, m->chip[index].mod, "gpu");
    struct des_module mod = c->mod;
    c->sequencer = &g->sequencer;
    gpu_core_init(g, m->sim, mod, &place, folds->lane);
    /* clang-format off */
    /*         from                   to                   message          places            name */
    SLICE_WIRE(g->grid.sms,           g->sms.cmd,          gpu_step,        SLICE_ONE,        "to_sms");
    SLICE_WIRE(g->sms.done,           g->grid.sms_done,    gpu_step_done,   SLICE_ONE,        "from_sms");
    SLICE_WIRE(g->grid.access.access, g->l2.access,        gpu_access,      2 * L2_FLIGHT,     "to_l2");
    SLICE_WIRE(g->l2.done,            g->grid.access.done, gpu_access_done, 2 * L2_FLIGHT,     "from_l2");
    SLICE_WIRE(g->launch.launched,    g->grid.launched,    gpu_launch,      s->launch.places, "launches");
    /* clang-format on */
}

static void wire_memory(struct slice *m, struct chip *c, struct core *k, uint32_t i)
{
    struct des_module mod = c->mod;
    struct l2 *l = &k->gpu.l2;

    SLICE_WIRE(l->request, c->hbm.request[i], mem_request, 2 * L2_FLIGHT, "l2");
    SLICE_WIRE(c->hbm.reply[i], l->reply, mem_done, 2 * L2_FLIGHT, "l2_reply");
}

static uint32_t count_users(const struct slice *m, uint32_t cores)
{
    (void)m;
    return cores + SLICE_SHARED;
}

static void load_program(struct core *c, const struct sequencer_program *p,
                         struct copy_mark *copied)
{
    (void)copied;
    gpu_core_load(&c->gpu, p);
}

const struct slice_kind slice_gpu = {
    .build = build_gpu, .wire = wire_memory, .users = count_users, .load = load_program
};
