/* Does any counter show more than the component can do, and does each add up to the bytes that the
 * report has?  In traces, lanes and waves; over whole runs and windows; folded and walked. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/timeline/lanes.h"
#include "report/timeline/perfetto.h"
#include "timeline_run.h"
#include "trace_reader.h"
#include "traces/gen.h"
#include "vcd_reader.h"

#define TRANSFORMER "tests/timelines/transformer.trace"
#define TINY "traces/tiny/tiny.trace"
#define NS UINT64_C(1000000)

/* Peaks, in GB/s and in 1e9 multiply-accumulates a second: clock * MXU rows * columns * the rate of
 * 8-bit integers.  PCIe and links: one direction. */
static const struct machine_peaks {
    const char *name;
    double hbm, link, pcie, cmem, mxu;
    unsigned chips;
} machines[] = {
    { "tpu-v2-8", 600, 62, 16, 0, 0.7 * 128 * 128, 4 },
    { "tpu-v3-8", 900, 82, 16, 0, 0.94 * 128 * 128, 4 },
    { "tpu-v4-8", 1230, 45, 16, 3640, 1.05 * 128 * 128, 4 },
    { "tpu-v5e-8", 819, 45, 15, 0, 1.5 * 128 * 128 * 2, 8 },
    { "tpu-v6e-8", 1638, 90, 28.4, 0, 1.75 * 256 * 256 * 2, 8 },
};
#define N_MACHINES (sizeof machines / sizeof *machines)

/* Small variants of the workloads. */
static const struct {
    const char *name, *set[6];
    size_t n_set;
} workloads[] = {
    { "3dgan", { "batch=1", "x=14", "y=17", "z=13" }, 4 },
    { "mlpf", { "batch=1", "elements=512", "bins=4", "common=1", "energy=1" }, 5 },
    { "exatrkx", { "nodes=2000", "edges=5000", "iterations=1", "hidden=64" }, 4 },
    { TRANSFORMER, { NULL }, 0 },
    { TINY, { NULL }, 0 },
};
#define N_WORKLOADS (sizeof workloads / sizeof *workloads)

/* --- runs --------------------------------------------------------------------------------- */

struct look { /* one run, and all that was seen of it */
    struct run_result r;
    struct trace_file *trace;
    json_t *lanes;
    struct vcd_file vcd;
    char *bytes, *text, *dump;
    size_t size;
};

static void drop_look(struct look *k)
{
    run_result_free(&k->r);
    free(k->trace);
    json_decref(k->lanes);
    vcd_file_free(&k->vcd);
    free(k->bytes);
    free(k->text);
    free(k->dump);
}

static char *write_workload(size_t w, size_t *size)
{
    char *text = NULL;
    struct err err;

    if (workloads[w].n_set == 0)
        return NULL;
    FILE *out = open_memstream(&text, size);
    cr_assert_eq(gen_write(workloads[w].name, workloads[w].set, workloads[w].n_set, out, &err), 0,
                 "%s", err.msg);
    fclose(out);
    return text;
}

