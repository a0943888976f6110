/* Ratios of counters, summed over all components and all measured time, and the links. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/stat.h"
#include "run/job/job.h"

struct gathering {
    struct job_figures *f;
    struct run_result *r;
    uint64_t steps;
    size_t link; /* the next to be visited */
};

static uint64_t counter_at(const void *counters, size_t offset)
{
    return *(const uint64_t *)((const char *)counters + offset);
}

/* q += n * times / steps */
static void add_ratio(mpq_t q, uint64_t n, uint64_t times, uint64_t steps)
{
    EXACT_Q(x);
    exact_ratio(x, n, steps);
    if (times > 1) {
        EXACT_Q(many);
        exact_ratio(many, times, 1);
        mpq_mul(x, x, many);
    }
    exact_sum(q, x);
}

static mpq_t *grow_array(mpq_t *array, size_t n)
{
    MEMORY_ADD(array, n);
    mpq_init(array[n]);
    return array;
}

static size_t find_figure(struct gathering *g, const struct stat_desc *d)
{
    struct run_result *r = g->r;

    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, d->column) == 0)
            return i;
    size_t n = r->n_figures++;
    MEMORY_ADD(r->figures, n);
    g->f->num = grow_array(g->f->num, n);
    g->f->den = grow_array(g->f->den, n);
    r->figures[n] = (struct run_figure){ .column = d->column, .doc = d->doc };
    mpq_init(r->figures[n].value);
    return n;
}

/* Machines visit their links in the same order each time, so a count tells which link it is. */
static void add_link(struct gathering *g, const char *path, uint64_t bytes, uint64_t room)
{
    struct job_figures *f = g->f;
    struct run_result *r = g->r;
    size_t i = g->link++;

    if (i == r->n_links) {
        MEMORY_ADD(r->links, i);
        r->links[i].name = memory_copy(path);
        mpz_init(r->links[i].bytes);
        mpq_init(r->links[i].utilization);
        f->moved = grow_array(f->moved, i);
        f->room = grow_array(f->room, i);
        r->n_links = f->n_links = i + 1;
    }
    add_ratio(f->moved[i], bytes, 1, g->steps);
    add_ratio(f->room[i], room, 1, g->steps);
}

/* The parameter server is the component that counts updates of weights and those missed. */
static void add_server(struct gathering *g, const struct stat_table *table, const void *counters)
{
    const uint64_t *updates = stat_counter(table, counters, "updates");
    const uint64_t *missed = stat_counter(table, counters, "missed");

    if (!updates || !missed)
        return;
    g->r->server.serves = true;
    add_ratio(g->r->server.updates, *updates, 1, g->steps);
    add_ratio(g->r->server.missed, *missed, 1, g->steps);
}

/* Adds the counter `name` of components called `section`, if this is one and it counts that. */
static void add_work(struct gathering *g, mpq_t sum, const struct stat_table *table,
                     const void *counters, const char *section, const char *name, uint64_t times)
{
    const uint64_t *counter =
        strcmp(table->section, section) == 0 ? stat_counter(table, counters, name) : NULL;

    if (counter)
        add_ratio(sum, *counter, times, g->steps);
}

static void add_all_work(struct gathering *g, const struct stat_table *table, const void *counters,
                         uint64_t times)
{
    struct run_work *w = &g->r->work;

    add_work(g, w->macs, table, counters, "mxu", "useful", times);
    add_work(g, w->macs, table, counters, "mxu", "precision", times);
    add_work(g, w->macs, table, counters, "sm", "macs", times);
    add_work(g, w->fmas, table, counters, "sm", "fmas", times);
    add_work(g, w->bytes, table, counters, "hbm", "bytes", times);
    add_work(g, w->link_bytes, table, counters, "link", "bytes", times);
}

static void visit_table(void *self, const char *path, const struct stat_table *table,
                        const void *counters, uint64_t times)
{
    struct gathering *g = self;

    add_server(g, table, counters);
    add_all_work(g, table, counters, times);
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct stat_desc *d = &table->rows[i];
        if (!d->column)
            continue;
        uint64_t num = counter_at(counters, d->num), den = counter_at(counters, d->den);
        size_t f = find_figure(g, d);
        add_ratio(g->f->num[f], num, times, g->steps);
        add_ratio(g->f->den[f], den, times, g->steps);
        if (strcmp(table->section, "link") == 0 || strcmp(table->section, "nic") == 0)
            add_link(g, path, num, den);
    }
}

void job_figures_init(struct job_figures *f)
{
    *f = (struct job_figures){ 0 };
    mpq_init(f->cycles);
}

void job_figures_add(struct job_figures *f, struct machine *m, uint64_t steps, struct run_result *r)
{
    struct gathering g = { .f = f, .r = r, .steps = steps };

    machine_statistics(m, visit_table, &g);
}

/* A ratio whose denominator is 0 is unknown. */
void job_figures_end(struct job_figures *f, struct run_result *r)
{
    for (size_t i = 0; i < r->n_figures; i++) {
        r->figures[i].known = mpq_sgn(f->den[i]) != 0;
        if (r->figures[i].known)
            mpq_div(r->figures[i].value, f->num[i], f->den[i]);
    }
    if (r->server.serves) {
        mpq_div(r->server.missed, r->server.missed, r->server.updates);
        mpq_div(r->server.updates, r->server.updates, r->seconds_per_step);
    }
    for (size_t i = 0; i < r->n_links; i++) {
        struct run_link *l = &r->links[i];
        mpz_fdiv_q(l->bytes, mpq_numref(f->moved[i]), mpq_denref(f->moved[i]));
        if (mpq_sgn(f->room[i]) != 0)
            mpq_div(l->utilization, f->moved[i], f->room[i]);
    }
}

void job_figures_clear(struct job_figures *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpq_clears(f->num[i], f->den[i], NULL);
    for (size_t i = 0; i < f->n_links; i++)
        mpq_clears(f->moved[i], f->room[i], NULL);
    free(f->num);
    free(f->den);
    free(f->moved);
    free(f->room);
    mpq_clear(f->cycles);
    numbered_clear(&f->phases);
    account_sum_clear(&f->account);
}
