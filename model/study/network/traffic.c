#include "study/network/traffic.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "run/job/progress.h"
#include "study/network/traffic_cost.h"

#define BINS 65536 /* of the latency histogram, one a cycle; the last one holds all longer */

struct traffic {
    struct traffic_result *r;
    const struct traffic_setup *s;
    const struct traffic_request *q;
    struct network n;
    struct traffic_view view;
    uint64_t random;    /* state of the generator */
    uint64_t from, end; /* cycles in which measured packets are generated */
    uint64_t born;      /* measured packets generated so far */
    uint32_t *bins;
};

/* --- traffic ------------------------------------------------------------------------------ */

static int offer_packets(struct traffic *u, uint64_t chance, struct err *err)
{
    for (uint32_t node = 0; node < u->s->topology.n_nodes; node++) {
        if (traffic_draw(&u->random) >= chance)
            continue;
        if (network_send(&u->n, node, traffic_destination(u->s, &u->random, node), u->s->par.flits,
                         0, err) != 0)
            return -1;
        if (u->n.now >= u->from && u->n.now < u->end) {
            u->born++;
            u->r->offered += u->s->par.flits;
        }
    }
    return 0;
}

static void count_arrival(void *self, const struct network_packet *p, uint64_t now)
{
    struct traffic *u = self;
    struct traffic_result *r = u->r;
    uint64_t latency = now - p->born;

    if (now >= u->from && now < u->end)
        r->accepted += p->flits;
    if (p->born < u->from || p->born >= u->end)
        return;
    r->packets++;
    r->latency += latency;
    r->hops += p->hops;
    r->wait += latency - (7 + (4 + (uint64_t)u->n.par.link) * p->hops + p->flits - 1);
    u->bins[latency < BINS ? latency : BINS - 1]++;
    if (r->packets == 1 || latency < r->least)
        r->least = latency;
    if (latency > r->longest)
        r->longest = latency;
}

/* A percentile of latency, in cycles. */
static uint64_t find_percentile(const struct traffic *u, uint64_t percent)
{
    uint64_t seen = 0, i = 0;

    if (u->r->packets == 0)
        return 0;
    while ((seen += u->bins[i]) * 100 < percent * u->r->packets)
        i++;
    return i;
}

static void find_hottest(const struct traffic *u)
{
    const struct topology *t = &u->s->topology;
    struct traffic_result *r = u->r;
    char text[TOPOLOGY_TEXT];
    uint32_t ports = topology_ports(t);

    for (uint32_t i = 0; i < topology_links(t); i++) {
        const struct network_link *l = &u->n.link[i];
        uint64_t busy = l->flits * l->interval;
        if (l->to == TOPOLOGY_NONE || topology_dead(t, i / ports, i % ports))
            continue;
        r->links++;
        r->carried += busy;
        if (r->links > 1 && busy <= r->hottest)
            continue;
        r->hottest = busy;
        snprintf(r->hottest_from, TRAFFIC_TEXT, "%s", topology_text(t, i / ports, text));
        snprintf(r->hottest_to, TRAFFIC_TEXT, "%s", topology_text(t, l->to, text));
    }
}

enum { PROGRESS_CYCLES = 256 }; /* between two calls for progress */

static int run_cycles(struct traffic *u, struct err *err)
{
    struct traffic_result *r = u->r;
    uint64_t before = 0, after = 0, rate = u->s->par.rate, flits = u->s->par.flits;
    u128 chance = ((u128)rate << 64) / (PPB_PER_ONE * flits); /* of a packet, in 2^-64 */

    if (chance > UINT64_MAX)
        chance = UINT64_MAX;
    while (u->n.now < u->end || r->packets < u->born) {
        if (u->n.now == u->from)
            before = u->n.in_flight;
        if (u->n.now == u->end)
            after = u->n.in_flight;
        if (offer_packets(u, (uint64_t)chance, err) != 0)
            return -1;
        network_cycle(&u->n);
        if (u->q->progress && u->n.now % PROGRESS_CYCLES == 0 && u->n.now <= u->end)
            u->q->progress(u->q->progress_self, "cycle", u->n.now, u->end);
        if (u->view.show)
            network_show_cycle(u->view.show, &u->n);
        if (network_stuck(&u->n)) {
            char text[400];
            network_waiting(&u->n, text, sizeof text);
            bug(__FILE__, __LINE__, text);
        }
        if (u->n.in_flight > traffic_most(u->s) || u->n.now > traffic_last(u->s)) {
            r->saturated = true;
            break;
        }
    }
    r->saturated = r->saturated || r->wait > TRAFFIC_LONG_WAIT * r->packets ||
                   after > before + u->born / 50 + u->s->topology.n_nodes;
    r->cycles = u->n.now;
    r->measured = u->n.now <= u->from ? 0 : u->n.now < u->end ? u->n.now - u->from : r->measured;
    r->flit_hops = u->n.flit_hops;
    r->half = find_percentile(u, 50);
    r->most_of = find_percentile(u, 99);
    find_hottest(u);
    return 0;
}

