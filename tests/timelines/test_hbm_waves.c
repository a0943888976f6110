/* Do the waves of HBM tell the same as the counters of the run they were made in, and the times
 * that follow from the part by hand? */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/hbm/hbm_watch.h"
#include "report/hbm_report.h"
#include "report/timeline/wave.h"
#include "study/network/hbm_study.h"
#include "vcd_changes.h"

#define NS UINT64_C(1000000)
#define MAX_WORDS 8

struct traffic {
    const char *machine;        /* NULL: a part is among the words */
    const char *arg[MAX_WORDS]; /* ends with NULL */
    const char *set[MAX_WORDS]; /* of the part */
};

static size_t count_items(const char *const *word)
{
    size_t n = 0;

    while (n < MAX_WORDS && word[n])
        n++;
    return n;
}

/* Serve it; with `text` its waves too, to be freed. */
static void serve_load(const struct traffic *f, bool exact, const char *const *globs,
                       size_t n_globs, des_time from, des_time to, char **text,
                       struct hbm_study_result *r)
{
    struct wave_request q = {
        .choice = { .glob = globs, .n_globs = n_globs, .from = from, .to = to },
        .path = "hbm.vcd",
        .limit = UINT64_C(1) << 30
    };
    struct hbm_study_request o = { .machine = f->machine,
                                   .arg = f->arg,
                                   .n_args = count_items(f->arg),
                                   .set = f->set,
                                   .n_set = count_items(f->set),
                                   .exact = exact };
    struct run_observer observer;
    struct err err;
    size_t size = 0;

    if (!text) {
        cr_assert_eq(hbm_study_run(&o, r, &err), 0, "%s", err.msg);
        return;
    }
    FILE *out = open_memstream(text, &size);
    struct wave *w = wave_new(&q, out);
    observer = wave_observer(w);
    o.observer = &observer;
    o.n_observers = 1;
    cr_assert_eq(hbm_study_run(&o, r, &err), 0, "%s", err.msg);
    cr_assert_eq(wave_check(w, &err), 0, "%s", err.msg);
    wave_free(w);
    fclose(out);
}

static struct vcd_file read_dump(const char *text)
{
    struct vcd_file f;

    cr_assert(vcd_file_read(&f, text), "%s", f.error);
    return f;
}

/* --- by hand ------------------------------------------------------------------------------ */

/* Two reads of one row at 1 GHz: activate in the cycle after they come, 14 ns to the read, 2 to the
 * next of the same bank group, 14 + 2 to the end of the data. */
Test(hbm_waves, two_reads_of_a_closed_bank_take_33_ns)
{
    static const struct traffic f = { .arg = { "part=hbm2-dramsim3", "pattern=seq", "bytes=128" } };
    static const char *const globs[] = { "channel0.*" };
    struct hbm_study_result r;
    char *text;

    serve_load(&f, true, globs, 1, 0, DES_NEVER, &text, &r);
    struct vcd_file v = read_dump(text);
    IS(&v, "channel0.row_bus", { 0, 0 }, { 1, 1 + HBM_ACTIVATE }, { 2, 0 });
    IS(&v, "channel0.column_bus", { 0, 0 }, { 15, 1 + HBM_READ }, { 16, 0 }, { 17, 1 + HBM_READ },
       { 18, 0 });
    IS(&v, "channel0.bank0.state", { 0, HBM_BANK_CLOSED }, { 1, HBM_BANK_ACTIVATING },
       { 15, HBM_BANK_READING }, { 33, HBM_BANK_OPEN });
    IS(&v, "channel0.bank0.waiting", { 0, 0 }, { 0, 1 }, { 1, 2 }, { 15, 1 }, { 17, 0 });
    IS(&v, "channel0.bank1.state", { 0, HBM_BANK_CLOSED });
    IS(&v, "channel0.reads", { 0, 0 }, { 0, 1 }, { 1, 0 });
    IS(&v, "channel0.writes", { 0, 0 });
    IS(&v, "channel0.direction", { 0, 0 });
    cr_assert_eq(v.end, 33 * NS);
    vcd_file_free(&v);
    hbm_study_free(&r);
    free(text);
}

/* A write, and one to another row of the bank: precharge 4 + 2 + 16 ns after the first write, which
 * is 36 ns after the activate; activate 14 later.  Row 1 lies 8 channels x 16 banks x 2 KiB on. */
