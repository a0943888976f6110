#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/folds.h"
#include "machine/slice.h"

/* What belongs to one program: the books of all cores, and its input list. */
struct loaded {
    const struct task_program *program;
    struct sequencer_book *book;    /* [core][row] */
    uint64_t *sent_at;              /* [core][task] */
    struct sequencer_arrival *came; /* [core][transfer] */
    struct host_batch *feeds;
    uint32_t n_feeds;
};

struct machine {
    struct slice slice;
    struct loaded *loaded;
    uint32_t n_loaded;
    const struct task_program *given; /* what the hosts prepare beyond the step at hand */
    des_time since;                   /* measuring began */
    uint64_t link_capacity;           /* bytes one direction could have moved since then */
    machine_tell *tell;
    void *tell_self;
    des_time stride; /* simulated time between two calls of it */
};

struct machine *machine_new(const struct machine_spec *spec, bool exact)
{
    return machine_new_watched(spec, exact, NULL, NULL);
}

struct machine *machine_new_watched(const struct machine_spec *spec, bool exact,
                                    void (*attach)(void *self, struct des *sim), void *self)
{
    struct machine *m = slice_array(1, sizeof *m);

    slice_build(&m->slice, spec, exact, IMAGES_WHOLE);
    if (attach)
        attach(self, m->slice.sim);
    slice_start(&m->slice);
    return m;
}

struct machine *machine_new_alike(const struct machine_spec *spec, enum images_part part,
                                  void (*attach)(void *self, struct des *sim), void *self)
{
    struct machine *m = slice_array(1, sizeof *m);

    slice_build(&m->slice, spec, false, part);
    if (attach)
        attach(self, m->slice.sim);
    slice_start(&m->slice);
    return m;
}

uint32_t machine_alike(const struct machine_spec *spec, const struct task_program *program)
{
    struct machine_folds folds = machine_folds(false);

    return folds.alike ? folds.alike(spec, program) : IMAGES_WHOLE;
}

uint32_t machine_cores(const struct machine_spec *spec, enum images_part part)
{
    uint32_t n = spec_cores_of_chip(spec);
    struct images im;
    struct mesh mesh;

    if (part != IMAGES_MIRRORED)
        return part == IMAGES_ONE ? n : spec_cores(spec);
    spec_mesh(spec, &mesh);
    images_mirrored(&im, &mesh);
    return images_count(&im) * n;
}

struct des *machine_sim(const struct machine *m)
{
    return m->slice.sim;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->n_loaded; i++) {
        free(m->loaded[i].book);
        free(m->loaded[i].sent_at);
        free(m->loaded[i].came);
        free(m->loaded[i].feeds);
    }
    free(m->loaded);
    slice_free(&m->slice);
    free(m);
}

/* --- programs ----------------------------------------------------------------------------- */

static bool staged(const struct task_program *p)
{
    return p->stages > 1;
}

static uint32_t feed_stage(const struct task_program *p, const struct task *t)
{
    return staged(p) ? t->stage : TASK_ALL_STAGES;
}

/* The infeed operations in the order they are run, loops unrolled; returns their number.
 * With `out` NULL only counts. */
static uint32_t list_feeds(const struct task_program *p, struct host_batch *out)
{
    struct {
        uint64_t turns;
        uint32_t first;
    } loop[SEQUENCER_MAX_DEPTH];
    uint32_t depth = 0, n = 0;

    for (uint32_t pc = 0; pc < p->n_tasks; pc++) {
        const struct task *t = &p->task[pc];
        if (t->kind == TASK_REPEAT) {
            loop[depth].turns = t->loop.trips;
            loop[depth++].first = n;
        } else if (t->kind == TASK_END) {
            /* the other turns take in what the first did */
            uint32_t first = loop[--depth].first, each = n - first;
            for (uint64_t turn = 1; each && turn < loop[depth].turns; turn++, n += each)
                if (out)
                    memcpy(out + n, out + first, each * sizeof *out);
        } else if (t->kind == TASK_INFEED && t->async != TASK_START) {
            /* a batch that was started is one batch, however it is waited for */
            const struct task *s = t->async == TASK_DONE ? &p->task[t->start] : t;
            if (out)
                out[n] = (struct host_batch){ s->feed.bytes, s->feed.handled, feed_stage(p, s),
                                              &s->feed.work };
            n++;
        }
    }
    return n;
}

