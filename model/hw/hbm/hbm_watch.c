/* Commands of channels become states of buses and banks that last some cycles. */
#include "hw/hbm/hbm_watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "hw/wires/show.h"

static const char *const bank_states[HBM_BANK_N_STATES] = {
    "closed", "activating", "open", "reading", "writing", "precharging", "refreshing"
};
/* as enum hbm_command, after idle */
static const char *const commands[] = { "idle", "ACT", "RD",   "WR",  "RDA",
                                        "WRA",  "PRE", "PREA", "REF", "REFB" };
static const char *const directions[] = { "read", "write" };

#define SHOW_NAMES(name_, list, doc_)                                                              \
    {                                                                                              \
        .name = name_, .kind = DES_PROBE_STATE, .names = list,                                     \
        .n_names = sizeof(list) / sizeof *(list), .doc = doc_                                      \
    }

enum { ROW_BUS, ROW_BANK, COLUMN_BUS, COLUMN_BANK, DIRECTION, READS, WRITES, REFRESH_DUE };
static const struct des_probe_row channel_rows[] = {
    [ROW_BUS] = SHOW_NAMES("row_bus", commands, "its command"),
    [ROW_BANK] = SHOW_ROW(NUMBER, "row_bank", NULL, "the bank it is for; 0 if it is for all"),
    [COLUMN_BUS] = SHOW_NAMES("column_bus", commands, "its command"),
    [COLUMN_BANK] = SHOW_ROW(NUMBER, "column_bank", NULL, "the bank it is for"),
    [DIRECTION] =
        SHOW_NAMES("direction", directions, "what is served, or goes to the queues of the banks"),
    [READS] = SHOW_ROW(LEVEL, "reads", NULL, "in the queue of reads"),
    [WRITES] = SHOW_ROW(LEVEL, "writes", NULL, "in the queue of writes"),
    [REFRESH_DUE] = SHOW_ROW(NUMBER, "refresh_due", NULL, "refreshes that are due"),
};

enum { STATE, ROW, WAITING };
static const struct des_probe_row bank_rows[] = {
    [STATE] = SHOW_NAMES("state", bank_states, "reading and writing: to the end of the data"),
    [ROW] = SHOW_ROW(NUMBER, "row", NULL, "the open row; while closed, the last one"),
    [WAITING] = SHOW_ROW(LEVEL, "waiting", NULL, "requests that the bank sees"),
};

/* A value that lasts some cycles: the state of a bank, or the command on a bus. */
struct spell {
    struct run_view *run;
    struct des_event over;
    struct des_probes show;
    uint32_t row;
    des_time until;
    uint8_t next;        /* value from `until` on, */
    uint8_t last;        /* value after that, */
    uint64_t last_after; /* from this cycle on; 0: none */
};

struct channel_view {
    struct hbm_watch *v;
    struct run_view *run;
    struct hbm_channel *c;
    struct des_module module;
    struct des_probes show;
    struct spell bus[2]; /* row, column */
    struct spell *bank;
};

/* The channels that one process steps: one, or all channels behind a window. */
struct run_view {
    struct hbm_watch *v;
    struct hbm_run run;
    struct channel_view *channel; /* of its first */
    struct des_event step;
    uint64_t cycle;   /* of the next step, as the run counts cycles */
    uint64_t skipped; /* cycles that the run did not count */
    bool watched, more;
};

struct hbm_watch {
    struct des *sim;
    struct hbm_memory *m;
    const struct hbm_traffic *w;
    uint64_t hz;
    uint32_t n_runs;
    struct run_view *run;
    struct channel_view *channel;
    struct spell *banks;
    struct des_event end;
};

static des_time time_of_cycle(const struct run_view *r, uint64_t cycle)
{
    return des_edge(cycle + r->skipped, r->v->hz);
}

/* --- values that last ---------------------------------------------------------------------------
 */

/* Show `state` from now to cycle `until`, then `next`. */
static void enter_state(struct spell *s, uint8_t state, uint64_t until, uint8_t next)
{
    struct des *sim = s->run->v->sim;

    s->until = time_of_cycle(s->run, until);
    s->next = next;
    s->last_after = 0;
    des_show(sim, s->show, s->row, state);
    des_notify_at(sim, s->over, s->until);
}

