/* Chips on a mesh: neighbours, ways, the round through them, groups. */
#include <criterion/criterion.h>

#include "hw/noc/topology.h"
#include "schedule/mesh.h"

static struct mesh make_mesh(uint32_t x, uint32_t y, uint32_t z, bool wrap)
{
    return (struct mesh){ { x, y, z }, { wrap, wrap, wrap } };
}

Test(mesh, neighbours_of_a_corner)
{
    struct mesh open = make_mesh(4, 3, 1, false), closed = make_mesh(4, 3, 2, true);

    cr_expect_eq(mesh_neighbour(&open, 0, 0), 1);
    cr_expect_eq(mesh_neighbour(&open, 0, 1), MESH_NO_PORT);
    cr_expect_eq(mesh_neighbour(&open, 0, 2), 4);
    cr_expect_eq(mesh_neighbour(&open, 0, 3), MESH_NO_PORT);
    cr_expect_eq(mesh_neighbour(&open, 0, 4), MESH_NO_PORT, "one plane");
    cr_expect_eq(mesh_neighbour(&closed, 0, 1), 3);
    cr_expect_eq(mesh_neighbour(&closed, 0, 3), 8);
    cr_expect_eq(mesh_neighbour(&closed, 0, 4), 12);
    cr_expect_eq(mesh_neighbour(&closed, 0, 5), MESH_NO_PORT, "two planes have one link");
}

Test(mesh, ways_go_along_x_then_y_the_shorter_way)
{
    struct mesh open = make_mesh(8, 8, 1, false), closed = make_mesh(8, 8, 1, true);

    cr_expect_eq(mesh_port(&open, 0, 63), 0);
    cr_expect_eq(mesh_distance(&open, 0, 63), 14);
    cr_expect_eq(mesh_port(&closed, 0, 63), 1);
    cr_expect_eq(mesh_distance(&closed, 0, 63), 2);
    cr_expect_eq(mesh_port(&closed, 0, 4), 0, "half way round goes up");
    cr_expect_eq(mesh_port(&closed, 0, 8 * 5), 3);
    cr_expect_eq(mesh_port(&closed, 9, 9), MESH_NO_PORT);
}

Test(mesh, the_round_through_four_by_four)
{
    static const uint32_t chips[16] = { 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4, 0 };
    struct mesh m = make_mesh(4, 4, 1, false);

    for (uint32_t i = 0; i < 16; i++)
        cr_expect_eq(mesh_round(&m, i), chips[i], "place %u", i);
    cr_expect(mesh_closed(&m));
}

Test(mesh, a_closed_round_visits_each_chip_once_over_one_link_each)
{
    uint32_t checked = 0;

    for (uint32_t x = 1; x <= 5; x++)
        for (uint32_t y = 1; y <= 5; y++)
            for (uint32_t z = 1; z <= 4; z++)
                for (int wrap = 0; wrap < 2; wrap++) {
                    struct mesh m = make_mesh(x, y, z, wrap);
                    uint32_t n = x * y * z;
                    for (uint32_t i = 0; i < n; i++) {
                        uint32_t chip = mesh_round(&m, i);
                        cr_assert_eq(mesh_place(&m, chip), i, "%ux%ux%u", x, y, z);
                        if (!mesh_closed(&m))
                            continue;
                        cr_assert_eq(mesh_distance(&m, chip, mesh_round(&m, (i + 1) % n)), 1,
                                     "%ux%ux%u at %u", x, y, z, i);
                        checked++;
                    }
                }
    cr_expect_gt(checked, 1000);
}

Test(mesh, odd_by_odd_and_an_open_row_are_no_ring)
{
    struct mesh odd = make_mesh(3, 3, 1, false), row = make_mesh(1, 8, 1, false),
                ring = make_mesh(1, 8, 1, true);
    struct mesh pair = make_mesh(2, 1, 1, false), one = make_mesh(1, 1, 1, true);

    cr_expect_not(mesh_closed(&odd));
    cr_expect_not(mesh_closed(&row));
    cr_expect(mesh_closed(&ring));
    cr_expect(mesh_closed(&pair), "there and back over the two directions of one link");
    cr_expect_not(mesh_closed(&one));
}

Test(mesh, groups_of_a_torus)
{
    struct mesh m = make_mesh(8, 4, 2, true);
    struct mesh_group g;
    uint32_t group, member;

    cr_assert(mesh_group(&g, &m, 8, 1)); /* a row along x */
    cr_expect(g.box.n[0] == 8 && g.box.n[1] == 1 && g.box.wrap[0] && g.hop[0] == 1);
    cr_assert(mesh_group(&g, &m, 4, 1)); /* half a row */
    cr_expect(g.box.n[0] == 4 && !g.box.wrap[0]);
    cr_assert(mesh_group(&g, &m, 4, 8)); /* a column along y */
    cr_expect(g.box.n[0] == 1 && g.box.n[1] == 4 && g.box.wrap[1] && g.hop[1] == 1);
    cr_assert(mesh_group(&g, &m, 4, 2)); /* every other chip of a row */
    cr_expect(g.box.n[0] == 4 && g.box.wrap[0] && g.hop[0] == 2);
    cr_assert(mesh_group(&g, &m, 16, 2)); /* the same of a plane */
    cr_expect(g.box.n[0] == 4 && g.box.n[1] == 4 && g.box.n[2] == 1 && g.hop[1] == 1);
    cr_expect_eq(mesh_group_chip(&g, 3, 5), 32 + 1 + 10);
    mesh_group_of(&g, 43, &group, &member);
    cr_expect(group == 3 && member == 5);
    cr_expect_not(mesh_group(&g, &m, 3, 1));
    cr_expect_not(mesh_group(&g, &m, 0, 1));
    cr_expect_not(mesh_group(&g, &m, 64, 2));
}

