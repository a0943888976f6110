#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "machine/slice.h"

/* What belongs to one program: the books of all cores, and its input list. */
struct loaded {
    const struct task_program *program;
    struct sequencer_book *book; /* [core][row] */
    uint64_t *sent_at;           /* [core][task] */
    struct host_batch *feeds;
    uint32_t n_feeds;
};

struct machine {
    struct slice slice;
    struct loaded *loaded;
    uint32_t n_loaded;
    const struct task_program *given; /* what the hosts prepare beyond the step at hand */
    des_time since;                   /* measuring began */
};

struct machine *machine_new(const struct machine_spec *spec, bool exact)
{
    return machine_new_watched(spec, exact, NULL, NULL);
}

struct machine *machine_new_watched(const struct machine_spec *spec, bool exact,
                                    void (*attach)(void *self, struct des *sim), void *self)
{
    struct machine *m = slice_array(1, sizeof *m);

    slice_build(&m->slice, spec, exact);
    if (attach)
        attach(self, m->slice.sim);
    slice_start(&m->slice);
    return m;
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
        free(m->loaded[i].feeds);
    }
    free(m->loaded);
    slice_free(&m->slice);
    free(m);
}

/* --- programs ----------------------------------------------------------------------------- */

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
            loop[depth].turns = t->steps;
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
                out[n] = (struct host_batch){ s->bytes, s->handled, &s->work };
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
    l->book = slice_array((size_t)m->slice.n_cores * p->n_rows, sizeof *l->book);
    l->sent_at = slice_array((size_t)m->slice.n_cores * p->n_tasks, sizeof *l->sent_at);
    l->feeds = slice_array(l->n_feeds, sizeof *l->feeds);
    list_feeds(p, l->feeds);
    return l;
}

