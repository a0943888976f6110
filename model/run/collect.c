/* From books and counters to exact figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "run/advice.h"
#include "run/job.h"
#include "run/memory_fit.h"
#include "run/waste.h"
#include "schedule/schedule_slices.h"

static enum cause largest_cause(const mpq_t cause[N_CAUSES])
{
    int best = 0;

    for (int c = 1; c < N_CAUSES; c++)
        if (mpq_cmp(cause[c], cause[best]) > 0)
            best = c;
    return (enum cause)best;
}

/* Femtoseconds booked by all cores in all measured steps -> seconds of a core in a step. */
static void seconds_of_booked(mpq_t q, const mpz_t fs, uint64_t cores, uint64_t steps)
{
    EXACT_Z(den);
    exact_set_u64(den, DES_FS_PER_S);
    mpz_mul_ui(den, den, cores);
    mpz_mul_ui(den, den, steps);
    mpq_set_num(q, fs);
    mpq_set_den(q, den);
    mpq_canonicalize(q);
}

/* --- rows --------------------------------------------------------------------------------- */

/* Peak FLOP/s of one core, of bf16. */
static void set_peak_flops(const struct job *j, mpq_t q)
{
    uint64_t size = j->spec->mxu.size;

    exact_ratio(q, 2 * size * size * j->spec->mxu.rows_per_cycle * j->spec->mxu.count, 1);
    EXACT_Q(hz);
    exact_ratio(hz, j->spec->core.clock, 1);
    mpq_mul(q, q, hz);
}

/* `w->mxu` holds the matrix units' FLOPs, in those of bf16, until the time they took is known. */
static void finish_row(const struct job *j, struct run_row *w)
{
    for (int c = 0; c < N_CAUSES; c++)
        mpq_add(w->seconds, w->seconds, w->cause[c]);
    w->bound_by = largest_cause((const mpq_t *)w->cause);
    if (mpq_sgn(w->seconds) == 0)
        return;
    EXACT_Q(peak);
    set_peak_flops(j, peak);
    mpq_mul(peak, peak, w->seconds);
    mpq_div(w->mxu, w->mxu, peak);
}

static struct run_row *add_row(struct run_row **rows, size_t *n)
{
    *rows = realloc(*rows, (*n + 1) * sizeof **rows);
    BUG_ON(!*rows);
    return &(*rows)[(*n)++];
}

/* A phase of the steps proper and one between them are two, whatever their names. */
static struct run_row *find_phase(struct run_result *r, const char *phase, uint64_t every)
{
    for (size_t i = 0; i < r->n_phases; i++)
        if (strcmp(r->phases[i].name, phase) == 0 && r->phases[i].every == every)
            return &r->phases[i];
    struct run_row *w = add_row(&r->phases, &r->n_phases);
    run_row_init(w, phase, phase, "");
    w->every = every;
    return w;
}

static void add_to_phase(struct run_row *sum, const struct run_row *w)
{
    sum->count += w->count;
    mpq_add(sum->mxu, sum->mxu, w->mxu);
    mpz_add(sum->flops, sum->flops, w->flops);
    mpz_add(sum->hbm_bytes, sum->hbm_bytes, w->hbm_bytes);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_add(sum->cause[c], sum->cause[c], w->cause[c]);
    run_slots_add(&sum->slots, &w->slots);
}

/* v * times / steps, rounded down: traces of several steps alone need to round. */
static void divide_by_steps(mpz_t out, const mpz_t v, uint64_t times, uint64_t steps)
{
    mpz_mul_ui(out, v, times);
    mpz_fdiv_q_ui(out, out, steps);
}

/* The latency of all hops of a step's collectives, one after the other. */
static void add_hops(const struct job *j, const struct job_step *st, uint64_t steps,
                     struct run_result *r)
{
    EXACT_Z(fs);
    EXACT_Q(q);
    /* a collective of a pipeline is one of a stage, and so in the mean of all cores */
    for (uint32_t i = 0; i < st->program.n_tasks; i++) {
        const struct task *t = &st->program.task[i];
        if (t->kind != TASK_COLLECTIVE || t->async == TASK_DONE)
            continue;
        for (uint32_t k = t->collective.first; k < t->collective.first + t->collective.count; k++) {
            const struct schedule *c = &st->program.call[k].schedule;
            uint64_t count = st->row[t->row].count;
            exact_addmul(fs, schedule_cost(c).hops, j->spec->ici.latency * count);
            exact_addmul(fs, schedule_far(c).hops, j->spec->dcn.latency * count);
        }
    }
    mpz_mul_ui(fs, fs, st->measured);
    seconds_of_booked(q, fs, j->stages, steps);
    mpq_add(r->hop_seconds, r->hop_seconds, q);
}

