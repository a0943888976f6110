#include "run/preview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/units.h"
#include "run/job/job.h"
#include "run/memory/memory_fit.h"

enum { SLACK = 100, LAUNCHES = 20 };

/* A step with one of each operation. */
struct thin {
    struct task_program program;
    uint64_t *alike; /* [row] executions that it stands for; 0: it is left out */
    bool *known;     /* [row] it takes twice as long as in the base, and is left out */
};

/* True of tasks that a thin step leaves out. */
static bool is_left_out(const struct task *t)
{
    return t->kind == TASK_INFEED || t->kind == TASK_OUTFEED || t->kind == TASK_REPEAT ||
           t->kind == TASK_END;
}

/* True if tasks run on all cores, and none beside others but collectives, which end in the turn of
 * the loop in which they begin. */
static bool is_plain(const struct task_program *p)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        bool known = t->kind == TASK_KERNEL || t->kind == TASK_GRID || t->kind == TASK_POOL ||
                     t->kind == TASK_COLLECTIVE || t->kind == TASK_SCALAR || is_left_out(t);
        if (!known || (open > 0 && (t->kind == TASK_REPEAT || t->kind == TASK_END)))
            return false;
        open += t->async == TASK_START;
        open -= t->async == TASK_DONE;
    }
    return p->stages <= 1 && p->n_sends == 0;
}

/* Facts of the rows of a program. */
struct row_facts {
    uint32_t *tasks; /* [row] that are not left out */
    bool *beside;    /* [row] some of them run while a collective does */
};

static struct row_facts find_facts(const struct task_program *p)
{
    struct row_facts f = { memory_zeroed(p->n_rows + 1, sizeof *f.tasks),
                           memory_zeroed(p->n_rows + 1, sizeof *f.beside) };
    uint32_t open = 0;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        open += t->async == TASK_START;
        if (!is_left_out(t)) {
            f.tasks[t->row]++;
            f.beside[t->row] = f.beside[t->row] || open > 0;
        }
        open -= t->async == TASK_DONE;
    }
    return f;
}

/* The first row that does the same as `r`, which is `row`, or `row` itself. */
static uint32_t find_alike(struct numbered *works, uint32_t *first, const struct job_row *r,
                           uint32_t row, uint32_t n_tasks)
{
    char *flops = mpz_get_str(NULL, 62, r->flops), *bytes = mpz_get_str(NULL, 62, r->hbm_bytes);
    char *work = memory_format("%s|%s|%s|%s|%" PRIu64 "|%" PRIu32, r->kind, r->signature, flops,
                               bytes, r->count, n_tasks);
    size_t n = works->n, i = numbered_find(works, work);

    if (i == n)
        first[i] = row;
    free(work);
    free(flops);
    free(bytes);
    return first[i];
}

/* A row beside a collective stands for itself alone, so that both are as long as in the step.
 */
static void count_alike(struct thin *t, const struct job_step *s)
{
    const struct task_program *p = &s->program;
    struct row_facts f = find_facts(p);
    uint32_t *first = memory_zeroed(p->n_rows + 1, sizeof *first);
    struct numbered works = { 0 };

    for (uint32_t row = 0; row < p->n_rows; row++) {
        const struct job_row *r = &s->row[row];
        if (f.tasks[row] > 0 && !t->known[row])
            t->alike[f.beside[row] ? row : find_alike(&works, first, r, row, f.tasks[row])] +=
                r->count;
    }
    numbered_clear(&works);
    free(first);
    free(f.tasks);
    free(f.beside);
}

/* The operation of the base that does half of what `row` does, whose step begins at operation
 * `at`; NULL: there is none. */
static const struct run_row *find_half(const struct run_result *base, size_t at,
                                       const struct job_row *row)
{
    const struct run_row *w = base && at < base->n_ops ? &base->ops[at] : NULL;

    return w && strcmp(w->name, row->name) == 0 && w->count == row->count ? w : NULL;
}

/* True if products that take so many cycles in all leave no time that could be saved: less than one
 * in SLACK parts of twice that of the base. */
static bool is_settled(const struct job *j, const struct run_row *half, u128 cycles)
{
    EXACT_Q(need);
    EXACT_Q(q);
    if (!half || cycles == 0 || cycles > UINT64_MAX)
        return false;
    exact_ratio(need, (uint64_t)cycles, spec_clock(j->spec));
    mpq_set_ui(q, 2 * (SLACK - 1), SLACK);
    mpq_mul(q, q, half->seconds);
    return mpq_cmp(need, q) >= 0;
}

/* Mark the rows that are known from the base. */
static void note_known(struct thin *t, const struct job *j, const struct job_step *s,
                       const struct run_result *base, size_t first)
{
    const struct task_program *p = &s->program;
    u128 *cycles = memory_zeroed(p->n_rows + 1, sizeof *cycles);

    for (uint32_t i = 0; i < p->n_tasks; i++)
        if (p->task[i].kind == TASK_KERNEL && p->task[i].kernel.all.gemm.b)
            cycles[p->task[i].row] += job_product_cycles(j, &p->task[i].kernel);
    for (uint32_t row = 0; row < p->n_rows; row++) {
        const struct job_row *r = &s->row[row];
        t->known[row] = is_settled(j, find_half(base, first + row, r), cycles[row] * r->count);
    }
    free(cycles);
}

