/* Steps of programs on a machine: books, input lists, the run to the end of a step. */
#include "machine/machine_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "hw/hbm/hbm_learnt.h"
#include "hw/hbm/hbm_moment.h"
#include "machine/folds.h"
#include "machine/slice_core.h"

struct machine *machine_new(const struct machine_spec *spec, bool exact)
{
    return machine_new_watched(spec, exact, NULL, NULL);
}

/* The way a machine is built: in full, or for what `part` allows; without shortcuts; threads. */
struct making {
    enum images_part part;
    bool exact;
    unsigned threads;
};

static struct machine *make_machine(const struct machine_spec *spec, const struct making *q,
                                    void (*attach)(void *self, struct des *sim), void *self)
{
    struct machine *m = memory_zeroed(1, sizeof *m);
    uint32_t cells = q->threads > 1 ? CELLS_PER_THREAD * q->threads : 1;

    cells_build(&m->cells, spec, q->exact, q->part, cells, q->threads, attach, self);
    m->slice = &m->cells.at[0].slice;
    for (uint32_t i = 0; i < m->cells.n; i++)
        m->cores += m->cells.at[i].slice.cores;
    return m;
}

struct machine *machine_new_watched(const struct machine_spec *spec, bool exact,
                                    void (*attach)(void *self, struct des *sim), void *self)
{
    return make_machine(spec, &(struct making){ IMAGES_WHOLE, exact, 1 }, attach, self);
}

struct machine *machine_new_alike(const struct machine_spec *spec, enum images_part part,
                                  void (*attach)(void *self, struct des *sim), void *self)
{
    return make_machine(spec, &(struct making){ part, false, 1 }, attach, self);
}

struct machine *machine_new_divided(const struct machine_spec *spec, bool exact, unsigned threads)
{
    return make_machine(spec, &(struct making){ IMAGES_WHOLE, exact, threads }, NULL, NULL);
}

bool machine_divides(const struct machine_spec *spec, const struct task_program *program)
{
    return cells_can(spec, program);
}

uint32_t machine_alike(const struct machine_spec *spec, const struct task_program *program)
{
    struct machine_folds folds = machine_folds(false);

    return folds.alike ? folds.alike(spec, program) : IMAGES_WHOLE;
}

void machine_share_walks(void)
{
    hbm_learnt_share();
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
    BUG_ON(m->cells.n > 1);
    return m->slice->sim;
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
    machine_sums_free(m);
    cells_free(&m->cells);
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

struct loaded *machine_load(struct machine *m, const struct task_program *p)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        if (m->loaded[i].program == p)
            return &m->loaded[i];
    MEMORY_GROW(m->loaded, m->n_loaded + 1, m->loaded_room);
    struct loaded *l = &m->loaded[m->n_loaded++];
    *l = (struct loaded){ .program = p, .n_feeds = list_feeds(p, NULL) };
    l->book = memory_zeroed((size_t)m->cores * p->n_rows, sizeof *l->book);
    l->sent_at = memory_zeroed((size_t)m->cores * p->n_tasks, sizeof *l->sent_at);
    l->copied = memory_zeroed((size_t)m->cores * p->n_tasks, sizeof *l->copied);
    l->came = memory_zeroed((size_t)m->cores * p->n_sends, sizeof *l->came);
    l->feeds = memory_zeroed(l->n_feeds, sizeof *l->feeds);
    list_feeds(p, l->feeds);
    return l;
}

/* Number of cores of a stage. */
static uint32_t cores_per_stage(const struct machine *m, const struct task_program *p)
{
    return is_staged(p) ? m->slice->n_cores / p->stages : m->slice->n_cores;
}

static void give_input(struct machine *m, const struct task_program *p)
{
    struct loaded *l = machine_load(m, p);

    for (uint32_t i = 0; i < m->cells.n; i++) {
        struct slice *s = &m->cells.at[i].slice;
        for (uint32_t h = 0; h < s->hosts; h++)
            host_give(&s->host[h], s->sim,
                      (struct host_list){ l->feeds, l->n_feeds, cores_per_stage(m, p) });
    }
    m->given = p;
}