static struct loaded *load(struct machine *m, const struct task_program *p)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        if (m->loaded[i].program == p)
            return &m->loaded[i];
    m->loaded = realloc(m->loaded, (m->n_loaded + 1) * sizeof *m->loaded);
    BUG_ON(!m->loaded);
    struct loaded *l = &m->loaded[m->n_loaded++];
    *l = (struct loaded){ .program = p, .n_feeds = list_feeds(p, NULL) };
    l->book = slice_array((size_t)m->slice.cores * p->n_rows, sizeof *l->book);
    l->sent_at = slice_array((size_t)m->slice.cores * p->n_tasks, sizeof *l->sent_at);
    l->came = slice_array((size_t)m->slice.cores * p->n_sends, sizeof *l->came);
    l->feeds = slice_array(l->n_feeds, sizeof *l->feeds);
    list_feeds(p, l->feeds);
    return l;
}

/* Cores of a stage. */
static uint32_t per_stage(const struct machine *m, const struct task_program *p)
{
    return staged(p) ? m->slice.n_cores / p->stages : m->slice.n_cores;
}

static void give(struct machine *m, const struct task_program *p)
{
    struct loaded *l = load(m, p);

    for (uint32_t h = 0; h < m->slice.hosts; h++)
        host_give(&m->slice.host[h], m->slice.sim,
                  (struct host_list){ l->feeds, l->n_feeds, per_stage(m, p) });
    m->given = p;
}

void machine_tells(struct machine *m, machine_tell *tell, void *self)
{
    m->tell = tell;
    m->tell_self = self;
    m->stride = DES_FS_PER_S / 1000000;
}

enum { TOLD = 1 << 18 }; /* activations between two calls, within a factor of 4 or so */

/* des_run() to the end of the step, or of all that is to do; false: there is more to do. */
static bool run_all(struct machine *m)
{
    struct des *sim = m->slice.sim;
    des_time began = des_now(sim), next;

    if (!m->tell)
        return !des_run(sim, MACHINE_LIMIT_FS);
    while ((next = des_next_activity(sim)) <= MACHINE_LIMIT_FS) {
        uint64_t before = des_activations(sim);
        des_time room = MACHINE_LIMIT_FS - next;
        if (!des_run(sim, next + (m->stride < room ? m->stride : room)))
            return true;
        if (m->slice.launcher.idle) /* it paused the simulation at the end of the step */
            return false;
        uint64_t did = des_activations(sim) - before;
        if (did >= TOLD / 2)
            m->tell(m->tell_self, des_now(sim) - began);
        if (did > 2 * TOLD)
            m->stride = m->stride / 2 + 1;
        else if (did < TOLD / 2 && m->stride < MACHINE_LIMIT_FS / 4)
            m->stride *= 2;
    }
    return next == DES_NEVER;
}

int machine_step(struct machine *m, const struct task_program *program,
                 const struct task_program *ahead, struct err *err)
{
    struct loaded *l;

    if (m->given != program)
        give(m, program);
    m->given = NULL;
    if (ahead)
        give(m, ahead);
    l = load(m, program);
    for (uint32_t i = 0; i < m->slice.cores; i++) {
        struct sequencer *s = &m->slice.core[i].sequencer;
        sequencer_load(s, program, l->book + (size_t)i * program->n_rows,
                       l->sent_at + (size_t)i * program->n_tasks);
        sequencer_stage(s, i / per_stage(m, program), l->came + (size_t)i * program->n_sends);
    }
    launcher_release(&m->slice.launcher, m->slice.sim);
    bool more = !run_all(m);
    if (!m->slice.launcher.idle && more)
        return err_set(err, ERR_RANGE,
                       "%s: the run passes %llu s of simulated time, more than its "
                       "clock is made for; take fewer --steps",
                       m->slice.spec->name, (unsigned long long)(MACHINE_LIMIT_FS / DES_FS_PER_S));
    BUG_ON(!m->slice.launcher.idle); /* every process waits for another */
    for (uint32_t i = 0; i < m->slice.cores; i++)
        sequencer_close(&m->slice.core[i].sequencer, m->slice.sim);
    return 0;
}