/* Replay a workload and look at it in every form. */
static void watch_run(struct look *k, const char *machine, size_t w, bool exact, des_time from,
                      des_time to)
{
    static const char *const totals[] = { "*.bytes", "*.useful" };
    static const char *const pictured[] = { "chip0.*", "chip0->*" };
    static const char *const set[] = { "host.infeed_overhead=1 us" };
    struct perfetto_request pq = { .path = "run.pftrace", .limit = UINT64_C(1) << 30 };
    struct wave_request wq = { .path = "run.vcd", .limit = UINT64_C(1) << 30 };
    size_t text_size = 0, dump_size, lanes_size;
    char *text = write_workload(w, &text_size);
    struct err err;

    *k = (struct look){ .text = NULL };
    pq.choice = wq.choice = (struct timeline_choice){ totals, 2, false, from, to };
    FILE *trace = open_memstream(&k->bytes, &k->size), *dump = open_memstream(&k->dump, &dump_size);
    FILE *json = open_memstream(&k->text, &lanes_size);
    struct perfetto *p = perfetto_new(&pq, trace);
    struct wave *v = wave_new(&wq, dump);
    struct lanes *l = lanes_new(pictured, 2);
    struct run_observer o[] = { perfetto_observer(p), wave_observer(v), lanes_observer(l) };
    struct run_request q = { .trace = workloads[w].name,
                             .machine = machine,
                             .text = text,
                             .text_size = text_size,
                             .set = set,
                             .n_set = 1,
                             .steps = 1,
                             .exact = exact,
                             .observer = o,
                             .n_observers = 3 };

    cr_assert_eq(run_replay(&q, &k->r, &err), 0, "%s", err.msg);
    cr_assert_eq(perfetto_check(p, &err), 0, "%s", err.msg);
    cr_assert_eq(wave_check(v, &err), 0, "%s", err.msg);
    lanes_json(l, json);
    perfetto_free(p);
    wave_free(v);
    lanes_free(l);
    fclose(trace);
    fclose(dump);
    fclose(json);
    free(text);
    k->trace = trace_file_read(k->bytes, k->size);
    cr_assert_str_empty(k->trace->error, "%s of %s: %s", workloads[w].name, machine,
                        k->trace->error);
    k->lanes = json_loads(k->text, 0, NULL);
    cr_assert_not_null(k->lanes);
    cr_assert(vcd_file_read(&k->vcd, k->dump), "%s", k->vcd.error);
}

/* --- what is expected ---------------------------------------------------------------------- */

/* Units a second that a counter may show, by the path of its component; 0: none is known. */
static double peak_of(const struct machine_peaks *m, const char *path)
{
    if (strstr(path, "->") || strstr(path, "__chip"))
        return m->link * 1e9;
    if (strstr(path, "hbm"))
        return m->hbm * 1e9;
    if (strstr(path, "down") || strstr(path, "up"))
        return m->pcie * 1e9;
    if (strstr(path, "cmem"))
        return m->cmem * 1e9;
    return strstr(path, "mxu") ? m->mxu * 1e9 : 0;
}

/* Bytes that a chip moved, from a utilization; both directions of PCIe. */
static double bytes_of_chip(const struct run_result *r, const char *figure, double bytes_per_s)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, figure) == 0)
            return mpq_get_d(r->figures[i].value) * bytes_per_s * mpq_get_d(r->seconds_per_step);
    cr_assert(false, "no figure %s", figure);
    return 0;
}

/* --- the forms ------------------------------------------------------------------------------ */

/* The path of a counter: "chip0.pcie" and "down bytes (peak 16 GB/s)". */
static void path_of(const struct trace_file *t, const struct trace_track *s, char *buf, size_t size)
{
    snprintf(buf, size, "%.90s.%.90s", t->track[s->parent].name, s->name);
}

/* No counter of a trace is above its peak; each is named after it. */
static unsigned check_trace_peaks(const struct look *k, const struct machine_peaks *m)
{
    unsigned n = 0;
    char path[200];

    for (size_t i = 0; i < TRACE_MAX_TRACKS; i++) {
        const struct trace_track *s = &k->trace->track[i];
        path_of(k->trace, s, path, sizeof path);
        bool total = strstr(s->name, " bytes") || strstr(s->name, " useful");
        if (!s->counter || !total)
            continue;
        cr_assert_gt(peak_of(m, path), 0, "%s", path);
        cr_assert_leq(s->most, peak_of(m, path) * (1 + 1e-9), "%s of %s: %g", path, m->name,
                      s->most);
        cr_assert_not_null(strstr(s->name, "(peak "), "%s", s->name);
        n++;
    }
    return n;
}

/* The sum over time of all counters with such names, in units. */
static double add_counters(const struct look *k, const char *group, const char *name)
{
    double sum = 0;

    for (size_t i = 0; i < TRACE_MAX_TRACKS; i++) {
        const struct trace_track *s = &k->trace->track[i];
        if (s->counter && strncmp(s->name, name, strlen(name)) == 0 &&
            strstr(k->trace->track[s->parent].name, group))
            sum += s->integral / 1e9;
    }
    return sum;
}