Test(hbm_waves, a_write_in_conflict_waits_for_the_row_to_close)
{
    static const struct traffic f = { .arg = { "part=hbm2-dramsim3", "pattern=strided", "write=yes",
                                               "bytes=128", "stride=262144" } };
    static const char *const globs[] = { "channel0.*" };
    struct hbm_study_result r;
    char *text;

    serve_load(&f, true, globs, 1, 0, DES_NEVER, &text, &r);
    struct vcd_file v = read_dump(text);
    IS(&v, "channel0.row_bus", { 0, 0 }, { 1, 1 + HBM_ACTIVATE }, { 2, 0 },
       { 37, 1 + HBM_PRECHARGE }, { 38, 0 }, { 51, 1 + HBM_ACTIVATE }, { 52, 0 });
    IS(&v, "channel0.bank0.row", { 0, 0 }, { 51, 1 });
    IS(&v, "channel0.bank0.state", { 0, HBM_BANK_CLOSED }, { 1, HBM_BANK_ACTIVATING },
       { 15, HBM_BANK_WRITING }, { 21, HBM_BANK_OPEN }, { 37, HBM_BANK_PRECHARGING },
       { 51, HBM_BANK_ACTIVATING }, { 65, HBM_BANK_WRITING }, { 71, HBM_BANK_OPEN });
    /* to the queue of the bank go writes only while nothing else waits */
    IS(&v, "channel0.writes", { 0, 0 }, { 0, 1 }, { 15, 0 });
    cr_assert_eq(v.end, 71 * NS);
    cr_assert_eq(r.conflicts, 1);
    vcd_file_free(&v);
    hbm_study_free(&r);
    free(text);
}

/* With closed pages the read closes the row: 34 ns after the activate, for 14. */
Test(hbm_waves, a_page_closes_by_itself)
{
    static const struct traffic f = { .arg = { "part=hbm2-dramsim3", "pattern=seq", "bytes=64" },
                                      .set = { "dram.page=closed" } };
    static const char *const globs[] = { "channel0.*" };
    struct hbm_study_result r;
    char *text;

    serve_load(&f, true, globs, 1, 0, DES_NEVER, &text, &r);
    struct vcd_file v = read_dump(text);
    IS(&v, "channel0.column_bus", { 0, 0 }, { 15, 1 + HBM_READ_CLOSE }, { 16, 0 });
    IS(&v, "channel0.bank0.state", { 0, HBM_BANK_CLOSED }, { 1, HBM_BANK_ACTIVATING },
       { 15, HBM_BANK_READING }, { 35, HBM_BANK_PRECHARGING }, { 49, HBM_BANK_CLOSED });
    vcd_file_free(&v);
    hbm_study_free(&r);
    free(text);
}

/* Every 3.9 us all banks are refreshed, for 260 ns. */
Test(hbm_waves, a_refresh_takes_all_banks_260_ns)
{
    static const struct traffic f = { .arg = { "part=hbm2-dramsim3", "pattern=seq",
                                               "bytes=2MiB" } };
    static const char *const globs[] = { "channel5.*" };
    struct hbm_study_result r;
    char *text;

    serve_load(&f, true, globs, 1, 0, DES_NEVER, &text, &r);
    struct vcd_file v = read_dump(text);
    cr_assert_eq(r.refreshes, 16, "two of each channel in 8.9 us");
    cr_assert_eq(vcd_file_time(&v, vcd_code_of(&v, "channel5.row_bus"), 1 + HBM_REFRESH, -1),
                 2 * NS);
    for (uint32_t b = 0; b < 16; b++) {
        char path[40];
        snprintf(path, sizeof path, "channel5.bank%u.state", b);
        cr_assert_eq(vcd_file_time(&v, vcd_code_of(&v, path), HBM_BANK_REFRESHING, -1), 520 * NS);
    }
    /* due from 3900 ns on, until the rows are closed and it is issued */
    int due = vcd_code_of(&v, "channel5.refresh_due");
    uint64_t first = 0;
    for (size_t i = v.n_first; i < v.n_changes && !first; i++)
        if (v.change[i].code == due)
            first = v.change[i].time;
    cr_assert_eq(first, 3900 * NS);
    vcd_file_free(&v);
    hbm_study_free(&r);
    free(text);
}

/* --- counters ----------------------------------------------------------------------------- */

