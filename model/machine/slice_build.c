/* Building a slice: every component, in the order that its ports, processes and probes have in
 * dumps, and the wires between them. */
#include "base/plain.h"
#include "machine/slice_core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"

static uint32_t cores_on_chip(const struct slice *m)
{
    return spec_cores_of_chip(m->spec);
}

const struct slice_kind *const slice_kinds[CHIP_N_KINDS] = {
    [CHIP_TPU] = &slice_tpu, [CHIP_GPU] = &slice_gpu, [CHIP_CPU] = &slice_cpu
};

static const struct slice_kind *kind_of(const struct slice *m)
{
    return slice_kinds[m->spec->kind];
}

/* --- wires -------------------------------------------------------------------------------- */

void slice_join(struct slice *m, struct des_module mod, struct des_out from, struct des_in to,
                size_t size, size_t places, const char *name, ...)
{
    char text[32];
    va_list args;

    va_start(args, name);
    plain_text_list(text, sizeof text, name, args);
    va_end(args);
    struct des_fifo f = des_fifo_new(m->sim, mod, text, size, places);
    des_bind(m->sim, from, f);
    des_bind(m->sim, to, f);
}

#define WIRE SLICE_WIRE
enum { ONE = SLICE_ONE, MEMORY = SLICE_MEMORY, NETWORK = 4, ANSWERS = HOST_MAX_OPEN + 1 };

uint64_t slice_clock(const struct slice *m, uint32_t chip)
{
    const struct fault_params *f = &m->spec->fault;
    uint64_t hz = spec_clock(m->spec);

    return chip == f->slow_chip ? (uint64_t)((u128)hz * PPB_PER_ONE / f->chip_times) : hz;
}

/* --- chips -------------------------------------------------------------------------------- */

/* The wires between a chip's parts and its i-th core. */
static void wire_core(struct slice *m, struct chip *c, struct core *k, uint32_t i)
{
    const struct slice_kind *kind = kind_of(m);
    struct sequencer *q = k->sequencer;
    struct des_module mod = c->mod;
    uint32_t prefetch = m->spec->host.prefetch;

    kind->wire(m, c, k, i);
    /* clang-format off */
    /*   from                 to                    message      places    name */
    WIRE(q->collective.call,  c->ici.call[i],       net_call,    NETWORK,  "net%u", i);
    WIRE(c->ici.reply[i],     q->collective.reply,  net_reply,   NETWORK,  "net%u_reply", i);
    WIRE(q->send.send,        c->ici.send[i],       net_send,    NETWORK,  "send%u", i);
    WIRE(c->ici.arrived[i],   q->send.arrived,      net_arrival, NETWORK,  "arrived%u", i);
    WIRE(c->pcie.fed[i],      q->host.feed,         host_feed,   prefetch, "feed%u", i);
    WIRE(c->pcie.returned[i], q->host.returned,     host_feed,   ANSWERS,  "returned%u", i);
    WIRE(q->host.call,        c->pcie.call[i],      host_call,   ONE,      "call%u", i);
    /* clang-format on */
    if (kind->wire_more)
        kind->wire_more(m, c, k, i);
}

static void build_ici(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    const struct machine_spec *s = m->spec;
    struct chip *c = &m->chip[index];
    uint32_t n = cores_on_chip(m), number = slice_number(m, index);
    uint32_t slice = number / m->chips_of_slice, here = number % m->chips_of_slice;
    struct link_params links = spec_links(s);
    struct ici_place place = { .mesh = m->mesh,
                               .chip = here,
                               .first = number - here,
                               .message = s->dcn.message,
                               .n_cores = n,
                               .mirror = m->alike,
                               .routes = m->mesh.wrap[MESH_BOARDS],
                               .core_hz = slice_clock(m, number),
                               .launch = links.launch,
                               .die_bandwidth = links.die_bandwidth,
                               .operand = links.operand_time,
                               .way = m->way && slice == 0
                                          ? m->way + (size_t)here * m->chips_of_slice
                                          : NULL,
                               .adds_per_cycle = spec_adds_per_cycle(s) };

    for (uint32_t port = 0; m->alike && port < MESH_PORTS; port++)
        place.shift[port] = images_shift(&m->images, index, port);
    ici_init(&c->ici, m->sim, c->mod, &place, folds->lane);
    ici_carrier_init(&c->ici, m->sim);
}

/* A chip's own parts and its wires to its cores.  HBM has a port for each core, then one each for
 * collectives, input, output and transfers. */
