/* The shortcut of kernels: clients that joined act and are answered without wires, ahead of the
 * simulation while no other process runs (des_quiet_until).
 *
 * Within one time the order is that of the wires: a leg ends in delta 0, clients act in delta 0, or
 * in 1 if they are late, and a request is seen two deltas after it was asked for.  Requests over
 * wires (ICI, PCIe, copies) are answered at the simulation's own time. */
#include "hw/hbm/hbm_leg.h"
#include "hw/hbm/hbm_moment.h"
#include "hw/hbm/hbm_serve.h"

/* Count the deltas of the simulation's time from the first one in which the memory looked. */
static uint64_t count_delta(struct des *sim, struct hbm_clients *g)
{
    uint64_t delta = des_delta_count(sim);

    if (g->time != des_now(sim)) {
        g->time = des_now(sim);
        g->first = delta;
    }
    return delta - g->first;
}

void hbm_client_join(struct des *sim, struct mem_client *c)
{
    struct hbm *h = c->memory;

    c->joined = true;
    h->clients.joined |= UINT32_C(1) << c->number;
    h->clients.delta = count_delta(sim, &h->clients);
    des_notify_delta(sim, h->clients.alarm);
}

void hbm_client_ask(struct des *sim, struct mem_client *c, const struct mem_request *q, des_time at)
{
    struct hbm *h = c->memory;
    struct hbm_clients *g = &h->clients;

    (void)sim;
    if (h->serving && (g->acting || h->ends > at)) { /* seen when the leg ends */
        hbm_add_request(h, c->number, q);
        return;
    }
    BUG_ON(g->n_arriving == sizeof g->arriving / sizeof *g->arriving);
    g->arriving[g->n_arriving++] =
        (struct hbm_arrival){ .request = *q, .client = c->number, .at = at, .delta = g->delta + 2 };
}

/* Let the requests that are seen by now into their ways. */
static void admit_requests(struct hbm *h, des_time now, uint64_t delta)
{
    struct hbm_clients *g = &h->clients;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < g->n_arriving; i++) {
        const struct hbm_arrival *a = &g->arriving[i];
        if (a->at < now || (a->at == now && a->delta <= delta))
            hbm_add_request(h, a->client, &a->request);
        else
            g->arriving[kept++] = *a;
    }
    g->n_arriving = kept;
}

/* The leg at hand begins where the one before has ended. */
static inline void begin_leg(struct hbm *h)
{
    struct hbm_clients *g = &h->clients;

    g->from = g->until;
    g->until += (hbm_moment)h->leg.cost * h->leg.bursts;
    h->leg.folded = h->serving = true;
}

/* Begin the next leg, if there is one; `idle`: after the memory had nothing to do. */
static void begin_next_leg(struct des *sim, struct hbm *h, bool idle)
{
    if (!hbm_begin_leg(sim, h))
        return;
    if (idle) {
        h->at = hbm_fold_moment(h, h->clients.until);
        hbm_align_start(h, h->clients.now);
        h->clients.until = hbm_fold_work(h, h->at);
    }
    begin_leg(h);
}

/* Take over what the memory's thread has at hand; hand it back, if it is another one. */
static void take_over(struct hbm *h)
{
    struct hbm_clients *g = &h->clients;

    g->from = hbm_fold_work(h, h->serving ? h->leg.from : h->at);
    g->until = h->serving ? g->from + (hbm_moment)h->leg.cost * h->leg.bursts : g->from;
    g->soon.at = g->last.at = 0;
    g->handed = 0;
}

static void hand_back(struct hbm *h)
{
    hbm_moment state = h->clients.until << 1 | h->serving;

    if (h->clients.handed == state)
        return;
    h->clients.handed = state;
    if (h->serving) {
        h->leg.from = h->at = hbm_fold_moment(h, h->clients.from);
        h->until = hbm_fold_moment(h, h->clients.until);
        h->ends = hbm_moment_time(h, h->until);
    } else {
        h->at = hbm_fold_moment(h, h->clients.until);
    }
}

