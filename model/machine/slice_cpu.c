/* Building nodes of CPUs: their cores, and the wires to them and to memory. */
#include "machine/slice_core.h"

static void build_cpu(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    const struct machine_spec *s = m->spec;
    struct core *c = &m->core[index];
    struct cpu_node *n = &c->cpu;
    struct cpu_node_place place = { .cores = &s->cpu,
                                    .hz = slice_clock(m, slice_number(m, index)),
                                    .alone = m->n_cores == 1 };

    component_list_place(&m->components, SLICE_CORES, index);
    c->mod = des_module_new(m->sim, m->chip[index].mod, "cpu");
    struct des_module mod = c->mod;
    c->sequencer = &n->sequencer;
    cpu_node_init(n, m->sim, mod, &place, folds->lane);
    /* clang-format off */
    /*         from           to             message   places     name */
    SLICE_WIRE(n->pool.work,  n->cores.work, cores_work, SLICE_ONE, "to_cores");
    SLICE_WIRE(n->cores.done, n->pool.done,  cores_done, SLICE_ONE, "from_cores");
    /* clang-format on */
}

static void wire_memory(struct slice *m, struct chip *c, struct core *k, uint32_t i)
{
    struct des_module mod = c->mod;
    struct pool_runner *r = &k->cpu.pool;

    SLICE_WIRE(r->request, c->hbm.request[i], mem_request, SLICE_MEMORY, "memory");
    SLICE_WIRE(c->hbm.reply[i], r->reply, mem_done, SLICE_MEMORY, "memory_reply");
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
    cpu_node_load(&c->cpu, p);
}

const struct slice_kind slice_cpu = {
    .build = build_cpu, .wire = wire_memory, .users = count_users, .load = load_program
};
