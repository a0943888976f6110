/* From books and counters to exact figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/advice.h"
#include "run/job.h"
#include "run/waste.h"

static char *copy(const char *s)
{
    char *c = strdup(s ? s : "");

    BUG_ON(!c);
    return c;
}

static enum cause largest(const mpq_t cause[N_CAUSES])
{
    int best = 0;

    for (int c = 1; c < N_CAUSES; c++)
        if (mpq_cmp(cause[c], cause[best]) > 0)
            best = c;
    return (enum cause)best;
}

/* Femtoseconds booked by all cores in all measured steps -> seconds of a core in a step. */
static void to_seconds(mpq_t q, const mpz_t fs, uint64_t cores, uint64_t steps)
{
    mpz_t den;

    mpz_init(den);
    exact_set_u64(den, DES_FS_PER_S);
    mpz_mul_ui(den, den, cores);
    mpz_mul_ui(den, den, steps);
    mpq_set_num(q, fs);
    mpq_set_den(q, den);
    mpq_canonicalize(q);
    mpz_clear(den);
}

static void init_row(struct run_row *w, const char *name, const char *phase, const char *kind)
{
    *w = (struct run_row){ .name = copy(name), .phase = copy(phase), .kind = copy(kind) };
    mpq_inits(w->seconds, w->mxu, NULL);
    mpz_inits(w->flops, w->hbm_bytes, NULL);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_init(w->cause[c]);
    run_slots_init(&w->slots);
}

/* --- rows --------------------------------------------------------------------------------- */

/* Peak FLOP/s of one core, of bf16. */
static void peak_flops(const struct job *j, mpq_t q)
{
    uint64_t size = j->spec->mxu.size;

    exact_ratio(q, 2 * size * size * j->spec->mxu.rows_per_cycle * j->spec->mxu.count, 1);
    mpq_t hz;
    mpq_init(hz);
    exact_ratio(hz, j->spec->core.clock, 1);
    mpq_mul(q, q, hz);
    mpq_clear(hz);
}

/* `w->mxu` holds the matrix units' FLOPs, in those of bf16, until the time they took is known. */
static void finish_row(const struct job *j, struct run_row *w)
{
    mpq_t peak;

    for (int c = 0; c < N_CAUSES; c++)
        mpq_add(w->seconds, w->seconds, w->cause[c]);
    w->bound_by = largest((const mpq_t *)w->cause);
    if (mpq_sgn(w->seconds) == 0)
        return;
    mpq_init(peak);
    peak_flops(j, peak);
    mpq_mul(peak, peak, w->seconds);
    mpq_div(w->mxu, w->mxu, peak);
    mpq_clear(peak);
}

static struct run_row *add_row(struct run_row **rows, size_t *n)
{
    *rows = realloc(*rows, (*n + 1) * sizeof **rows);
    BUG_ON(!*rows);
    return &(*rows)[(*n)++];
}

static struct run_row *phase_row(struct run_result *r, const char *phase)
{
    for (size_t i = 0; i < r->n_phases; i++)
        if (strcmp(r->phases[i].name, phase) == 0)
            return &r->phases[i];
    struct run_row *w = add_row(&r->phases, &r->n_phases);
    init_row(w, phase, phase, "");
    return w;
}

static void add_to(struct run_row *sum, const struct run_row *w)
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
static void mean(mpz_t out, const mpz_t v, uint64_t times, uint64_t steps)
{
    mpz_mul_ui(out, v, times);
    mpz_fdiv_q_ui(out, out, steps);
}

/* One row per operation; a trace of several steps shows each step's own, weighted by how often it
 * was measured. */
