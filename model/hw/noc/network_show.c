/* Probes of nodes and ports, set after each cycle of a network. */
#include "hw/noc/network_show.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "hw/wires/show.h"

enum { NODE_WAITING, NODE_N_ROWS };
static const struct des_probe_row node_rows[NODE_N_ROWS] = {
    [NODE_WAITING] = SHOW_ROW(LEVEL, "waiting", "packet", "packets that wait at the source"),
};

enum { LINK_STATE, LINK_FLITS, LINK_N_ROWS };
static const struct des_probe_row link_rows[LINK_N_ROWS] = {
    [LINK_STATE] = SHOW_STATE("state", "takes a flit"),
    [LINK_FLITS] = SHOW_ROW(TOTAL, "flits", "flit", "taken so far"),
};

#define QUEUE(n) SHOW_ROW(LEVEL, "queue" #n, "flit", "in the queue of virtual channel " #n)
static const struct des_probe_row queue_rows[ROUTER_MAX_VCS] = { QUEUE(0), QUEUE(1), QUEUE(2),
                                                                 QUEUE(3), QUEUE(4), QUEUE(5),
                                                                 QUEUE(6), QUEUE(7) };
#define CREDIT(n) SHOW_ROW(LEVEL, "credit" #n, "flit", "places left for virtual channel " #n)
static const struct des_probe_row credit_rows[ROUTER_MAX_VCS] = { CREDIT(0), CREDIT(1), CREDIT(2),
                                                                  CREDIT(3), CREDIT(4), CREDIT(5),
                                                                  CREDIT(6), CREDIT(7) };

/* A port of a node: the link out by it and the queues of what comes in by it. */
struct port_show {
    struct des_module module;
    struct des_probes link, queues, credits;
    uint64_t flits;
    struct des_event over; /* the link is idle again */
    bool there, watched;
};

struct network_show {
    struct des *sim;
    const struct topology *t;
    uint64_t hz;
    uint32_t n_ports, n_vcs, depth;
    struct des_probes *node;
    struct port_show *port; /* [node * n_ports + port], the node's own last */
    struct des_event tick;
    bool begun;
};

static void do_nothing(struct des *sim, void *self)
{
    (void)sim;
    (void)self;
}

/* The link becomes idle; a flit that begins at the same time is shown after this. */
static void leave_link(struct des *sim, void *self)
{
    const struct port_show *p = self;

    des_show(sim, p->link, LINK_STATE, SHOW_IDLE);
}

static void make_port(struct network_show *s, struct des_module node, uint32_t i, uint32_t port)
{
    static const char *const names[] = { "x_up", "x_down", "y_up", "y_down", "z_up", "z_down" };
    struct port_show *p = &s->port[i * s->n_ports + port];
    bool own = port + 1 == s->n_ports;

    p->there = own || topology_neighbour(s->t, i, port) != TOPOLOGY_NONE;
    if (!p->there)
        return;
    p->module = des_module_new(s->sim, node, own ? "own" : names[port]);
    p->queues = des_probes_new(s->sim, p->module, queue_rows, s->n_vcs);
    if (own)
        return;
    p->link = SHOW_PROBES(s->sim, p->module, link_rows);
    p->credits = des_probes_new(s->sim, p->module, credit_rows, s->n_vcs);
    p->over = des_event_new(s->sim, p->module, "over");
    struct des_process over = des_method_new(s->sim, p->module, "over", leave_link, p);
    des_sensitive(s->sim, over, p->over);
    des_dont_initialize(s->sim, over);
}

/* Before the first cycle every queue has room. */
static void show_credits(struct des *sim, void *self)
{
    const struct network_show *s = self;

    for (uint32_t i = 0; i < s->t->n_nodes * s->n_ports; i++)
        for (uint32_t v = 0; s->port[i].there && (i + 1) % s->n_ports && v < s->n_vcs; v++)
            des_show(sim, s->port[i].credits, v, s->depth);
}