static void leave_state(struct des *sim, void *self)
{
    struct spell *s = self;

    if (des_now(sim) < s->until) { /* it was entered anew, for longer */
        des_notify_at(sim, s->over, s->until);
    } else if (s->last_after) {
        enter_state(s, s->next, s->last_after, s->last);
    } else {
        des_show(sim, s->show, s->row, s->next);
    }
}

/* --- commands ----------------------------------------------------------------------------- */

static void show_command(struct channel_view *k, uint32_t bus, enum hbm_command cmd, uint64_t until,
                         uint32_t bank)
{
    des_show(k->v->sim, k->show, bus ? COLUMN_BANK : ROW_BANK, bank);
    enter_state(&k->bus[bus], (uint8_t)(HBM_BUS_COMMAND + cmd), until, HBM_BUS_IDLE);
}

static void show_precharge(struct channel_view *k, uint64_t t, uint32_t b)
{
    enter_state(&k->bank[b], HBM_BANK_PRECHARGING, t + k->c->t->rp, HBM_BANK_CLOSED);
}

/* A read or write; with auto-precharge the bank closes by itself. */
static void show_access(struct channel_view *k, uint64_t t, uint32_t b, bool write, bool closes)
{
    const struct hbm_timing *g = k->c->t;
    uint8_t state = write ? HBM_BANK_WRITING : HBM_BANK_READING;

    if (!closes) {
        enter_state(&k->bank[b], state, t + (write ? g->write_done : g->read_done), HBM_BANK_OPEN);
        return;
    }
    enter_state(&k->bank[b], state, k->c->pre_ok[b], HBM_BANK_PRECHARGING);
    k->bank[b].last = HBM_BANK_CLOSED;
    k->bank[b].last_after = k->c->pre_ok[b] + g->rp;
}

static void show_issued(void *self, uint64_t t, enum hbm_command cmd, uint32_t b, uint32_t row)
{
    struct channel_view *k = self;
    const struct hbm_timing *g = k->c->t;

    show_command(k, cmd >= HBM_READ && cmd <= HBM_WRITE_CLOSE, cmd,
                 t + (cmd == HBM_ACTIVATE ? g->act_cycles : 1), b);
    switch (cmd) {
    case HBM_ACTIVATE:
        des_show(k->v->sim, k->bank[b].show, ROW, row);
        enter_state(&k->bank[b], HBM_BANK_ACTIVATING,
                    t + (g->rcd_read < g->rcd_write ? g->rcd_read : g->rcd_write), HBM_BANK_OPEN);
        break;
    case HBM_READ:
    case HBM_READ_CLOSE: show_access(k, t, b, false, cmd == HBM_READ_CLOSE); break;
    case HBM_WRITE:
    case HBM_WRITE_CLOSE: show_access(k, t, b, true, cmd == HBM_WRITE_CLOSE); break;
    case HBM_PRECHARGE: show_precharge(k, t, b); break;
    case HBM_PRECHARGE_ALL:
        for (uint64_t m = k->c->open; m; m &= m - 1)
            show_precharge(k, t, (uint32_t)__builtin_ctzll(m));
        break;
    case HBM_REFRESH:
        for (uint32_t i = 0; i < g->banks; i++)
            enter_state(&k->bank[i], HBM_BANK_REFRESHING, t + g->rfc, HBM_BANK_CLOSED);
        break;
    case HBM_REFRESH_ONE:
        enter_state(&k->bank[b], HBM_BANK_REFRESHING, t + g->rfc_bank, HBM_BANK_CLOSED);
        break;
    }
}

/* --- steps -------------------------------------------------------------------------------- */

/* Show queues and banks after a step. */
static void show_channel(const struct channel_view *k)
{
    const struct hbm_channel *c = k->c;
    struct des *sim = k->v->sim;

    des_show(sim, k->show, DIRECTION, c->writing);
    des_show(sim, k->show, READS, c->n[0]);
    des_show(sim, k->show, WRITES, c->n[1]);
    des_show(sim, k->show, REFRESH_DUE, c->owed);
    for (uint32_t b = 0; b < c->t->banks; b++)
        des_show(sim, k->bank[b].show, WAITING, c->bank[b].line[0].n + c->bank[b].line[1].n);
}

