/* Steps of programs on a machine: books, input lists, the run to the end of a step. */
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "hw/hbm/hbm_moment.h"
#include "machine/folds.h"
#include "machine/slice_core.h"

/* A program that has run or will: the books of all cores, and its input list. */
struct loaded {
    const struct task_program *program;
    struct ledger_row *book;   /* [core][row] */
    uint64_t *sent_at;         /* [core][task] */
    struct copy_mark *copied;  /* [core][task] */
    struct send_arrival *came; /* [core][transfer] */
    struct host_batch *feeds;
    uint32_t n_feeds;
};

struct machine {
    struct slice slice;
    struct loaded *loaded;
    uint32_t n_loaded, loaded_room;
    const struct task_program
        *given;     /* the program of the next step, if hosts have its input list */
    des_time since; /* measuring began, rests left out */
    des_time rest;  /* before the next step */
    machine_tell *tell;
    void *tell_self;
    des_time stride; /* simulated time between two calls of it */
    bool stopped;    /* it asked for an end */
};

struct machine *machine_new(const struct machine_spec *spec, bool exact)
{
    return machine_new_watched(spec, exact, NULL, NULL);
}

struct machine *machine_new_watched(const struct machine_spec *spec, bool exact,
                                    void (*attach)(void *self, struct des *sim), void *self)
{
    struct machine *m = memory_zeroed(1, sizeof *m);

    slice_build(&m->slice, spec, exact, IMAGES_WHOLE);
    if (attach)
        attach(self, m->slice.sim);
    slice_start(&m->slice);
    return m;
}

struct machine *machine_new_alike(const struct machine_spec *spec, enum images_part part,
                                  void (*attach)(void *self, struct des *sim), void *self)
{
    struct machine *m = memory_zeroed(1, sizeof *m);

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
        free(m->loaded[i].copied);
        free(m->loaded[i].came);
        free(m->loaded[i].feeds);
    }
    free(m->loaded);
    slice_free(&m->slice);
    free(m);
}

/* --- programs ----------------------------------------------------------------------------- */

static bool is_staged(const struct task_program *p)
{
    return p->stages > 1;
}

static uint32_t stage_of_feed(const struct task_program *p, const struct task *t)
{
    return is_staged(p) ? t->stage : TASK_ALL_STAGES;
}

/* List the batches of infeed operations in the order in which they run, loops unrolled; returns
 * their number.  With `out` NULL only counts. */
static uint32_t list_feeds(const struct task_program *p, struct host_batch *out)
{
    struct {
        uint64_t turns;
        uint32_t first;
    } loop[TASK_MAX_DEPTH];
    uint32_t depth = 0, n = 0;

    for (uint32_t pc = 0; pc < p->n_tasks; pc++) {
        const struct task *t = &p->task[pc];
        if (t->kind == TASK_REPEAT) {
            loop[depth].turns = t->loop.trips;
            loop[depth++].first = n;
        } else if (t->kind == TASK_END) {
            BUG_ON(depth == 0);
            /* further turns take the same batches as the first */
            uint32_t first = loop[--depth].first, each = n - first;
            for (uint64_t turn = 1; each && turn < loop[depth].turns; turn++, n += each)
                if (out)
                    memcpy(out + n, out + first, each * sizeof *out);
        } else if (t->kind == TASK_INFEED && t->async != TASK_START) {
            /* a batch that was started counts once, where it is waited for */
            const struct task *s = t->async == TASK_DONE ? &p->task[t->start] : t;
            if (out)
                out[n] = (struct host_batch){ s->feed.bytes, s->feed.handled, stage_of_feed(p, s),
                                              &s->feed.work };
            n++;
        }
    }
    return n;
}

static struct loaded *load_program(struct machine *m, const struct task_program *p)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        if (m->loaded[i].program == p)
            return &m->loaded[i];
    MEMORY_GROW(m->loaded, m->n_loaded + 1, m->loaded_room);
    struct loaded *l = &m->loaded[m->n_loaded++];
    *l = (struct loaded){ .program = p, .n_feeds = list_feeds(p, NULL) };
    l->book = memory_zeroed((size_t)m->slice.cores * p->n_rows, sizeof *l->book);
    l->sent_at = memory_zeroed((size_t)m->slice.cores * p->n_tasks, sizeof *l->sent_at);
    l->copied = memory_zeroed((size_t)m->slice.cores * p->n_tasks, sizeof *l->copied);
    l->came = memory_zeroed((size_t)m->slice.cores * p->n_sends, sizeof *l->came);
    l->feeds = memory_zeroed(l->n_feeds, sizeof *l->feeds);
    list_feeds(p, l->feeds);
    return l;
}

/* Number of cores of a stage. */
static uint32_t cores_per_stage(const struct machine *m, const struct task_program *p)
{
    return is_staged(p) ? m->slice.n_cores / p->stages : m->slice.n_cores;
}

static void give_input(struct machine *m, const struct task_program *p)
{
    struct loaded *l = load_program(m, p);

    for (uint32_t h = 0; h < m->slice.hosts; h++)
        host_give(&m->slice.host[h], m->slice.sim,
                  (struct host_list){ l->feeds, l->n_feeds, cores_per_stage(m, p) });
    m->given = p;
}

