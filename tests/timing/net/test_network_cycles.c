/* Packets through whole networks: the cycle each arrives, worked out by hand.
 *
 * A source hands over at cycle 0; the flit is routed in cycle 2, crosses in 4, is routed by the
 * next router 4 cycles later (1 to cross, 2 on the link, 1 into the queue), and leaves 3 cycles
 * after it crossed the last. */
#include <criterion/criterion.h>

#include "hw/noc/messages.h"
#include "hw/noc/network.h"

struct seen {
    uint64_t at[64];
    uint32_t n, hops;
};

static void note_end(void *self, const struct network_packet *p, uint64_t now)
{
    struct seen *s = self;

    cr_assert_lt(p->tag, 64);
    s->at[p->tag] = now;
    s->n++;
    s->hops = p->hops;
}

static struct network_params standard_params(void)
{
    struct network_params p;

    param_defaults(&network_param_table, &p);
    return p;
}

static void build_parts(struct network *n, struct topology *t, const char *kind, const char *radix,
                        const struct network_params *par, struct seen *s)
{
    struct err e;

    cr_assert_eq(topology_parse(t, kind, radix, &e), 0, "%s", e.msg);
    cr_assert_eq(network_init(n, t, par, note_end, s, &e), 0, "%s", e.msg);
}

/* Send one packet at cycle 0; returns when it is there. */
static uint64_t send_alone(const char *kind, const char *radix, struct network_params par,
                           uint32_t from, uint32_t to, uint32_t flits)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct err e;

    build_parts(&n, &t, kind, radix, &par, &s);
    cr_assert_eq(network_send(&n, from, to, flits, 0, &e), 0);
    while (s.n == 0 && n.now < 100000)
        network_cycle(&n);
    cr_assert_eq(s.n, 1);
    cr_expect_eq(n.in_flight, 0);
    cr_expect_eq(s.hops, topology_distance(&t, from, to));
    network_free(&n);
    return s.at[0];
}

Test(network, an_idle_network_takes_six_cycles_a_router_and_one)
{
    cr_expect_eq(send_alone("torus", "4x4", standard_params(), 5, 5, 1), 7, "one router");
    cr_expect_eq(send_alone("torus", "4x4", standard_params(), 0, 1, 1), 13);
    cr_expect_eq(send_alone("torus", "4x4", standard_params(), 0, 5, 1), 19);
    cr_expect_eq(send_alone("torus", "4x4", standard_params(), 0, 15, 1), 19, "over two wraps");
    cr_expect_eq(send_alone("mesh", "4x4", standard_params(), 0, 15, 1), 43, "seven routers");
    cr_expect_eq(send_alone("twisted", "4x8", standard_params(), 0, 16, 1), 31);
    cr_expect_eq(send_alone("torus", "10x10", standard_params(), 64, 65, 1), 13, "as everywhere");
    cr_expect_eq(send_alone("torus", "10x10", standard_params(), 99, 0, 1), 19, "from the last");
}

Test(network, every_further_flit_takes_a_cycle)
{
    cr_expect_eq(send_alone("torus", "4x4", standard_params(), 0, 5, 8), 26);
    struct network_params deep = standard_params();
    deep.depth = 16; /* a credit is back after 11 cycles */
    cr_expect_eq(send_alone("torus", "4x4", deep, 0, 5, 1000), 19 + 999);
}

Test(network, a_longer_link_costs_its_cycles_on_every_hop)
{
    struct network_params far = standard_params();

    far.link = 100;
    cr_expect_eq(send_alone("torus", "4x4", far, 0, 5, 1), 19 + 2 * 98);
}

Test(network, with_one_place_every_flit_waits_for_the_credit_of_the_one_before)
{
    struct network_params par = standard_params();

    par.depth = 1;
    par.vcs = 1;
    /* flit 1 crosses in 4 and, routed in 8, in 10; its credit counts in 10 + 5: flit 2 crosses in
     * 15 and 19, flit 3 in 24 and 28, and is out at 31 */
    cr_expect_eq(send_alone("mesh", "2", par, 0, 1, 3), 31);
}

Test(network, adaptive_routing_takes_as_long_when_nothing_is_in_the_way)
{
    struct network_params par = standard_params();

    par.routing = NETWORK_ADAPTIVE;
    cr_expect_eq(send_alone("torus", "4x4", par, 0, 5, 1), 19);
    cr_expect_eq(send_alone("mesh", "4x4x4", par, 0, 63, 3), 61 + 2);
}