/* A trace has times in nanoseconds, rounded down: what moves in the last one may be missing. */
static void check_trace_sums(const struct look *k, const struct machine_peaks *m)
{
    double ns = 1e-9 * m->chips;
    double hbm = m->chips * bytes_of_chip(&k->r, "utilization.hbm", m->hbm * 1e9);
    double pcie = m->chips * bytes_of_chip(&k->r, "utilization.pcie", 2 * m->pcie * 1e9);

    cr_assert_float_eq(add_counters(k, "chip", "hbm bytes"), hbm,
                       hbm * 1e-9 + m->hbm * 1e9 * ns + 2, "%s: %.1f, reported are %.1f", m->name,
                       add_counters(k, "chip", "hbm bytes"), hbm);
    double crossed = add_counters(k, "pcie", "down bytes") + add_counters(k, "pcie", "up bytes");
    cr_assert_float_eq(crossed, pcie, pcie * 1e-9 + 2 * m->pcie * 1e9 * ns + 2,
                       "%s: %.1f, reported are %.1f", m->name, crossed, pcie);
    for (size_t i = 0; i < k->r.n_links; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s bytes", k->r.links[i].name);
        double all = mpz_get_d(k->r.links[i].bytes);
        cr_assert_float_eq(add_counters(k, "machine", name), all, all * 1e-9 + m->link + 1, "%s",
                           name);
    }
}

/* The counter of a trace that shows what lane "chip0.pcie.down.bytes" shows, over time. */
static double sum_of_lane(const struct look *k, const char *lane)
{
    char group[90] = "machine", counter[120];
    const char *bytes = strstr(lane, ".bytes"), *name = bytes;

    while (name > lane && name[-1] != '.')
        name--;
    if (name > lane)
        snprintf(group, sizeof group, "%.*s", (int)(name - lane - 1), lane);
    snprintf(counter, sizeof counter, "%.*s bytes", (int)(bytes - name), name);
    for (size_t i = 0; i < TRACE_MAX_TRACKS; i++) {
        const struct trace_track *s = &k->trace->track[i];
        if (s->counter && strncmp(s->name, counter, strlen(counter)) == 0 &&
            strcmp(k->trace->track[s->parent].name, group) == 0)
            return s->integral / 1e9;
    }
    cr_assert(false, "no counter %s of %s", counter, group);
    return 0;
}

/* The lanes of the first chip: none is above its peak, and each adds up to what the trace has. */
static void check_lanes(const struct look *k, const struct machine_peaks *m)
{
    double bin = json_number_value(json_object_get(k->lanes, "bin_seconds"));
    const json_t *lane, *v;
    size_t i, b;
    unsigned n = 0;

    json_array_foreach(json_object_get(k->lanes, "lanes"), i, lane)
    {
        const char *name = json_string_value(json_object_get(lane, "name"));
        if (strcmp(json_string_value(json_object_get(lane, "kind")), "rate") != 0)
            continue;
        double most = json_number_value(json_object_get(lane, "most")), sum = 0;
        double total = json_number_value(json_object_get(lane, "total"));
        double peak = peak_of(m, name);
        cr_assert_leq(most, peak * (1 + 1e-9) + 1 / bin, "%s: %g", name, most);
        cr_assert_float_eq(json_number_value(json_object_get(lane, "peak")), peak, 1, "%s", name);
        json_array_foreach(json_object_get(lane, "values"), b, v) sum += json_number_value(v);
        /* values are rounded to thousandths of the largest */
        cr_assert_float_eq(sum / 1000 * most * bin, total, (double)b * most * bin / 2000 + 1, "%s",
                           name);
        /* bytes that move in the last nanosecond may be missing in the trace */
        cr_assert_float_eq(total, sum_of_lane(k, name), peak * 1e-9 + total * 1e-12 + 1, "%s",
                           name);
        n++;
    }
    cr_assert_geq(n, 5, "HBM, both directions of PCIe, two links");
}

struct steps { /* of a total in a dump */
    uint64_t first, last, largest;
};