static void build_chip(struct slice *m, uint32_t index, const struct machine_folds *folds)
{
    const struct machine_spec *s = m->spec;
    struct chip *c = &m->chip[index];
    struct des_module mod = c->mod;
    uint32_t n = cores_on_chip(m);

    component_list_place(&m->components, SLICE_CHIPS, index);
    hbm_init(&c->hbm, m->sim, mod, &s->hbm, &m->part, kind_of(m)->users(m, n), folds->hbm);
    if (kind_of(m)->share)
        kind_of(m)->share(m, index, folds);
    build_ici(m, index, folds);
    pcie_init(&c->pcie, m->sim, mod, &s->pcie, n, kind_of(m)->wire_more != NULL, folds->lane);
    if (slice_joined(m)) {
        ici_bind(&c->ici, m->sim);
        pcie_bind(&c->pcie, m->sim);
        WIRE(c->ici.far_to, c->pcie.from_ici, net_chunk, NETWORK, "far_up");
        WIRE(c->pcie.to_ici, c->ici.far_from, net_chunk, NETWORK, "far_down");
    }
    for (uint32_t i = 0; i < n; i++)
        wire_core(m, c, &m->core[(size_t)index * n + i], i);
    /* clang-format off */
    /*   from                 to                     message      places  name */
    WIRE(c->ici.request,      c->hbm.request[n],     mem_request, MEMORY, "ici_memory");
    WIRE(c->hbm.reply[n],     c->ici.done,           mem_done,    MEMORY, "ici_memory_reply");
    WIRE(c->ici.carry,        c->hbm.request[n + 3], mem_request, MEMORY, "carry_memory");
    WIRE(c->hbm.reply[n + 3], c->ici.carried,        mem_done,    MEMORY, "carry_memory_reply");
    WIRE(c->pcie.request[0],  c->hbm.request[n + 1], mem_request, ONE,    "pcie_write");
    WIRE(c->hbm.reply[n + 1], c->pcie.done[0],       mem_done,    ONE,    "pcie_written");
    WIRE(c->pcie.request[1],  c->hbm.request[n + 2], mem_request, ONE,    "pcie_read");
    WIRE(c->hbm.reply[n + 2], c->pcie.done[1],       mem_done,    ONE,    "pcie_read_done");
    /* clang-format on */
}

static bool is_built(const struct slice *m, uint32_t chip)
{
    return chip - m->first_chip < m->chips;
}

/* Number of links from chips that are built to others. */
static uint32_t count_borders(const struct slice *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; !m->alike && m->chips < m->n_chips && i < m->chips; i++)
        for (uint32_t port = 0; port < MESH_PORTS; port++)
            n += slice_linked(m, slice_number(m, i), port) &&
                 !is_built(m, slice_neighbour(m, slice_number(m, i), port));
    return n;
}

/* The link by `port` of the i-th chip leads to a chip that is not built: what it carries is handed
 * over the border, and what comes back is handed in. */
static void build_border(struct slice *m, uint32_t i, uint32_t port)
{
    struct link *l = &m->link[i * MESH_PORTS + port];
    struct slice_border *b = &m->border[m->n_borders++];
    struct des_module mod = l->mod;

    b->chip = slice_number(m, i);
    b->port = port;
    border_out_init(&b->out, m->sim, mod, "border_out");
    border_in_init(&b->in, m->sim, mod, "border_in");
    WIRE(l->out, b->out.in, net_chunk, ONE, "handed");
    WIRE(b->in.out, m->chip[i].ici.from[port], net_chunk, ONE, "receive");
}

static void build_links(struct slice *m, const struct machine_folds *folds)
{
    const struct fault_params *f = &m->spec->fault;
    struct link_params links = spec_links(m->spec);
    char name[SLICE_LINK_NAME];

    for (uint32_t i = 0; i < m->chips; i++)
        for (uint32_t port = 0; port < MESH_PORTS; port++) {
            uint32_t chip = slice_number(m, i);
            struct link *l = &m->link[i * MESH_PORTS + port];
            if (!slice_linked(m, chip, port))
                continue;
            /* it ends at the neighbour, or at the built chip that stands for the neighbour */
            uint32_t at = mesh_arrival(&m->mesh, chip % m->chips_of_slice, port);
            uint32_t to = slice_neighbour(m, chip, port);
            if (m->alike)
                to = images_neighbour(&m->images, i, port, &at);
            struct link_place place = { .to = m->alike && !m->mesh.wrap[MESH_BOARDS]
                                                  ? LINK_LAST
                                                  : slice_neighbour(m, chip, port),
                                        .times = fault_slow(f, chip, slice_neighbour(m, chip, port))
                                                     ? f->slow_times
                                                     : PPB_PER_ONE,
                                        .jitter = f->jitter,
                                        .seed = f->seed + ((uint64_t)chip * MESH_PORTS + port) *
                                                              UINT64_C(0xd1342543de82ef95) };
            component_list_place(&m->components, SLICE_LINKS, i * MESH_PORTS + port);
            link_init(l, m->sim, (struct des_module){ 0 }, slice_link_name(m, chip, port, name),
                      &links, &place, folds->lane);
            struct des_module mod = l->mod;
            WIRE(m->chip[i].ici.to[port], l->in, net_chunk, ONE, "send");
            if (!m->alike && !is_built(m, to)) {
                build_border(m, i, port);
                continue;
            }
            uint32_t there = m->alike ? to : to - m->first_chip;
            WIRE(l->out, m->chip[there].ici.from[at], net_chunk, ONE, "receive");
        }
}