/* From node 0 to 5 of 3 x 2, node 1 on the way is as near by x as by y.  Its link x takes a flit of
 * its own in 1,000 cycles, behind which two packets hold both channels of the link, with room in
 * each: the packet goes by y as if it were alone, with room for just its 8 flits. */
Test(network, adaptive_routing_passes_by_channels_that_others_hold)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    par.routing = NETWORK_ADAPTIVE;
    par.vcs = 2;
    build_parts(&n, &t, "mesh", "3x2", &par, &s);
    network_slow(&n, 1, 0, 1000);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(network_send(&n, 1, 2, 1, i, &e), 0);
    while (n.now < 100)
        network_cycle(&n);
    cr_assert_eq(network_send(&n, 0, 5, 8, 3, &e), 0);
    while (n.in_flight > 2)
        network_cycle(&n);
    cr_expect_eq(s.at[0], 13);
    cr_expect_eq(s.at[3], 100 + 25 + 7, "%lu", s.at[3]);
    network_free(&n);
}

Test(network, a_slow_link_sets_the_pace)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    par.depth = 16;
    build_parts(&n, &t, "mesh", "4", &par, &s);
    network_slow(&n, 1, 0, 3);
    network_send(&n, 0, 3, 10, 0, &e);
    while (s.n == 0)
        network_cycle(&n);
    /* the head crosses node 1 in 10, the others three cycles apart, the last in 37; there is no
     * queue behind the slow link, so it crosses nodes 2 and 3 as it arrives, in 41 and 45 */
    cr_expect_eq(s.at[0], 48);
    cr_expect_eq(n.link[1 * 2 + 0].flits, 10);
    cr_expect_eq(n.link[1 * 2 + 1].flits, 0);
    cr_expect_eq(n.flit_hops, 40);
    network_free(&n);
}

Test(network, two_packets_share_a_link_flit_by_flit)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    /* node 1 sends to 2 over the same link as node 0: its flits cross first, in 4 and 5, ..., until
     * the other's head asks in 10; then they take turns */
    par.depth = 16;
    build_parts(&n, &t, "mesh", "3", &par, &s);
    network_send(&n, 1, 2, 10, 0, &e);
    network_send(&n, 0, 2, 10, 1, &e);
    while (s.n < 2)
        network_cycle(&n);
    /* 20 flits over the link from cycle 4 on, without a gap: the last crosses in 23 and is there in
     * 27, where two wait before it because their head had to be routed: out in 29 + 3.  Node 1 has
     * 6 flits across by 9; its turn comes again in 11, 13, 15 and 17, and 17 + 4 + 2 + 3 is 26 */
    cr_expect_eq(s.at[1], 32);
    cr_expect_eq(s.at[0], 26);
    network_free(&n);
}

/* The second is routed when the tail of the first has left, three cycles after it: it crosses in 7
 * and, there in 11, in 13. */
Test(network, packets_of_one_source_follow_each_other)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    par.vcs = 1;
    par.depth = 4;
    build_parts(&n, &t, "mesh", "2", &par, &s);
    network_send(&n, 0, 1, 1, 0, &e);
    network_send(&n, 0, 1, 1, 1, &e);
    while (s.n < 2)
        network_cycle(&n);
    cr_expect_eq(s.at[0], 13);
    cr_expect_eq(s.at[1], 16);
    network_free(&n);
}

Test(network, messages_of_one_source_that_start_together_go_in_their_order)
{
    struct message m[] = { { .from = 0, .to = 1, .flits = 1 }, { .from = 0, .to = 1, .flits = 1 } };
    struct message_world w = { .par = standard_params(), .packet = 1 };
    struct topology t;
    struct err e;

    w.par.vcs = 1;
    w.par.depth = 4;
    w.topology = &t;
    cr_assert_eq(topology_parse(&t, "mesh", "2", &e), 0, "%s", e.msg);
    cr_assert_eq(messages_run(&w, m, 2, &e), 0, "%s", e.msg);
    cr_expect_eq(m[0].done, 13);
    cr_expect_eq(m[1].done, 16);
    topology_free(&t);
}