/* One row per operation; a trace of several steps shows each step's own, weighted by how often it
 * was measured.  Of the steps with this `every`, run in a time that is `steps` steps long. */
static void collect_rows(struct job *j, struct machine *m, uint64_t steps, uint64_t every,
                         struct run_result *r)
{
    struct run_slots slots;

    EXACT_Z(fs);
    run_slots_init(&slots);
    for (size_t s = 0; s < j->n_steps; s++) {
        const struct job_step *st = &j->step[s];
        bool here = st->measured && st->every == every;
        if (here)
            add_hops(j, st, steps, r);
        for (uint32_t i = 0; here && i < st->program.n_rows; i++) {
            const struct job_row *b = &st->row[i];
            struct run_row *w = add_row(&r->ops, &r->n_ops);
            run_row_init(w, b->name, b->phase, b->kind);
            /* a step measured st->measured times of `steps` counts for that share of the mean */
            w->count = b->count;
            w->every = every;
            uint64_t runs = steps * (b->staged ? j->stages : 1);
            divide_by_steps(w->flops, b->flops, st->measured, runs);
            divide_by_steps(w->hbm_bytes, b->hbm_bytes, st->measured, runs);
            mpq_set_z(w->mxu, b->gemm);
            exact_ratio(w->seconds, st->measured, runs * b->rate);
            mpq_mul(w->mxu, w->mxu, w->seconds);
            mpq_set_ui(w->seconds, 0, 1);
            for (int c = 0; c < N_CAUSES; c++) {
                machine_booked(m, &st->program, i, (enum cause)c, fs);
                seconds_of_booked(w->cause[c], fs, spec_cores(j->spec), steps);
            }
            waste_row(&w->slots, j, m, st, i, steps);
            advice_write(w, j, &st->program, i);
            add_to_phase(find_phase(r, b->phase, every), w);
            run_slots_add(&slots, &w->slots);
            finish_row(j, w);
            for (int c = 0; c < N_CAUSES; c++)
                mpq_add(r->cause[c], r->cause[c], w->cause[c]);
            if (b->unknown)
                mpq_add(r->uncovered_share, r->uncovered_share, w->seconds);
        }
    }
    waste_check(&slots, j, m, steps);
    run_slots_add(&r->slots, &slots);
    run_slots_clear(&slots);
}

/* What each stage of a pipeline works, and waits for the others. */
static void collect_stages(const struct job *j, const struct machine *m, uint64_t steps,
                           uint64_t every, struct run_result *r)
{
    uint32_t cores = j->spec->slice.cores, per_stage = cores / j->stages;
    EXACT_Q(q);
    EXACT_Z(fs);
    for (uint32_t core = 0; core < cores && r->n_stages; core++)
        for (size_t s = 0; s < j->n_steps; s++) {
            const struct job_step *st = &j->step[s];
            if (!st->measured || st->every != every)
                continue;
            for (uint32_t i = 0; i < st->program.n_rows; i++) {
                const struct ledger_row *b = machine_book(m, &st->program, i, core);
                for (int c = 0; c < N_CAUSES; c++) {
                    struct run_stage *k = &r->stage[core / per_stage];
                    exact_set_u64(fs, b->time[c]);
                    seconds_of_booked(q, fs, per_stage, steps);
                    mpq_ptr to = c == CAUSE_BUBBLE ? k->bubble : k->seconds;
                    mpq_add(to, to, q);
                }
            }
        }
}

static void init_stages(const struct job *j, struct run_result *r)
{
    r->n_stages = j->stages > 1 ? j->stages : 0;
    r->stage = calloc(r->n_stages + 1, sizeof *r->stage);
    BUG_ON(!r->stage);
    for (uint32_t k = 0; k < r->n_stages; k++)
        mpq_inits(r->stage[k].seconds, r->stage[k].bubble, NULL);
}

static void init_result(struct run_result *r)
{
    *r = (struct run_result){ 0 };
    mpz_init(r->samples_per_step);
    mpq_inits(r->seconds_per_step, r->steps_per_epoch, r->seconds_per_epoch, r->samples_per_second,
              r->usd_per_hour, r->usd_per_hour_preemptible, r->usd_per_epoch,
              r->usd_per_epoch_preemptible, r->uncovered_share, r->watts, r->peak_flops,
              r->hbm_bytes_per_second, r->hop_seconds, r->server.updates, r->server.missed, NULL);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_init(r->cause[c]);
    run_slots_init(&r->slots);
}

