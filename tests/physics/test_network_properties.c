/* Properties of every network: nothing is lost, nothing waits for itself, and what does wait for
 * itself is found. */
#include <criterion/criterion.h>

#include <string.h>

#include "dice.h"
#include "hw/noc/network.h"

struct tally {
    const struct topology *t;
    bool detours;
    uint64_t packets, flits, sum;
};

static void count_packet(void *self, const struct network_packet *p, uint64_t now)
{
    struct tally *c = self;
    uint32_t least = topology_distance(c->t, p->from, p->to);

    c->packets++;
    c->flits += p->flits;
    c->sum += p->tag;
    cr_assert(p->hops == least || (c->detours && p->hops > least));
    cr_assert_geq(now - p->born, 7 + p->hops * 4 + p->flits - 1);
}

static void random_topology(struct topology *t, uint64_t *s)
{
    static const char *const twisted[] = { "2x4", "3x6", "4x4x2", "2x4x4", "6x3" };
    uint32_t n = 1 + dice_below(s, 3), most = n == 1 ? 12 : n == 2 ? 6 : 4, radix[3];
    bool wrap[3];
    struct err e;

    if (dice_below(s, 5) == 0) {
        cr_assert_eq(topology_parse(t, "twisted", twisted[dice_below(s, 5)], &e), 0, "%s", e.msg);
        return;
    }
    for (uint32_t d = 0; d < n; d++) {
        radix[d] = 1 + dice_below(s, most);
        wrap[d] = dice_below(s, 2);
    }
    cr_assert_eq(topology_init(t, n, radix, wrap, &e), 0);
}

/* One or two links of the network die, unless that cuts a node off. */
static bool kill_links(struct topology *t, uint64_t *s)
{
    struct topology_way way;
    struct err e;
    uint32_t links = topology_links(t);

    for (uint32_t k = 1 + dice_below(s, 2); k > 0; k--) {
        uint32_t link = dice_below(s, links), node = link / topology_ports(t);
        uint32_t to = topology_neighbour(t, node, link % topology_ports(t));
        if (to != TOPOLOGY_NONE && to != node)
            topology_kill(t, node, to, &e);
    }
    for (uint32_t a = 0; a < t->n_nodes; a++)
        for (uint32_t b = 0; b < t->n_nodes; b++)
            if (topology_way(t, a, b, &way, &e) != 0)
                return false;
    return true;
}

/* Load a network far beyond what it can carry, then wait until it is empty. */
static void drive_traffic(uint64_t seed)
{
    struct topology t;
    struct network n;
    struct network_params par = { .link = 1, .credit = 0 };
    struct err e;
    uint64_t s = seed, sent = 0, flits = 0, sum = 0;

    random_topology(&t, &s);
    bool dead = dice_below(&s, 3) == 0 && kill_links(&t, &s);
    if (t.n_dead > 0 && !dead) {
        topology_free(&t);
        return;
    }
    par.routing = dice_below(&s, 2);
    par.depth = 1 + dice_below(&s, 6);
    par.link = 1 + dice_below(&s, 4);
    par.credit = dice_below(&s, 3);
    for (par.vcs = 1; par.vcs < 8; par.vcs++) {
        if (network_init(&n, &t, &par, count_packet, NULL, &e) == 0)
            break;
        network_free(&n);
    }
    network_free(&n);
    par.vcs += dice_below(&s, 9 - par.vcs); /* as few channels as are allowed, or more */
    struct tally c = { .t = &t, .detours = t.n_dead > 0 };
    cr_assert_eq(network_init(&n, &t, &par, count_packet, &c, &e), 0, "%s", e.msg);
    if (t.n_nodes > 1 && dice_below(&s, 3) == 0)
        network_slow(&n, dice_below(&s, t.n_nodes), dice_below(&s, topology_ports(&t)),
                     2 + dice_below(&s, 5));
    uint32_t longest = 1 + dice_below(&s, 12), group = 1 + dice_below(&s, t.n_nodes);
    for (uint32_t cycle = 0; cycle < 400; cycle++) {
        for (uint32_t node = 0; node < t.n_nodes; node++)
            if (dice_below(&s, 2)) {
                uint32_t size = 1 + dice_below(&s, longest);
                uint32_t to =
                    dice_below(&s, 2) ? (node + group) % t.n_nodes : dice_below(&s, t.n_nodes);
                cr_assert_eq(network_send(&n, node, to, size, sent, &e), 0, "%s", e.msg);
                sum += sent++;
                flits += size;
            }
        network_cycle(&n);
    }
    while (n.in_flight > 0) {
        network_cycle(&n);
        if (network_stuck(&n)) {
            char text[512];
            network_waiting(&n, text, sizeof text);
            cr_assert_fail("seed %lu: %s", (unsigned long)seed, text);
        }
        cr_assert_lt(n.now, 2000000, "seed %lu: no end", (unsigned long)seed);
    }
    cr_assert(c.packets == sent && c.flits == flits && c.sum == sum, "all came, once each");
    network_free(&n);
    topology_free(&t);
}