/* Two packets as further above, on a ring of 8: the packet from node 7 takes the closing link, so
 * it has the upper channel, and the other one the lower. */
Test(network, a_packet_that_goes_round_has_another_channel)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    par.vcs = 2;
    par.depth = 16;
    build_parts(&n, &t, "torus", "8", &par, &s);
    network_send(&n, 0, 1, 10, 0, &e);
    network_send(&n, 7, 1, 10, 1, &e);
    while (s.n < 2)
        network_cycle(&n);
    cr_expect_eq(s.at[0], 26);
    cr_expect_eq(s.at[1], 32);
    network_free(&n);
}

/* A packet that ends at node 0, just behind the closing link, has: its flits cross from node 6 to 7
 * from cycle 4 on, those of the other from 10 on at the earliest, when four are left, and hold them
 * up; of all twenty the last crosses in 23 and arrives 9 later.  In one channel the first would be
 * as early as alone, 28. */
Test(network, a_packet_that_ends_behind_the_closing_link_has_another_channel)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    par.vcs = 2;
    par.depth = 16;
    build_parts(&n, &t, "torus", "8", &par, &s);
    network_send(&n, 6, 0, 10, 0, &e);
    network_send(&n, 5, 7, 10, 1, &e);
    while (s.n < 2)
        network_cycle(&n);
    cr_expect(s.at[0] > 28 && s.at[0] <= 32, "%lu", s.at[0]);
    cr_expect_eq(s.at[1], 32);
    network_free(&n);
    cr_expect_eq(send_alone("torus", "8", par, 6, 0, 10), 28);
}

Test(network, too_few_channels_are_refused)
{
    struct topology t;
    struct network n;
    struct network_params par = standard_params();
    struct err e;

    par.vcs = 1;
    topology_parse(&t, "torus", "4x4", &e);
    cr_expect_eq(network_init(&n, &t, &par, note_end, NULL, &e), -1);
    cr_expect_str_eq(e.msg, "network.vcs = 1: dimension routing on axes that close needs 2 virtual "
                            "channels to be free of deadlock");
    par.vcs = 2;
    par.routing = NETWORK_ADAPTIVE;
    cr_expect_eq(network_init(&n, &t, &par, note_end, NULL, &e), -1);
    topology_kill(&t, 0, 1, &e);
    par.routing = NETWORK_DIMENSION;
    par.vcs = 3;
    cr_expect_eq(network_init(&n, &t, &par, note_end, NULL, &e), -1);
    cr_expect_str_eq(e.msg, "network.vcs = 3: dimension routing on axes that close around dead "
                            "links needs 4 virtual channels to be free of deadlock");
    topology_free(&t);
}

Test(network, a_dead_link_is_gone_round_and_no_flit_is_on_it)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    topology_parse(&t, "mesh", "4x4", &e);
    topology_kill(&t, 1, 2, &e);
    cr_assert_eq(network_init(&n, &t, &par, note_end, &s, &e), 0, "%s", e.msg);
    network_send(&n, 0, 3, 1, 0, &e);
    while (s.n == 0)
        network_cycle(&n);
    cr_expect_eq(s.at[0], 7 + 5 * 6, "five links instead of three");
    cr_expect_eq(n.link[1 * 4 + 0].flits, 0);
    network_free(&n);
    topology_free(&t);
}

Test(network, skipping_passes_over_nothing_but_silence)
{
    struct topology t;
    struct network n;
    struct seen s = { .n = 0 };
    struct network_params par = standard_params();
    struct err e;

    par.link = 3000;
    build_parts(&n, &t, "torus", "8", &par, &s);
    network_send(&n, 0, 3, 2, 0, &e);
    uint32_t cycles = 0;
    while (n.now < 20)
        network_cycle(&n);
    network_skip(&n, 100);
    cr_expect_eq(n.now, 100, "the flits are on the first link");
    for (; s.n == 0; cycles++) {
        network_cycle(&n);
        network_skip(&n, 1000000);
    }
    cr_expect_eq(s.at[0], 25 + 3 * 2998 + 1);
    cr_expect_lt(cycles, 60);
    while (n.on_the_way > 0) { /* credits go home */
        network_skip(&n, 1000000);
        network_cycle(&n);
    }
    network_skip(&n, 1000000);
    cr_expect_eq(n.now, 1000000);
    network_free(&n);
}