uint64_t machine_now(const struct machine *m)
{
    return des_now(m->slice.sim);
}

uint64_t machine_events(const struct machine *m)
{
    return des_activations(m->slice.sim);
}

/* Of the core that is built as the index-th. */
static const struct sequencer_book *
book(const struct machine *m, const struct task_program *program, uint32_t row, uint32_t index)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        if (m->loaded[i].program == program)
            return &m->loaded[i].book[(size_t)index * program->n_rows + row];
    bug(__FILE__, __LINE__, "a program that was not run has no books");
}

const struct sequencer_book *machine_book(const struct machine *m,
                                          const struct task_program *program, uint32_t row,
                                          uint32_t core)
{
    BUG_ON(core >= m->slice.n_cores || row >= program->n_rows);
    return book(m, program, row, slice_core(&m->slice, core));
}

void machine_booked(const struct machine *m, const struct task_program *program, uint32_t row,
                    enum cause cause, mpz_t fs)
{
    mpz_set_ui(fs, 0);
    for (uint32_t c = 0; c < m->slice.cores; c++)
        mpz_add_ui(fs, fs, book(m, program, row, c)->time[cause]);
    mpz_mul_ui(fs, fs, m->slice.n_cores / m->slice.cores);
}

/* --- statistics --------------------------------------------------------------------------- */

struct visiting {
    struct machine *m;
    machine_visit *visit;
    void *self;
};

/* Of a component that stands for those of all chips, or hosts, the path with the number of one. */
static void call(const struct visiting *v, uint32_t index, struct des_module mod,
                 const struct stat_table *table, const void *counters)
{
    const char *path = des_module_path(v->m->slice.sim, mod);
    char name[256];

    if (v->m->slice.alike && strpbrk(path, "0123456789")) {
        size_t stem = strcspn(path, "0123456789");
        const char *rest = path + stem + strspn(path + stem, "0123456789");
        snprintf(name, sizeof name, "%.*s%u%s", (int)stem, path, index, rest);
        path = name;
    }
    v->visit(v->self, path, table, counters);
}

/* Bytes that went out of a port of a chip, where all chips do as chip 0 does: the same along
 * dimensions, and the same to the next and the previous on the round through all chips. */
static uint64_t sent_alike(const struct slice *s, uint32_t chip, uint32_t port)
{
    const struct ici *u = &s->chip[0].ici;
    const struct mesh *m = &s->mesh;
    uint32_t all = s->chips_of_slice, d = port / 2, to;

    chip %= all;
    to = mesh_neighbour(m, chip, port);
    uint64_t bytes = m->n[d] == 2 ? u->sent[0][2 * d] + u->sent[0][2 * d + 1] : u->sent[0][port];

    for (uint32_t by = 1; by<all; by += all> 2 ? all - 2 : 1) {
        uint32_t first = mesh_round(m, (mesh_place(m, 0) + by) % all);
        if (mesh_round(m, (mesh_place(m, chip) + by) % all) == to)
            bytes += u->sent[1][mesh_port(m, 0, first)];
    }
    return bytes;
}

