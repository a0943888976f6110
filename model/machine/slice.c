#include "machine/slice.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/wide.h"
#include "machine/folds.h"

static uint32_t cores_on_chip(const struct slice *m)
{
    return spec_cores_of_chip(m->spec);
}

uint32_t slice_number(const struct slice *m, uint32_t index)
{
    return m->alike ? images_chip(&m->images, index) : index;
}

/* --- wiring ------------------------------------------------------------------------------- */

/* A FIFO between two ports, named after the giver's. */
static void wire(struct slice *m, struct des_module mod, const char *name, struct des_out from,
                 struct des_in to, size_t size, size_t depth)
{
    struct des_fifo f = des_fifo_new(m->sim, mod, name, size, depth);

    des_bind(m->sim, from, f);
    des_bind(m->sim, to, f);
}

#define WIRE(m, mod, name, from, to, type, depth)                                                  \
    wire(m, mod, name, from, to, sizeof(struct type), depth)

/* Step tokens, unit commands and answers pass one at a time; memory wires hold what is in flight.
 */
enum { ONE = 1, MEMORY = 8, NETWORK = 4, ANSWERS = HOST_MAX_OPEN + 1 };

/* Places of the wires between a core's DMA and its neighbours. */
static uint32_t memory_places(const struct machine_spec *s)
{
    uint32_t flight = dma_in_flight(&s->dma);

    return flight > MEMORY ? flight : MEMORY;
}

/* The clock of a chip's cores. */
static uint64_t core_clock(const struct slice *m, uint32_t chip)
{
    const struct fault_params *f = &m->spec->fault;
    uint64_t hz = m->spec->core.clock;

    return chip == f->slow_chip ? (uint64_t)((u128)hz * 1000000000 / f->chip_times) : hz;
}

static void build_core(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    const struct machine_spec *s = m->spec;
    struct sequencer_params core = s->core;
    uint32_t on_chip = index % cores_on_chip(m);
    uint64_t clock = core_clock(m, index / cores_on_chip(m));
    struct core *c = &m->core[index];
    struct sequencer_units units = { .mxu_count = s->mxu.count,
                                     .mxu_size = s->mxu.size,
                                     .mxu_row_granule = s->mxu.row_granule,
                                     .mxu_sums = s->mxu.sums,
                                     .lanes = s->vpu.lanes,
                                     .sublanes = s->vpu.sublanes,
                                     .cmem = s->cmem.capacity != 0,
                                     .dma_latency = s->dma.latency,
                                     .dma_issue = s->dma.issue,
                                     .mxu_hz = mxu_hz(&s->mxu, clock) };
    struct sequencer *q = &c->sequencer;
    char name[32];

    component_list_place(&m->components, SLICE_CORES, index);
    core.clock = clock;
    snprintf(name, sizeof name, "core%u", on_chip);
    c->mod = des_module_new(m->sim, m->chip[index / cores_on_chip(m)].mod, name);
    sequencer_init(q, m->sim, c->mod, &core, &s->bundle, &units, on_chip, m->n_cores == 1);
    slice_add_sequencer(m, q);
    c->mxu = &m->mxus[(size_t)index * s->mxu.count];
    for (uint32_t i = 0; i < s->mxu.count; i++) {
        snprintf(name, sizeof name, "mxu%u", i);
        mxu_init(&c->mxu[i], m->sim, c->mod, name, &s->mxu, clock, folds->mxu);
        mxu_bind(&c->mxu[i], &q->st.faster);
        snprintf(name, sizeof name, "to_mxu%u", i);
        WIRE(m, c->mod, name, q->mxu[i], c->mxu[i].cmd, unit_gemm, ONE);
        snprintf(name, sizeof name, "from_mxu%u", i);
        WIRE(m, c->mod, name, c->mxu[i].done, q->mxu_done[i], unit_done, ONE);
    }
    vpu_init(&c->vpu, m->sim, c->mod, &s->vpu, clock, folds->lane);
    xlu_init(&c->xlu, m->sim, c->mod, &s->xlu, clock, folds->lane);
    dma_init(&c->dma, m->sim, c->mod, &s->dma, clock);
    q->fold = folds->step;
    for (uint32_t i = 0; i < s->mxu.count; i++)
        q->serve.mxu[i] = (struct unit_serve){ folds->mxu_serve, &c->mxu[i] };
    q->serve.vpu = (struct unit_serve){ folds->unit_serve, &c->vpu.unit };
    q->serve.xlu = (struct unit_serve){ folds->unit_serve, &c->xlu.unit };
    WIRE(m, c->mod, "to_vpu", q->vpu, c->vpu.unit.cmd, unit_vector, ONE);
    WIRE(m, c->mod, "from_vpu", c->vpu.unit.done, q->vpu_done, unit_done, ONE);
    WIRE(m, c->mod, "to_xlu", q->xlu, c->xlu.unit.cmd, unit_lanes, ONE);
    WIRE(m, c->mod, "from_xlu", c->xlu.unit.done, q->xlu_done, unit_done, ONE);
    WIRE(m, c->mod, "to_dma", q->dma, c->dma.cmd, mem_request, MEMORY);
    WIRE(m, c->mod, "from_dma", c->dma.done, q->dma_done, dma_done, memory_places(s));
}