/* The counts of a reader that knows only commands and banks. */
struct tally {
    uint64_t reads, writes, hits, conflicts, activates, turnarounds, refreshes;
};

struct channel_codes {
    int clock, row_bus, row_bank, column_bus, column_bank, reads, writes;
    int state[HBM_MAX_BANKS];
    bool used[HBM_MAX_BANKS]; /* since its row was opened */
    int last[2];              /* direction of each pseudo-channel */
};

static int channel_code(const struct vcd_file *f, uint32_t c, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "channel%u.%s", c, name);
    return vcd_file_code(f, path);
}

static void find_codes(const struct vcd_file *f, uint32_t c, uint32_t banks,
                       struct channel_codes *k)
{
    char name[32];

    *k = (struct channel_codes){ .clock = channel_code(f, c, "clock"),
                                 .row_bus = channel_code(f, c, "row_bus"),
                                 .row_bank = channel_code(f, c, "row_bank"),
                                 .column_bus = channel_code(f, c, "column_bus"),
                                 .column_bank = channel_code(f, c, "column_bank"),
                                 .reads = channel_code(f, c, "reads"),
                                 .writes = channel_code(f, c, "writes"),
                                 .last = { -1, -1 } };
    cr_assert(k->clock >= 0 && k->row_bus >= 0 && k->column_bank >= 0);
    for (uint32_t b = 0; b < banks; b++) {
        snprintf(name, sizeof name, "bank%u.state", b);
        k->state[b] = channel_code(f, c, name);
        cr_assert_geq(k->state[b], 0);
    }
}

/* The values of one cycle of a channel. */
static void count_cycle(struct channel_codes *k, const uint64_t *value, uint32_t per_pc,
                        uint32_t act_cycles, struct tally *n, uint64_t *act_seen)
{
    uint64_t row = value[k->row_bus], column = value[k->column_bus];
    uint32_t b = (uint32_t)value[k->column_bank];

    if (column != HBM_BUS_IDLE) {
        bool closes = column == 1 + HBM_READ_CLOSE || column == 1 + HBM_WRITE_CLOSE;
        int write = column == 1 + HBM_WRITE || column == 1 + HBM_WRITE_CLOSE;
        cr_assert_eq(value[k->state[b]], write ? HBM_BANK_WRITING : HBM_BANK_READING);
        *(write ? &n->writes : &n->reads) += 1;
        n->hits += k->used[b];
        n->turnarounds += k->last[b / per_pc] == !write;
        k->last[b / per_pc] = write;
        k->used[b] = !closes;
    }
    b = (uint32_t)value[k->row_bank];
    switch (row) {
    case 1 + HBM_ACTIVATE:
        if ((*act_seen)++ % act_cycles == 0) {
            cr_assert_eq(value[k->state[b]], HBM_BANK_ACTIVATING);
            n->activates++;
            k->used[b] = false;
        }
        break;
    case 1 + HBM_PRECHARGE:
        cr_assert_eq(value[k->state[b]], HBM_BANK_PRECHARGING);
        n->conflicts++;
        break;
    case 1 + HBM_REFRESH:
    case 1 + HBM_REFRESH_ONE:
        cr_assert_eq(value[k->state[b]], HBM_BANK_REFRESHING);
        n->refreshes++;
        break;
    default: break;
    }
}

static struct tally tally_of(const struct vcd_file *f, const struct hbm_study_result *r,
                             uint32_t act_cycles)
{
    uint32_t per_pc = r->groups * r->banks, banks = per_pc * r->pseudo_channels;
    struct channel_codes *k = calloc(r->channels, sizeof *k);
    uint64_t *value = calloc((size_t)f->n_codes, sizeof *value);
    uint64_t *act_seen = calloc(r->channels, sizeof *act_seen);
    struct tally n = { 0 };
    bool begun = false;

    for (uint32_t c = 0; c < r->channels; c++)
        find_codes(f, c, banks, &k[c]);
    for (size_t i = 0; i < f->n_changes; i++) {
        const struct vcd_file_change *x = &f->change[i];
        /* a rising edge ends the cycle before it, and stands before the changes of its time */
        bool rises = i >= f->n_first && x->code == k[0].clock && x->value;
        for (uint32_t c = 0; rises && begun && c < r->channels; c++)
            count_cycle(&k[c], value, per_pc, act_cycles, &n, &act_seen[c]);
        begun = begun || rises;
        value[x->code] = x->value;
        if (rises)
            continue;
    }
    for (uint32_t c = 0; c < r->channels; c++) /* the last one, which no edge ends */
        count_cycle(&k[c], value, per_pc, act_cycles, &n, &act_seen[c]);
    free(act_seen);
    free(value);
    free(k);
    return n;
}