/* True if the leg at hand is the last of its transfer. */
static inline bool ends_transfer(const struct hbm *h)
{
    const struct hbm_way *w = &h->way[h->leg.way];

    if (w->left[w->phase] > h->leg.bursts)
        return false;
    for (uint32_t p = w->phase + 1u; p < HBM_N_PHASES; p++)
        if (w->left[p])
            return false;
    return true;
}

/* True if the leg at hand is the last of a transfer that is answered over wires. */
static bool answers_others(const struct hbm *h)
{
    uint32_t joined = h->clients.joined;

    return !((joined | joined << h->n_clients) >> h->leg.way & 1) && ends_transfer(h);
}

#define FEW_TURNS 4 /* of which a jump would take longer than the turns */

/* Rounds of whole turns that are all alike: from the leg at hand, which is one, to the next one of
 * its way.  Sets the work of a round; 0: not even one is, and `work` is not set. */
static uint64_t count_rounds(const struct hbm *h, hbm_moment *work)
{
    uint64_t turn = h->turn_bursts, long_turns = HBM_LONG_TRANSFER / h->par.burst;
    uint64_t rounds = UINT64_MAX;
    const struct hbm_mixture *m;

    if (!h->part || !h->par.contention || h->mixture >= h->n_served || h->leg.bursts != turn ||
        h->turn_left != turn || h->leg.counted || h->leg.mixture != h->mixture)
        return 0;
    m = &h->part->mixture[h->mixture];
    *work = 0;
    for (uint32_t ways = h->busy; ways; ways &= ways - 1) {
        const struct hbm_way *w = &h->way[__builtin_ctz(ways)];
        uint64_t left = w->left[w->phase], whole = left / turn;
        if (w->phase == HBM_SETS_UP || left > long_turns || whole < 2)
            return 0;
        rounds = whole - 1 < rounds ? whole - 1 : rounds;
        *work += (hbm_moment)m->cost[w->kind[w->phase]] * turn;
    }
    return rounds;
}

/* Serve rounds that end by `limit` at once. */
static void pass_rounds(struct hbm *h, hbm_moment limit)
{
    hbm_moment work;
    uint64_t rounds = count_rounds(h, &work), n_ways = 0;

    if (!rounds)
        return;
    hbm_moment fit = (limit - h->clients.until) / work;
    rounds = fit < rounds ? (uint64_t)fit : rounds;
    for (uint32_t ways = h->busy; ways; ways &= ways - 1, n_ways++) {
        struct hbm_way *w = &h->way[__builtin_ctz(ways)];
        uint64_t bursts = rounds * h->turn_bursts;
        uint32_t kind = w->kind[w->phase], cost = h->part->mixture[h->mixture].cost[kind];
        w->left[w->phase] -= bursts;
        h->lost[hbm_kind_is_rows(kind)] += (hbm_moment)bursts * (cost - HBM_FINE);
        h->served[h->mixture] += bursts;
    }
    h->clients.from += rounds * work;
    h->clients.until += rounds * work;
    h->clients.ahead += rounds * n_ways;
}

/* Serve legs that end by `limit`, up to one that ends its transfer.  No transfer waits to begin. */
static void pass_legs(struct hbm *h, hbm_moment limit)
{
    const struct hbm_way *w = &h->way[h->leg.way];

    if (h->clients.until <= limit && w->left[w->phase] >= FEW_TURNS * h->turn_bursts)
        pass_rounds(h, limit);
    while (h->clients.until <= limit && !ends_transfer(h)) {
        hbm_leg_close(h);
        hbm_leg_choose(h);
        begin_leg(h);
        h->clients.ahead++;
    }
}

/* True if wires have requests that wait for the end of the leg at hand. */
static bool wires_wait(const struct des *sim, const struct hbm *h)
{
    for (uint32_t i = 0; i < h->n_clients; i++)
        if (des_can_get(sim, h->request[i]))
            return true;
    return false;
}

