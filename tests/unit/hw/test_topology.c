/* Where nodes stand and how packets go, worked out by hand on small grids. */
#include <criterion/criterion.h>

#include <string.h>

#include "hw/noc/topology.h"

static struct topology make_grid(const char *kind, const char *radix)
{
    struct topology t;
    struct err e;

    cr_assert_eq(topology_parse(&t, kind, radix, &e), 0, "%s", e.msg);
    return t;
}

/* Steps to every node by looking one link further each time: knows neighbours alone. */
static uint32_t explore_grid(const struct topology *t, uint32_t from, uint32_t *distance)
{
    uint32_t queue[1024], head = 0, tail = 0;

    cr_assert_leq(t->n_nodes, 1024);
    for (uint32_t i = 0; i < t->n_nodes; i++)
        distance[i] = TOPOLOGY_NONE;
    distance[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (uint32_t p = 0; p < topology_ports(t); p++) {
            uint32_t to = topology_neighbour(t, at, p);
            if (to != TOPOLOGY_NONE && !topology_dead(t, at, p) && distance[to] == TOPOLOGY_NONE) {
                distance[to] = distance[at] + 1;
                queue[tail++] = to;
            }
        }
    }
    return distance[queue[tail - 1]];
}

/* Take all steps of `s` in order of dimensions; returns where they end. */
static uint32_t walk_steps(const struct topology *t, uint32_t at, struct topology_steps s)
{
    uint32_t port;

    while ((port = topology_next(&s)) != TOPOLOGY_NONE) {
        cr_assert(!topology_dead(t, at, port), "node %u port %u is dead", at, port);
        at = topology_neighbour(t, at, port);
        cr_assert_neq(at, TOPOLOGY_NONE);
        topology_take(&s, port);
    }
    return at;
}

Test(topology, nodes_count_x_first)
{
    struct topology t = make_grid("mesh", "4x3x2");
    uint32_t c[3];
    char buf[TOPOLOGY_TEXT];

    cr_expect_eq(t.n_nodes, 24);
    topology_coord(&t, 23, c);
    cr_expect(c[0] == 3 && c[1] == 2 && c[2] == 1);
    cr_expect_eq(topology_node(&t, (uint32_t[3]){ 1, 2, 1 }), 1 + 4 * 2 + 12);
    cr_expect_str_eq(topology_text(&t, 21, buf), "(1,2,1)");
    t = make_grid("torus", "8");
    cr_expect_str_eq(topology_text(&t, 7, buf), "(7)");
}

Test(topology, an_axis_of_a_mesh_ends_and_one_of_a_torus_closes)
{
    struct topology m = make_grid("mesh", "4x4"), t = make_grid("torus", "4x4");

    cr_expect_eq(topology_neighbour(&m, 3, 0), TOPOLOGY_NONE);
    cr_expect_eq(topology_neighbour(&m, 3, 1), 2);
    cr_expect_eq(topology_neighbour(&m, 3, 2), 7);
    cr_expect_eq(topology_neighbour(&m, 3, 3), TOPOLOGY_NONE);
    cr_expect_eq(topology_neighbour(&t, 3, 0), 0);
    cr_expect_eq(topology_neighbour(&t, 3, 3), 15);
    cr_expect(topology_crosses(&t, 3, 0) && topology_crosses(&t, 3, 3));
    cr_expect(!topology_crosses(&t, 3, 1) && !topology_crosses(&m, 3, 0));
    cr_expect_eq(topology_port_to(&t, 3, 15), 3);
    cr_expect_eq(topology_port_to(&t, 3, 8), TOPOLOGY_NONE);
}

Test(topology, an_axis_of_two_has_two_links_when_closed_and_an_axis_of_one_none)
{
    struct topology t = make_grid("torus", "2x1");

    cr_expect_eq(topology_neighbour(&t, 0, 0), 1);
    cr_expect_eq(topology_neighbour(&t, 0, 1), 1);
    cr_expect_eq(topology_neighbour(&t, 0, 2), TOPOLOGY_NONE);
    cr_expect_eq(topology_distance(&t, 0, 1), 1);
}