void machine_tells(struct machine *m, machine_tell *tell, void *self)
{
    m->tell = tell;
    m->tell_self = self;
    m->stride = FS_PER_US;
}

enum { TOLD = 1 << 18 }; /* activations between two calls of `tell`, within a factor of about 4 */

/* Run to the end of the step, or until told to stop; true: nothing at all is left to do. */
static bool run_step(struct machine *m)
{
    struct des *sim = m->slice.sim;
    uint64_t passed, all;
    des_time next;

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
        if (did >= TOLD / 2) {
            sequencer_position(m->slice.core[0].sequencer, &passed, &all);
            m->stopped = m->tell(m->tell_self, passed, all) != 0;
            if (m->stopped)
                return false;
        }
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
        give_input(m, program);
    m->given = NULL;
    if (ahead)
        give_input(m, ahead);
    l = load_program(m, program);
    for (uint32_t i = 0; i < m->slice.cores; i++) {
        struct sequencer_program p = {
            .program = program,
            .stage = i / cores_per_stage(m, program),
            .row = l->book + (size_t)i * program->n_rows,
            .sent_at = l->sent_at + (size_t)i * program->n_tasks,
            .came = l->came + (size_t)i * program->n_sends,
        };
        slice_kinds[m->slice.spec->kind]->load(&m->slice.core[i], &p,
                                               l->copied + (size_t)i * program->n_tasks);
    }
    launcher_release(&m->slice.launcher, m->slice.sim, m->rest);
    m->rest = 0;
    bool more = !run_step(m);
    if (m->stopped)
        return err_set(err, ERR_STOPPED, "%s: the replay was stopped", m->slice.spec->name);
    if (!m->slice.launcher.idle && more)
        return err_set(err, ERR_RANGE,
                       "%s: the run passes %llu s of simulated time, more than its "
                       "clock is made for; take fewer --steps",
                       m->slice.spec->name, (unsigned long long)(MACHINE_LIMIT_FS / DES_FS_PER_S));
    BUG_ON(!m->slice.launcher.idle); /* every process waits for another */
    for (uint32_t i = 0; i < m->slice.cores; i++)
        sequencer_end_step(m->slice.core[i].sequencer, m->slice.sim);
    return 0;
}

uint64_t machine_rest(struct machine *m, uint64_t fs)
{
    uint64_t hz = spec_clock(m->slice.spec), now = des_now(m->slice.sim);
    uint64_t from = des_edge_index(now, hz), to = des_edge_index(now + fs, hz);

    m->rest = des_edge(to, hz) - now;
    /* statistics count whole cycles up to now */
    m->since = des_edge(des_edge_index(m->since, hz) + to - from, hz);
    return m->rest;
}

uint64_t machine_refresh(const struct machine *m)
{
    const struct hbm *h = &m->slice.chip[0].hbm;

    return h->every ? hbm_moment_time(h, h->every) : 0;
}

uint64_t machine_now(const struct machine *m)
{
    return des_now(m->slice.sim);
}

uint64_t machine_events(const struct machine *m)
{
    return des_activations(m->slice.sim);
}

/* The book of `row` on the core that is built as the index-th. */
static const struct ledger_row *
find_book(const struct machine *m, const struct task_program *program, uint32_t row, uint32_t index)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        if (m->loaded[i].program == program)
            return &m->loaded[i].book[(size_t)index * program->n_rows + row];
    bug(__FILE__, __LINE__, "a program that was not run has no books");
}

const struct ledger_row *machine_book(const struct machine *m, const struct task_program *program,
                                      uint32_t row, uint32_t core)
{
    BUG_ON(core >= m->slice.n_cores || row >= program->n_rows);
    return find_book(m, program, row, slice_core(&m->slice, core));
}

uint32_t machine_built_cores(const struct machine *m)
{
    return m->slice.cores;
}

const struct ledger_row *machine_built_book(const struct machine *m,
                                            const struct task_program *program, uint32_t row,
                                            uint32_t index)
{
    BUG_ON(index >= m->slice.cores || row >= program->n_rows);
    return find_book(m, program, row, index);
}

void machine_booked(const struct machine *m, const struct task_program *program, uint32_t row,
                    enum cause cause, mpz_t fs)
{
    BUG_ON(m->slice.cores == 0);
    mpz_set_ui(fs, 0);
    for (uint32_t c = 0; c < m->slice.cores; c++)
        mpz_add_ui(fs, fs, find_book(m, program, row, c)->time[cause]);
    mpz_mul_ui(fs, fs, m->slice.n_cores / m->slice.cores);
}

/* --- measuring ---------------------------------------------------------------------------- */

void machine_reset(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        memset(m->loaded[i].book, 0,
               (size_t)m->slice.cores * m->loaded[i].program->n_rows * sizeof *m->loaded[i].book);
    m->since = des_now(m->slice.sim);
    slice_reset(&m->slice);
}

void machine_statistics(struct machine *m, component_visit *visit, void *self)
{
    slice_finish(&m->slice, m->since);
    slice_visit(&m->slice, visit, self);
}