static void check_counts(const struct traffic *f, uint32_t act_cycles)
{
    struct hbm_study_result r;
    char *text;

    serve_load(f, true, NULL, 0, 0, DES_NEVER, &text, &r);
    struct vcd_file v = read_dump(text);
    struct tally n = tally_of(&v, &r, act_cycles);
    cr_assert_eq(n.reads, r.reads, "%s: %lu reads", r.name, (unsigned long)n.reads);
    cr_assert_eq(n.writes, r.writes, "%s: %lu writes", r.name, (unsigned long)n.writes);
    cr_assert_eq(n.hits, r.hits, "%s: %lu hits", r.name, (unsigned long)n.hits);
    cr_assert_eq(n.activates, r.activates, "%s: %lu activates, not %lu", r.name,
                 (unsigned long)n.activates, (unsigned long)r.activates);
    cr_assert_eq(n.refreshes, r.refreshes, "%s: %lu refreshes", r.name, (unsigned long)n.refreshes);
    cr_assert_eq(n.turnarounds, r.turnarounds, "%s: %lu turnarounds", r.name,
                 (unsigned long)n.turnarounds);
    /* with refresh bank by bank, some are for a refresh */
    cr_assert_geq(n.conflicts, r.conflicts, "%s: %lu conflicts", r.name,
                  (unsigned long)n.conflicts);
    vcd_file_free(&v);
    hbm_study_free(&r);
    free(text);
}

Test(hbm_waves, counters_of_a_run_can_be_counted_in_its_waves)
{
    static const struct traffic dramsim3[] = {
        { .arg = { "part=hbm2-dramsim3", "pattern=copy", "bytes=1048576" } },
        { .arg = { "part=hbm2-dramsim3", "pattern=strided", "bytes=65536" } },
        { .arg = { "part=hbm2-dramsim3", "pattern=copy", "bytes=524288" },
          .set = { "dram.page=closed", "dram.refresh=bank" } },
    };
    static const struct traffic two_cycles[] = {
        { .machine = "tpu-v2-8", .arg = { "pattern=triad", "bytes=1572864", "size=4096" } },
        { .machine = "tpu-v3-8", .arg = { "pattern=random", "size=256", "bytes=524288" } },
        { .machine = "tpu-v3-8", .arg = { "pattern=seq", "write=yes", "bytes=1048576" } },
    };

    for (size_t i = 0; i < sizeof dramsim3 / sizeof *dramsim3; i++)
        check_counts(&dramsim3[i], 1);
    for (size_t i = 0; i < sizeof two_cycles / sizeof *two_cycles; i++)
        check_counts(&two_cycles[i], 2);
}

/* --- windows ------------------------------------------------------------------------------ */

static char *print_json(const struct hbm_study_result *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    report_hbm_json(r, out);
    fclose(out);
    return text;
}

static void same_totals(const struct traffic *f, bool exact)
{
    struct hbm_study_result plain, shown;
    char *text;

    serve_load(f, exact, NULL, 0, 0, 0, NULL, &plain);
    serve_load(f, exact, NULL, 0, 500 * NS, 900 * NS, &text, &shown);
    char *a = print_json(&plain), *b = print_json(&shown);
    cr_assert_str_eq(a, b);
    struct vcd_file v = read_dump(text);
    cr_assert_eq(v.begin, 500 * NS);
    cr_assert_eq(v.end, 900 * NS);
    cr_assert_gt(v.n_changes, 400);
    vcd_file_free(&v);
    free(a);
    free(b);
    free(text);
    hbm_study_free(&plain);
    hbm_study_free(&shown);
}

static const struct traffic some[] = {
    { .machine = "tpu-v2-8", .arg = { "pattern=copy", "bytes=4194304" } },
    { .arg = { "part=hbm2-dramsim3", "pattern=random", "size=1024", "bytes=4194304" } },
};

Test(hbm_waves, a_run_has_the_same_totals_whoever_looks)
{
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        same_totals(&some[i], true);
        same_totals(&some[i], false);
    }
}