static int run_rate(const struct traffic_setup *s, const struct traffic_request *q,
                    struct traffic_result *r, struct err *err)
{
    struct traffic u = { .r = r,
                         .s = s,
                         .q = q,
                         .random = s->par.seed,
                         .from = s->par.warmup,
                         .end = s->par.warmup + s->par.cycles };
    int rc = -1;

    *r = (struct traffic_result){ .topology = traffic_topologies[s->par.topology],
                                  .pattern = traffic_patterns[s->par.pattern],
                                  .routing = traffic_routings[s->network.routing],
                                  .rate = s->par.rate,
                                  .seed = s->par.seed,
                                  .measured = s->par.cycles,
                                  .flits = s->par.flits,
                                  .vcs = s->network.vcs,
                                  .depth = s->network.depth,
                                  .nodes = s->topology.n_nodes };
    snprintf(r->radix, sizeof r->radix, "%s", s->radix ? s->radix : "4x4");
    snprintf(r->machine, sizeof r->machine, "%s", s->machine ? s->machine->name : "");
    r->hz = s->hz;
    u.bins = memory_zeroed(BINS, sizeof *u.bins);
    if (network_init(&u.n, &s->topology, &s->network, count_arrival, &u, err) == 0) {
        if (traffic_slow(s, &u.n, err) == 0 && traffic_view_begin(&u.view, s, q, u.end, err) == 0)
            rc = run_cycles(&u, err);
        traffic_view_end(&u.view, q);
        network_free(&u.n);
    }
    free(u.bins);
    return rc;
}

enum { MOST_TRIALS = 8 }; /* of 129 rates, halved */

/* Bisect the rates, in steps of 1/128, between one that the network carries and one that it does
 * not; `r` is the run at the highest rate that it carries. */
static int search_saturation(struct traffic_setup *s, const struct traffic_request *q,
                             struct traffic_result *r, struct err *err)
{
    struct traffic_result trial;
    struct progress_part part = { q->progress, q->progress_self, NULL, 0, MOST_TRIALS };
    struct traffic_request told = *q;
    uint64_t low = 0, high = 129, step = PPB_PER_ONE / 128;

    *r = (struct traffic_result){ 0 };
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        s->par.rate = middle * step;
        told.progress = progress_part;
        told.progress_self = &part;
        if (run_rate(s, &told, &trial, err) != 0)
            return -1;
        part.part++;
        if (trial.saturated) {
            high = middle;
        } else {
            low = middle;
            *r = trial;
        }
    }
    if (low == 0)
        *r = trial;
    r->carries = low * step;
    r->fails = high * step;
    return 0;
}

int traffic_run(const struct traffic_request *q, struct traffic_result *r, struct err *err)
{
    struct traffic_setup s = { 0 };
    int rc = traffic_set_up(&s, q, err);

    if (rc == 0 && s.send)
        rc = err_set(err, ERR_FIT, "send = %.40s: messages exclude a traffic rate", s.send);
    BUG_ON(q->saturate && q->n_observers);
    if (rc == 0)
        rc = traffic_check_cost(&s, q, err);
    if (rc == 0)
        rc = q->saturate ? search_saturation(&s, q, r, err) : run_rate(&s, q, r, err);
    traffic_set_down(&s);
    return rc;
}