/* The leg at hand ends at g->now. */
static void end_leg(struct des *sim, struct hbm *h, bool wires)
{
    hbm_end_leg(sim, h);
    if (h->clients.n_arriving)
        admit_requests(h, h->clients.now, h->clients.delta);
    if (wires)
        hbm_take_requests(sim, h);
    begin_next_leg(sim, h, false);
}

/* The client that acts next; NULL: none. */
static struct mem_client *find_client(const struct hbm_clients *g)
{
    struct mem_client *first = NULL;

    for (uint32_t m = g->joined; m; m &= m - 1) {
        struct mem_client *c = g->at[__builtin_ctz(m)];
        if (c->due != DES_NEVER &&
            (!first || c->due < first->due || (c->due == first->due && c->late < first->late)))
            first = c;
    }
    return first;
}

/* The request that is seen first while the memory is idle; NULL: none. */
static const struct hbm_arrival *find_arrival(const struct hbm_clients *g)
{
    const struct hbm_arrival *first = NULL;

    for (uint32_t i = 0; i < g->n_arriving; i++) {
        const struct hbm_arrival *a = &g->arriving[i];
        if (!first || a->at < first->at || (a->at == first->at && a->delta < first->delta))
            first = a;
    }
    return first;
}

/* The time up to which the memory may work ahead. */
struct horizon {
    des_time now, quiet;
    uint64_t delta; /* of now */
    bool waits;     /* wires have requests */
};

/* Something is due at `at`, in this delta of it.  True: do it now. */
static inline bool is_allowed(const struct horizon *z, des_time at, uint64_t delta)
{
    return at == z->now ? delta <= z->delta || z->quiet > z->now : at < z->quiet;
}

/* A client acts, in the delta of its moment or, at the simulation's time, in the one at hand. */
static void act_client(struct des *sim, struct hbm *h, const struct horizon *z,
                       struct mem_client *c)
{
    struct hbm_clients *g = &h->clients;

    g->now = c->due;
    g->delta = c->due == z->now && z->delta > c->late ? z->delta : c->late;
    g->acting = true;
    c->act(sim, c, c->due);
    g->acting = false;
    if (!c->joined)
        hbm_client_left(h, c->number);
}

/* The work that is possible up to `at`; `known`: what was asked for before. */
static inline hbm_moment find_limit(struct hbm *h, struct hbm_limit *known, des_time at)
{
    if (known->at != at || at == 0) {
        known->at = at;
        known->work = hbm_fold_work(h, hbm_moment_before(h, at));
    }
    return known->work;
}

void hbm_client_pass(struct des *sim, struct hbm *h)
{
    if (ends_transfer(h) || wires_wait(sim, h))
        return;
    des_time quiet = des_quiet_until(sim);
    if (h->ends >= quiet)
        return;
    take_over(h);
    pass_legs(h, find_limit(h, &h->clients.last, quiet - 1));
    hand_back(h);
}

/* A leg is at hand: end it, or let the client act that is due before its end.  False: *next. */
static bool serve_leg(struct des *sim, struct hbm *h, const struct horizon *z, des_time *next)
{
    struct hbm_clients *g = &h->clients;
    struct mem_client *c = find_client(g);
    des_time last = z->quiet > z->now ? z->quiet - 1 : z->now;
    hbm_moment limit =
        c && c->due < last ? find_limit(h, &g->soon, c->due) : find_limit(h, &g->last, last);

    if (!(h->ready | g->n_arriving) && !z->waits)
        pass_legs(h, limit);
    if (g->until <= limit) {
        g->now = hbm_moment_time(h, hbm_fold_moment(h, g->until));
        g->delta = 0;
        if (g->now > z->now && (z->waits || answers_others(h))) {
            *next = g->now;
            return false;
        }
        end_leg(sim, h, g->now == z->now);
        return true;
    }
    if (c && c->due <= last && is_allowed(z, c->due, c->late)) {
        act_client(sim, h, z, c);
        return true;
    }
    *next = hbm_moment_time(h, hbm_fold_moment(h, g->until));
    if (c && c->due < *next)
        *next = c->due;
    return false;
}