struct network_show *network_show_new(struct des *sim, const struct topology *t,
                                      const struct network_params *par, uint64_t hz)
{
    struct network_show *s = memory_zeroed(1, sizeof *s);
    char name[24];

    *s = (struct network_show){ .sim = sim,
                                .t = t,
                                .hz = hz,
                                .n_ports = topology_ports(t) + 1,
                                .n_vcs = par->vcs,
                                .depth = par->depth };
    s->node = memory_zeroed(t->n_nodes, sizeof *s->node);
    s->port = memory_zeroed((size_t)t->n_nodes * s->n_ports, sizeof *s->port);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        snprintf(name, sizeof name, "node%u", i);
        struct des_module m = des_module_new(sim, (struct des_module){ 0 }, name);
        s->node[i] = SHOW_PROBES(sim, m, node_rows);
        des_clock_new(sim, m, "clock", hz);
        for (uint32_t p = 0; p < s->n_ports; p++)
            make_port(s, m, i, p);
    }
    des_on(sim, (struct des_module){ 0 }, DES_START_OF_SIMULATION, show_credits, s);
    s->tick = des_event_new(sim, (struct des_module){ 0 }, "tick");
    struct des_process p = des_method_new(sim, (struct des_module){ 0 }, "tick", do_nothing, s);
    des_sensitive(sim, p, s->tick);
    des_dont_initialize(sim, p);
    return s;
}

void network_show_free(struct network_show *s)
{
    if (!s)
        return;
    free(s->node);
    free(s->port);
    free(s);
}

/* --- a cycle ------------------------------------------------------------------------------ */

static void show_port(const struct network_show *s, const struct network *n, uint32_t node,
                      uint32_t port, struct port_show *p)
{
    const struct router *r = &n->router[node];

    for (uint32_t v = 0; v < s->n_vcs; v++)
        des_show(s->sim, p->queues, v, r->count[channel_of(port, v)]);
    if (port + 1 == s->n_ports)
        return;
    const struct network_link *l = &n->link[node * (s->n_ports - 1) + port];
    if (l->flits != p->flits) {
        p->flits = l->flits;
        des_show(s->sim, p->link, LINK_STATE, SHOW_BUSY);
        des_notify_at(s->sim, p->over, des_edge(n->now - 1 + l->interval, s->hz));
    }
    des_show(s->sim, p->link, LINK_FLITS, l->flits);
    for (uint32_t v = 0; v < s->n_vcs; v++)
        des_show(s->sim, p->credits, v, r->credit[channel_of(port, v)]);
}

/* Modules that are watched, which is known after elaboration. */
static void find_watched(struct network_show *s)
{
    for (uint32_t i = 0; i < s->t->n_nodes * s->n_ports; i++)
        s->port[i].watched = s->port[i].there && des_watched(s->sim, s->port[i].module);
    s->begun = true;
}

static void advance_to(struct network_show *s, des_time when)
{
    if (when <= des_now(s->sim))
        return;
    des_notify_at(s->sim, s->tick, when);
    des_run(s->sim, when);
}

void network_show_cycle(struct network_show *s, const struct network *n)
{
    des_time end = des_walk_end(s->sim), when;

    if (end <= des_now(s->sim))
        return;
    when = des_edge(n->now - 1, s->hz);
    if (when > end) { /* nothing happened since */
        advance_to(s, end);
        return;
    }
    if (!s->begun)
        find_watched(s);
    advance_to(s, when);
    for (uint32_t i = 0; i < s->t->n_nodes; i++) {
        des_show(s->sim, s->node[i], NODE_WAITING, n->source[i].waiting);
        for (uint32_t p = 0; p < s->n_ports; p++)
            if (s->port[i * s->n_ports + p].watched)
                show_port(s, n, i, p, &s->port[i * s->n_ports + p]);
    }
}

void network_show_end(struct network_show *s)
{
    while (des_next_activity(s->sim) <= des_walk_end(s->sim) && des_step(s->sim))
        ;
}