/* A chip's own parts and its wires to its cores. */
static void build_chip(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    struct chip *c = &m->chip[index];
    uint32_t n = cores_on_chip(m);
    const struct machine_spec *s = m->spec;
    char name[32];

    component_list_place(&m->components, SLICE_CHIPS, index);
    hbm_init(&c->hbm, m->sim, c->mod, &s->hbm, &m->part, n + 4, folds->hbm);
    if (s->cmem.capacity)
        cmem_init(&c->cmem, m->sim, c->mod, &s->cmem, n, folds->lane);
    uint32_t number = slice_number(m, index);
    uint32_t slice = number / m->chips_of_slice, here = number % m->chips_of_slice;
    struct ici_place place = {
        .mesh = m->mesh,
        .chip = here,
        .first = number - here,
        .message = s->dcn.message,
        .n_cores = n,
        .mirror = m->alike,
        .core_hz = core_clock(m, index),
        .way = m->way && slice == 0 ? m->way + (size_t)here * m->chips_of_slice : NULL,
        .adds_per_cycle = (uint64_t)n * s->vpu.lanes * s->vpu.sublanes * s->vpu.alus
    };
    ici_init(&c->ici, m->sim, c->mod, &place, folds->lane);
    pcie_init(&c->pcie, m->sim, c->mod, &s->pcie, n, folds->lane);
    if (slice_joined(m)) {
        ici_join(&c->ici, m->sim);
        pcie_join(&c->pcie, m->sim);
        WIRE(m, c->mod, "far_up", c->ici.far_to, c->pcie.from_ici, net_chunk, NETWORK);
        WIRE(m, c->mod, "far_down", c->pcie.to_ici, c->ici.far_from, net_chunk, NETWORK);
    }
    slice_add_chip(m, c);
    for (uint32_t i = 0; i < n; i++) {
        struct core *k = &m->core[(size_t)index * n + i];
        struct sequencer *q = &k->sequencer;
        snprintf(name, sizeof name, "dma%u", i);
        WIRE(m, c->mod, name, k->dma.request, c->hbm.request[i], mem_request, memory_places(s));
        snprintf(name, sizeof name, "dma%u_reply", i);
        WIRE(m, c->mod, name, c->hbm.reply[i], k->dma.reply, mem_done, memory_places(s));
        if (s->cmem.capacity) {
            snprintf(name, sizeof name, "cmem%u", i);
            WIRE(m, c->mod, name, q->cmem, c->cmem.request[i], unit_feed, ONE);
            snprintf(name, sizeof name, "cmem%u_reply", i);
            WIRE(m, c->mod, name, c->cmem.reply[i], q->cmem_done, unit_done, ONE);
        }
        snprintf(name, sizeof name, "net%u", i);
        WIRE(m, c->mod, name, q->net, c->ici.call[i], net_call, NETWORK);
        snprintf(name, sizeof name, "net%u_reply", i);
        WIRE(m, c->mod, name, c->ici.reply[i], q->net_reply, net_reply, NETWORK);
        snprintf(name, sizeof name, "send%u", i);
        WIRE(m, c->mod, name, q->send, c->ici.send[i], net_send, NETWORK);
        snprintf(name, sizeof name, "arrived%u", i);
        WIRE(m, c->mod, name, c->ici.arrived[i], q->arrived, net_arrival, NETWORK);
        snprintf(name, sizeof name, "feed%u", i);
        WIRE(m, c->mod, name, c->pcie.fed[i], q->feed, host_feed, s->host.prefetch);
        snprintf(name, sizeof name, "returned%u", i);
        WIRE(m, c->mod, name, c->pcie.returned[i], q->returned, host_feed, ANSWERS);
        snprintf(name, sizeof name, "call%u", i);
        WIRE(m, c->mod, name, q->call, c->pcie.call[i], host_call, ONE);
    }
    WIRE(m, c->mod, "ici_memory", c->ici.request, c->hbm.request[n], mem_request, MEMORY);
    WIRE(m, c->mod, "ici_memory_reply", c->hbm.reply[n], c->ici.done, mem_done, MEMORY);
    WIRE(m, c->mod, "carry_memory", c->ici.carry, c->hbm.request[n + 3], mem_request, MEMORY);
    WIRE(m, c->mod, "carry_memory_reply", c->hbm.reply[n + 3], c->ici.carried, mem_done, MEMORY);
    for (uint32_t i = 0; i < 2; i++) { /* down and up */
        WIRE(m, c->mod, i ? "pcie_read" : "pcie_write", c->pcie.request[i],
             c->hbm.request[n + 1 + i], mem_request, ONE);
        WIRE(m, c->mod, i ? "pcie_read_done" : "pcie_written", c->hbm.reply[n + 1 + i],
             c->pcie.done[i], mem_done, ONE);
    }
}