Test(network_physics, random_networks_under_any_load_never_deadlock)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        drive_traffic(seed);
}

Test(network_physics, where_a_rule_less_would_lock_nothing_locks)
{
    /* found by leaving rules out: without the dateline where packets cross it, a twisted torus
     * locks in a third of such runs; with no room asked for a whole packet, adaptive routing in a
     * quarter */
    static const struct {
        const char *kind, *radix;
        uint32_t routing, vcs, depth, longest;
    } hard[] = { { "twisted", "4x8", NETWORK_DIMENSION, 2, 1, 12 },
                 { "mesh", "8x8", NETWORK_ADAPTIVE, 2, 3, 4 } };

    for (uint32_t i = 0; i < 12; i++) {
        struct topology t;
        struct network n;
        struct network_params par = { hard[i % 2].routing, hard[i % 2].vcs, hard[i % 2].depth, 1,
                                      0 };
        struct tally c = { .t = &t };
        struct err e;
        uint64_t s = i;

        cr_assert_eq(topology_parse(&t, hard[i % 2].kind, hard[i % 2].radix, &e), 0);
        cr_assert_eq(network_init(&n, &t, &par, count_packet, &c, &e), 0, "%s", e.msg);
        for (uint32_t cycle = 0; cycle < 300; cycle++) {
            for (uint32_t node = 0; node < t.n_nodes; node++)
                if (dice_below(&s, 2))
                    network_send(&n, node, dice_below(&s, t.n_nodes),
                                 1 + dice_below(&s, hard[i % 2].longest), 0, &e);
            network_cycle(&n);
        }
        while (n.in_flight > 0) {
            cr_assert(!network_stuck(&n), "%s %s, seed %u", hard[i % 2].kind, hard[i % 2].radix, i);
            network_cycle(&n);
        }
        network_free(&n);
    }
}

struct last {
    uint64_t flits, at;
};

static void note_last(void *self, const struct network_packet *p, uint64_t now)
{
    struct last *l = self;

    l->flits += p->flits;
    l->at = now;
}

/* One message through an empty network: by its closed form and flit by flit.  Returns whether there
 * is a closed form. */