Test(mesh, members_that_stand_on_no_box_are_a_row)
{
    struct mesh m = make_mesh(6, 4, 1, false);
    struct mesh_group g;

    cr_assert(mesh_group(&g, &m, 4, 1)); /* 4..7 begins in the first row and ends in the second */
    cr_expect(g.box.n[0] == 4 && g.box.n[1] == 1 && g.hop[0] == 0);
    cr_assert(mesh_group(&g, &m, 3, 1));
    cr_expect(g.box.n[0] == 3 && g.hop[0] == 1);
}

Test(mesh, every_group_of_a_box_looks_like_the_first)
{
    struct mesh m = make_mesh(6, 4, 2, false);
    struct mesh_group g;

    for (uint32_t size = 1; size <= 48; size++)
        for (uint32_t stride = 1; stride <= 48; stride++) {
            if (!mesh_group(&g, &m, size, stride) || g.hop[0] == 0)
                continue;
            for (uint32_t group = 0; group < 48 / size; group++)
                for (uint32_t a = 0; a < size; a++) {
                    uint32_t at[3], b[3], base[3];
                    mesh_at(&g.box, a, at);
                    mesh_at(&m, mesh_group_chip(&g, group, 0), base);
                    mesh_at(&m, mesh_group_chip(&g, group, a), b);
                    for (int d = 0; d < 3; d++)
                        cr_assert_eq(b[d], base[d] + at[d] * g.hop[d], "%u of stride %u", size,
                                     stride);
                }
        }
}

/* --- twisted ------------------------------------------------------------------------------- */

/* Against hw/noc/topology.h, which winds round every axis up to twice. */
static void expect_twisted(uint32_t x, uint32_t y, uint32_t z)
{
    struct mesh m = { { x, y, z }, { true, true, z > 1, true } };
    struct topology t;
    struct err e;
    bool closed[] = { true, true, true };
    uint32_t n = mesh_size(&m), dims = z > 1 ? 3 : 2;

    cr_assert_eq(topology_init(&t, dims, m.n, closed, &e), 0);
    cr_assert_eq(topology_twist(&t, &e), 0);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t port = 0; port < 2 * dims; port++) {
            uint32_t to = mesh_neighbour(&m, a, port);
            cr_assert_eq(to, topology_neighbour(&t, a, port), "chip %u port %u", a, port);
            cr_assert_eq(mesh_neighbour(&m, to, port ^ 1), a, "and back");
        }
        for (uint32_t b = 0; b < n; b++) {
            uint32_t links = mesh_distance(&m, a, b), port = mesh_port(&m, a, b);
            cr_assert_eq(links, topology_distance(&t, a, b), "%u to %u", a, b);
            if (a == b)
                cr_assert_eq(port, MESH_NO_PORT);
            else
                cr_assert_eq(mesh_distance(&m, mesh_neighbour(&m, a, port), b), links - 1);
        }
    }
}

Test(mesh, a_twist_moves_the_ends_of_short_dimensions)
{
    struct mesh m = { { 4, 4, 8 }, { true, true, true, true } };

    /* (3,0,1) over the end of x is (0,0,5); over the end of z nothing moves */
    cr_expect_eq(mesh_neighbour(&m, 3 + 16, 0), 5 * 16);
    cr_expect_eq(mesh_neighbour(&m, 7 * 16, 4), 0);
    cr_expect(mesh_twists(&m, 0) && mesh_twists(&m, 1) && !mesh_twists(&m, 2));
    expect_twisted(4, 4, 8);
    expect_twisted(3, 6, 6);
    expect_twisted(6, 3, 3);
    expect_twisted(4, 8, 1);
}

/* Every axis has n or 2n nodes and is closed, the first too. */
Test(mesh, what_is_no_twist_is_refused)
{
    static const uint32_t radix[][3] = { { 3, 2, 4 }, { 2, 3, 4 }, { 2, 4, 3 }, { 4, 4, 4 } };
    const bool closed[] = { true, true, true }, open[] = { false, true, true };
    const uint32_t short_long[] = { 4, 4, 8 };
    struct topology t;
    struct err e;

    for (size_t i = 0; i < sizeof radix / sizeof *radix; i++) {
        cr_assert_eq(topology_init(&t, 3, radix[i], closed, &e), 0);
        cr_expect_eq(topology_twist(&t, &e), -1, "%zu", i);
        cr_expect_not(t.twisted);
    }
    cr_assert_eq(topology_init(&t, 3, short_long, open, &e), 0);
    cr_expect_eq(topology_twist(&t, &e), -1);
}

/* 6 and 6 links, where plain tori have 8 and 10. */
Test(mesh, a_twist_brings_chips_nearer)
{
    struct mesh m = { { 4, 4, 8 }, { true, true, true, true } };
    uint32_t far = 0;

    for (uint32_t b = 0; b < 128; b++)
        far = mesh_distance(&m, 0, b) > far ? mesh_distance(&m, 0, b) : far;
    cr_expect_eq(far, 6);
    m = (struct mesh){ { 4, 8, 8 }, { true, true, true, true } };
    far = 0;
    for (uint32_t b = 0; b < 256; b++)
        far = mesh_distance(&m, 0, b) > far ? mesh_distance(&m, 0, b) : far;
    cr_expect_eq(far, 6);
}
