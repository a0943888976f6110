/* Is a trace what Perfetto reads, by the field numbers of its schema, and does it tell the same as
 * the report? */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto_reader.h"
#include "report/perfetto.h"
#include "run.h"

#define TRACKS_MAX 4096
#define FLOWS_MAX 4096

struct slice_track {
    char name[96], unit[16], open_name[96];
    uint64_t parent, open_at, last, slices, total_ns;
    bool declared, process, counter, open;
    double integral, value; /* of a counter, over ns */
    uint64_t since;
};

struct trace_file {
    struct slice_track track[TRACKS_MAX]; /* by uuid */
    struct {
        uint64_t id, first_track, last_track, last_ns, n;
    } flow[FLOWS_MAX];
    size_t n_flows;
    struct {
        uint64_t iid;
        char name[96];
    } name[1024];
    size_t n_names;
    struct { /* time by track name and slice name */
        char track[96], name[96];
        uint64_t ns, n;
    } sum[1024];
    size_t n_sums;
    uint64_t packets;
};

static void text(char *out, size_t size, struct proto_in in)
{
    snprintf(out, size, "%.*s", (int)(in.end - in.at), (const char *)in.at);
}

static struct slice_track *track(struct trace_file *t, uint64_t uuid)
{
    cr_assert_lt(uuid, TRACKS_MAX);
    return &t->track[uuid];
}

static void read_descriptor(struct trace_file *t, struct proto_in in)
{
    struct slice_track d = { .declared = true };
    struct proto_field f;
    uint64_t uuid = 0;
    bool bad = false;

    while (proto_next(&in, &f, &bad)) {
        if (f.number == 1)
            uuid = f.value;
        else if (f.number == 2)
            text(d.name, sizeof d.name, f.nested);
        else if (f.number == 5)
            d.parent = f.value;
        else if (f.number == 8)
            d.counter = true;
        else if (f.number == 3) {
            struct proto_field g;
            d.process = true;
            while (proto_next(&f.nested, &g, &bad))
                if (g.number == 6)
                    text(d.name, sizeof d.name, g.nested);
        }
    }
    cr_assert_not(bad);
    cr_assert_neq(uuid, 0);
    cr_assert_not(track(t, uuid)->declared, "uuid %lu twice", (unsigned long)uuid);
    cr_assert(d.process || track(t, d.parent)->process, "%s has no group", d.name);
    *track(t, uuid) = d;
}

static void read_interned(struct trace_file *t, struct proto_in in)
{
    struct proto_field f, g;
    bool bad = false;

    while (proto_next(&in, &f, &bad)) {
        cr_assert_eq(f.number, 2);
        cr_assert_lt(t->n_names, 1024);
        while (proto_next(&f.nested, &g, &bad)) {
            if (g.number == 1)
                t->name[t->n_names].iid = g.value;
            else if (g.number == 2)
                text(t->name[t->n_names].name, 96, g.nested);
        }
        t->n_names++;
    }
    cr_assert_not(bad);
}

static const char *interned(const struct trace_file *t, uint64_t iid)
{
    for (size_t i = 0; i < t->n_names; i++)
        if (t->name[i].iid == iid)
            return t->name[i].name;
    cr_assert(false, "no name %lu yet", (unsigned long)iid);
    return "";
}

static void note_flow(struct trace_file *t, uint64_t id, uint64_t uuid, uint64_t ns)
{
    size_t i = 0;

    while (i < t->n_flows && t->flow[i].id != id)
        i++;
    cr_assert_lt(i, FLOWS_MAX);
    if (i == t->n_flows) {
        t->n_flows++;
        t->flow[i].id = id;
        t->flow[i].first_track = uuid;
    }
    cr_assert_geq(ns, t->flow[i].last_ns, "a flow goes back in time");
    t->flow[i].last_ns = ns;
    t->flow[i].last_track = uuid;
    t->flow[i].n++;
}

static void add_time(struct trace_file *t, const struct slice_track *s, uint64_t ns)
{
    size_t i = 0;

    while (i < t->n_sums &&
           (strcmp(t->sum[i].track, s->name) != 0 || strcmp(t->sum[i].name, s->open_name) != 0))
        i++;
    cr_assert_lt(i, 1024);
    if (i == t->n_sums) {
        t->n_sums++;
        strcpy(t->sum[i].track, s->name);
        strcpy(t->sum[i].name, s->open_name);
    }
    t->sum[i].ns += ns - s->open_at;
    t->sum[i].n++;
}

