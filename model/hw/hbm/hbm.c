/* Transfers in turns: what is served next, what a burst of it costs, and when it ends. */
#include "hw/hbm/hbm.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "hw/hbm/hbm_bytes.h"
#include "hw/hbm/hbm_leg.h"
#include "hw/hbm/hbm_moment.h"
#include "hw/hbm/hbm_serve.h"

#define P(...) PARAM_DESC(struct hbm_params, __VA_ARGS__)
static const struct param_desc params[] = { HBM_PARAMS(P) };
const struct param_table hbm_param_table = { "hbm", params, sizeof params / sizeof *params,
                                             sizeof(struct hbm_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct hbm_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct hbm_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { HBM_STATS(C, R) };
const struct stat_table hbm_stat_table = { "hbm", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct hbm_stats) };
static const struct component_class hbm_class = { .name = "hbm",
                                                  .parameters = &hbm_param_table,
                                                  .statistics = &hbm_stat_table,
                                                  .counters = offsetof(struct hbm, st),
                                                  .reset = hbm_reset,
                                                  .finish = hbm_finish,
                                                  .free = hbm_free };

enum { STATE, WAY, READING, WRITING, BYTES };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "busy while any transfer is in service"),
    [WAY] = SHOW_FINE("way", NULL,
                      "whose burst it is: of each client (cores, ICI, PCIe) what it reads, then "
                      "what each writes"),
    [READING] = SHOW_ROW(LEVEL, "reading", NULL, "transfers in service that read"),
    [WRITING] = SHOW_ROW(LEVEL, "writing", NULL, "transfers in service that write"),
    [BYTES] = SHOW_MOVED("bytes", "B", "bytes moved in legs that are over"),
};

/* --- time --------------------------------------------------------------------------------- */

uint64_t hbm_burst_hz(const struct hbm_params *par)
{
    u128 hz = (u128)par->bandwidth * par->efficiency / PPB_PER_ONE / par->burst;

    return hz ? (uint64_t)hz : 1;
}

/* Interval and length of refreshes, as moments.  Refreshing one bank at a time costs nothing here:
 * the other banks go on. */
static void find_refreshes(const struct hbm_params *par, const struct hbm_timing *t,
                           hbm_moment *every, hbm_moment *takes)
{
    u128 hz = (u128)hbm_burst_hz(par) * HBM_FINE;
    bool all = t->refresh == HBM_REFRESH_ALL;

    *every = all ? t->refi * hz / t->clock : 0;
    *takes = all ? ((t->rp + t->rfc) * hz + t->clock - 1) / t->clock : 0;
}

uint64_t hbm_stream_bytes_per_s(const struct hbm_params *par, const struct dram_params *dram)
{
    struct hbm_timing t;
    struct err err;
    hbm_moment every, takes;
    u128 rate = (u128)hbm_burst_hz(par) * par->burst;

    BUG_ON(hbm_timing_init(&t, dram, &err) != 0);
    find_refreshes(par, &t, &every, &takes);
    return (uint64_t)(every ? rate * (every - takes) / every : rate);
}

/* --- transfers ---------------------------------------------------------------------------- */

/* Work out the bursts and the kind of each phase of the transfer at hand. */
static void measure_transfer(struct hbm *h, struct hbm_way *w)
{
    const struct task_move *m = &w->cur.move;
    uint64_t overhead = h->par.request_overhead * (1 + (uint64_t)w->cur.more),
             rows = m->rows * m->row_bytes;

    w->measured = true;
    w->whole[HBM_STREAMS] = hbm_bytes_bursts(h, m->bytes);
    w->whole[HBM_SETS_UP] =
        overhead ? hbm_bytes_bursts(h, m->bytes + overhead) - w->whole[HBM_STREAMS] : 0;
    w->kind[HBM_STREAMS] = w->kind[HBM_OPENS] = w->cur.write;
    if (h->part && rows)
        w->kind[HBM_OPENS] = hbm_part_rows(h->part, m->row_bytes, w->cur.write);
    w->whole[HBM_OPENS] = rows ? hbm_bytes_bursts(h, hbm_bytes_of_rows(h, m)) : 0;
    w->mix[HBM_STREAMS] = hbm_mix_one(w->kind[HBM_STREAMS]);
    w->mix[HBM_OPENS] = hbm_mix_one(w->kind[HBM_OPENS]);
}