static void collect_rows(struct job *j, struct machine *m, uint64_t steps, struct run_result *r)
{
    mpz_t fs;

    mpz_init(fs);
    for (size_t s = 0; s < j->n_steps; s++) {
        const struct job_step *st = &j->step[s];
        for (uint32_t i = 0; st->measured && i < st->program.n_rows; i++) {
            const struct job_row *b = &st->row[i];
            struct run_row *w = add_row(&r->ops, &r->n_ops);
            init_row(w, b->name, b->phase, b->kind);
            /* a step measured st->measured times of `steps` counts for that share of the mean */
            w->count = b->count;
            mean(w->flops, b->flops, st->measured, steps);
            mean(w->hbm_bytes, b->hbm_bytes, st->measured, steps);
            mpq_set_z(w->mxu, b->gemm);
            exact_ratio(w->seconds, st->measured, steps * b->rate);
            mpq_mul(w->mxu, w->mxu, w->seconds);
            mpq_set_ui(w->seconds, 0, 1);
            for (int c = 0; c < N_CAUSES; c++) {
                machine_booked(m, &st->program, i, (enum cause)c, fs);
                to_seconds(w->cause[c], fs, j->spec->slice.cores, steps);
            }
            waste_row(&w->slots, j, m, st, i, steps);
            advise(w, j, &st->program, i);
            add_to(phase_row(r, b->phase), w);
            run_slots_add(&r->slots, &w->slots);
            finish_row(j, w);
            for (int c = 0; c < N_CAUSES; c++)
                mpq_add(r->cause[c], r->cause[c], w->cause[c]);
            if (b->unknown)
                mpq_add(r->uncovered_share, r->uncovered_share, w->seconds);
        }
    }
    for (size_t i = 0; i < r->n_phases; i++)
        finish_row(j, &r->phases[i]);
    mpz_clear(fs);
}

/* --- figures ------------------------------------------------------------------------------ */

struct gathering {
    struct run_result *r;
    mpz_t *num, *den; /* of each figure */
    uint64_t steps;
};

static uint64_t counter(const void *counters, size_t offset)
{
    return *(const uint64_t *)((const char *)counters + offset);
}

static size_t figure(struct gathering *g, const struct stat_desc *d)
{
    struct run_result *r = g->r;

    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, d->column) == 0)
            return i;
    size_t n = r->n_figures++;
    r->figures = realloc(r->figures, (n + 1) * sizeof *r->figures);
    g->num = realloc(g->num, (n + 1) * sizeof *g->num);
    g->den = realloc(g->den, (n + 1) * sizeof *g->den);
    BUG_ON(!r->figures || !g->num || !g->den);
    r->figures[n] = (struct run_figure){ .column = d->column, .doc = d->doc };
    mpq_init(r->figures[n].value);
    mpz_inits(g->num[n], g->den[n], NULL);
    return n;
}

static void visit(void *self, const char *path, const struct stat_table *table,
                  const void *counters)
{
    struct gathering *g = self;

    for (size_t i = 0; i < table->n_rows; i++) {
        const struct stat_desc *d = &table->rows[i];
        if (!d->column)
            continue;
        size_t f = figure(g, d);
        exact_addmul(g->num[f], counter(counters, d->num), 1);
        exact_addmul(g->den[f], counter(counters, d->den), 1);
        if (strcmp(table->section, "link") != 0)
            continue;
        struct run_result *r = g->r;
        r->links = realloc(r->links, (r->n_links + 1) * sizeof *r->links);
        BUG_ON(!r->links);
        struct run_link *l = &r->links[r->n_links++];
        l->name = copy(path);
        mpz_init(l->bytes);
        mpq_init(l->utilization);
        exact_set_u64(l->bytes, counter(counters, d->num) / g->steps);
        if (counter(counters, d->den))
            exact_ratio(l->utilization, counter(counters, d->num), counter(counters, d->den));
    }
}

/* Ratios of sums over all components; one that never had anything to divide by is unknown. */
static void collect_figures(struct machine *m, uint64_t steps, struct run_result *r)
{
    struct gathering g = { .r = r, .steps = steps };

    machine_statistics(m, visit, &g);
    for (size_t i = 0; i < r->n_figures; i++) {
        r->figures[i].known = mpz_sgn(g.den[i]) != 0;
        if (r->figures[i].known) {
            mpq_set_num(r->figures[i].value, g.num[i]);
            mpq_set_den(r->figures[i].value, g.den[i]);
            mpq_canonicalize(r->figures[i].value);
        }
        mpz_clears(g.num[i], g.den[i], NULL);
    }
    free(g.num);
    free(g.den);
}

/* --- time and money ----------------------------------------------------------------------- */

static void price(const struct job *j, struct run_result *r, const char *key, bool *has, mpq_t hour,
                  mpq_t epoch, uint64_t nano_usd)
{
    mpq_t hours;

    *has = spec_given(j->spec, "price", key);
    exact_ratio(hour, nano_usd, 1000000000);
    mpq_init(hours);
    exact_ratio(hours, 1, 3600);
    mpq_mul(hours, hours, r->seconds_per_epoch);
    mpq_mul(epoch, hour, hours);
    mpq_clear(hours);
}