/* The wires between a host and the c-th of its chips, which is built as the `index`-th. */
static void wire_host_chip(struct slice *m, struct host *o, uint32_t index, uint32_t c)
{
    struct pcie *p = &m->chip[index].pcie;
    uint32_t n = cores_on_chip(m);
    struct des_module mod = o->mod;

    WIRE(o->feed[c], p->feed, host_feed, ONE, "feed%u_wire", c);
    WIRE(o->back[c], p->back, host_feed, ONE, "back%u_wire", c);
    WIRE(p->up, o->call[c], host_call, ONE, "call%u_wire", c);
    for (uint32_t i = 0; i < n; i++) {
        struct core *k = &m->core[(size_t)index * n + i];
        uint32_t core = c * n + i;
        WIRE(o->answer[core], k->sequencer->host.answer, host_reply, ANSWERS, "answer%u_wire",
             core);
    }
}

static void build_hosts(struct slice *m)
{
    uint32_t per_host = m->spec->slice.chips_per_host, n = cores_on_chip(m),
             all = m->chips_of_slice;
    char name[32];

    for (uint32_t h = 0; h < m->hosts; h++) {
        uint32_t number = m->first_host + h, here = number % m->hosts_of_slice * per_host;
        uint32_t first = m->alike ? h * slice_chips_of_host(m)
                                  : number / m->hosts_of_slice * all + here - m->first_chip;
        uint32_t real = here + per_host <= all ? per_host : all - here;
        uint32_t chips = m->alike ? slice_chips_of_host(m) : real;
        struct host *o = &m->host[h];
        BUG_ON(chips == 0);
        snprintf(name, sizeof name, "host%u", number);
        component_list_place(&m->components, SLICE_HOSTS, h);
        host_init(o, m->sim, (struct des_module){ 0 }, name, &m->spec->host, chips, n, real / chips,
                  (m->first_chip + first) * n);
        for (uint32_t c = 0; c < chips; c++)
            wire_host_chip(m, o, first + c, c);
    }
}

/* The network between slices, and its wires to the chips; nothing for one slice. */
static void build_dcn(struct slice *m, const struct machine_folds *folds)
{
    uint32_t all = m->chips_of_slice, per_host = m->spec->slice.chips_per_host;
    uint32_t real = per_host < all ? per_host : all;
    struct dcn_place place = { .hosts_of_slice = m->hosts_of_slice,
                               .chips_of_slice = all,
                               .chips_of_host = per_host,
                               .mirror = m->alike,
                               .copies = m->alike ? real : 1 };

    if (!slice_joined(m))
        return;
    component_list_place(&m->components, SLICE_NICS, 0);
    dcn_init(&m->dcn, m->sim, &m->spec->dcn, &place, m->hosts, m->alike ? 1 : real, folds->lane);
    for (uint32_t i = 0; i < m->chips; i++) {
        uint32_t here = i % all, at = here % per_host;
        struct nic *nic = &m->dcn.nic[i / all * m->hosts_of_slice + here / per_host];
        struct pcie *p = &m->chip[i].pcie;
        struct des_module mod = nic->mod;
        WIRE(p->to_dcn, nic->up[at], net_chunk, NETWORK, "up%u_wire", at);
        WIRE(nic->down[at], p->from_dcn, net_chunk, NETWORK, "down%u_wire", at);
    }
}

/* A machine's disk or bucket, and the wires of its users. */
static void build_storage(struct slice *m, struct storage *s, struct des_module parent,
                          const struct des_out *load, const struct des_in *loaded, uint32_t users)
{
    storage_init(s, m->sim, parent, &m->spec->storage, users);
    struct des_module mod = s->mod;
    for (uint32_t i = 0; i < users; i++) {
        WIRE(load[i], s->request[i], storage_request, ONE, i ? "load" : "read");
        WIRE(s->done[i], loaded[i], storage_done, ONE, i ? "loaded" : "was_read");
    }
}