Test(topology, distances_are_those_on_paper)
{
    struct topology m = make_grid("mesh", "4x4"), t = make_grid("torus", "4x4"),
                    u = make_grid("torus", "3x8x5");

    cr_expect_eq(topology_distance(&m, 0, 15), 6);
    cr_expect_eq(topology_distance(&t, 0, 15), 2);
    cr_expect_eq(topology_distance(&t, 0, 10), 4);
    /* (0,0,0) to (2,5,3): 1 down, 3 down, 2 down */
    cr_expect_eq(topology_distance(&u, 0, 2 + 3 * (5 + 8 * 3)), 6);
    struct topology_steps s = topology_steps(&u, 0, 2 + 3 * (5 + 8 * 3));
    cr_expect(s.dim[0] == -1 && s.dim[1] == -3 && s.dim[2] == -2);
    cr_expect_eq(topology_next(&s), 1);
    cr_expect_eq(topology_candidates(&s), 1u << 1 | 1u << 3 | 1u << 5);
    topology_take(&s, 1);
    cr_expect_eq(topology_next(&s), 3);
}

Test(topology, halfway_round_even_nodes_go_up_and_odd_ones_down)
{
    struct topology t = make_grid("torus", "4");
    uint32_t load[4][2] = { { 0 } };

    for (uint32_t from = 0; from < 4; from++) {
        uint32_t at = from;
        struct topology_steps s = topology_steps(&t, from, (from + 2) % 4);
        cr_expect_eq(s.dim[0], from % 2 ? -2 : 2);
        for (uint32_t port; (port = topology_next(&s)) != TOPOLOGY_NONE; topology_take(&s, port)) {
            load[at][port]++;
            at = topology_neighbour(&t, at, port);
        }
    }
    for (uint32_t i = 0; i < 4; i++)
        cr_expect(load[i][0] == 1 && load[i][1] == 1, "all links alike");
}

Test(topology, steps_lead_there_and_none_is_wasted)
{
    static const char *const grids[][2] = {
        { "mesh", "4x4" },      { "torus", "5x3" },     { "torus", "2x4x3" },
        { "mesh", "3x1x4" },    { "twisted", "4x8" },   { "twisted", "8x4" },
        { "twisted", "4x4x8" }, { "twisted", "4x8x8" }, { "torus", "7" },
        { "twisted", "2x4x2" }, { "twisted", "3x6" },
    };
    uint32_t distance[1024];

    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct topology t = make_grid(grids[g][0], grids[g][1]);
        for (uint32_t from = 0; from < t.n_nodes; from++) {
            explore_grid(&t, from, distance);
            for (uint32_t to = 0; to < t.n_nodes; to++) {
                struct topology_steps s = topology_steps(&t, from, to);
                cr_assert_eq(walk_steps(&t, from, s), to, "%s %s: %u to %u", grids[g][0],
                             grids[g][1], from, to);
                cr_assert_eq(topology_hops(&s), distance[to], "%s %s: %u to %u", grids[g][0],
                             grids[g][1], from, to);
            }
        }
    }
}

Test(topology, up_and_down_are_each_others_way_back)
{
    static const char *const grids[][2] = { { "torus", "4x3x2" }, { "twisted", "4x8x8" } };

    for (size_t g = 0; g < 2; g++) {
        struct topology t = make_grid(grids[g][0], grids[g][1]);
        for (uint32_t n = 0; n < t.n_nodes; n++)
            for (uint32_t p = 0; p < 6; p++)
                cr_assert_eq(topology_neighbour(&t, topology_neighbour(&t, n, p), p ^ 1), n);
    }
}