bool slice_joined(const struct slice *m)
{
    return m->spec->dcn.slices > 1;
}

uint32_t slice_neighbour(const struct slice *m, uint32_t chip, uint32_t port)
{
    uint32_t here = chip % m->chips_of_slice, to = mesh_neighbour(&m->mesh, here, port);

    return to == MESH_NO_PORT ? to : chip - here + to;
}

bool slice_linked(const struct slice *m, uint32_t chip, uint32_t port)
{
    return slice_neighbour(m, chip, port) != MESH_NO_PORT;
}

char *slice_link_name(const struct slice *m, uint32_t chip, uint32_t port,
                      char buf[SLICE_LINK_NAME])
{
    snprintf(buf, SLICE_LINK_NAME, "chip%u->chip%u", chip, slice_neighbour(m, chip, port));
    return buf;
}

/* The chips of a host that are built, if not all are. */
static uint32_t chips_of_host(const struct slice *m)
{
    uint32_t per_host = m->spec->slice.chips_per_host;

    return m->images.n[0] < per_host ? m->images.n[0] : per_host;
}

uint32_t slice_chip(const struct slice *m, uint32_t chip)
{
    return m->alike ? images_of(&m->images, chip % m->chips_of_slice) : chip;
}

uint32_t slice_core(const struct slice *m, uint32_t core)
{
    uint32_t n = cores_on_chip(m);

    return slice_chip(m, core / n) * n + core % n;
}

uint32_t slice_host(const struct slice *m, uint32_t host)
{
    uint32_t first = host % m->hosts_of_slice * m->spec->slice.chips_per_host;

    return m->alike ? slice_chip(m, first) / chips_of_host(m) : host;
}