Test(hbm_waves, a_window_shows_what_an_exact_run_shows)
{
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct hbm_study_result a, b;
        char *exact, *folded;
        serve_load(&some[i], true, NULL, 0, 300 * NS, 5000 * NS, &exact, &a);
        serve_load(&some[i], false, NULL, 0, 300 * NS, 5000 * NS, &folded, &b);
        cr_assert(strcmp(exact, folded) == 0, "the dumps differ"); /* too long to be printed */
        free(exact);
        free(folded);
        hbm_study_free(&a);
        hbm_study_free(&b);
    }
}

static const char *const channel = "channel1.*";

/* Traffic before the window is served unseen, states that recur are jumped over: the window
 * shows what it shows after a walk of all. */
static void is_a_part_of_the_whole(const struct vcd_file *whole, const struct traffic *f,
                                   bool exact, des_time from, des_time to)
{
    struct hbm_study_result s;
    char *part;

    serve_load(f, exact, &channel, 1, from, to, &part, &s);
    struct vcd_file a = *whole, b = read_dump(part);
    uint64_t value[512] = { 0 };
    size_t at = b.n_first;
    cr_assert_eq(a.n_codes, b.n_codes);
    cr_assert_leq(a.n_codes, 512);
    for (size_t i = 0; i < a.n_changes; i++) {
        const struct vcd_file_change *c = &a.change[i];
        if (c->time < from || i < a.n_first) {
            value[c->code] = c->value;
            continue;
        }
        cr_assert_lt(at, b.n_changes);
        cr_assert_eq(b.change[at].time, c->time, "%zu", i);
        cr_assert_eq(b.change[at].code, c->code, "%zu", i);
        cr_assert_eq(b.change[at].value, c->value, "%zu", i);
        at++;
    }
    cr_assert_eq(at, b.n_changes);
    cr_assert_gt(at, b.n_first + 1000);
    for (size_t i = 0; i < b.n_first; i++)
        cr_assert_eq(b.change[i].value, value[b.change[i].code], "the first value of code %d",
                     b.change[i].code);
    vcd_file_free(&b);
    free(part);
    hbm_study_free(&s);
}

Test(hbm_waves, a_late_window_is_a_part_of_the_whole)
{
    static const struct traffic late[] = {
        /* refreshed so often, its states recur within 10 us */
        { .machine = "tpu-v2-8",
          .arg = { "pattern=seq", "bytes=64MiB" },
          .set = { "dram.refi=500 ns", "dram.rfc=100 ns" } },
        { .machine = "tpu-v2-8", .arg = { "pattern=seq", "bytes=64MiB" } },
        { .arg = { "part=hbm2-dramsim3", "pattern=strided", "bytes=4MiB" },
          .set = { "dram.refresh=bank" } },
        { .machine = "tpu-v3-8",
          .arg = { "pattern=random", "size=256", "bytes=64MiB" },
          .set = { "dram.page=closed" } },
    };

    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        const des_time from = 50000 * NS + 123, to = 53000 * NS;
        struct hbm_study_result r;
        char *all;
        serve_load(&late[i], true, &channel, 1, 0, to, &all, &r);
        struct vcd_file whole = read_dump(all);
        is_a_part_of_the_whole(&whole, &late[i], true, from, to);
        is_a_part_of_the_whole(&whole, &late[i], false, from, to);
        vcd_file_free(&whole);
        free(all);
        hbm_study_free(&r);
    }
}

/* Channels that nobody watches are served without the waves, and counted. */
Test(hbm_waves, one_channel_can_be_looked_at_alone)
{
    static const char *const globs[] = { "channel3.bank*.state" };
    struct hbm_study_result plain, shown;
    char *text;

    serve_load(&some[0], true, NULL, 0, 0, 0, NULL, &plain);
    serve_load(&some[0], true, globs, 1, 0, DES_NEVER, &text, &shown);
    char *a = print_json(&plain), *b = print_json(&shown);
    cr_assert_str_eq(a, b);
    struct vcd_file v = read_dump(text);
    cr_assert_eq(v.n_vars, 16);
    cr_assert_gt(v.n_changes, 100);
    vcd_file_free(&v);
    free(a);
    free(b);
    free(text);
    hbm_study_free(&plain);
    hbm_study_free(&shown);
}