static void give(struct machine *m, const struct task_program *p)
{
    struct loaded *l = load(m, p);

    for (uint32_t h = 0; h < m->slice.n_hosts; h++)
        host_give(&m->slice.host[h], m->slice.sim, (struct host_list){ l->feeds, l->n_feeds });
    m->given = p;
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
    for (uint32_t i = 0; i < m->slice.n_cores; i++)
        sequencer_load(&m->slice.core[i].sequencer, program, l->book + (size_t)i * program->n_rows,
                       l->sent_at + (size_t)i * program->n_tasks);
    launcher_release(&m->slice.launcher, m->slice.sim);
    bool more = des_run(m->slice.sim, MACHINE_LIMIT_FS);
    if (!m->slice.launcher.idle && more)
        return err_set(err, ERR_RANGE,
                       "%s: the run passes %llu s of simulated time, more than its "
                       "clock is made for; take fewer --steps",
                       m->slice.spec->name, (unsigned long long)(MACHINE_LIMIT_FS / DES_FS_PER_S));
    BUG_ON(!m->slice.launcher.idle); /* every process waits for another */
    for (uint32_t i = 0; i < m->slice.n_cores; i++)
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

const struct sequencer_book *machine_book(const struct machine *m,
                                          const struct task_program *program, uint32_t row,
                                          uint32_t core)
{
    BUG_ON(core >= m->slice.n_cores || row >= program->n_rows);
    for (uint32_t i = 0; i < m->n_loaded; i++)
        if (m->loaded[i].program == program)
            return &m->loaded[i].book[(size_t)core * program->n_rows + row];
    bug(__FILE__, __LINE__, "a program that was not run has no books");
}

void machine_booked(const struct machine *m, const struct task_program *program, uint32_t row,
                    enum cause cause, mpz_t fs)
{
    mpz_set_ui(fs, 0);
    for (uint32_t c = 0; c < m->slice.n_cores; c++)
        mpz_add_ui(fs, fs, machine_book(m, program, row, c)->time[cause]);
}

/* --- statistics --------------------------------------------------------------------------- */

/* Call visit for every component's counters; they are const to all but machine_reset. */
static void each(struct machine *m, machine_visit *visit, void *self)
{
#define VISIT(c, t) visit(self, des_module_path(m->slice.sim, (c)->mod), &t##_stat_table, &(c)->st)
    for (uint32_t i = 0; i < m->slice.n_cores; i++) {
        struct core *c = &m->slice.core[i];
        VISIT(&c->sequencer, sequencer);
        for (uint32_t j = 0; j < m->slice.spec->mxu.count; j++)
            VISIT(&c->mxu[j], mxu);
        visit(self, des_module_path(m->slice.sim, c->vpu.unit.mod), &vpu_stat_table,
              &c->vpu.unit.st);
        visit(self, des_module_path(m->slice.sim, c->xlu.unit.mod), &xlu_stat_table,
              &c->xlu.unit.st);
        VISIT(&c->dma, dma);
    }
    for (uint32_t i = 0; i < m->slice.n_chips; i++) {
        VISIT(&m->slice.chip[i].hbm, hbm);
        if (m->slice.spec->cmem.capacity)
            VISIT(&m->slice.chip[i].cmem, cmem);
        VISIT(&m->slice.chip[i].ici, ici);
        VISIT(&m->slice.chip[i].pcie, pcie);
    }
    for (uint32_t way = 0; way < 2 && m->slice.n_chips > way + 1; way++)
        for (uint32_t i = 0; i < m->slice.n_chips; i++)
            VISIT(&m->slice.link[way][i], link);
    for (uint32_t i = 0; i < m->slice.n_hosts; i++)
        VISIT(&m->slice.host[i], host);
    for (uint32_t i = 0; i <= m->slice.n_hosts; i++)
        VISIT(&m->slice.storage[i], storage);
    VISIT(&m->slice.client, client);
#undef VISIT
}

static void clear(void *self, const char *path, const struct stat_table *table,
                  const void *counters)
{
    (void)self;
    (void)path;
    memset((void *)(uintptr_t)counters, 0, table->size);
}

void machine_reset(struct machine *m)
{
    each(m, clear, NULL);
    for (uint32_t i = 0; i < m->n_loaded; i++)
        memset(m->loaded[i].book, 0,
               (size_t)m->slice.n_cores * m->loaded[i].program->n_rows * sizeof *m->loaded[i].book);
    m->since = des_now(m->slice.sim);
    for (uint32_t i = 0; i < m->slice.n_hosts; i++)
        host_reset(&m->slice.host[i], m->since);
    for (uint32_t i = 0; i <= m->slice.n_hosts; i++)
        storage_reset(&m->slice.storage[i], m->since);
    client_reset(&m->slice.client, m->since);
}

void machine_statistics(struct machine *m, machine_visit *visit, void *self)
{
    des_time elapsed = des_now(m->slice.sim) - m->since;
    uint64_t cycles = des_edge_index(des_now(m->slice.sim), m->slice.spec->core.clock) -
                      des_edge_index(m->since, m->slice.spec->core.clock);

    for (uint32_t i = 0; i < m->slice.n_cores; i++) {
        for (uint32_t j = 0; j < m->slice.spec->mxu.count; j++)
            mxu_finish(&m->slice.core[i].mxu[j], cycles, m->slice.core[i].sequencer.st.faster);
        unit_finish(&m->slice.core[i].vpu.unit, cycles);
        unit_finish(&m->slice.core[i].xlu.unit, cycles);
    }
    for (uint32_t i = 0; i < m->slice.n_chips; i++) {
        hbm_finish(&m->slice.chip[i].hbm, elapsed);
        cmem_finish(&m->slice.chip[i].cmem, elapsed);
        pcie_finish(&m->slice.chip[i].pcie, elapsed);
    }
    for (uint32_t way = 0; way < 2 && m->slice.n_chips > way + 1; way++)
        for (uint32_t i = 0; i < m->slice.n_chips; i++)
            link_finish(&m->slice.link[way][i], elapsed);
    for (uint32_t i = 0; i < m->slice.n_hosts; i++)
        host_finish(&m->slice.host[i], des_now(m->slice.sim), elapsed);
    for (uint32_t i = 0; i <= m->slice.n_hosts; i++)
        storage_finish(&m->slice.storage[i], des_now(m->slice.sim), elapsed);
    client_finish(&m->slice.client, des_now(m->slice.sim), elapsed);
    each(m, visit, self);
}