/* A total of a dump grows by no more than its component moves since it last grew.  What it grows by
 * first may have moved before the window. */
static struct steps check_wave(const struct look *k, const struct machine_peaks *m,
                               const struct vcd_file_var *x)
{
    struct steps s = { 0, 0, 0 };
    uint64_t since = 0, grown = 0;

    for (size_t i = 0; i < k->vcd.n_changes; i++) {
        const struct vcd_file_change *c = &k->vcd.change[i];
        if (c->code != x->code)
            continue;
        if (i < k->vcd.n_first) {
            s.first = s.last = c->value;
            continue;
        }
        uint64_t by = c->value - s.last;
        s.last = c->value;
        s.largest = by > s.largest ? by : s.largest;
        double could = peak_of(m, x->path) * (double)(c->time - since) / 1e15;
        if (grown++)
            cr_assert_leq((double)by, could * (1 + 1e-9) + 1, "%s at %lu fs: %lu of %.1f", x->path,
                          (unsigned long)c->time, (unsigned long)by, could);
        since = c->time;
    }
    return s;
}

/* The sum of what all totals with such names have grown by, and what it may be off by: a request
 * under way at either end of the run is counted when it is done.  It is no larger than the largest
 * of the run or, where none was done, than all before. */
static double add_waves(const struct look *k, const struct machine_peaks *m, const char *name,
                        double *off)
{
    double sum = 0;

    *off = 1;
    for (int i = 0; i < k->vcd.n_vars; i++) {
        const struct vcd_file_var *x = &k->vcd.var[i];
        if (!strstr(x->path, name))
            continue;
        struct steps s = check_wave(k, m, x);
        sum += (double)(s.last - s.first);
        *off += (double)(s.largest ? s.largest : s.first);
    }
    return sum;
}

static void check_waves(const struct look *k, const struct machine_peaks *m, bool whole)
{
    double hbm = m->chips * bytes_of_chip(&k->r, "utilization.hbm", m->hbm * 1e9), links = 0, off;
    double pcie = m->chips * bytes_of_chip(&k->r, "utilization.pcie", 2 * m->pcie * 1e9);

    for (size_t i = 0; i < k->r.n_links; i++)
        links += mpz_get_d(k->r.links[i].bytes);
    double sum = add_waves(k, m, ".hbm.", &off);
    cr_assert(!whole || fabs(sum - hbm) <= off, "%s: HBM %.0f, reported are %.0f", m->name, sum,
              hbm);
    sum = add_waves(k, m, ".pcie.", &off);
    cr_assert(!whole || fabs(sum - pcie) <= off, "%s: PCIe %.0f, reported are %.0f", m->name, sum,
              pcie);
    sum = add_waves(k, m, "__chip", &off);
    cr_assert(!whole || fabs(sum - links) <= off, "%s: links %.0f, reported are %.0f", m->name, sum,
              links);
    add_waves(k, m, ".mxu", &off);
    add_waves(k, m, ".cmem", &off);
}

/* --- all of them ---------------------------------------------------------------------------- */

struct pair {
    size_t machine, workload;
};

static struct pair pairs[N_MACHINES * N_WORKLOADS];

ParameterizedTestParameters(peaks, whole_runs)
{
    for (size_t i = 0; i < N_MACHINES * N_WORKLOADS; i++)
        pairs[i] = (struct pair){ i % N_MACHINES, i / N_MACHINES };
    return cr_make_param_array(struct pair, pairs, N_MACHINES * N_WORKLOADS);
}

ParameterizedTest(struct pair *x, peaks, whole_runs)
{
    const struct machine_peaks *m = &machines[x->machine];
    struct look k;

    watch_run(&k, m->name, x->workload, false, 0, DES_NEVER);
    cr_assert_geq(check_trace_peaks(&k, m), m->chips * 3 + k.r.n_links);
    check_trace_sums(&k, m);
    check_lanes(&k, m);
    check_waves(&k, m, true);
    drop_look(&k);
}