static bool send_alone(uint64_t seed)
{
    struct topology t;
    struct network n;
    struct network_params par = { .routing = NETWORK_DIMENSION };
    struct last l = { 0, 0 };
    struct err e;
    uint64_t s = seed, cycles;

    random_topology(&t, &s);
    bool dead = dice_below(&s, 4) == 0 && kill_links(&t, &s);
    if (t.n_dead > 0 && !dead) {
        topology_free(&t);
        return false;
    }
    par.link = 1 + dice_below(&s, dice_below(&s, 8) ? 6 : 300);
    par.credit = dice_below(&s, 4);
    par.vcs = 4 + dice_below(&s, 5);
    par.depth = (5 + 2 * par.link + par.credit) / 2 + dice_below(&s, 2 * par.link + 16);
    cr_assert_eq(network_init(&n, &t, &par, note_last, &l, &e), 0, "%s", e.msg);
    if (dice_below(&s, 3) == 0)
        for (uint32_t i = 0; i < 4; i++)
            network_slow(&n, dice_below(&s, t.n_nodes), dice_below(&s, topology_ports(&t)),
                         1 + dice_below(&s, 5));
    uint32_t from = dice_below(&s, t.n_nodes), to = dice_below(&s, t.n_nodes);
    uint32_t flits = 1 + dice_below(&s, dice_below(&s, 2) ? 5 : 400),
             packet = 1 + dice_below(&s, 40);
    bool known = network_alone(&n, from, to, flits, packet, &cycles);
    if (known) {
        cr_assert_eq(network_message(&n, from, to, flits, packet, 0, &e), 0);
        while (n.in_flight > 0)
            network_cycle(&n);
        cr_assert_eq(l.flits, flits);
        cr_assert_eq(l.at, cycles, "seed %lu: %lu flits in packets of %u: %lu by cycles, %lu",
                     (unsigned long)seed, (unsigned long)flits, packet, (unsigned long)l.at,
                     (unsigned long)cycles);
    }
    network_free(&n);
    topology_free(&t);
    return known;
}

Test(network_physics, a_message_alone_takes_its_closed_form_to_the_cycle)
{
    uint32_t known = 0;

    for (uint64_t seed = 1; seed <= 4000; seed++)
        known += send_alone(seed);
    cr_expect_gt(known, 1000);
}

Test(network_physics, a_link_never_carries_more_than_a_flit_a_cycle_and_none_is_lost)
{
    struct topology t;
    struct network n;
    struct network_params par;
    struct tally c = { .t = &t };
    struct err e;
    uint64_t s = 5, hops = 0;

    param_defaults(&network_param_table, &par);
    topology_parse(&t, "torus", "4x3", &e);
    network_init(&n, &t, &par, count_packet, &c, &e);
    for (uint32_t cycle = 0; cycle < 3000; cycle++) {
        for (uint32_t node = 0; node < t.n_nodes; node++) {
            uint32_t to = dice_below(&s, t.n_nodes);
            network_send(&n, node, to, 2, 0, &e);
            hops += 2 * topology_distance(&t, node, to);
        }
        network_cycle(&n);
    }
    for (uint32_t l = 0; l < topology_links(&t); l++)
        cr_assert_leq(n.link[l].flits, n.now);
    while (n.in_flight > 0)
        network_cycle(&n);
    uint64_t carried = 0;
    for (uint32_t l = 0; l < topology_links(&t); l++)
        carried += n.link[l].flits;
    cr_expect_eq(carried, hops, "every flit over every link of its way, once");
    network_free(&n);
}

/* Lock the four nodes from `first` on, a ring along x; `y` is the rest of their coordinates. */
static void lock_ring(const char *radix, uint32_t first, const char *y)
{
    struct topology t;
    struct network n;
    struct network_params par = { .vcs = 2, .depth = 1, .link = 1 };
    struct tally c = { .t = &t };
    struct err e;
    char text[512];

    topology_parse(&t, "torus", radix, &e);
    network_init(&n, &t, &par, count_packet, &c, &e);
    n.n_classes = 1; /* one channel for all: the rule that keeps rings open is gone */
    n.first_vc[1] = 1;
    /* every node sends two long packets to the node across, all the same way round */
    for (uint32_t node = first; node < first + 4; node++)
        for (uint32_t i = 0; i < 2; i++) {
            cr_assert_eq(network_send(&n, node, first + (node + 2) % 4, 20, 0, &e), 0);
            n.packet[n.source[node].last].steps.dim[0] = 2;
        }
    while (n.in_flight > 0 && !network_stuck(&n))
        network_cycle(&n);
    cr_assert(network_stuck(&n));
    cr_expect_eq(network_waiting(&n, text, sizeof text), 4);
    /* the cycle may be entered anywhere */
    for (uint32_t i = 0; i < 4; i++) {
        char link[64];
        snprintf(link, sizeof link, "node %u (%u%s) -> node %u (%u%s) vc 0", first + i, i, y,
                 first + (i + 1) % 4, (i + 1) % 4, y);
        cr_expect_not_null(strstr(text, link), "%s in %s", link, text);
    }
    char little[20];
    cr_expect_eq(network_waiting(&n, little, sizeof little), 4, "cut off, not overrun");
    cr_expect_eq(strlen(little), 19);
    network_free(&n);
}