static void build_links(struct slice *m, const struct machine_folds *folds)
{
    const struct fault_params *f = &m->spec->fault;
    char name[SLICE_LINK_NAME];

    for (uint32_t i = 0; i < m->chips; i++)
        for (uint32_t port = 0; port < MESH_PORTS; port++) {
            uint32_t chip = slice_number(m, i);
            struct link *l = &m->link[i * MESH_PORTS + port];
            if (!slice_linked(m, chip, port))
                continue;
            /* it comes in at the other end, or at the chip that stands for that */
            uint32_t at = port ^ 1, to = slice_neighbour(m, chip, port);
            if (m->alike)
                to = images_neighbour(&m->images, i, port, &at);
            struct link_place place = { .to = m->alike ? LINK_LAST : to,
                                        .times = fault_slow(f, chip, slice_neighbour(m, chip, port))
                                                     ? f->slow_times
                                                     : 1000000000,
                                        .jitter = f->jitter,
                                        .seed = f->seed + ((uint64_t)chip * MESH_PORTS + port) *
                                                              UINT64_C(0xd1342543de82ef95) };
            component_list_place(&m->components, SLICE_LINKS, i * MESH_PORTS + port);
            link_init(l, m->sim, (struct des_module){ 0 }, slice_link_name(m, chip, port, name),
                      &m->spec->ici, &place, folds->lane);
            slice_add_link(m, l);
            WIRE(m, l->mod, "send", m->chip[i].ici.to[port], l->in, net_chunk, ONE);
            WIRE(m, l->mod, "receive", l->out, m->chip[to].ici.from[at], net_chunk, ONE);
        }
}

static void build_hosts(struct slice *m)
{
    uint32_t per_host = m->spec->slice.chips_per_host, n = cores_on_chip(m),
             all = m->chips_of_slice;
    char name[32];

    for (uint32_t h = 0; h < m->hosts; h++) {
        uint32_t here = h % m->hosts_of_slice * per_host;
        uint32_t first = m->alike ? h * chips_of_host(m) : h / m->hosts_of_slice * all + here;
        uint32_t real = here + per_host <= all ? per_host : all - here;
        uint32_t chips = m->alike ? chips_of_host(m) : real;
        struct host *o = &m->host[h];
        snprintf(name, sizeof name, "host%u", h);
        component_list_place(&m->components, SLICE_HOSTS, h);
        host_init(o, m->sim, (struct des_module){ 0 }, name, &m->spec->host, chips, n, real / chips,
                  first * n);
        for (uint32_t c = 0; c < chips; c++) {
            struct chip *chip = &m->chip[first + c];
            snprintf(name, sizeof name, "feed%u_wire", c);
            WIRE(m, o->mod, name, o->feed[c], chip->pcie.feed, host_feed, ONE);
            snprintf(name, sizeof name, "back%u_wire", c);
            WIRE(m, o->mod, name, o->back[c], chip->pcie.back, host_feed, ONE);
            snprintf(name, sizeof name, "call%u_wire", c);
            WIRE(m, o->mod, name, chip->pcie.up, o->call[c], host_call, ONE);
            for (uint32_t i = 0; i < n; i++) {
                struct core *k = &m->core[(size_t)(first + c) * n + i];
                snprintf(name, sizeof name, "answer%u_wire", c * n + i);
                WIRE(m, o->mod, name, o->answer[c * n + i], k->sequencer.answer, host_reply,
                     ANSWERS);
            }
        }
    }
}