/* A client has acted ahead of the clock, with the memory idle: answer what it asks for, if nobody
 * acts before. */
static void answer_alone(struct des *sim, struct hbm *h, const struct horizon *z,
                         struct mem_client *c)
{
    struct hbm_clients *g = &h->clients;
    const struct mem_client *next = find_client(g);
    struct hbm_lone_ends e;

    if (!g->n_arriving || g->arriving->client != c->number || !c->joined || c->due == DES_NEVER ||
        z->waits || g->now <= z->now)
        return;
    des_time limit = next->due < z->quiet ? next->due : z->quiet - 1;
    if (!hbm_lone_serve(h, g->now, limit, &e))
        return;
    g->delta = 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t write = e.first ^ i;
        if (!e.at[write])
            continue;
        g->now = e.at[write];
        c->answer(sim, c, write, g->now);
        g->ahead++;
    }
}

/* The memory is idle: a client acts, or a request is seen.  False: *next. */
static bool serve_idle(struct des *sim, struct hbm *h, const struct horizon *z, des_time *next)
{
    struct hbm_clients *g = &h->clients;
    struct mem_client *c = find_client(g);
    const struct hbm_arrival *a = find_arrival(g);

    *next = DES_NEVER;
    if (!c && !a)
        return false;
    bool acts = c && (!a || c->due < a->at || (c->due == a->at && c->late < a->delta));
    *next = acts ? c->due : a->at;
    if (!is_allowed(z, *next, acts ? c->late : a->delta))
        return false;
    if (acts) {
        act_client(sim, h, z, c);
        answer_alone(sim, h, z, c);
        return true;
    }
    g->now = a->at;
    g->delta = a->delta;
    admit_requests(h, g->now, g->delta);
    begin_next_leg(sim, h, true);
    return true;
}

static struct horizon see_horizon(struct des *sim, struct hbm *h)
{
    return (struct horizon){ des_now(sim), des_quiet_until(sim), count_delta(sim, &h->clients),
                             wires_wait(sim, h) };
}

/* Do what is to be done at the simulation's time and, while it is quiet, after it.  Returns when
 * the memory has to look again: now for the next delta. */
static des_time work_ahead(struct des *sim, struct hbm *h)
{
    struct hbm_clients *g = &h->clients;
    struct horizon z = see_horizon(sim, h);
    des_time next = DES_NEVER;

    if ((z.waits || h->ready) && !h->serving) {
        g->now = z.now;
        g->delta = z.delta;
        admit_requests(h, z.now, z.delta);
        hbm_take_requests(sim, h);
        begin_next_leg(sim, h, true);
    }
    for (uint32_t joined = g->joined; joined;) {
        if (h->serving ? !serve_leg(sim, h, &z, &next) : !serve_idle(sim, h, &z, &next))
            break;
        g->ahead++;
        if (g->joined != joined || g->now == z.now) { /* others may have something to do */
            z.quiet = des_quiet_until(sim);
            joined = g->joined;
        }
    }
    hand_back(h);
    return next;
}

/* Wake at `next`, or in the next delta. */
static void set_alarm(struct des *sim, struct hbm *h, des_time next)
{
    if (des_event_pending(sim, h->clients.alarm))
        des_cancel(sim, h->clients.alarm);
    if (next == des_now(sim))
        des_notify_delta(sim, h->clients.alarm);
    else if (next != DES_NEVER)
        des_notify_at(sim, h->clients.alarm, next);
}

uint32_t hbm_client_serve(struct des *sim, void *self, uint32_t at)
{
    struct hbm *h = self;
    des_time next; /* not kept while the thread waits */

    DES_BEGIN(at);
    take_over(h);
    for (;;) {
        next = work_ahead(sim, h);
        if (!h->clients.joined)
            break;
        set_alarm(sim, h, next);
        DES_WAIT();
    }
    DES_END;
}
