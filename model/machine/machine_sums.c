/* Counters of turns that were left out, which are added to those of the machine. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/machine_impl.h"

struct visiting {
    uint64_t *to;
    const uint64_t *from;
    size_t at;
    component_visit *visit;
    void *self;
};

static size_t count_counters(const struct stat_table *t)
{
    return t->size / sizeof(uint64_t);
}

static void count_table(void *self, const char *path, const struct stat_table *t,
                        const void *counters, uint64_t times)
{
    (void)path, (void)counters, (void)times;
    *(size_t *)self += count_counters(t);
}

static void read_table(void *self, const char *path, const struct stat_table *t,
                       const void *counters, uint64_t times)
{
    struct visiting *v = self;

    (void)path, (void)times;
    memcpy(v->to + v->at, counters, t->size);
    v->at += count_counters(t);
}

static void show_table(void *self, const char *path, const struct stat_table *t,
                       const void *counters, uint64_t times)
{
    struct visiting *v = self;

    (void)counters;
    v->visit(v->self, path, t, v->from + v->at, times);
    v->at += count_counters(t);
}

struct machine_sums *machine_sums_new(struct machine *m)
{
    struct machine_sums *s = memory_zeroed(1, sizeof *s);

    machine_counters_visit(m, count_table, &s->n);
    s->sum = memory_zeroed(s->n, sizeof *s->sum);
    s->run[0] = memory_zeroed(s->n, sizeof *s->sum);
    s->run[1] = memory_zeroed(s->n, sizeof *s->sum);
    return s;
}

void machine_sums_note(struct machine *m, int run)
{
    struct visiting v = { .to = m->sums->run[run] };

    machine_counters_visit(m, read_table, &v);
}

void machine_sums_free(struct machine *m)
{
    if (!m->sums)
        return;
    free(m->sums->sum);
    free(m->sums->run[0]);
    free(m->sums->run[1]);
    free(m->sums);
}

void machine_sums_reset(struct machine *m)
{
    if (m->sums)
        memset(m->sums->sum, 0, m->sums->n * sizeof *m->sums->sum);
}

void machine_sums_visit(struct machine *m, component_visit *visit, void *self)
{
    struct visiting v = { .from = m->sums->sum, .visit = visit, .self = self };

    machine_counters_visit(m, show_table, &v);
}
