/* des_bench.c - time one model of the event kernel: des_bench MODEL KIND N [EVENTS].
 *
 * Prints "model kind n ns_per_event activations deltas", for mm1 also the mean sojourn in service
 * times; for memory the bytes per process and for elaborate seconds in place of ns_per_event.  An
 * event is an activation, in ring a hop, in pairs a token, in mm1 a customer.  CPU time of the run
 * alone, after a tenth of it to warm up. */
#include "tests/bench/des_bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

des_time *des_bench_exponential(double mean)
{
    size_t size = (size_t)1 << DES_BENCH_TABLE_BITS;
    double step = 1.0 / (double)size;
    des_time *table = malloc(size * sizeof *table);

    if (!table)
        abort();
    /* means over equally likely parts of the range, so that the mean of the table is exact */
    for (size_t i = 0; i < size; i++) {
        double a = (double)i * step, b = a + step;
        double below = i ? a - a * log(a) : 0.0;

        table[i] = (des_time)llround(mean * (b - b * log(b) - below) / step);
    }
    return table;
}

const char *des_bench_name(char buf[24], char letter, size_t i)
{
    snprintf(buf, 24, "%c%zu", letter, i);
    return buf;
}

struct des_module des_bench_module(struct des_bench *b, char letter, size_t i)
{
    char name[24];

    return des_module_new(b->sim, b->top, des_bench_name(name, letter, i));
}

uint64_t des_bench_events(const struct des_bench *b)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < b->n; i++) /* the count is each module's first member */
        sum += *(const uint64_t *)((const char *)b->modules + i * b->model->module_size);
    return sum;
}

static const struct des_bench_model *find_model(const char *name, const char *kind)
{
    const struct des_bench_model *tables[] = { des_bench_timed_models, des_bench_flow_models };

    for (size_t t = 0; t < 2; t++)
        for (const struct des_bench_model *m = tables[t]; m->name; m++)
            if (!strcmp(m->name, name) && !strcmp(m->kind, kind))
                return m;
    return NULL;
}

static int build_parts(struct des_bench *b, const struct des_bench_model *model, size_t n)
{
    struct err err = { 0 };

    *b = (struct des_bench){ .model = model, .n = n, .sim = des_new() };
    b->modules = calloc(n, model->module_size);
    if (model->source_size)
        b->sources = calloc(n, model->source_size);
    if (!b->modules || (model->source_size && !b->sources))
        abort();
    b->top = des_module_new(b->sim, (struct des_module){ 0 }, "top");
    model->build(b);
    if (des_elaborate(b->sim, &err)) {
        fprintf(stderr, "des_bench: %s\n", err.msg);
        return 70;
    }
    return 0;
}

static void release_bench(struct des_bench *b)
{
    des_free(b->sim);
    free(b->modules);
    free(b->sources);
    free(b->delays[0]);
    free(b->delays[1]);
}

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident_bytes(void)
{
    unsigned long size, resident;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2)
        abort();
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static int print_usage(void)
{
    fprintf(stderr, "usage: des_bench MODEL KIND N [EVENTS]\n ");
    for (const struct des_bench_model *m = des_bench_timed_models; m->name; m++)
        fprintf(stderr, " '%s %s'", m->name, m->kind);
    for (const struct des_bench_model *m = des_bench_flow_models; m->name; m++)
        fprintf(stderr, " '%s %s'", m->name, m->kind);
    fprintf(stderr, " 'memory method|thread' 'elaborate method'\n");
    return 2;
}

/* Bytes per process that has run twice, or seconds until all have run once. */
static int measure_build(const char *what, const char *kind, size_t n)
{
    const struct des_bench_model *model = find_model("timed", kind);
    double bytes = resident_bytes(), seconds = cpu_seconds();
    struct des_bench b;
    int rc;

    if (!model)
        return print_usage();
    rc = build_parts(&b, model, n);
    if (rc)
        return rc;
    if (!strcmp(what, "memory")) {
        model->advance(&b, 2 * n);
        bytes = (resident_bytes() - bytes) / (double)n;
        printf("memory %s %zu %.1f - -\n", kind, n, bytes);
    } else {
        des_run(b.sim, 0);
        printf("elaborate %s %zu %.4f - -\n", kind, n, cpu_seconds() - seconds);
    }
    release_bench(&b);
    return 0;
}

static int measure_run(const struct des_bench_model *model, size_t n, uint64_t events)
{
    int rc, is_mm1 = !strcmp(model->name, "mm1");
    uint64_t happened, activations, deltas;
    struct des_bench b;
    double seconds;

    rc = build_parts(&b, model, n);
    if (rc)
        return rc;
    model->advance(&b, events / 10 + 2 * n);
    if (is_mm1)
        des_bench_forget(&b);
    happened = des_bench_events(&b);
    activations = des_activations(b.sim);
    deltas = des_delta_count(b.sim);
    seconds = cpu_seconds();
    model->advance(&b, events);
    seconds = cpu_seconds() - seconds;
    happened = des_bench_events(&b) - happened;
    printf("%s %s %zu %.3f %" PRIu64 " %" PRIu64, model->name, model->kind, n,
           seconds * 1e9 / (double)happened, des_activations(b.sim) - activations,
           des_delta_count(b.sim) - deltas);
    if (is_mm1)
        printf(" %.6f", des_bench_sojourn(&b));
    printf("\n");
    release_bench(&b);
    return 0;
}

int main(int argc, char **argv)
{
    const struct des_bench_model *model;
    size_t n;
    uint64_t events;

    if (argc < 4 || argc > 5)
        return print_usage();
    n = strtoull(argv[3], NULL, 10);
    events = argc > 4 ? strtoull(argv[4], NULL, 10) : 20000000;
    if (n == 0 || events == 0)
        return print_usage();
    if (!strcmp(argv[1], "memory") || !strcmp(argv[1], "elaborate"))
        return measure_build(argv[1], argv[2], n);
    model = find_model(argv[1], argv[2]);
    return model ? measure_run(model, n, events) : print_usage();
}