/* True if the transfer at hand has the phases of `q`. */
static bool is_alike(const struct hbm_way *w, const struct mem_request *q)
{
    const struct task_move *a = &w->cur.move, *b = &q->move;

    return w->measured && a->bytes == b->bytes && a->rows == b->rows &&
           a->row_bytes == b->row_bytes && w->cur.more == q->more;
}

static uint32_t bit_of_way(uint32_t way)
{
    return UINT32_C(1) << way;
}

/* Way `i` can begin a transfer if one waits and none is in service or waits to be answered. */
static void mark_ready(struct hbm *h, uint32_t i)
{
    if (h->way[i].count && !((h->busy | h->done) & bit_of_way(i)))
        h->ready |= bit_of_way(i);
}

void hbm_add_request(struct hbm *h, uint32_t client, const struct mem_request *q)
{
    uint32_t i = q->write * h->n_clients + client;
    struct hbm_way *w = &h->way[i];

    w->wait[(w->head + w->count++) % HBM_WAITING] = *q;
    if (w->count == HBM_WAITING)
        h->filled |= bit_of_way(i);
    mark_ready(h, i);
}

/* Take requests of the clients from `client` to `last` while there is room for them.  Wires are
 * read when a leg ends: no request would change the leg.  Most clients have nothing then. */
static void take_requests(struct des *sim, struct hbm *h, uint32_t client, uint32_t last)
{
    struct mem_request q;

    while (client <= last) {
        if (!des_can_get(sim, h->request[client])) {
            client++;
            continue;
        }
        uint32_t reads = bit_of_way(client), writes = bit_of_way(h->n_clients + client);
        bool full = (h->filled & (reads | writes)) && (!des_peek(sim, h->request[client], &q) ||
                                                       (h->filled & (q.write ? writes : reads)));
        if (full || !des_get(sim, h->request[client], &q))
            client++;
        else
            hbm_add_request(h, client, &q);
    }
}

/* Answer a client that joined, and let it leave. */
static void answer_client(struct des *sim, struct hbm *h, uint32_t client, bool write)
{
    struct mem_client *c = h->clients.at[client];

    c->answer(sim, c, write, h->clients.now);
    if (!c->joined)
        hbm_client_left(h, client);
}

/* The client of a way. */
static inline uint32_t client_of(const struct hbm *h, uint32_t way)
{
    return way < h->n_clients ? way : way - h->n_clients;
}

/* Answer the transfer of a way that is done; false: the wire has no room. */
static bool send_answer(struct des *sim, struct hbm *h, uint32_t i)
{
    bool write = h->way[i].cur.write;
    uint32_t client = client_of(h, i);

    if (h->clients.joined >> client & 1)
        answer_client(sim, h, client, write);
    else if (!des_put(sim, h->reply[client], &(struct mem_done){ write }))
        return false;
    h->done &= ~bit_of_way(i);
    mark_ready(h, i);
    return true;
}

/* The transfer at hand is over: answer now, or when there is room. */
static void finish_transfer(struct des *sim, struct hbm *h, uint32_t i)
{
    uint32_t client = client_of(h, i);

    h->busy &= ~bit_of_way(i);
    if (h->clients.joined >> client & 1) {
        answer_client(sim, h, client, h->way[i].cur.write);
        mark_ready(h, i);
        return;
    }
    h->done |= bit_of_way(i);
    if (!send_answer(sim, h, i))
        des_notify(sim, h->full);
}