static void read_event(struct trace_file *t, uint64_t ns, struct proto_in in)
{
    uint64_t type = 0, uuid = 0, iid = 0, flow[16], n_flow = 0;
    struct proto_field f;
    char name[96] = "";
    double value = NAN;
    bool bad = false;

    while (proto_next(&in, &f, &bad)) {
        switch (f.number) {
        case 9: type = f.value; break;
        case 10: iid = f.value; break;
        case 11: uuid = f.value; break;
        case 23: text(name, sizeof name, f.nested); break;
        case 30: value = (double)f.value; break;
        case 44: memcpy(&value, &f.value, sizeof value); break;
        case 47:
            cr_assert_eq(f.wire, 1);
            flow[n_flow++] = f.value;
            break;
        default: cr_assert(false, "field %u of a TrackEvent", f.number);
        }
    }
    cr_assert_not(bad);
    struct slice_track *s = track(t, uuid);
    cr_assert(s->declared && !s->process, "an event on no track");
    for (uint64_t i = 0; i < n_flow; i++)
        note_flow(t, flow[i], uuid, ns);
    if (type == 4) {
        cr_assert(s->counter && !isnan(value));
        cr_assert_geq(ns, s->since);
        s->integral += s->value * (double)(ns - s->since);
        s->value = value;
        s->since = ns;
        return;
    }
    cr_assert_not(s->counter);
    cr_assert_geq(ns, s->last, "%s goes back in time", s->name);
    s->last = ns;
    if (type == 1) {
        cr_assert_not(s->open, "slices overlap on %s at %lu", s->name, (unsigned long)ns);
        s->open = true;
        s->open_at = ns;
        s->slices++;
        snprintf(s->open_name, sizeof s->open_name, "%s", iid ? interned(t, iid) : name);
        cr_assert_neq(*s->open_name, '\0');
    } else if (type == 2) {
        cr_assert(s->open, "%s ends what has not begun", s->name);
        s->open = false;
        add_time(t, s, ns);
    } else {
        cr_assert_eq(type, 3);
        cr_assert(s->open, "an instant outside a slice of %s", s->name);
    }
}

static struct trace_file *read_trace(const char *bytes, size_t n)
{
    struct trace_file *t = calloc(1, sizeof *t);
    struct proto_in in = { (const unsigned char *)bytes, (const unsigned char *)bytes + n };
    struct proto_field f, g;
    bool bad = false;

    while (proto_next(&in, &f, &bad)) {
        uint64_t ns = 0, flags = 0, sequence = 0;
        cr_assert(f.number == 1 && f.wire == 2, "a trace is a list of packets");
        for (struct proto_in p = f.nested; proto_next(&p, &g, &bad);) {
            if (g.number == 8)
                ns = g.value;
            else if (g.number == 10)
                sequence = g.value;
            else if (g.number == 13)
                flags = g.value;
            else if (g.number == 11)
                read_event(t, ns, g.nested);
            else if (g.number == 12)
                read_interned(t, g.nested);
            else if (g.number == 60)
                read_descriptor(t, g.nested);
            else
                cr_assert(false, "field %u of a TracePacket", g.number);
        }
        cr_assert_eq(sequence, 1);
        cr_assert_eq(flags, t->packets ? 2 : 1);
        t->packets++;
    }
    cr_assert_not(bad, "cut short after %lu packets", (unsigned long)t->packets);
    for (size_t i = 0; i < TRACKS_MAX; i++)
        cr_assert_not(t->track[i].open, "%s is left open", t->track[i].name);
    return t;
}

/* --- runs --------------------------------------------------------------------------------- */

static char *trace_tiny(const char *machine, bool exact, des_time from, des_time to, size_t *size,
                        struct run_result *r)
{
    struct perfetto_request q = { .choice = { .from = from, .to = to },
                                  .path = "run.pftrace",
                                  .limit = UINT64_C(1) << 30 };
    struct err err;
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    struct perfetto *p = perfetto_new(&q, out);
    struct run_observer o = perfetto_observer(p);

    replay_tiny(machine, exact, &o, 1, r);
    cr_assert_eq(perfetto_check(p, &err), 0, "%s", err.msg);
    perfetto_free(p);
    fclose(out);
    return bytes;
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
        if (t->flow[i].n < 2)
            continue; /* a batch for the step after the last */
        const char *from = t->track[t->flow[i].first_track].name;
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
        snprintf(name, sizeof name, "%s bytes", r.links[i].name);
        for (size_t k = 0; k < TRACKS_MAX; k++) {
            const struct slice_track *s = &t->track[k];
            if (!s->counter || strcmp(s->name, name) != 0)
                continue;
            double all = mpz_get_d(r.links[i].bytes);
            /* the last bin is cut to a nanosecond */
            cr_assert_float_eq(s->integral / 1e9, all, all * 1e-3 + 1, "%s: %g of %g", name,
                               s->integral / 1e9, all);
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
    for (size_t k = 0; k < TRACKS_MAX; k++)
        cr_assert(!t->track[k].slices || t->track[k].last <= 20000);
    free(t);
    free(bytes);
    run_result_free(&r);
}