Test(topology, a_twist_shortens_the_way)
{
    uint32_t d[1024], count[9] = { 0 };
    struct topology t = make_grid("twisted", "4x8");

    cr_expect_eq(topology_neighbour(&t, 3, 0), 16, "over the wrap of x to (0,4)");
    /* an n x 2n twisted torus has 4d nodes at distance d < n and 2n - 1 at n */
    cr_expect_eq(explore_grid(&t, 0, d), 4);
    for (uint32_t i = 0; i < 32; i++)
        count[d[i]]++;
    cr_expect(count[1] == 4 && count[2] == 8 && count[3] == 12 && count[4] == 7);
    /* published diameters: 3n/2, where the plain tori have 8 and 10 */
    t = make_grid("twisted", "4x4x8");
    cr_expect_eq(explore_grid(&t, 0, d), 6);
    t = make_grid("torus", "4x4x8");
    cr_expect_eq(explore_grid(&t, 0, d), 8);
    t = make_grid("twisted", "4x8x8");
    cr_expect_eq(explore_grid(&t, 0, d), 6);
    t = make_grid("torus", "4x8x8");
    cr_expect_eq(explore_grid(&t, 0, d), 10);
}

Test(topology, only_axes_that_are_long_enough_close)
{
    bool w[3];

    topology_wraps(3, (uint32_t[]){ 2, 2, 4 }, 4, true, w);
    cr_expect(!w[0] && !w[1] && !w[2], "a v4 slice below 4x4x4 is a mesh");
    topology_wraps(3, (uint32_t[]){ 4, 4, 8 }, 4, true, w);
    cr_expect(w[0] && w[1] && w[2]);
    topology_wraps(2, (uint32_t[]){ 8, 16 }, 16, false, w);
    cr_expect(!w[0] && w[1], "a v5e slice closes axes of 16");
    topology_wraps(2, (uint32_t[]){ 4, 4 }, 0, false, w);
    cr_expect(!w[0] && !w[1], "v3-32");
}

