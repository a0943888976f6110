/* Is a trace what Perfetto reads, by the field numbers of its schema, and does it tell the same as
 * the report? */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/timeline/perfetto.h"
#include "timeline_run.h"
#include "trace_reader.h"

static struct trace_file *read_trace(const char *bytes, size_t n)
{
    struct trace_file *t = trace_file_read(bytes, n);

    cr_assert_str_empty(t->error, "%s", t->error);
    return t;
}

/* --- runs --------------------------------------------------------------------------------- */

static char *trace_slow(const char *machine, bool exact, bool slow, des_time from, des_time to,
                        size_t *size, struct run_result *r)
{
    struct perfetto_request q = { .choice = { .from = from, .to = to },
                                  .path = "run.pftrace",
                                  .limit = UINT64_C(1) << 30 };
    struct err err;
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    struct perfetto *p = perfetto_new(&q, out);
    struct run_observer o = perfetto_observer(p);

    replay_slow(machine, exact, slow, &o, 1, r);
    cr_assert_eq(perfetto_check(p, &err), 0, "%s", err.msg);
    perfetto_free(p);
    fclose(out);
    return bytes;
}

static char *trace_tiny(const char *machine, bool exact, des_time from, des_time to, size_t *size,
                        struct run_result *r)
{
    return trace_slow(machine, exact, false, from, to, size, r);
}

static uint64_t find_sum(const struct trace_file *t, const char *track_name, const char *name,
                         uint64_t *n)
{
    for (size_t i = 0; i < t->n_sums; i++)
        if (strcmp(t->sum[i].track, track_name) == 0 && strcmp(t->sum[i].name, name) == 0) {
            *n = t->sum[i].n;
            return t->sum[i].ns;
        }
    cr_assert(false, "no %s on %s", name, track_name);
    return 0;
}

Test(perfetto, operations_last_as_long_as_the_report_says)
{
    struct run_result r;
    size_t size;
    char *bytes = trace_tiny("tpu-v3-1", false, 0, DES_NEVER, &size, &r);
    struct trace_file *t = read_trace(bytes, size);
    uint64_t n;

    for (size_t i = 0; i < r.n_ops; i++) {
        double seconds = 0;
        uint64_t runs = 0;
        for (size_t k = 0; k < r.n_ops; k++) /* by name */
            if (strcmp(r.ops[k].name, r.ops[i].name) == 0) {
                seconds += mpq_get_d(r.ops[k].seconds);
                runs += r.ops[k].count;
            }
        if (seconds == 0)
            continue; /* to wait for a collective takes one core no time */
        uint64_t ns = find_sum(t, "XLA Ops", r.ops[i].name, &n);
        cr_assert_eq(n, runs, "%s: %lu slices", r.ops[i].name, (unsigned long)n);
        cr_assert_float_eq((double)ns, seconds * 1e9, (double)n, "%s", r.ops[i].name);
    }
    double step = mpq_get_d(r.seconds_per_step) * 1e9;
    cr_assert_float_eq((double)find_sum(t, "Steps", "1", &n), step, 2);
    cr_assert_float_eq((double)find_sum(t, "XLA Modules", "tiny", &n), step, 2);
    cr_assert_gt(find_sum(t, "Async XLA Ops", "sum", &n), 0);
    free(t);
    free(bytes);
    run_result_free(&r);
}

Test(perfetto, flows_lead_from_one_track_to_another)
{
    struct run_result r;
    size_t size, long_ones = 0;
    char *bytes = trace_tiny("tpu-v3-8", false, 0, DES_NEVER, &size, &r);
    struct trace_file *t = read_trace(bytes, size);
    bool collective = false, infeed = false;

    for (size_t i = 0; i < t->n_flows; i++) {
        const char *from = t->track[t->flow[i].first_track].name;
        if (t->flow[i].n < 2) { /* a batch for the step after the last, or one from before it */
            cr_assert(strcmp(from, "host0 infeed") == 0 || strcmp(from, "XLA Ops") == 0, "%s",
                      from);
            continue;
        }
        const char *to = t->track[t->flow[i].last_track].name;
        cr_assert_neq(t->flow[i].first_track, t->flow[i].last_track);
        collective |= strcmp(from, "XLA Ops") == 0 && strcmp(to, "ici") == 0;
        infeed |= strcmp(from, "host0 infeed") == 0 && strcmp(to, "XLA Ops") == 0;
        long_ones++;
    }
    cr_assert(collective);
    cr_assert_geq(long_ones, 8);
    (void)infeed; /* the batch of this step was prepared before it */
    free(t);
    free(bytes);
    run_result_free(&r);
}

/* The chip a track belongs to, by the name of its group. */
static uint32_t chip_of(const struct trace_file *t, uint64_t uuid)
{
    const char *name = t->track[t->track[uuid].parent].name;
    unsigned chip;

    cr_assert_eq(sscanf(name, "chip%u", &chip), 1, "%s", name);
    return chip;
}

/* Arrows lead from a step of one chip to one of a neighbour, and not before a hop's latency of
 * 1 us is over.  A ring of four chips takes three steps for a half of an all-reduce, in which each
 * sends a part both ways. */