Test(network_physics, a_ring_without_a_dateline_locks_and_the_watchdog_names_it)
{
    lock_ring("4", 0, "");
    lock_ring("4x4", 12, ",3"); /* all other nodes are idle */
}

Test(network_physics, the_same_ring_with_its_dateline_does_not_lock)
{
    struct topology t;
    struct network n;
    struct network_params par = { .vcs = 2, .depth = 1, .link = 1 };
    struct tally c = { .t = &t };
    struct err e;

    topology_parse(&t, "torus", "4", &e);
    network_init(&n, &t, &par, count_packet, &c, &e);
    for (uint32_t node = 0; node < 4; node++)
        for (uint32_t i = 0; i < 2; i++)
            network_send(&n, node, (node + 2) % 4, 20, 0, &e);
    while (n.in_flight > 0) {
        cr_assert(!network_stuck(&n));
        network_cycle(&n);
    }
    cr_expect_eq(c.packets, 8);
    network_free(&n);
}

Test(network_physics, the_second_leg_of_a_detour_starts_in_the_lower_channels)
{
    struct topology t;
    struct network n;
    struct network_params par;
    struct tally c = { .t = &t, .detours = true };
    struct err e;
    uint32_t found = 0;

    param_defaults(&network_param_table, &par);
    topology_parse(&t, "torus", "4x4", &e);
    topology_kill(&t, 0, 1, &e);
    topology_kill(&t, 2, 3, &e); /* neither way round the first row is whole */
    cr_assert_eq(network_init(&n, &t, &par, count_packet, &c, &e), 0, "%s", e.msg);
    for (uint32_t from = 0; from < t.n_nodes; from++)
        for (uint32_t to = 0; to < t.n_nodes; to++) {
            cr_assert_eq(network_send(&n, from, to, 1, 0, &e), 0, "%s", e.msg);
            struct network_packet *p = &n.packet[n.source[from].last];
            bool second = p->leg == 1, crossed = false;
            while (n.in_flight > 0) {
                crossed = crossed || (!second && p->crossed);
                network_cycle(&n);
                if (!second && n.in_flight > 0 && p->leg == 1) {
                    second = true;
                    found += crossed;
                    cr_expect_eq(p->crossed, 0, "%u to %u", from, to);
                }
            }
        }
    cr_expect_gt(found, 0, "some first leg goes over a wrap");
    network_free(&n);
    topology_free(&t);
}

Test(network_physics, the_same_packets_take_the_same_cycles)
{
    uint64_t end[2], carried[2];

    for (uint32_t run = 0; run < 2; run++) {
        struct topology t;
        struct network n;
        struct network_params par;
        struct tally c = { .t = &t };
        struct err e;
        uint64_t s = 11;

        param_defaults(&network_param_table, &par);
        par.routing = NETWORK_ADAPTIVE;
        topology_parse(&t, "torus", "4x4x3", &e);
        network_init(&n, &t, &par, count_packet, &c, &e);
        for (uint32_t i = 0; i < 5000; i++)
            network_send(&n, dice_below(&s, t.n_nodes), dice_below(&s, t.n_nodes),
                         1 + dice_below(&s, 9), i, &e);
        while (n.in_flight > 0)
            network_cycle(&n);
        end[run] = n.now;
        carried[run] = n.link[17].flits;
        network_free(&n);
    }
    cr_expect_eq(end[0], end[1]);
    cr_expect_eq(carried[0], carried[1]);
}