/* Serve accesses up to cycle `until`, and find the cycle of the next step. */
static void serve_until(struct run_view *r, uint64_t until)
{
    r->more = r->more && hbm_run_until(&r->run, until);
    for (uint32_t i = 0; i < r->run.n; i++)
        show_channel(&r->channel[i]);
    r->cycle = HBM_NEVER;
    for (uint32_t i = 0; i < r->run.n; i++)
        if (r->run.next[i] < r->cycle)
            r->cycle = r->run.next[i];
}

static void step_run(struct des *sim, void *self)
{
    struct run_view *r = self;

    serve_until(r, r->cycle + 1);
    if (r->more)
        des_notify_at(sim, r->step, time_of_cycle(r, r->cycle));
}

static void do_nothing(struct des *sim, void *self)
{
    (void)sim;
    (void)self;
}

/* Cycle of the end of the last data. */
static uint64_t end_of_data(const struct hbm_watch *v)
{
    uint64_t last = 0;

    for (uint32_t c = 0; c < v->m->n_channels; c++) {
        uint64_t end = v->m->channel[c].last_done;
        if (end && end + v->channel[c].run->skipped > last)
            last = end + v->channel[c].run->skipped;
    }
    return last;
}

/* Cycles after which every effect of a command is over. */
static uint64_t settling_cycles(const struct hbm_timing *t)
{
    return t->rfc + t->rfc_bank + t->ras + t->rp + t->read_done + t->write_done + t->write_pre +
           t->rcd_read + t->act_cycles;
}

/* Go on to the beginning of the window, less the cycles that states need to become right. */
static void approach_window(struct run_view *r, hbm_skip_fn *skip)
{
    uint64_t from = des_edge_index(des_walk_begin(r->v->sim), r->v->hz);
    uint64_t margin = settling_cycles(r->run.channel->t);

    if (from <= margin)
        return;
    for (uint32_t i = 0; i < r->run.n; i++)
        r->channel[i].c->trace = NULL;
    if (skip && r->more)
        r->skipped = skip(&r->run, from - margin);
    serve_until(r, from - margin - r->skipped);
    for (uint32_t i = 0; i < r->run.n; i++) {
        struct channel_view *k = &r->channel[i];
        k->c->trace = show_issued;
        for (uint32_t b = 0; b < k->c->t->banks; b++) {
            bool open = k->c->open >> b & 1;
            des_show(r->v->sim, k->bank[b].show, STATE, open ? HBM_BANK_OPEN : HBM_BANK_CLOSED);
            des_show(r->v->sim, k->bank[b].show, ROW, k->c->bank[b].row);
        }
    }
}

void hbm_watch_run(struct hbm_watch *v, hbm_skip_fn *skip)
{
    bool more = false, some = false;
    des_time stop;

    for (uint32_t i = 0; i < v->n_runs; i++) {
        struct run_view *r = &v->run[i];
        for (uint32_t k = 0; k < r->run.n; k++)
            r->watched = r->watched || des_watched(v->sim, r->channel[k].module);
        some = some || r->watched;
        if (!r->watched)
            continue;
        approach_window(r, skip);
        if (r->more)
            des_notify_at(v->sim, r->step, time_of_cycle(r, r->cycle));
    }
    if (!some)
        return;
    /* the window may be closed while it is walked */
    while (des_next_activity(v->sim) <= des_walk_end(v->sim) && des_step(v->sim))
        ;
    for (uint32_t i = 0; i < v->n_runs; i++)
        more = more || (v->run[i].watched && v->run[i].more);
    stop = more ? DES_NEVER : des_edge(end_of_data(v), v->hz);
    if (des_walk_end(v->sim) < stop)
        stop = des_walk_end(v->sim);
    if (stop < DES_NEVER && stop > des_now(v->sim)) {
        des_notify_at(v->sim, v->end, stop);
        des_run(v->sim, stop);
    }
}