static void each_link(const struct visiting *v)
{
    struct slice *s = &v->m->slice;
    char name[SLICE_LINK_NAME];

    for (uint32_t i = 0; i < s->n_chips; i++)
        for (uint32_t port = 0; port < MESH_PORTS; port++) {
            if (!slice_linked(s, i, port) ||
                fault_dead(&s->spec->fault, i, slice_neighbour(s, i, port)))
                continue;
            uint32_t built = s->alike ? images_port(&s->images, i % s->chips_of_slice, port) : port;
            struct link_stats *st = &s->link[slice_chip(s, i) * MESH_PORTS + built].st, alike;
            if (s->uniform) {
                /* chip 0 may lack this very port, but it has some */
                alike = (struct link_stats){ .capacity = v->m->link_capacity,
                                             .bytes = sent_alike(s, i, port) };
                st = &alike;
            }
            v->visit(v->self, slice_link_name(s, i, port, name), &link_stat_table, st);
        }
}

/* Each of the two ways of the cards of every host. */
static void each_nic(const struct visiting *v)
{
    struct slice *s = &v->m->slice;
    char name[SLICE_LINK_NAME];

    for (uint32_t i = 0; slice_joined(s) && i < s->n_hosts; i++) {
        const struct nic *n = &s->dcn.nic[slice_host(s, i)];
        for (int out = 1; out >= 0; out--) {
            snprintf(name, sizeof name, out ? "host%u->dcn" : "dcn->host%u", i);
            v->visit(v->self, name, &nic_stat_table, &n->st[out]);
        }
    }
}

/* Call visit for the counters of every component of the slice. */
static void each(const struct visiting *v)
{
    struct slice *s = &v->m->slice;

    for (uint32_t i = 0; i < s->n_cores; i++) {
        struct core *c = &s->core[slice_core(s, i)];
        uint32_t chip = i / spec_cores_of_chip(s->spec);
        call(v, chip, c->sequencer.mod, &sequencer_stat_table, &c->sequencer.st);
        for (uint32_t j = 0; j < s->spec->mxu.count; j++)
            call(v, chip, c->mxu[j].mod, &mxu_stat_table, &c->mxu[j].st);
        call(v, chip, c->vpu.unit.mod, &vpu_stat_table, &c->vpu.unit.st);
        call(v, chip, c->xlu.unit.mod, &xlu_stat_table, &c->xlu.unit.st);
    }
    for (uint32_t i = 0; i < s->n_chips; i++) {
        struct chip *c = &s->chip[slice_chip(s, i)];
        call(v, i, c->hbm.mod, &hbm_stat_table, &c->hbm.st);
        if (s->spec->cmem.capacity)
            call(v, i, c->cmem.mod, &cmem_stat_table, &c->cmem.st);
        call(v, i, c->pcie.mod, &pcie_stat_table, &c->pcie.st);
        if (slice_joined(s))
            call(v, i, c->ici.mod, &ici_far_stat_table, &c->ici.far_st);
    }
    each_link(v);
    each_nic(v);
    for (uint32_t i = 0; i < s->n_hosts; i++) {
        struct host *h = &s->host[slice_host(s, i)];
        call(v, i, h->mod, &host_stat_table, &h->st);
    }
    for (uint32_t i = 0; i <= s->n_hosts; i++) { /* the last one is the client's */
        struct storage *t = &s->storage[i < s->n_hosts ? slice_host(s, i) : s->hosts];
        call(v, i, t->mod, &storage_stat_table, &t->st);
    }
    v->visit(v->self, des_module_path(s->sim, s->client.mod), &client_stat_table, &s->client.st);
    if (s->server.st.updates) /* else the client is none */
        v->visit(v->self, des_module_path(s->sim, s->server.mod), &client_server_stat_table,
                 &s->server.st);
}