/* What joins the slices, and its wires to the chips. */
static void build_dcn(struct slice *m, const struct machine_folds *folds)
{
    uint32_t all = m->chips_of_slice, per_host = m->spec->slice.chips_per_host;
    uint32_t real = per_host < all ? per_host : all;
    struct dcn_place place = { .hosts_of_slice = m->hosts_of_slice,
                               .chips_of_slice = all,
                               .chips_of_host = per_host,
                               .mirror = m->alike,
                               .copies = m->alike ? real : 1 };
    char name[32];

    if (!slice_joined(m))
        return;
    component_list_place(&m->components, SLICE_NICS, 0);
    dcn_init(&m->dcn, m->sim, &m->spec->dcn, &place, m->hosts, m->alike ? 1 : real, folds->lane);
    slice_add_nics(m);
    for (uint32_t i = 0; i < m->chips; i++) {
        uint32_t here = i % all;
        struct nic *nic = &m->dcn.nic[i / all * m->hosts_of_slice + here / per_host];
        struct pcie *p = &m->chip[i].pcie;
        snprintf(name, sizeof name, "up%u_wire", here % per_host);
        WIRE(m, nic->mod, name, p->to_dcn, nic->up[here % per_host], net_chunk, NETWORK);
        snprintf(name, sizeof name, "down%u_wire", here % per_host);
        WIRE(m, nic->mod, name, nic->down[here % per_host], p->from_dcn, net_chunk, NETWORK);
    }
}

/* A machine's disk or bucket, and the wires of its users. */
static void build_storage(struct slice *m, struct storage *s, struct des_module mod,
                          const struct des_out *load, const struct des_in *loaded, uint32_t users)
{
    storage_init(s, m->sim, mod, &m->spec->storage, users);
    for (uint32_t i = 0; i < users; i++) {
        WIRE(m, s->mod, i ? "load" : "read", load[i], s->request[i], storage_request, ONE);
        WIRE(m, s->mod, i ? "loaded" : "was_read", s->done[i], loaded[i], storage_done, ONE);
    }
}

/* The client, its wires to the hosts, and everybody's storage. */
static void build_client(struct slice *m)
{
    struct client *c = &m->client;
    char name[32];

    component_list_place(&m->components, SLICE_CLIENT, 0);
    client_init(c, m->sim, (struct des_module){ 0 }, &m->spec->client, m->hosts, m->cores, m->asked,
                m->answered);
    client_server_init(&m->server, m->sim, c->mod, &m->spec->client, m->hosts, m->ask, m->told);
    for (uint32_t h = 0; h < m->hosts; h++) {
        struct host *o = &m->host[h];
        snprintf(name, sizeof name, "call%u_wire", h);
        WIRE(m, c->mod, name, o->pass, m->asked[h], host_call, ONE);
        snprintf(name, sizeof name, "answer%u_wire", h);
        WIRE(m, c->mod, name, m->answered[h], o->passed, host_reply, ONE);
        snprintf(name, sizeof name, "ask%u_wire", h);
        WIRE(m, c->mod, name, o->ask, m->ask[h], host_call, ONE);
        snprintf(name, sizeof name, "told%u_wire", h);
        WIRE(m, c->mod, name, m->told[h], o->told, host_reply, ONE);
        component_list_place(&m->components, SLICE_STORAGES, h);
        build_storage(m, &m->storage[h], o->mod, o->load, o->loaded, 2);
    }
    component_list_place(&m->components, SLICE_STORAGES, m->hosts);
    build_storage(m, &m->storage[m->hosts], c->mod, &c->load, &c->loaded, 1);
}

static void build_launcher(struct slice *m)
{
    char name[32];

    launcher_init(&m->launcher, m->sim, (struct des_module){ 0 }, m->cores, m->finished, m->go);
    for (uint32_t i = 0; i < m->cores; i++) {
        struct sequencer *q = &m->core[i].sequencer;
        snprintf(name, sizeof name, "go%u_wire", i);
        WIRE(m, m->launcher.mod, name, m->go[i], q->go, step_token, ONE);
        snprintf(name, sizeof name, "finished%u_wire", i);
        WIRE(m, m->launcher.mod, name, q->finished, m->finished[i], step_token, ONE);
    }
}

