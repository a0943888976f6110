/* Under any traffic no command of an HBM channel breaks a rule of its part, every request is
 * served once, from the right row, and nobody starves.
 *
 * The rules are written here again, from the parameters in nanoseconds at 1 GHz, as a list of what
 * must lie how far back; nothing is shared with the model but the commands' names. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw/hbm/hbm_memory.h"

#define BANKS 64
#define LONG_AGO (-1000000)

struct checker {
    const struct dram_params *p;
    const char *what;
    int64_t act[BANKS], read[BANKS], write[BANKS], pre[BANKS], refresh[BANKS];
    int64_t row[BANKS]; /* open row, -1 none */
    int64_t acts[2][4]; /* of each pseudo-channel, newest first */
    int64_t row_bus, column_bus, refresh_all, last_refresh[BANKS];
    uint64_t commands, accesses;
};

static int64_t cycles_of_fs(uint64_t fs)
{
    return (int64_t)((fs + 999999) / 1000000);
}

static uint32_t per_pc(const struct checker *k)
{
    return k->p->groups * k->p->banks;
}

static void check_begin(struct checker *k, const struct dram_params *p, const char *what)
{
    memset(k, 0, sizeof *k);
    k->p = p;
    k->what = what;
    for (int b = 0; b < BANKS; b++) {
        k->act[b] = k->read[b] = k->write[b] = k->pre[b] = k->refresh[b] = LONG_AGO;
        k->row[b] = -1;
    }
    for (int i = 0; i < 8; i++)
        k->acts[i / 4][i % 4] = LONG_AGO;
    k->row_bus = k->column_bus = k->refresh_all = LONG_AGO;
}

static void check_gap(const struct checker *k, const char *rule, int64_t before, int64_t now,
                      int64_t gap)
{
    cr_assert(now - before >= gap, "%s: %s: %lld and %lld are less than %lld apart", k->what, rule,
              (long long)before, (long long)now, (long long)gap);
}

/* Every gap that a read or write must keep to those before it. */
static void check_column(struct checker *k, int64_t t, uint32_t b, bool write)
{
    const struct dram_params *p = k->p;
    int64_t data = p->burst;
    int64_t written = cycles_of_fs(p->write_latency) + data;

    check_gap(k, "column bus", k->column_bus, t, 1);
    if (!p->dual_bus)
        check_gap(k, "one bus", k->row_bus, t, 1);
    k->column_bus = t;
    check_gap(k, "tRCD", k->act[b], t, cycles_of_fs(write ? p->rcd_write : p->rcd_read));
    for (uint32_t o = b / per_pc(k) * per_pc(k); o < (b / per_pc(k) + 1) * per_pc(k); o++) {
        bool group = o / p->banks == b / p->banks;
        int64_t ccd = group ? p->ccd_l : p->ccd_s;
        check_gap(k, "tCCD", write ? k->write[o] : k->read[o], t, ccd > data ? ccd : data);
        if (write)
            check_gap(k, "tRTW", k->read[o], t, cycles_of_fs(p->rtw));
        else
            check_gap(k, "tWTR", k->write[o], t,
                      written + cycles_of_fs(group ? p->wtr_l : p->wtr_s));
    }
    (write ? k->write : k->read)[b] = t;
    k->accesses++;
}

static void check_precharge(struct checker *k, int64_t t, uint32_t b)
{
    const struct dram_params *p = k->p;

    check_gap(k, "tRAS", k->act[b], t, cycles_of_fs(p->ras));
    check_gap(k, "tRTP", k->read[b], t, cycles_of_fs(p->rtp));
    check_gap(k, "tWR", k->write[b], t,
              cycles_of_fs(p->write_latency) + p->burst + cycles_of_fs(p->wr));
    k->pre[b] = t;
    k->row[b] = -1;
}