static void parts_lead_to_neighbours(bool exact, bool slow)
{
    struct run_result r;
    size_t size;
    char *bytes = trace_slow("tpu-v3-8", exact, slow, 0, DES_NEVER, &size, &r);
    struct trace_file *t = read_trace(bytes, size);
    uint64_t arrows[4][4] = { { 0 } }, steps = 0, all = 0;

    for (size_t i = 0; i < t->n_flows; i++) {
        const struct trace_flow *f = &t->flow[i];
        if (strcmp(t->track[f->first_track].name, "ici step") != 0)
            continue;
        cr_assert_str_eq(t->track[f->last_track].name, "ici step");
        cr_assert_eq(f->n, 2, "a part is sent once and received once");
        cr_assert_geq(f->last_ns - f->first_ns, 1000);
        arrows[chip_of(t, f->first_track)][chip_of(t, f->last_track)]++;
        all++;
    }
    for (size_t k = 0; k < TRACE_MAX_TRACKS; k++)
        if (t->track[k].declared && strcmp(t->track[k].name, "ici step") == 0)
            steps += t->track[k].slices;
    cr_assert_eq(steps % (4 * 3), 0);
    cr_assert_gt(steps, 0);
    cr_assert_eq(all, 2 * steps);
    /* chips stand 0 1 / 2 3: none of them sends to the one across */
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++)
            cr_assert_eq(arrows[a][b], a == b || a + b == 3 ? 0 : steps / 4, "%u to %u: %lu", a, b,
                         (unsigned long)arrows[a][b]);
    free(t);
    free(bytes);
    run_result_free(&r);
}

/* With a slow link parts come before their steps. */
Test(perfetto, parts_of_collectives_lead_to_the_neighbour)
{
    parts_lead_to_neighbours(false, false);
    parts_lead_to_neighbours(false, true);
    parts_lead_to_neighbours(true, true);
}

/* The rate of a link in bytes a second, added up over time, is its bytes. */
Test(perfetto, curves_add_up_to_what_is_reported)
{
    struct run_result r;
    size_t size;
    char *bytes = trace_tiny("tpu-v3-8", false, 0, DES_NEVER, &size, &r);
    struct trace_file *t = read_trace(bytes, size);
    unsigned found = 0;

    for (size_t i = 0; i < r.n_links; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s bytes (peak 82 GB/s)", r.links[i].name);
        for (size_t k = 0; k < TRACE_MAX_TRACKS; k++) {
            const struct trace_track *s = &t->track[k];
            if (!s->counter || strcmp(s->name, name) != 0)
                continue;
            double all = mpz_get_d(r.links[i].bytes);
            /* times are rounded down to a nanosecond, in which a link moves 82 B */
            cr_assert_float_eq(s->integral / 1e9, all, 83, "%s: %g of %g", name, s->integral / 1e9,
                               all);
            found++;
        }
    }
    cr_assert_eq(found, r.n_links);
    cr_assert_gt(found, 0);
    free(t);
    free(bytes);
    run_result_free(&r);
}

Test(perfetto, an_exact_run_makes_the_same_trace)
{
    struct run_result r;
    size_t folded_size, exact_size;
    char *folded = trace_tiny("tpu-v3-8", false, 0, DES_NEVER, &folded_size, &r);
    run_result_free(&r);
    char *exact = trace_tiny("tpu-v3-8", true, 0, DES_NEVER, &exact_size, &r);
    run_result_free(&r);

    cr_assert_eq(folded_size, exact_size);
    cr_assert_arr_eq(folded, exact, exact_size);
    free(folded);
    free(exact);
}

Test(perfetto, a_window_holds_what_is_in_it)
{
    struct run_result r;
    size_t size;
    char *bytes = trace_tiny("tpu-v2-1", false, 10 * US, 20 * US, &size, &r);
    struct trace_file *t = read_trace(bytes, size);
    uint64_t n;

    cr_assert_eq(find_sum(t, "Steps", "1", &n), 10000);
    for (size_t k = 0; k < TRACE_MAX_TRACKS; k++)
        cr_assert(!t->track[k].slices || t->track[k].last <= 20000);
    free(t);
    free(bytes);
    run_result_free(&r);
}

/* Measured spans lie in a group of their own, from the begin of the step on. */
Test(perfetto, spans_that_are_added_have_a_group_of_their_own)
{
    static const struct perfetto_span span[] = { { "fusion.1", 0, 250 },
                                                 { "copy.2", 300, 450 },
                                                 { "fusion.1", 450, 1000 } };
    struct perfetto_request q = { .choice = { .to = DES_NEVER },
                                  .path = "run.pftrace",
                                  .limit = UINT64_C(1) << 30 };
    struct run_result r;
    struct err err;
    char *bytes = NULL;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);
    struct perfetto *p = perfetto_new(&q, out);
    struct run_observer o = perfetto_observer(p);

    replay_slow("tpu-v3-1", false, false, &o, 1, &r);
    perfetto_add_spans(p, "measured: /device:TPU:0", "its ops", span, 3);
    cr_assert_eq(perfetto_check(p, &err), 0, "%s", err.msg);
    perfetto_free(p);
    fclose(out);
    struct trace_file *t = read_trace(bytes, size);
    uint64_t n;
    cr_expect_eq(find_sum(t, "its ops", "fusion.1", &n), 800);
    cr_expect_eq(n, 2);
    cr_expect_eq(find_sum(t, "its ops", "copy.2", &n), 150);
    cr_expect_eq(t->sequence, 2);
    free(t);
    free(bytes);
    run_result_free(&r);
}