Test(topology, what_is_no_network_is_told_in_one_line)
{
    static const struct {
        const char *kind, *radix, *message;
    } wrong[] = {
        { "tours", "4x4", "topology = tours: neither mesh, torus nor twisted, did you mean torus" },
        { "mesh", "4x", "radix = 4x: expected one to three counts: 8, 4x4, 4x4x8" },
        { "mesh", "2x2x2x2", "radix = 2x2x2x2: expected one to three counts: 8, 4x4, 4x4x8" },
        { "mesh", "4x0", "radix = 4x0: a network has 1 to 65536 nodes" },
        { "mesh", "99999999999999999999",
          "radix = 99999999999999999999: a network has 1 to 65536 nodes" },
        { "mesh", "1024x1024", "radix = 1024x1024: a network has 1 to 65536 nodes" },
        { "twisted", "4x4",
          "radix = 4x4: a twisted torus has axes of n and of 2n nodes, all closed: 4x8, 4x4x8 or "
          "4x8x8" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topology t;
        struct err e;
        cr_expect_eq(topology_parse(&t, wrong[i].kind, wrong[i].radix, &e), -1);
        cr_expect_str_eq(e.msg, wrong[i].message);
    }
}

Test(topology, a_dead_link_is_gone_both_ways_and_known_by_its_ends)
{
    struct topology t = make_grid("torus", "2x4");
    struct err e;

    cr_expect_eq(topology_kill(&t, 0, 3, &e), -1);
    cr_expect_str_eq(e.msg, "no link between nodes 0 and 3");
    cr_expect_eq(topology_kill(&t, 9, 8, &e), -1);
    cr_expect_str_eq(e.msg, "no node 9: outside [0, 7]");
    cr_expect_eq(topology_kill(&t, 2, 0, &e), 0);
    cr_expect(topology_dead(&t, 0, 2) && topology_dead(&t, 2, 3));
    cr_expect_eq(t.n_dead, 2);
    cr_expect_eq(topology_kill(&t, 0, 2, &e), 0);
    cr_expect_eq(t.n_dead, 2, "twice dead is dead");
    cr_expect_eq(topology_kill(&t, 0, 1, &e), 0);
    cr_expect_eq(t.n_dead, 6, "two links each way");
    topology_free(&t);
}

Test(topology, a_ring_with_a_dead_link_goes_the_other_way_round)
{
    struct topology t = make_grid("torus", "8");
    struct topology_way w;
    struct err e;

    topology_kill(&t, 3, 4, &e);
    cr_assert_eq(topology_way(&t, 2, 5, &w, &e), 0);
    cr_expect_eq(w.leg[1].dim[0], -5);
    cr_expect_eq(topology_hops(&w.leg[0]), 0);
    cr_expect_eq(w.via, 2);
    cr_assert_eq(topology_way(&t, 4, 6, &w, &e), 0);
    cr_expect_eq(w.leg[1].dim[0], 2, "what is alive stays direct");
    topology_free(&t);
}

Test(topology, a_mesh_with_a_dead_link_goes_over_another_row)
{
    struct topology t = make_grid("mesh", "4x4");
    struct topology_way w;
    struct err e;

    topology_kill(&t, 1, 2, &e);
    /* 0 to 3 along the first row: up to row 1, three steps there, down again are 5 links */
    cr_assert_eq(topology_way(&t, 0, 3, &w, &e), 0);
    cr_expect_eq(w.via, 4);
    cr_expect_eq(topology_hops(&w.leg[0]) + topology_hops(&w.leg[1]), 5);
    cr_expect_eq(walk_steps(&t, walk_steps(&t, 0, w.leg[0]), w.leg[1]), 3);
    topology_free(&t);
}

Test(topology, any_one_link_may_die_where_there_is_another_way)
{
    static const char *const grids[][2] = { { "mesh", "4x4" },
                                            { "torus", "5" },
                                            { "torus", "4x4x2" },
                                            { "twisted", "4x8" },
                                            { "mesh", "2x2" } };
    uint32_t distance[1024];
    struct err e;

    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct topology whole = make_grid(grids[g][0], grids[g][1]);
        for (uint32_t link = 0; link < topology_links(&whole); link++) {
            uint32_t a = link / topology_ports(&whole), p = link % topology_ports(&whole);
            uint32_t b = topology_neighbour(&whole, a, p);
            if (b == TOPOLOGY_NONE)
                continue;
            struct topology t = make_grid(grids[g][0], grids[g][1]);
            cr_assert_eq(topology_kill(&t, a, b, &e), 0, "%s", e.msg);
            for (uint32_t from = 0; from < t.n_nodes; from++) {
                explore_grid(&t, from, distance);
                for (uint32_t to = 0; to < t.n_nodes; to++) {
                    struct topology_way w;
                    cr_assert_eq(topology_way(&t, from, to, &w, &e), 0, "%s %s: %s", grids[g][0],
                                 grids[g][1], e.msg);
                    uint32_t via = walk_steps(&t, from, w.leg[0]);
                    cr_assert_eq(via, w.via);
                    cr_assert_eq(walk_steps(&t, via, w.leg[1]), to);
                    cr_assert_geq(topology_hops(&w.leg[0]) + topology_hops(&w.leg[1]),
                                  distance[to]);
                }
            }
            topology_free(&t);
        }
    }
}

Test(topology, a_node_that_is_cut_off_is_refused)
{
    struct topology t = make_grid("mesh", "3");
    struct topology_way w;
    struct err e;

    topology_kill(&t, 0, 1, &e);
    cr_expect_eq(topology_way(&t, 0, 2, &w, &e), -1);
    cr_expect_eq(e.code, ERR_FIT);
    cr_expect_str_eq(e.msg,
                     "no way from node 0 (0) to node 2 (2) in two legs avoids the 2 dead links");
    topology_free(&t);
}