static void check_activate(struct checker *k, int64_t t, uint32_t b)
{
    const struct dram_params *p = k->p;
    uint32_t pc = b / per_pc(k);

    check_gap(k, "tRC", k->act[b], t, cycles_of_fs(p->rc));
    check_gap(k, "tRP", k->pre[b], t, cycles_of_fs(p->rp));
    check_gap(k, "tRFC", k->refresh_all, t, cycles_of_fs(p->rfc));
    check_gap(k, "tRFCSB", k->refresh[b], t, cycles_of_fs(p->rfc_bank));
    check_gap(k, "tFAW", k->acts[pc][3], t, cycles_of_fs(p->faw));
    for (uint32_t o = pc * per_pc(k); o < (pc + 1) * per_pc(k); o++) {
        check_gap(k, "tRRD", k->act[o], t,
                  cycles_of_fs(o / p->banks == b / p->banks ? p->rrd_l : p->rrd_s));
        check_gap(k, "tRREFD", k->refresh[o], t, cycles_of_fs(p->rrefd));
    }
    memmove(k->acts[pc] + 1, k->acts[pc], 3 * sizeof *k->acts[pc]);
    k->acts[pc][0] = k->act[b] = t;
}

/* An auto-precharge happens as early as it may. */
static void close_behind(struct checker *k, int64_t t, uint32_t b)
{
    const struct dram_params *p = k->p;
    int64_t at = t + cycles_of_fs(p->rtp), ras = k->act[b] + cycles_of_fs(p->ras);
    int64_t wr = k->write[b] + cycles_of_fs(p->write_latency) + p->burst + cycles_of_fs(p->wr);

    if (k->read[b] != t)
        at = wr;
    at = at > ras ? at : ras;
    k->pre[b] = at > wr ? at : wr;
    k->row[b] = -1;
}

static void check_refresh(struct checker *k, int64_t t)
{
    for (uint32_t i = 0; i < k->p->pseudo_channels * per_pc(k); i++) {
        cr_assert_eq(k->row[i], -1, "%s: refresh of an open bank", k->what);
        check_gap(k, "tRP to refresh", k->pre[i], t, cycles_of_fs(k->p->rp));
        check_gap(k, "tRC to refresh", k->act[i], t, cycles_of_fs(k->p->rc));
        cr_assert_leq(t - k->last_refresh[i], cycles_of_fs(k->p->refi) + 1000, "%s: late", k->what);
        k->last_refresh[i] = t;
    }
    check_gap(k, "tRFC to refresh", k->refresh_all, t, cycles_of_fs(k->p->rfc));
    k->refresh_all = t;
}

static void check_refresh_one(struct checker *k, int64_t t, uint32_t b)
{
    cr_assert_eq(k->row[b], -1, "%s: refresh of an open bank", k->what);
    check_gap(k, "tRP to refresh", k->pre[b], t, cycles_of_fs(k->p->rp));
    check_gap(k, "tRC to refresh", k->act[b], t, cycles_of_fs(k->p->rc));
    check_gap(k, "tRFCSB to refresh", k->refresh[b], t, cycles_of_fs(k->p->rfc_bank));
    for (uint32_t o = b / per_pc(k) * per_pc(k); o < (b / per_pc(k) + 1) * per_pc(k); o++) {
        check_gap(k, "tRREFD to refresh", k->refresh[o], t, cycles_of_fs(k->p->rrefd));
        check_gap(k, "tRRD to refresh", k->act[o], t, cycles_of_fs(k->p->rrd_s));
    }
    cr_assert_leq(t - k->last_refresh[b], 2 * cycles_of_fs(k->p->refi), "%s: late", k->what);
    k->refresh[b] = k->last_refresh[b] = t;
}