void machine_tells(struct machine *m, machine_tell *tell, void *self)
{
    m->tell = tell;
    m->tell_self = self;
    m->stride = FS_PER_US;
}

enum { TOLD = 1 << 18 }; /* activations between two calls of `tell`, within a factor of about 4 */

/* Tell how far the first core is, if it has done enough since.  True: an end is asked for. */
static bool tell_position(struct machine *m, uint64_t did)
{
    uint64_t passed, all;

    if (did < TOLD / 2)
        return false;
    sequencer_position(m->slice->core[0].sequencer, &passed, &all);
    m->stopped = m->tell(m->tell_self, passed, all) != 0;
    return m->stopped;
}

/* Between spans of several cells, in which so many processes were active. */
static bool tell_span(void *self, uint64_t events)
{
    struct machine *m = self;

    m->told += events;
    bool stops = tell_position(m, m->told);
    m->told = m->told < TOLD / 2 ? m->told : 0;
    return stops;
}

/* Activations so far, and what memories did without (hw/hbm/hbm_client_fold.c). */
static uint64_t count_work(const struct slice *s)
{
    uint64_t n = des_activations(s->sim);

    for (uint32_t i = 0; i < s->chips; i++)
        n += s->chip[i].hbm.clients.ahead;
    return n;
}

/* Run one event kernel to the end of the step, or until told to stop; true: nothing at all is left
 * to do. */
static bool run_alone(struct machine *m)
{
    struct des *sim = m->slice->sim;
    des_time next;

    if (!m->tell)
        return !des_run(sim, MACHINE_LIMIT_FS);
    while ((next = des_next_activity(sim)) <= MACHINE_LIMIT_FS) {
        uint64_t before = count_work(m->slice);
        des_time room = MACHINE_LIMIT_FS - next;
        if (!des_run(sim, next + (m->stride < room ? m->stride : room)))
            return true;
        if (m->slice->launcher.idle) /* it paused the simulation at the end of the step */
            return false;
        uint64_t did = count_work(m->slice) - before;
        if (tell_position(m, did))
            return false;
        if (did > 2 * TOLD)
            m->stride = m->stride / 2 + 1;
        else if (did < TOLD / 2 && m->stride < MACHINE_LIMIT_FS / 4)
            m->stride *= 2;
    }
    return next == DES_NEVER;
}

/* Run to the end of the step and, where it ended, to the end of that moment; true: nothing at all
 * is left to do. */
static bool run_step(struct machine *m)
{
    if (m->cells.n > 1)
        return cells_run(&m->cells, MACHINE_LIMIT_FS, m->tell ? tell_span : NULL, m);
    bool done = run_alone(m);
    if (m->slice->launcher.idle)
        launcher_meet(&m->slice->launcher, m->slice->sim, machine_time(m));
    return done;
}