void *slice_array(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    BUG_ON(!p);
    return p;
}

/* What is built of the slice. */
static void choose_chips(struct slice *m, enum images_part part)
{
    spec_mesh(m->spec, &m->mesh);
    m->n_cores = spec_cores(m->spec);
    m->n_chips = spec_chips(m->spec);
    m->n_hosts = spec_hosts(m->spec);
    m->chips_of_slice = spec_slice_chips(m->spec);
    m->hosts_of_slice = spec_slice_hosts(m->spec);
    m->alike = part != IMAGES_WHOLE;
    m->uniform = part == IMAGES_ONE;
    if (part == IMAGES_MIRRORED)
        images_mirrored(&m->images, &m->mesh);
    else
        images_one(&m->images, &m->mesh);
    m->chips = m->alike ? images_count(&m->images) : m->n_chips;
    m->cores = m->alike ? m->chips * cores_on_chip(m) : m->n_cores;
    m->hosts = m->alike ? m->chips / chips_of_host(m) : m->n_hosts;
}

void slice_build(struct slice *m, const struct machine_spec *spec, bool exact,
                 enum images_part part)
{
    struct machine_folds folds = machine_folds(exact);
    char name[32];

    *m = (struct slice){ .spec = spec, .sim = des_new() };
    component_list_init(&m->components, m->sim);
    choose_chips(m, part);
    m->way = fault_ways(&spec->fault, &m->mesh);
    m->core = slice_array(m->cores, sizeof *m->core);
    m->mxus = slice_array((size_t)m->cores * spec->mxu.count, sizeof *m->mxus);
    m->chip = slice_array(m->chips, sizeof *m->chip);
    m->host = slice_array(m->hosts, sizeof *m->host);
    m->storage = slice_array(m->hosts + 1, sizeof *m->storage);
    m->asked = slice_array(m->hosts, sizeof *m->asked);
    m->answered = slice_array(m->hosts, sizeof *m->answered);
    m->ask = slice_array(m->hosts, sizeof *m->ask);
    m->told = slice_array(m->hosts, sizeof *m->told);
    m->link = slice_array((size_t)m->chips * MESH_PORTS, sizeof *m->link);
    m->finished = slice_array(m->cores, sizeof *m->finished);
    m->go = slice_array(m->cores, sizeof *m->go);
    for (uint32_t i = 0; i < m->chips; i++) {
        snprintf(name, sizeof name, "chip%u", slice_number(m, i));
        m->chip[i].mod = des_module_new(m->sim, (struct des_module){ 0 }, name);
    }
    for (uint32_t i = 0; i < m->cores; i++)
        build_core(m, i, &folds);
    hbm_part_init(&m->part, &spec->dram, spec->hbm.turn);
    for (uint32_t i = 0; i < m->chips; i++)
        build_chip(m, i, &folds);
    build_links(m, &folds);
    build_dcn(m, &folds);
    build_hosts(m);
    build_client(m);
    build_launcher(m);
}

void slice_start(struct slice *m)
{
    struct err err;

    if (des_elaborate(m->sim, &err) != 0)
        bug(__FILE__, __LINE__, err.msg); /* it names the ports left unbound */
    des_run(m->sim, 0);
}

void slice_free(struct slice *m)
{
    des_free(m->sim);
    for (uint32_t i = 0; i < m->chips; i++) {
        ici_free(&m->chip[i].ici);
        hbm_free(&m->chip[i].hbm);
    }
    component_list_free(&m->components);
    hbm_part_free(&m->part);
    dcn_free(&m->dcn);
    free(m->way);
    free(m->core);
    free(m->mxus);
    free(m->chip);
    free(m->host);
    free(m->storage);
    free(m->asked);
    free(m->answered);
    free(m->ask);
    free(m->told);
    free(m->link);
    free(m->finished);
    free(m->go);
}
