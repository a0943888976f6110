/* Rows of a result: what each operation booked in the measured steps, and sums over phases.
 *
 * Books are in femtoseconds and counters of all cores and all measured steps; rows are means over
 * the cores and the steps, exact. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/units.h"
#include "passes/remat.h"
#include "run/advice.h"
#include "run/job/job.h"
#include "run/result/op_flow.h"
#include "run/result/padding.h"
#include "run/waste.h"
#include "schedule/schedule_slices.h"

void job_seconds(mpq_t q, const mpz_t fs, uint64_t cores, uint64_t steps)
{
    EXACT_Z(den);
    exact_set_u64(den, FS_PER_S);
    mpz_mul_ui(den, den, cores);
    mpz_mul_ui(den, den, steps);
    mpq_set_num(q, fs);
    mpq_set_den(q, den);
    mpq_canonicalize(q);
}

void job_peak_flops(const struct job *j, mpq_t q)
{
    exact_ratio(q, 2 * spec_macs_per_cycle(j->spec), 1);
    EXACT_Q(hz);
    exact_ratio(hz, spec_clock(j->spec), 1);
    mpq_mul(q, q, hz);
}

/* Until here w->mxu holds FLOPs of the matrix units in bf16, as the time they took was not known.
 */
static void finish_row(const struct job *j, struct run_row *w)
{
    amounts_sum(w->seconds, &w->cause);
    w->bound_by = (enum cause)amounts_largest(&w->cause, w->causes);
    if (mpq_sgn(w->seconds) == 0)
        return;
    EXACT_Q(peak);
    job_peak_flops(j, peak);
    mpq_mul(peak, peak, w->seconds);
    mpq_div(w->mxu, w->mxu, peak);
}

static struct run_row *add_row(struct run_row **rows, size_t *n)
{
    MEMORY_ADD(*rows, *n);
    return &(*rows)[(*n)++];
}

/* Without a group, its name stays its group. */
static void set_group(struct run_row *w, const char *group)
{
    w->group = group ? group : w->group;
}

/* Phases of one name are two rows where one is of the steps proper and one of a step that runs
 * between them. */
static struct run_row *find_phase(struct job_figures *f, struct run_result *r, const char *phase,
                                  const char *group, uint64_t every)
{
    char *key = memory_format("%" PRIu64 " %s", every, phase);
    size_t number = numbered_find(&f->phases, key);

    free(key);
    if (number < r->n_phases)
        return &r->phases[number];
    struct run_row *w = add_row(&r->phases, &r->n_phases);
    run_row_init(w, r->causes, phase, phase, "");
    set_group(w, group);
    w->every = every ? every : 1;
    return w;
}

static void add_to_phase(struct run_row *sum, const struct run_row *w)
{
    sum->count += w->count;
    exact_sum(sum->mxu, w->mxu);
    mpz_add(sum->flops, sum->flops, w->flops);
    mpz_add(sum->hbm_bytes, sum->hbm_bytes, w->hbm_bytes);
    amounts_add(&sum->cause, &w->cause);
    run_slots_add(&sum->slots, &w->slots);
}

/* out = v * times / steps, rounded down; only traces of several steps have a remainder. */
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
    /* a collective of a pipelined step runs on the cores of one stage */
    for (uint32_t i = 0; i < st->program.n_tasks; i++) {
        const struct task *t = &st->program.task[i];
        if (t->kind != TASK_COLLECTIVE || t->async == TASK_DONE)
            continue;
        for (uint32_t k = t->collective.first; k < t->collective.first + t->collective.count; k++) {
            const struct schedule *c = &st->program.call[k].schedule;
            uint64_t count = st->row[t->row].count;
            exact_addmul(fs, schedule_cost(c).hops, spec_links(j->spec).latency * count);
            exact_addmul(fs, c->flow.wait_fs, count);
            exact_addmul(fs, schedule_far(c).hops, j->spec->dcn.latency * count);
        }
    }
    mpz_mul_ui(fs, fs, st->measured);
    job_seconds(q, fs, j->stages, steps);
    exact_sum(r->hop_seconds, q);
}

/* The scope and the source of an operation of a compiled program, and the compiler's estimate. */
static void note_origin(struct run_row *w, const struct job *j, const struct job_row *b)
{
    w->compiled = j->compiled;
    w->retiled = b->retiled;
    w->scope = b->scope ? b->scope : "";
    w->source = b->source ? b->source : "";
    EXACT_Q(count);
    exact_ratio(count, b->count, 1);
    exact_ratio(w->estimated, b->estimate, spec_clock(j->spec));
    mpq_mul(w->estimated, w->estimated, count);
}