static void check_command(void *self, uint64_t cycle, enum hbm_command cmd, uint32_t b,
                          uint32_t row)
{
    struct checker *k = self;
    uint32_t banks = k->p->pseudo_channels * per_pc(k);
    int64_t t = (int64_t)cycle;

    k->commands++;
    cr_assert_lt(b, banks, "%s", k->what);
    switch (cmd) {
    case HBM_READ:
    case HBM_WRITE:
    case HBM_READ_CLOSE:
    case HBM_WRITE_CLOSE:
        cr_assert_eq(k->row[b], row, "%s: access to a row that is not open", k->what);
        check_column(k, t, b, cmd == HBM_WRITE || cmd == HBM_WRITE_CLOSE);
        if (cmd == HBM_READ_CLOSE || cmd == HBM_WRITE_CLOSE)
            close_behind(k, t, b);
        return;
    default: break;
    }
    check_gap(k, "row bus", k->row_bus, t, 1);
    if (!k->p->dual_bus)
        check_gap(k, "one bus", k->column_bus, t, 1);
    k->row_bus = t + (cmd == HBM_ACTIVATE ? (int64_t)k->p->act_cycles - 1 : 0);
    switch (cmd) {
    case HBM_ACTIVATE:
        cr_assert_eq(k->row[b], -1, "%s: activate of an open bank", k->what);
        check_activate(k, t, b);
        k->row[b] = row;
        break;
    case HBM_PRECHARGE:
        cr_assert_neq(k->row[b], -1, "%s: precharge of a closed bank", k->what);
        check_precharge(k, t, b);
        break;
    case HBM_PRECHARGE_ALL:
        for (uint32_t i = 0; i < banks; i++)
            if (k->row[i] >= 0)
                check_precharge(k, t, i);
        break;
    case HBM_REFRESH: check_refresh(k, t); break;
    case HBM_REFRESH_ONE: check_refresh_one(k, t, b); break;
    default: cr_assert_fail("%s: unknown command", k->what);
    }
}

/* --- traffic ------------------------------------------------------------------------------ */

static void set_value(struct dram_params *p, const char *key, const char *value)
{
    struct err err;
    const struct param_desc *d = param_find(&dram_param_table, key);

    cr_assert(d, "%s", key);
    cr_assert_eq(param_set(&dram_param_table, d, p, value, &err), 0, "%s", err.msg);
}

static const struct part {
    const char *name;
    const char *set[12][2];
} parts[] = {
    { "plain", { { "age_limit", "1 us" } } },
    { "bank queues in turn",
      { { "bank_queue", "8" },
        { "arbiter", "turn" },
        { "write_high", "32" },
        { "row_hits", "4" },
        { "faw", "30 ns" } } },
    { "pseudo-channels, rows not held",
      { { "pseudo_channels", "2" },
        { "row_bytes", "256 B" },
        { "access", "32 B" },
        { "hold_row", "no" },
        { "early_place", "yes" },
        { "act_cycles", "2" },
        { "ccd_l", "4" },
        { "map", "ro ba co bg pc ch" } } },
    { "places left early, rows held",
      { { "pseudo_channels", "2" },
        { "early_place", "yes" },
        { "refresh", "bank" },
        { "map", "ro ba co bg pc ch" } } },
    { "closed pages, one bus", { { "page", "closed" }, { "dual_bus", "no" } } },
    { "a bank refreshed at a time",
      { { "refresh", "bank" }, { "write_low", "0" }, { "write_high", "4" } } },
    { "short of banks",
      { { "groups", "2" }, { "banks", "1" }, { "map", "ro bg ba ch co" }, { "rc", "70 ns" } } },
    { "nothing refreshed, a window",
      { { "refresh", "none" },
        { "window", "32" },
        { "read_queue", "3" },
        { "write_queue", "3" },
        { "write_high", "2" },
        { "write_low", "1" } } },
};

static const struct hbm_load loads[] = {
    { HBM_SEQUENTIAL, false, 1 << 20, 512, 0, 0, 0 },
    { HBM_SEQUENTIAL, true, 1 << 20, 512, 0, 0, 0 },
    { HBM_COPY, false, 1 << 20, 64, 0, 1 << 30, 0 },
    { HBM_TRIAD, false, 3 << 18, 128, 0, (1 << 20) + 4096, 0 },
    { HBM_STRIDED, false, 1 << 19, 64, 4096 + 64, 0, 0 },
    { HBM_RANDOM, false, 1 << 19, 64, 0, 0, 7 },
    { HBM_RANDOM, true, 1 << 19, 1024, 0, 0, 8 },
};