/* Begin the next transfer of a way.  One without bytes is over at once. */
static void begin_transfer(struct des *sim, struct hbm *h, uint32_t i)
{
    struct hbm_way *w = &h->way[i];
    const struct mem_request *q = &w->wait[w->head];

    w->measured = is_alike(w, q);
    w->cur = *q;
    w->head = (w->head + 1) % HBM_WAITING;
    bool full = w->count-- == HBM_WAITING;
    h->filled &= ~bit_of_way(i);
    h->ready &= ~bit_of_way(i);
    h->busy |= bit_of_way(i);
    h->begun[w->cur.write] += w->cur.move.bytes + w->cur.move.rows * w->cur.move.row_bytes;
    if (!w->measured)
        measure_transfer(h, w);
    memcpy(w->left, w->whole, sizeof w->left);
    w->phase = HBM_SETS_UP;
    if (full)
        take_requests(sim, h, client_of(h, i), client_of(h, i));
    if (!hbm_leg_enter_phase(h, w))
        finish_transfer(sim, h, i);
}

/* --- turns -------------------------------------------------------------------------------- */

/* Take what the clients' wires have, and begin the next leg; false: nothing is in service. */
static bool begin_leg(struct des *sim, struct hbm *h)
{
    take_requests(sim, h, 0, h->n_clients - 1);
    return hbm_begin_leg(sim, h);
}

static void show_service(struct des *sim, const struct hbm *h)
{
    des_show(sim, h->show, STATE, h->busy ? SHOW_BUSY : SHOW_IDLE);
    des_show(sim, h->show, READING,
             (uint32_t)__builtin_popcount(h->busy & (bit_of_way(h->n_clients) - 1)));
    des_show(sim, h->show, WRITING, (uint32_t)__builtin_popcount(h->busy >> h->n_clients));
}

void hbm_take_requests(struct des *sim, struct hbm *h)
{
    take_requests(sim, h, 0, h->n_clients - 1);
}

bool hbm_begin_leg(struct des *sim, struct hbm *h)
{
    while (h->ready)
        begin_transfer(sim, h, (uint32_t)__builtin_ctz(h->ready));
    if (des_shown(sim))
        show_service(sim, h);
    if (!h->busy)
        return false;
    hbm_leg_choose(h);
    des_show(sim, h->show, WAY, h->leg.way);
    return true;
}

void hbm_align_start(struct hbm *h, des_time now)
{
    hbm_moment edge = (hbm_moment)des_edge_index(now, h->hz) * HBM_FINE;

    if (edge > h->at)
        h->at = edge;
    if (!h->every || h->at < h->every)
        return;
    hbm_moment into =
        (h->at | h->every) >> 64 ? h->at % h->every : (uint64_t)h->at % (uint64_t)h->every;
    if (into < h->takes)
        h->at += h->takes - into;
}

/* --- service ------------------------------------------------------------------------------ */

/* Ask the shortcut for the end of the leg; false: the leg must be walked. */
static bool folds_leg(const struct des *sim, struct hbm *h)
{
    h->leg.from = h->at;
    if (!h->fold)
        return false;
    h->until = h->fold->end(h);
    h->ends = hbm_moment_time(h, h->until);
    h->leg.folded = !des_walks(sim, h->show, h->ends);
    return h->leg.folded;
}

/* Show what the leg at hand moves. */
static void show_leg(struct des *sim, struct hbm *h)
{
    struct des_ramp ramp = hbm_bytes_of_leg(h);

    h->moved += ramp.amount;
    if (ramp.amount)
        des_show_ramp(sim, h->show, BYTES, ramp);
}

/* Walk the next burst of the leg: the delay until it ends. */
static des_time step_burst(const struct des *sim, struct hbm *h)
{
    h->until = hbm_moment_burst_end(h, h->at, h->leg.cost);
    return hbm_moment_time(h, h->until) - des_now(sim);
}