static void note_padding(struct run_row *w, struct run_result *r, const struct trace_header *h,
                         uint32_t which)
{
    if (h->n_padding == 0)
        return;
    w->padding = which ? texts_keep(&r->texts, h->padding[which - 1].name) : "";
    w->real = which ? h->padding[which - 1].real : 0;
    w->padded = which ? h->padding[which - 1].padded : 0;
}

/* Fill the row of operation `i` of a step from its books.  The step was measured st->measured times
 * of `steps`, and counts for that share of the mean. */
static void fill_row(struct run_row *w, struct run_result *r, const struct job *j,
                     struct machine *m, const struct job_step *st, uint32_t i, uint64_t steps)
{
    const struct job_row *b = &st->row[i];
    uint64_t runs = steps * (b->staged ? j->stages : 1);

    run_row_init(w, r->causes, b->name, b->phase, b->kind);
    set_group(w, b->group);
    w->count = b->count;
    w->every = st->every ? st->every : 1;
    note_origin(w, j, b);
    note_padding(w, r, trace_head(j->trace), b->padding);
    divide_by_steps(w->flops, b->flops, st->measured, runs);
    divide_by_steps(w->hbm_bytes, b->hbm_bytes, st->measured, runs);
    EXACT_Q(share);
    exact_ratio(share, st->measured, runs * b->rate);
    mpq_set_z(w->mxu, b->gemm);
    mpq_mul(w->mxu, w->mxu, share);
    EXACT_Z(fs);
    for (int c = 0; c < N_CAUSES; c++) {
        machine_booked(m, &st->program, i, (enum cause)c, fs);
        if (mpz_sgn(fs))
            job_seconds(amounts_at(&w->cause, (unsigned)c), fs, spec_cores(j->spec), steps);
    }
    waste_row(&w->slots, j, m, st, i, steps);
    advice_write(w, j, b);
}

/* Matrix work of all cores, and what it would be at the rate of 16-bit products. */
static void add_model_flops(const struct job *j, const struct job_step *st, uint32_t i,
                            uint64_t steps, struct run_result *r)
{
    const struct job_row *b = &st->row[i];

    if (mpz_sgn(b->gemm) == 0)
        return;
    if (strcmp(b->phase, REMAT_PHASE) == 0)
        return;
    EXACT_Q(q);
    EXACT_Q(flops);
    exact_ratio(q, st->measured * spec_cores(j->spec), steps * (b->staged ? j->stages : 1));
    mpq_set_z(flops, b->gemm);
    mpq_mul(q, q, flops);
    exact_sum(r->model_flops, q);
    exact_ratio(flops, 1, b->rate);
    mpq_mul(q, q, flops);
    exact_sum(r->plain_flops, q);
    *(b->rate > 1 ? &r->has_fast : &r->has_plain) = true;
}

static void collect_step(const struct job *j, struct job_figures *f, struct machine *m,
                         const struct job_step *st, uint64_t steps, struct run_slots *slots,
                         struct run_result *r)
{
    EXACT_Q(part);
    exact_ratio(part, st->measured, steps);
    f->account.part = part;
    add_hops(j, st, steps, r);
    op_flow_add(&r->flow, &st->flow, (uint32_t)r->n_ops);
    for (uint32_t i = 0; i < st->program.n_rows; i++) {
        struct run_row *w = add_row(&r->ops, &r->n_ops);
        fill_row(w, r, j, m, st, i, steps);
        add_to_phase(find_phase(f, r, w->phase, st->row[i].phase_group, st->every), w);
        run_slots_add(slots, &w->slots);
        add_model_flops(j, st, i, steps, r);
        finish_row(j, w);
        if (st->row[i].padding)
            padding_add(r, st->row[i].padding, w->seconds);
        amounts_add(&r->cause, &w->cause);
        account_add(&r->account, &f->account, &st->row[i].note, w);
    }
}

void job_collect_rows(const struct job *j, struct job_figures *f, struct machine *m, uint64_t steps,
                      uint64_t every, struct run_result *r)
{
    struct run_slots slots;

    run_slots_init(&slots);
    for (size_t s = 0; s < j->n_steps; s++)
        if (j->step[s].measured && j->step[s].every == every)
            collect_step(j, f, m, &j->step[s], steps, &slots, r);
    if (!j->q->brief)
        waste_check(&slots, j, m, steps);
    run_slots_add(&r->slots, &slots);
    run_slots_clear(&slots);
}

void job_finish_phases(const struct job *j, struct run_result *r)
{
    for (size_t i = 0; i < r->n_phases; i++)
        finish_row(j, &r->phases[i]);
}