/* The client, its wires to the hosts, and the storage of the client and of every host. */
static void build_client(struct slice *m)
{
    struct client *c = &m->client;
    struct client_params par = m->spec->client;

    if (par.place == CLIENT_VM)
        par.cores = m->spec->host.cores;
    component_list_place(&m->components, SLICE_CLIENT, 0);
    client_init(c, m->sim, (struct des_module){ 0 }, &par, m->hosts, m->cores, m->asked,
                m->answered);
    client_server_init(&m->server, m->sim, c->mod, &par, m->hosts, m->ask, m->told);
    struct des_module mod = c->mod;
    for (uint32_t h = 0; h < m->hosts; h++) {
        struct host *o = &m->host[h];
        WIRE(o->pass, m->asked[h], host_call, ONE, "call%u_wire", h);
        WIRE(m->answered[h], o->passed, host_reply, ONE, "answer%u_wire", h);
        WIRE(o->ask, m->ask[h], host_call, ONE, "ask%u_wire", h);
        WIRE(m->told[h], o->told, host_reply, ONE, "told%u_wire", h);
        component_list_place(&m->components, SLICE_STORAGES, h);
        build_storage(m, &m->storage[h], o->mod, o->load, o->loaded, 2);
    }
    component_list_place(&m->components, SLICE_STORAGES, m->hosts);
    build_storage(m, &m->storage[m->hosts], c->mod, &c->load, &c->loaded, 1);
}

static void build_launcher(struct slice *m)
{
    launcher_init(&m->launcher, m->sim, (struct des_module){ 0 }, m->cores, m->finished, m->go);
    struct des_module mod = m->launcher.mod;
    for (uint32_t i = 0; i < m->cores; i++) {
        struct sequencer *q = m->core[i].sequencer;
        WIRE(m->go[i], q->go, step_token, ONE, "go%u_wire", i);
        WIRE(q->finished, m->finished[i], step_token, ONE, "finished%u_wire", i);
    }
}

/* Choose the chips to build, and count. */
static void choose_chips(struct slice *m, enum images_part part, struct slice_range range)
{
    uint32_t per_host = m->spec->slice.chips_per_host;

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
    m->hosts = m->alike ? m->chips / slice_chips_of_host(m) : m->n_hosts;
    if (!range.hosts)
        return;
    BUG_ON(m->alike || slice_joined(m) || range.first_host + range.hosts > m->n_hosts);
    m->first_host = range.first_host;
    m->first_chip = range.first_host * per_host;
    m->first_core = m->first_chip * cores_on_chip(m);
    m->hosts = range.hosts;
    m->chips = m->n_chips - m->first_chip < range.hosts * per_host ? m->n_chips - m->first_chip
                                                                   : range.hosts * per_host;
    m->cores = m->chips * cores_on_chip(m);
}

void slice_build(struct slice *m, const struct machine_spec *spec, bool exact,
                 enum images_part part, struct slice_range range)
{
    struct machine_folds folds = machine_folds(exact);
    char name[32];

    *m = (struct slice){ .spec = spec, .sim = des_new() };
    component_list_init(&m->components, m->sim);
    choose_chips(m, part, range);
    m->way = fault_ways(&spec->fault, &m->mesh);
    m->core = memory_zeroed(m->cores, sizeof *m->core);
    m->mxus = memory_zeroed((size_t)m->cores * spec->mxu.count, sizeof *m->mxus);
    m->chip = memory_zeroed(m->chips, sizeof *m->chip);
    m->host = memory_zeroed(m->hosts, sizeof *m->host);
    m->storage = memory_zeroed(m->hosts + 1, sizeof *m->storage);
    m->asked = memory_zeroed(m->hosts, sizeof *m->asked);
    m->answered = memory_zeroed(m->hosts, sizeof *m->answered);
    m->ask = memory_zeroed(m->hosts, sizeof *m->ask);
    m->told = memory_zeroed(m->hosts, sizeof *m->told);
    m->link = memory_zeroed((size_t)m->chips * MESH_PORTS, sizeof *m->link);
    m->border = memory_zeroed(count_borders(m), sizeof *m->border);
    m->finished = memory_zeroed(m->cores, sizeof *m->finished);
    m->go = memory_zeroed(m->cores, sizeof *m->go);
    for (uint32_t i = 0; i < m->chips; i++) {
        snprintf(name, sizeof name, "%s%u", spec_chip_name[spec->kind], slice_number(m, i));
        m->chip[i].mod = des_module_new(m->sim, (struct des_module){ 0 }, name);
    }
    for (uint32_t i = 0; i < m->cores; i++)
        kind_of(m)->build(m, i, &folds);
    hbm_part_init(&m->part, &spec->dram, spec->hbm.turn, spec->hbm.bandwidth);
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
    component_list_free(&m->components);
    hbm_part_free(&m->part);
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
    for (uint32_t i = 0; i < m->n_borders; i++)
        flight_free(&m->border[i].in.flight);
    free(m->border);
    free(m->finished);
    free(m->go);
}