void hbm_end_leg(struct des *sim, struct hbm *h)
{
    bool goes_on = hbm_leg_close(h);

    des_show(sim, h->show, BYTES, h->moved);
    if (!goes_on)
        finish_transfer(sim, h, h->leg.way);
}

/* Idle: a client has joined, or a leg has begun. */
static bool is_woken(struct des *sim, struct hbm *h)
{
    if (h->clients.joined)
        return true;
    if (!begin_leg(sim, h))
        return false;
    hbm_align_start(h, des_now(sim));
    return true;
}

static uint32_t serve_legs(struct des *sim, void *self, uint32_t at)
{
    struct hbm *h = self;

    DES_BEGIN(at);
    for (;;) {
        if (!h->clients.joined && !h->serving && !begin_leg(sim, h))
            DES_WAIT_UNTIL(is_woken(sim, h));
        if (h->clients.joined) {
            DES_CALL(sim, h->clients.call, h->fold->together, h);
            continue;
        }
        if (!h->serving) {
            h->serving = true;
            if (folds_leg(sim, h) && !des_shown(sim))
                h->fold->pass(sim, h);
            if (des_shown(sim))
                show_leg(sim, h);
        }
        if (h->leg.folded) {
            if (!h->clients.any) {
                DES_WAIT_FOR(sim, h->ends - des_now(sim));
            } else {
                DES_WAIT_EVENT_FOR(sim, h->clients.alarm, h->ends - des_now(sim));
                if (!des_timed_out(sim))
                    continue;
            }
        } else {
            while (h->leg.counted < h->leg.bursts) {
                DES_WAIT_FOR(sim, step_burst(sim, h));
                h->at = h->until;
                hbm_leg_count(h, h->leg.counted + 1);
            }
        }
        hbm_end_leg(sim, h);
    }
    DES_END;
}

/* Send the answers that found no room; false: some still find none. */
static bool send_answers(struct des *sim, struct hbm *h)
{
    for (uint32_t m = h->done; m; m &= m - 1)
        send_answer(sim, h, (uint32_t)__builtin_ctz(m));
    if (h->ready)
        des_notify(sim, h->again);
    return !h->done;
}

/* Thread: answers that find no room wait here for it. */
static uint32_t retry_answers(struct des *sim, void *self, uint32_t at)
{
    struct hbm *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_EVENT_UNTIL(sim, h->full, h->done);
        DES_WAIT_UNTIL(send_answers(sim, h));
    }
    DES_END;
}

/* --- life cycle ----------------------------------------------------------------------------- */

void hbm_init(struct hbm *h, struct des *sim, struct des_module parent,
              const struct hbm_params *par, struct hbm_part *part, uint32_t n_clients,
              const struct hbm_fold *fold)
{
    BUG_ON(n_clients == 0 || n_clients > HBM_MAX_CLIENTS);
    *h = (struct hbm){ .par = *par, .part = part, .n_clients = n_clients, .fold = fold };
    h->mod = des_module_new(sim, parent, "hbm");
    component_add(sim, &hbm_class, h->mod, h);
    h->show = SHOW_PROBES(sim, h->mod, shows);
    h->turn = 2 * n_clients - 1;
    h->mixture = HBM_NO_MIX;
    h->turn_bursts = (par->turn + par->burst - 1) / par->burst;
    des_probe_set_peak(sim, h->show, READING, n_clients);
    des_probe_set_peak(sim, h->show, WRITING, n_clients);
    des_probe_set_peak(sim, h->show, BYTES, par->bandwidth);
    h->hz = hbm_burst_hz(par);
    h->fine_hz = wide_divisor(h->hz * HBM_FINE);
    h->clock = des_clock_new(sim, h->mod, "clock", h->hz);
    h->again = des_event_new(sim, h->mod, "again");
    h->full = des_event_new(sim, h->mod, "full");
    if (part)
        find_refreshes(par, &part->t, &h->every, &h->takes);
    struct des_process mouth = des_thread_new(sim, h->mod, "insist", retry_answers, h);
    struct des_process hands = des_thread_new(sim, h->mod, "serve", serve_legs, h);
    h->clients.alarm = des_event_new(sim, h->mod, "alarm");
    des_sensitive(sim, hands, h->again);
    des_sensitive(sim, hands, h->clients.alarm);
    for (uint32_t i = 0; i < n_clients; i++) {
        char name[32];
        snprintf(name, sizeof name, "request%u", i);
        h->request[i] = des_in_new(sim, h->mod, name, sizeof(struct mem_request));
        snprintf(name, sizeof name, "reply%u", i);
        h->reply[i] = des_out_new(sim, h->mod, name, sizeof(struct mem_done));
        des_sensitive(sim, hands, h->request[i]);
        des_sensitive(sim, mouth, h->reply[i]);
    }
}