static void clear(struct slice *s)
{
    for (uint32_t i = 0; i < s->cores; i++) {
        struct core *c = &s->core[i];
        c->sequencer.st = (struct sequencer_stats){ 0 };
        for (uint32_t j = 0; j < s->spec->mxu.count; j++)
            c->mxu[j].st = (struct mxu_stats){ 0 };
        memset(&c->vpu.unit.st, 0, sizeof c->vpu.unit.st);
        memset(&c->xlu.unit.st, 0, sizeof c->xlu.unit.st);
    }
    for (uint32_t i = 0; i < s->chips; i++) {
        struct chip *c = &s->chip[i];
        hbm_reset(&c->hbm, des_now(s->sim));
        c->ici.far_st = (struct ici_far_stats){ 0 };
        memset(c->ici.sent, 0, sizeof c->ici.sent);
        c->cmem.st = (struct cmem_stats){ 0 };
        c->pcie.st = (struct pcie_stats){ 0 };
        for (uint32_t p = 0; p < MESH_PORTS; p++)
            s->link[i * MESH_PORTS + p].st = (struct link_stats){ 0 };
    }
    for (uint32_t i = 0; i < s->hosts; i++)
        s->host[i].st = (struct host_stats){ 0 };
    for (uint32_t i = 0; i <= s->hosts; i++)
        s->storage[i].st = (struct storage_stats){ 0 };
    s->client.st = (struct client_stats){ 0 };
    s->server.st = (struct client_server_stats){ 0 };
}

void machine_reset(struct machine *m)
{
    struct slice *s = &m->slice;

    clear(s);
    for (uint32_t i = 0; i < m->n_loaded; i++)
        memset(m->loaded[i].book, 0,
               (size_t)s->cores * m->loaded[i].program->n_rows * sizeof *m->loaded[i].book);
    m->since = des_now(s->sim);
    for (uint32_t i = 0; i < s->hosts; i++)
        host_reset(&s->host[i], m->since);
    for (uint32_t i = 0; i <= s->hosts; i++)
        storage_reset(&s->storage[i], m->since);
    client_reset(&s->client, m->since);
    client_server_reset(&s->server, m->since);
    for (uint32_t i = 0; i < s->chips; i++)
        ici_reset(&s->chip[i].ici, m->since);
    dcn_reset(&s->dcn);
}

void machine_statistics(struct machine *m, machine_visit *visit, void *self)
{
    struct slice *s = &m->slice;
    des_time elapsed = des_now(s->sim) - m->since;

    for (uint32_t i = 0; i < s->cores; i++) {
        struct core *c = &s->core[i];
        uint64_t clock = c->sequencer.par.clock; /* of a slow chip a lower one */
        uint64_t cycles = des_edge_index(des_now(s->sim), clock) - des_edge_index(m->since, clock);
        for (uint32_t j = 0; j < s->spec->mxu.count; j++)
            mxu_finish(&c->mxu[j], cycles, c->sequencer.st.faster);
        unit_finish(&c->vpu.unit, cycles);
        unit_finish(&c->xlu.unit, cycles);
    }
    for (uint32_t i = 0; i < s->chips; i++) {
        hbm_finish(&s->chip[i].hbm, des_now(s->sim), elapsed);
        cmem_finish(&s->chip[i].cmem, elapsed);
        pcie_finish(&s->chip[i].pcie, elapsed);
        ici_finish(&s->chip[i].ici, des_now(s->sim), elapsed);
        for (uint32_t p = 0; p < MESH_PORTS; p++)
            if (slice_linked(s, slice_number(s, i), p)) {
                link_finish(&s->link[i * MESH_PORTS + p], elapsed);
                m->link_capacity = s->link[i * MESH_PORTS + p].st.capacity;
            }
    }
    for (uint32_t i = 0; i < s->hosts; i++)
        host_finish(&s->host[i], des_now(s->sim), elapsed);
    for (uint32_t i = 0; i <= s->hosts; i++)
        storage_finish(&s->storage[i], des_now(s->sim), elapsed);
    client_finish(&s->client, des_now(s->sim), elapsed);
    client_server_finish(&s->server, des_now(s->sim), elapsed);
    dcn_finish(&s->dcn, elapsed);
    each(&(struct visiting){ m, visit, self });
}