Test(hbm, no_command_breaks_a_rule)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t j = 0; j < sizeof loads / sizeof *loads; j++) {
            struct dram_params par;
            struct hbm_memory m;
            struct hbm_traffic w;
            struct hbm_outcome out;
            struct err err;
            static struct checker k[8];
            uint64_t accesses = 0;

            param_defaults(&dram_param_table, &par);
            for (size_t s = 0; s < 12 && parts[i].set[s][0]; s++)
                set_value(&par, parts[i].set[s][0], parts[i].set[s][1]);
            cr_assert_eq(hbm_memory_init(&m, &par, &err), 0, "%s: %s", parts[i].name, err.msg);
            cr_assert_eq(hbm_traffic_init(&w, &loads[j], &m.map, &par, &err), 0, "%s", err.msg);
            for (uint32_t c = 0; c < m.n_channels; c++) {
                check_begin(&k[c], &par, parts[i].name);
                m.channel[c].trace = check_command;
                m.channel[c].self = &k[c];
            }
            hbm_memory_walk(&m, &w, &out);
            for (uint32_t c = 0; c < m.n_channels; c++)
                accesses += k[c].accesses;
            cr_assert_eq(accesses * par.access, loads[j].bytes, "%s", parts[i].name);
            /* no part is faster than its data bus */
            cr_assert_geq(out.cycles * m.n_channels * par.pseudo_channels, accesses * par.burst,
                          "%s", parts[i].name);
            hbm_traffic_free(&w);
            hbm_memory_free(&m);
        }
}

/* --- arrivals at random times ------------------------------------------------------------- */

static uint32_t draw_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

struct served {
    struct checker k;
    uint64_t pushed[20000];
    uint8_t done[20000];
    uint64_t worst;
};

static void note_done(void *self, uint32_t tag, uint64_t at)
{
    struct served *s = self; /* the checker is its first member */

    s->done[tag]++;
    if (at - s->pushed[tag] > s->worst)
        s->worst = at - s->pushed[tag];
}

/* Bursts and pauses, few rows; `every`: step each cycle.  Returns a hash of what was done when. */
static uint64_t serve_arrivals(const struct part *part, uint32_t seed, bool every, struct served *s)
{
    struct dram_params par;
    struct hbm_timing t;
    struct hbm_channel *c = malloc(sizeof *c);
    struct err err;
    uint64_t now = 0, next = 0, hash = 0;
    uint32_t n = 0, pause = 0, state = seed;

    param_defaults(&dram_param_table, &par);
    for (size_t i = 0; i < 12 && part->set[i][0]; i++)
        set_value(&par, part->set[i][0], part->set[i][1]);
    cr_assert_eq(hbm_timing_init(&t, &par, &err), 0, "%s", err.msg);
    hbm_channel_init(c, &t, 0);
    memset(s, 0, sizeof *s);
    check_begin(&s->k, &par, part->name);
    c->trace = check_command;
    c->done = note_done;
    c->self = s;
    while (n < 20000 || hbm_channel_waiting(c)) {
        if (every || now >= next)
            next = hbm_channel_step(c, now);
        for (; n < 20000 && pause == 0; n++) {
            uint32_t r = draw_number(&state);
            bool write = r % 3 == 0;
            if (!hbm_channel_room(c, write))
                break;
            s->pushed[n] = now;
            if (hbm_channel_push(c, now, r / 3 % t.banks, r / 512 % 5, write, n))
                next = now + 1;
            pause = r / 4096 % 16 ? 0 : r / 65536 % 400;
        }
        pause -= pause > 0;
        now++;
        cr_assert_lt(now, 4000000, "%s: requests starve", part->name);
    }
    for (uint32_t i = 0; i < 20000; i++)
        cr_assert_eq(s->done[i], 1, "%s: request %u is served %u times", part->name, i, s->done[i]);
    hash = c->last_done * 1000003 + c->st.latency * 31 + c->st.activates;
    hbm_channel_free(c);
    free(c);
    return hash;
}

Test(hbm, a_channel_that_is_only_stepped_when_it_asks_does_the_same)
{
    struct served *s = malloc(sizeof *s);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (uint32_t seed = 1; seed <= 3; seed++)
            cr_assert_eq(serve_arrivals(&parts[i], seed, false, s),
                         serve_arrivals(&parts[i], seed, true, s), "%s, seed %u", parts[i].name,
                         seed);
    free(s);
}

Test(hbm, nobody_starves)
{
    struct served *s = malloc(sizeof *s);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        serve_arrivals(&parts[i], 11, false, s);
        /* full queues of 32 and 32 conflicts in one bank: each a row cycle of 70 ns and turnarounds
         */
        cr_assert_lt(s->worst, 16000, "%s: %llu cycles", parts[i].name,
                     (unsigned long long)s->worst);
    }
    free(s);
}