bool hbm_add_client(struct hbm *h, uint32_t number, struct mem_client *c)
{
    if (!h->fold)
        return false;
    h->clients.at[number] = c;
    h->clients.any = true;
    *c = (struct mem_client){
        .memory = h, .number = number, .join = h->fold->join, .ask = h->fold->ask
    };
    return true;
}

void hbm_free(void *self)
{
    struct hbm *h = self;

    free(h->served);
}

/* Count the bursts of a leg that took the shortcut and have ended by now. */
static void count_ended_bursts(struct hbm *h, des_time now)
{
    if (h->leg.folded)
        hbm_leg_count(h, h->fold->ended(h, hbm_moment_before(h, now)));
}

void hbm_reset(void *self, des_time now)
{
    struct hbm *h = self;

    count_ended_bursts(h, now);
    h->st = (struct hbm_stats){ 0 };
    for (int write = 0; write < 2; write++)
        h->begun[write] = hbm_bytes_to_move(h, write, now);
    h->setting_up = 0;
    h->lost[0] = h->lost[1] = 0;
    for (uint32_t i = 0; i < h->n_served; i++)
        h->served[i] = 0;
}

/* Counters of a walked mix are averages: per PER accesses, rounded once. */
#define PER 1000000

static uint64_t count_per_access(uint64_t count, uint64_t accesses)
{
    return (count * PER + accesses / 2) / accesses;
}

void hbm_finish(void *self, des_time now, des_time elapsed)
{
    struct hbm *h = self;
    struct hbm_stats *s = &h->st;

    count_ended_bursts(h, now);
    s->reads = h->begun[0] - hbm_bytes_to_move(h, false, now);
    s->bytes = s->reads + h->begun[1] - hbm_bytes_to_move(h, true, now);
    s->capacity = (uint64_t)((u128)h->par.bandwidth * elapsed / DES_FS_PER_S);
    s->elapsed = (uint64_t)((u128)hbm_burst_hz(&h->par) * elapsed / DES_FS_PER_S);
    s->refreshing = h->every ? (uint64_t)((u128)s->elapsed * h->takes / h->every) : 0;
    s->bursts = h->setting_up;
    s->accesses = s->hits = s->conflicts = s->activates = s->turnarounds = 0;
    for (uint32_t i = 0; i < h->n_served; i++) {
        uint64_t n = h->served[i];
        if (!n)
            continue;
        const struct hbm_mixture *m = hbm_part_seen(h->part, i);
        const struct hbm_counts *seen = &m->seen->st;
        s->bursts += n;
        s->accesses += n * PER;
        s->hits += n * count_per_access(seen->hits, m->accesses);
        s->conflicts += n * count_per_access(seen->conflicts, m->accesses);
        s->activates += n * count_per_access(seen->activates, m->accesses);
        s->turnarounds += n * count_per_access(seen->turnarounds, m->accesses);
    }
    s->turning = (uint64_t)(h->lost[0] / HBM_FINE);
    s->opening = (uint64_t)(h->lost[1] / HBM_FINE);
    s->bursts += s->turning + s->opening;
}