static void thin_out(struct thin *t, const struct job *j, const struct job_step *s,
                     const struct run_result *base, size_t first)
{
    uint32_t *place = memory_zeroed(s->program.n_tasks + 1, sizeof *place);

    t->program = s->program;
    t->program.task = memory_zeroed(s->program.n_tasks + 1, sizeof *t->program.task);
    t->program.n_tasks = 0;
    t->alike = memory_zeroed(s->program.n_rows + 1, sizeof *t->alike);
    t->known = memory_zeroed(s->program.n_rows + 1, sizeof *t->known);
    note_known(t, j, s, base, first);
    count_alike(t, s);
    for (uint32_t i = 0; i < s->program.n_tasks; i++) {
        const struct task *task = &s->program.task[i];
        if (is_left_out(task) || t->alike[task->row] == 0)
            continue;
        struct task *copy = &t->program.task[t->program.n_tasks];
        place[i] = t->program.n_tasks++;
        *copy = *task;
        copy->start = task->async == TASK_DONE ? place[task->start] : task->start;
    }
    free(place);
}

/* Add what the rows of a step take that are known; they begin at operation `first` of the base. */
static void add_known(mpq_t seconds, const struct thin *t, const struct run_result *base,
                      size_t first)
{
    EXACT_Q(q);
    for (uint32_t row = 0; row < t->program.n_rows; row++)
        if (t->known[row]) {
            mpq_mul_2exp(q, base->ops[first + row].seconds, 1);
            exact_sum(seconds, q);
        }
}

/* Add the seconds of the step that `t` stands for, which comes once in `every` steps; `launch`
 * counts those of CAUSE_LAUNCH alone. */
static void add_seconds(mpq_t seconds, mpq_t launch, const struct job *j, struct machine *m,
                        const struct thin *t, uint64_t every)
{
    EXACT_Z(all);
    EXACT_Z(fs);
    EXACT_Z(part);
    EXACT_Q(q);
    for (uint32_t row = 0; row < t->program.n_rows; row++)
        for (int c = 0; c < N_CAUSES && t->alike[row]; c++) {
            machine_booked(m, &t->program, row, (enum cause)c, fs);
            mpz_addmul_ui(all, fs, t->alike[row]);
            if (c == CAUSE_LAUNCH)
                mpz_addmul_ui(part, fs, t->alike[row]);
        }
    job_seconds(q, all, spec_cores(j->spec), every);
    exact_sum(seconds, q);
    job_seconds(q, part, spec_cores(j->spec), every);
    exact_sum(launch, q);
}

static uint64_t count_rows(const struct thin *t)
{
    uint64_t n = 0;

    for (uint32_t row = 0; row < t->program.n_rows; row++)
        n += t->alike[row] > 0;
    return n;
}

static int run_thin(struct job *j, struct thin *thin, mpq_t seconds, mpq_t launch, uint64_t *events,
                    struct err *err)
{
    enum images_part what = job_images(j);
    struct machine *m = what ? machine_new_alike(&j->running, what, NULL, NULL)
                             : machine_new(&j->running, j->q->exact);
    int rc = 0;

    for (size_t i = 0; i < j->n_steps && rc == 0; i++) {
        machine_reset(m);
        rc = machine_step(m, &thin[i].program, NULL, err);
        if (rc == 0)
            add_seconds(seconds, launch, j, m, &thin[i], j->step[i].every ? j->step[i].every : 1);
    }
    *events = machine_events(m);
    machine_free(m);
    return rc;
}

/* True of a GPU that waits for launches of its host: how far that is ahead depends on all kernels
 * before. */
static bool waits_for_launches(const struct job *j, const mpq_t launch, const mpq_t seconds)
{
    EXACT_Q(q);
    mpq_set_ui(q, LAUNCHES, 1);
    mpq_mul(q, q, launch);
    return j->spec->kind == CHIP_GPU && mpq_cmp(q, seconds) > 0;
}

static int run_steps(struct job *j, const struct run_result *base, struct preview *p,
                     struct err *err)
{
    struct thin *thin = memory_zeroed(j->n_steps, sizeof *thin);
    struct job_figures f;
    struct run_result r;

    size_t first = 0;

    job_collect_begin(j, &f, &r);
    for (size_t i = 0; i < j->n_steps; i++) {
        thin_out(&thin[i], j, &j->step[i], base, first);
        add_known(r.seconds_per_step, &thin[i], base, first);
        first += j->step[i].program.n_rows;
        p->rows += count_rows(&thin[i]);
    }
    EXACT_Q(launch);
    int rc = run_thin(j, thin, r.seconds_per_step, launch, &p->events, err);
    p->whole = waits_for_launches(j, launch, r.seconds_per_step);
    if (rc == 0 && !p->whole && mpq_sgn(r.seconds_per_step) > 0) {
        job_epoch(j, &r);
        mpq_set(p->samples_per_second, r.samples_per_second);
    }
    job_collect_drop(&f, &r);
    for (size_t i = 0; i < j->n_steps; i++) {
        free(thin[i].program.task);
        free(thin[i].alike);
        free(thin[i].known);
    }
    free(thin);
    return rc;
}

static bool is_thin(const struct job *j)
{
    bool plain = j->n_steps == j->n_between + 1 && !j->q->exact && !j->q->alone;

    for (size_t i = 0; i < j->n_steps && plain; i++)
        plain = is_plain(&j->step[i].program);
    return plain;
}

int preview_run(const struct run_request *q, bool must_fit, const struct run_result *base,
                struct preview *p, struct err *err)
{
    struct job j;

    *p = (struct preview){ 0 };
    mpq_init(p->samples_per_second);
    if (job_open(&j, q, err) != 0)
        return -1;
    p->fits = memory_fits(&j);
    p->whole = !is_thin(&j);
    int rc = p->whole || (must_fit && !p->fits) ? 0 : run_steps(&j, base, p, err);
    job_close(&j);
    return rc;
}