/* "[ju-2020: 2020-04-07]", or both when the prices come from two places. */
static char *price_sources(const struct machine_spec *s)
{
    int t = spec_table("price");
    const char *demand = s->source[t][0], *preemptible = s->source[t][1];
    char both[256];

    if (!demand || !preemptible || strcmp(demand, preemptible) == 0)
        return copy(demand ? demand : preemptible);
    snprintf(both, sizeof both, "on demand %s, preemptible %s", demand, preemptible);
    return copy(both);
}

static void collect_money(const struct job *j, struct run_result *r)
{
    const struct trace_header *h = trace_head(j->trace);
    mpz_t samples, steps;

    mpz_inits(samples, steps, NULL);
    exact_addmul(samples, h->samples_per_step, j->spec->slice.cores);
    r->has_epoch = h->samples_per_epoch != 0;
    mpq_set_z(r->samples_per_second, samples);
    mpq_div(r->samples_per_second, r->samples_per_second, r->seconds_per_step);
    /* whole global batches; what is left over of an epoch is dropped, as the input pipelines do,
     * but an epoch smaller than a batch takes one step */
    exact_set_u64(steps, h->samples_per_epoch);
    mpz_fdiv_q(steps, steps, samples);
    if (mpz_sgn(steps) == 0)
        mpz_set_ui(steps, 1);
    mpq_set_z(r->steps_per_epoch, steps);
    mpz_clears(samples, steps, NULL);
    mpq_mul(r->seconds_per_epoch, r->seconds_per_step, r->steps_per_epoch);
    price(j, r, "on_demand", &r->has_price, r->usd_per_hour, r->usd_per_epoch,
          j->spec->price.on_demand);
    price(j, r, "preemptible", &r->has_preemptible, r->usd_per_hour_preemptible,
          r->usd_per_epoch_preemptible, j->spec->price.preemptible);
    r->price_source = price_sources(j->spec);
}

static void init_result(struct run_result *r)
{
    *r = (struct run_result){ 0 };
    mpq_inits(r->seconds_per_step, r->steps_per_epoch, r->seconds_per_epoch, r->samples_per_second,
              r->usd_per_hour, r->usd_per_hour_preemptible, r->usd_per_epoch,
              r->usd_per_epoch_preemptible, r->uncovered_share, NULL);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_init(r->cause[c]);
    run_slots_init(&r->slots);
}

void job_collect(struct job *j, struct machine *m, uint64_t fs, uint64_t steps,
                 struct run_result *r)
{
    const struct machine_spec *s = j->spec;
    mpz_t whole;
    mpq_t sum;

    init_result(r);
    r->machine = copy(s->name);
    r->trace = copy(trace_file(j->trace));
    r->workload = copy(trace_head(j->trace)->workload);
    r->cores = s->slice.cores;
    r->chips = spec_chips(s);
    r->hosts = spec_hosts(s);
    r->steps = steps;
    r->core_hz = s->core.clock;
    r->exact = j->q->exact;
    r->events = machine_events(m);

    mpz_init(whole);
    exact_set_u64(whole, fs);
    to_seconds(r->seconds_per_step, whole, 1, steps);
    mpz_clear(whole);
    uint64_t cycles = des_edge_index(machine_now(m), s->core.clock) -
                      des_edge_index(machine_now(m) - fs, s->core.clock);
    r->cycles_per_step = (cycles + steps / 2) / steps;

    collect_rows(j, m, steps, r);
    r->bound_by = largest((const mpq_t *)r->cause);
    /* each wait was booked when it ended; together they must be the step, to the femtosecond */
    mpq_init(sum);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_add(sum, sum, r->cause[c]);
    BUG_ON(mpq_cmp(sum, r->seconds_per_step) != 0);
    mpq_clear(sum);

    mpq_div(r->uncovered_share, r->uncovered_share, r->seconds_per_step);
    r->uncovered_ops = j->uncovered;
    collect_figures(m, steps, r);
    waste_check(&r->slots, j, m, steps);
    collect_money(j, r);
    r->peak_bytes_per_core = j->peak_bytes;
    r->capacity_bytes_per_core = s->hbm.capacity / s->slice.cores_per_chip;
    r->fits = r->peak_bytes_per_core <= r->capacity_bytes_per_core;
    r->peak_at = copy(j->peak_at);
    r->trace_checksum = trace_checksum(j->trace);
    r->machine_checksum = spec_checksum(s);
    r->unverified = spec_unverified(s);
    r->n_changed = s->n_changed;
    r->changed = calloc(s->n_changed + 1, sizeof *r->changed);
    BUG_ON(!r->changed);
    for (size_t i = 0; i < s->n_changed; i++)
        r->changed[i] = copy(s->changed[i]);
}