/* Give the cores of a slice their program, and let them begin. */
static void begin_step(struct machine *m, struct slice *s, const struct loaded *l)
{
    const struct task_program *program = l->program;

    for (uint32_t i = 0; i < s->cores; i++) {
        size_t core = s->first_core + i;
        struct sequencer_program p = {
            .program = program,
            .stage = (uint32_t)core / cores_per_stage(m, program),
            .row = l->book + core * program->n_rows,
            .sent_at = l->sent_at + core * program->n_tasks,
            .came = l->came + core * program->n_sends,
        };
        slice_kinds[s->spec->kind]->load(&s->core[i], &p, l->copied + core * program->n_tasks);
    }
    launcher_release(&s->launcher, s->sim, m->rest);
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
    l = machine_load(m, program);
    for (uint32_t i = 0; i < m->cells.n; i++)
        begin_step(m, &m->cells.at[i].slice, l);
    m->rest = 0;
    bool more = !run_step(m), over = cells_over(&m->cells);
    if (m->stopped)
        return err_set(err, ERR_STOPPED, "%s: the replay was stopped", m->slice->spec->name);
    if (!over && more)
        return err_set(err, ERR_RANGE,
                       "%s: the run passes %llu s of simulated time, more than its "
                       "clock is made for; take fewer --steps",
                       m->slice->spec->name, (unsigned long long)(MACHINE_LIMIT_FS / DES_FS_PER_S));
    BUG_ON(!over); /* every process waits for another */
    for (uint32_t i = 0; i < m->cells.n; i++) {
        struct slice *s = &m->cells.at[i].slice;
        for (uint32_t core = 0; core < s->cores; core++)
            sequencer_end_step(s->core[core].sequencer, s->sim);
    }
    return 0;
}

/* Move `since` by the cycles of a clock of `hz` that the rest from `now` on takes: statistics count
 * whole cycles, and no rest. */
static des_time leave_out_rest(const struct machine *m, des_time since, uint64_t hz, des_time now)
{
    uint64_t cycles = des_edge_index(now + m->rest, hz) - des_edge_index(now, hz);

    return des_edge(des_edge_index(since, hz) + cycles, hz);
}

uint64_t machine_rest(struct machine *m, uint64_t fs)
{
    uint64_t hz = spec_clock(m->slice->spec), now = machine_time(m);
    uint64_t slow_hz = slice_clock(m->slice, m->slice->spec->fault.slow_chip);

    m->rest = des_edge(des_edge_index(now + fs, hz), hz) - now;
    m->since = leave_out_rest(m, m->since, hz, now);
    m->slow_since = leave_out_rest(m, m->slow_since, slow_hz, now);
    return m->rest;
}

uint64_t machine_refresh(const struct machine *m)
{
    const struct hbm *h = &m->slice->chip[0].hbm;

    return h->every ? hbm_moment_time(h, h->every) : 0;
}

uint64_t machine_now(const struct machine *m)
{
    return machine_time(m) + (uint64_t)m->skew;
}

uint64_t machine_events(const struct machine *m)
{
    return cells_events(&m->cells);
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
    BUG_ON(core >= m->slice->n_cores || row >= program->n_rows);
    return find_book(m, program, row, m->slice->alike ? slice_core(m->slice, core) : core);
}

uint32_t machine_built_cores(const struct machine *m)
{
    return m->cores;
}

const struct ledger_row *machine_built_book(const struct machine *m,
                                            const struct task_program *program, uint32_t row,
                                            uint32_t index)
{
    BUG_ON(index >= m->cores || row >= program->n_rows);
    return find_book(m, program, row, index);
}

void machine_booked(const struct machine *m, const struct task_program *program, uint32_t row,
                    enum cause cause, mpz_t fs)
{
    BUG_ON(m->cores == 0);
    mpz_set_ui(fs, 0);
    for (uint32_t c = 0; c < m->cores; c++)
        mpz_add_ui(fs, fs, find_book(m, program, row, c)->time[cause]);
    mpz_mul_ui(fs, fs, m->slice->n_cores / m->cores);
}

/* --- measuring ---------------------------------------------------------------------------- */

void machine_reset(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_loaded; i++)
        memset(m->loaded[i].book, 0,
               (size_t)m->cores * m->loaded[i].program->n_rows * sizeof *m->loaded[i].book);
    machine_sums_reset(m);
    m->since = m->slow_since = machine_time(m);
    for (uint32_t i = 0; i < m->cells.n; i++)
        slice_reset(&m->cells.at[i].slice);
}

void machine_statistics(struct machine *m, component_visit *visit, void *self)
{
    if (m->sums)
        machine_sums_visit(m, visit, self);
    else
        machine_counters_visit(m, visit, self);
}
