/* The shortcut of kernels: clients that joined act and are answered without wires, ahead of the
 * simulation while no other process runs (des_quiet_until).
 *
 * What happens at one time happens in the order of the wires: a leg ends in delta 0, clients act in
 * delta 0, or in 1 if they are late, and a request is seen two deltas after it was asked for.  Who
 * has no client here (ICI, PCIe, copies) is answered by the simulation's own time. */
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
    if (h->serving && h->ends > at) { /* seen when the leg ends */
        hbm_add_request(h, c->number, q);
        return;
    }
    BUG_ON(g->n_arriving == sizeof g->arriving / sizeof *g->arriving);
    g->arriving[g->n_arriving++] =
        (struct hbm_arrival){ .request = *q, .client = c->number, .at = at, .delta = g->delta + 2 };
}

/* What happens next. */
struct hbm_next {
    enum { NOTHING, LEG_ENDS, CLIENT_ACTS, REQUEST_COMES } what;
    des_time at;
    uint64_t delta;
    struct mem_client *client;
};

/* Take `n` where it comes first; of one moment the one found before stays. */
static void choose_next(struct hbm_next *best, struct hbm_next n)
{
    if (best->what == NOTHING || n.at < best->at || (n.at == best->at && n.delta < best->delta))
        *best = n;
}

static struct hbm_next find_next(const struct hbm *h)
{
    const struct hbm_clients *g = &h->clients;
    struct hbm_next best = { .what = NOTHING, .at = DES_NEVER };

    if (h->serving)
        best = (struct hbm_next){ .what = LEG_ENDS, .at = h->ends };
    for (uint32_t m = g->joined; m; m &= m - 1) {
        struct mem_client *c = g->at[__builtin_ctz(m)];
        if (c->due != DES_NEVER)
            choose_next(&best, (struct hbm_next){ CLIENT_ACTS, c->due, c->late, c });
    }
    if (h->serving)
        return best;
    for (uint32_t i = 0; i < g->n_arriving; i++)
        choose_next(&best, (struct hbm_next){ REQUEST_COMES, g->arriving[i].at,
                                              g->arriving[i].delta, NULL });
    return best;
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

/* Begin the next leg, if there is one; `idle`: after the memory had nothing to do. */
static void begin_next_leg(struct des *sim, struct hbm *h, bool idle)
{
    if (!hbm_begin_leg(sim, h))
        return;
    if (idle)
        hbm_align_start(h, h->clients.now);
    h->leg.from = h->at;
    h->until = h->fold->end(h);
    h->ends = hbm_moment_time(h, h->until);
    h->leg.folded = h->serving = true;
}

/* True if the leg at hand is the last of a transfer that is answered over wires. */
static bool answers_others(const struct hbm *h)
{
    const struct hbm_way *w = &h->way[h->leg.way];
    uint32_t client = h->leg.way % h->n_clients;

    if (h->clients.joined >> client & 1 || w->left[w->phase] > h->leg.bursts)
        return false;
    for (uint32_t p = w->phase + 1u; p < HBM_N_PHASES; p++)
        if (w->left[p])
            return false;
    return true;
}

/* True if wires have requests that wait for the end of the leg at hand. */
static bool wires_wait(const struct des *sim, const struct hbm *h)
{
    for (uint32_t i = 0; i < h->n_clients; i++)
        if (des_can_get(sim, h->request[i]))
            return true;
    return false;
}

static void end_leg(struct des *sim, struct hbm *h, bool wires)
{
    hbm_end_leg(sim, h);
    if (h->clients.n_arriving)
        admit_requests(h, h->clients.now, h->clients.delta);
    if (wires)
        hbm_take_requests(sim, h);
    begin_next_leg(sim, h, false);
}

static void act_client(struct des *sim, struct hbm *h, struct mem_client *c)
{
    c->act(sim, c, c->due);
    if (!c->joined)
        hbm_client_left(h, c->number);
}

/* Do what is to be done at the simulation's time and, while it is quiet, after it.  Returns when
 * the memory has to look again: now for the next delta. */
static des_time work_ahead(struct des *sim, struct hbm *h)
{
    struct hbm_clients *g = &h->clients;
    uint64_t delta = count_delta(sim, g);
    des_time now = des_now(sim), quiet = des_quiet_until(sim);
    bool waits = wires_wait(sim, h);

    if ((waits || h->ready) && !h->serving) {
        g->now = now;
        g->delta = delta;
        admit_requests(h, now, delta);
        hbm_take_requests(sim, h);
        begin_next_leg(sim, h, true);
    }
    for (;;) {
        struct hbm_next n = find_next(h);
        uint32_t joined = g->joined;
        if (n.what == NOTHING)
            return DES_NEVER;
        if (n.at > now && n.at >= quiet)
            return n.at;
        if (n.at > now && n.what == LEG_ENDS && (waits || answers_others(h)))
            return n.at;
        if (n.at == now && n.delta > delta && quiet == now)
            return now;
        g->now = n.at;
        g->delta = n.at == now && delta > n.delta ? delta : n.delta;
        g->ahead++;
        switch (n.what) {
        case LEG_ENDS: end_leg(sim, h, n.at == now); break;
        case CLIENT_ACTS: act_client(sim, h, n.client); break;
        case REQUEST_COMES:
            admit_requests(h, n.at, n.delta);
            begin_next_leg(sim, h, true);
            break;
        default: return DES_NEVER;
        }
        if (g->joined != joined || n.at == now) /* others may have something to do */
            quiet = des_quiet_until(sim);
    }
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
    for (;;) {
        next = work_ahead(sim, h);
        if (!h->clients.joined)
            break;
        set_alarm(sim, h, next);
        DES_WAIT();
    }
    DES_END;
}