ParameterizedTestParameters(peaks, windows)
{
    for (size_t i = 0; i < N_MACHINES * N_WORKLOADS; i++)
        pairs[i] = (struct pair){ i % N_MACHINES, i / N_MACHINES };
    return cr_make_param_array(struct pair, pairs, N_MACHINES * N_WORKLOADS);
}

/* Three windows show together what the whole run does. */
ParameterizedTest(struct pair *x, peaks, windows)
{
    static const char *const counters[] = { "hbm bytes",  "down bytes",         "up bytes",
                                            "cmem bytes", "chip0->chip1 bytes", "mxu0 useful" };
    enum { N = sizeof counters / sizeof *counters };
    const struct machine_peaks *m = &machines[x->machine];
    double sum[N] = { 0 };
    struct look whole, part;

    watch_run(&whole, m->name, x->workload, false, 0, DES_NEVER);
    des_time all = (des_time)(mpq_get_d(whole.r.seconds_per_step) * 1e15);
    des_time cut[] = { 0, all / 3 / NS * NS, all / 2 / NS * NS + 100 * NS, DES_NEVER };
    for (int i = 0; i < 3; i++) {
        watch_run(&part, m->name, x->workload, false, cut[i], cut[i + 1]);
        check_trace_peaks(&part, m);
        check_waves(&part, m, false);
        for (int c = 0; c < N; c++)
            sum[c] += add_counters(&part, "", counters[c]);
        drop_look(&part);
    }
    for (int c = 0; c < N; c++) {
        double want = add_counters(&whole, "", counters[c]);
        /* a counter of each chip is rounded to whole units at three borders, and what moves in the
         * last nanosecond may be missing */
        double off = m->chips * (3 + 1e-9 * peak_of(m, counters[c]));
        cr_assert_float_eq(sum[c], want, want * 1e-9 + off + 1, "%s: %.1f, all %.1f", counters[c],
                           sum[c], want);
    }
    drop_look(&whole);
}

static int compare_changes(const void *a, const void *b)
{
    const struct vcd_file_change *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

/* Components that change in one femtosecond may do so in another order. */
static void expect_same_waves(struct vcd_file *a, struct vcd_file *b)
{
    cr_assert_eq(a->n_changes, b->n_changes);
    qsort(a->change, a->n_changes, sizeof *a->change, compare_changes);
    qsort(b->change, b->n_changes, sizeof *b->change, compare_changes);
    for (size_t i = 0; i < a->n_changes; i++) {
        const struct vcd_file_change *x = &a->change[i], *y = &b->change[i];
        cr_assert(x->time == y->time && x->code == y->code && x->value == y->value,
                  "variable %d at %lu", x->code, x->time);
    }
}

static void expect_same_tracks(const struct trace_file *a, const struct trace_file *b)
{
    cr_assert_eq(a->packets, b->packets);
    for (size_t i = 0; i < TRACE_MAX_TRACKS; i++) {
        const struct trace_track *x = &a->track[i], *y = &b->track[i];
        cr_assert_str_eq(x->name, y->name);
        cr_assert(x->parent == y->parent && x->slices == y->slices && x->sum == y->sum &&
                      x->last == y->last && x->integral == y->integral && x->value == y->value &&
                      x->most == y->most,
                  "track %s", x->name);
    }
}

/* The shortcuts change nothing. */
Test(peaks, exact_runs_show_the_same)
{
    static const struct pair some[] = { { 0, 3 }, { 2, 3 }, { 1, 1 }, { 1, 4 }, { 4, 2 } };

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const struct machine_peaks *m = &machines[some[i].machine];
        struct look folded, exact;
        watch_run(&folded, m->name, some[i].workload, false, 0, DES_NEVER);
        watch_run(&exact, m->name, some[i].workload, true, 0, DES_NEVER);
        cr_assert_str_eq(folded.text, exact.text, "lanes");
        expect_same_waves(&folded.vcd, &exact.vcd);
        cr_assert_eq(folded.size, exact.size);
        expect_same_tracks(folded.trace, exact.trace);
        drop_look(&folded);
        drop_look(&exact);
    }
}