void job_collect_begin(struct job *j, struct job_figures *f, struct run_result *r)
{
    const struct machine_spec *s = j->spec;

    init_result(r);
    init_stages(j, r);
    job_figures_init(f);
    r->machine = memory_copy(s->name);
    r->trace = memory_copy(trace_file(j->trace));
    r->workload = memory_copy(trace_head(j->trace)->workload);
    r->cores = spec_cores(s);
    r->chips = spec_chips(s);
    r->hosts = spec_hosts(s);
    r->core_hz = s->core.clock;
    r->slices = s->dcn.slices;
    r->mesh[0] = s->slice.mesh_x;
    r->mesh[1] = s->slice.mesh_y;
    r->mesh[2] = s->slice.mesh_z;
    set_peak_flops(j, r->peak_flops);
    exact_ratio(r->hbm_bytes_per_second, s->hbm.bandwidth, spec_cores_of_chip(s));
    r->exact = j->q->exact;
}

void job_collect_drop(struct job_figures *f, struct run_result *r)
{
    job_figures_clear(f, r->n_figures);
    run_result_free(r);
}

void job_collect(struct job *j, struct job_figures *f, struct machine *m, uint64_t fs,
                 uint64_t steps, uint64_t every, struct run_result *r)
{
    uint64_t hz = j->spec->core.clock, length = steps * every;
    uint64_t cycles = des_edge_index(machine_now(m), hz) - des_edge_index(machine_now(m) - fs, hz);

    EXACT_Q(q);
    EXACT_Z(whole);
    exact_set_u64(whole, fs);
    seconds_of_booked(q, whole, 1, length);
    mpq_add(r->seconds_per_step, r->seconds_per_step, q);
    exact_ratio(q, cycles, length);
    mpq_add(f->cycles, f->cycles, q);
    collect_rows(j, m, length, every, r);
    collect_stages(j, m, length, every, r);
    job_figures_add(f, m, length, r);
}

static void check_causes(const struct run_result *r)
{
    /* each wait was booked when it ended; together they must be the step, to the femtosecond */
    EXACT_Q(sum);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_add(sum, sum, r->cause[c]);
    BUG_ON(mpq_cmp(sum, r->seconds_per_step) != 0);
}

/* Rounded to the nearest, a half up. */
static uint64_t round_to_nearest(const mpq_t q)
{
    EXACT_Z(n);
    mpz_mul_2exp(n, mpq_numref(q), 1);
    mpz_add(n, n, mpq_denref(q));
    mpz_fdiv_q(n, n, mpq_denref(q));
    mpz_fdiv_q_2exp(n, n, 1);
    uint64_t v = mpz_get_ui(n);
    return v;
}

/* Is what the figure counts busy all the time, but for its start at the next edge of a clock? */
static bool always_busy(const struct run_result *r, const char *column)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, column) == 0)
            return r->figures[i].known && mpq_cmp_ui(r->figures[i].value, 99, 100) >= 0;
    return false;
}

/* Has the parameter server a stage that never rests? */
static bool server_limits(const struct run_result *r)
{
    return always_busy(r, "utilization.server_receive") ||
           always_busy(r, "utilization.server_update") || always_busy(r, "utilization.server_send");
}

/* What never rests sets the pace, however long the cores wait for other things besides; work of the
 * host that has a name of its own keeps it. */
static enum cause limit_of_step(const struct run_result *r)
{
    if (r->bound_by == CAUSE_COMPILE || r->bound_by == CAUSE_FALLBACK ||
        r->bound_by == CAUSE_LAUNCH)
        return r->bound_by;
    if (always_busy(r, "utilization.storage"))
        return CAUSE_STORAGE;
    if (r->limited_by_server)
        return CAUSE_HOST;
    if (always_busy(r, "utilization.host") || always_busy(r, "utilization.client"))
        return CAUSE_HOST;
    return r->bound_by;
}

void job_collect_end(struct job *j, struct job_figures *f, struct machine *m, uint64_t steps,
                     struct run_result *r)
{
    const struct machine_spec *s = j->spec;

    r->steps = steps;
    r->events = machine_events(m);
    r->cycles_per_step = round_to_nearest(f->cycles);
    for (size_t i = 0; i < r->n_phases; i++)
        finish_row(j, &r->phases[i]);
    check_causes(r);
    mpq_div(r->uncovered_share, r->uncovered_share, r->seconds_per_step);
    r->uncovered_ops = j->uncovered;
    job_figures_end(f, r);
    job_figures_clear(f, r->n_figures);
    r->bound_by = largest_cause((const mpq_t *)r->cause);
    r->limited_by_server = server_limits(r);
    r->limited_by = limit_of_step(r);
    job_money(j, r);
    job_collect_memory(j, r);
    r->trace_checksum = trace_checksum(j->trace);
    r->machine_checksum = spec_checksum(s);
    r->unverified = spec_unverified(s);
    r->n_changed = s->n_changed;
    r->changed = calloc(s->n_changed + 1, sizeof *r->changed);
    BUG_ON(!r->changed);
    for (size_t i = 0; i < s->n_changed; i++)
        r->changed[i] = memory_copy(s->changed[i]);
}