void hbm_watch_finish(struct hbm_watch *v, struct hbm_outcome *out)
{
    for (uint32_t c = 0; c < v->m->n_channels; c++)
        v->m->channel[c].trace = NULL;
    for (uint32_t i = 0; i < v->n_runs; i++)
        if (v->run[i].more)
            hbm_run_until(&v->run[i].run, HBM_NEVER);
    *out = (struct hbm_outcome){ .walked = v->w->accesses, .cycles = end_of_data(v) };
}

/* --- building ----------------------------------------------------------------------------- */

static void make_spell(struct run_view *run, struct spell *s, struct des_module m, const char *name,
                       struct des_probes show, uint32_t row)
{
    struct des *sim = run->v->sim;

    *s = (struct spell){ .run = run, .show = show, .row = row };
    s->over = des_event_new(sim, m, name);
    struct des_process p = des_method_new(sim, m, name, leave_state, s);
    des_sensitive(sim, p, s->over);
    des_dont_initialize(sim, p);
}

static void make_channel(struct hbm_watch *v, uint32_t c)
{
    struct channel_view *k = &v->channel[c];
    uint32_t banks = v->m->t.banks;
    char name[24];

    snprintf(name, sizeof name, "channel%u", c);
    *k = (struct channel_view){ .v = v,
                                .c = &v->m->channel[c],
                                .bank = v->banks + c * (size_t)banks };
    k->run = &v->run[v->n_runs == 1 ? 0 : c];
    k->module = des_module_new(v->sim, (struct des_module){ 0 }, name);
    k->show = SHOW_PROBES(v->sim, k->module, channel_rows);
    des_clock_new(v->sim, k->module, "clock", v->hz);
    make_spell(k->run, &k->bus[0], k->module, "row_bus_free", k->show, ROW_BUS);
    make_spell(k->run, &k->bus[1], k->module, "column_bus_free", k->show, COLUMN_BUS);
    for (uint32_t b = 0; b < banks; b++) {
        snprintf(name, sizeof name, "bank%u", b);
        struct des_module m = des_module_new(v->sim, k->module, name);
        make_spell(k->run, &k->bank[b], m, "over", SHOW_PROBES(v->sim, m, bank_rows), STATE);
    }
    k->c->trace = show_issued;
    k->c->self = k;
}

static void make_run(struct hbm_watch *v, uint32_t i)
{
    struct run_view *r = &v->run[i];
    char name[24];

    *r = (struct run_view){ .v = v, .channel = &v->channel[i] };
    hbm_run_init(&r->run, v->m, i, v->w);
    r->more = r->run.walk.left > 0;
    snprintf(name, sizeof name, "step%u", i);
    r->step = des_event_new(v->sim, (struct des_module){ 0 }, name);
    struct des_process p = des_method_new(v->sim, (struct des_module){ 0 }, name, step_run, r);
    des_sensitive(v->sim, p, r->step);
    des_dont_initialize(v->sim, p);
}

struct hbm_watch *hbm_watch_new(struct des *sim, struct hbm_memory *m, const struct hbm_traffic *w)
{
    struct hbm_watch *v = memory_zeroed(1, sizeof *v);

    *v = (struct hbm_watch){ .sim = sim, .m = m, .w = w, .hz = m->t.clock, .n_runs = hbm_runs(m) };
    v->channel = memory_zeroed(m->n_channels, sizeof *v->channel);
    v->banks = memory_zeroed((size_t)m->n_channels * m->t.banks, sizeof *v->banks);
    v->run = memory_zeroed(v->n_runs, sizeof *v->run);
    for (uint32_t i = 0; i < v->n_runs; i++)
        make_run(v, i);
    for (uint32_t c = 0; c < m->n_channels; c++)
        make_channel(v, c);
    v->end = des_event_new(sim, (struct des_module){ 0 }, "end");
    struct des_process p = des_method_new(sim, (struct des_module){ 0 }, "end", do_nothing, v);
    des_sensitive(sim, p, v->end);
    des_dont_initialize(sim, p);
    return v;
}

void hbm_watch_free(struct hbm_watch *v)
{
    if (!v)
        return;
    for (uint32_t i = 0; i < v->n_runs; i++)
        hbm_run_free(&v->run[i].run);
    free(v->run);
    free(v->banks);
    free(v->channel);
    free(v);
}
