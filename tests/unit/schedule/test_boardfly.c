/* Boards of chips: what is published of their wires, and the ways over them. */
#include <criterion/criterion.h>
#include <string.h>

#include "schedule/boardfly.h"
#include "schedule/mesh.h"

#define CHIPS (BOARDFLY_GROUPS * BOARDFLY_GROUP)

static struct mesh groups_of_boards(uint32_t groups)
{
    return (struct mesh){ { BOARDFLY_CHIPS, BOARDFLY_BOARDS, groups },
                          { [0] = true, [MESH_BOARDS] = true } };
}

/* Links from one set of chips, [a, a + n), to another, [b, b + n). */
static uint32_t count_links(const struct mesh *m, uint32_t a, uint32_t b, uint32_t n)
{
    uint32_t links = 0;

    for (uint32_t chip = a; chip < a + n; chip++)
        for (uint32_t port = 0; port < MESH_PORTS; port++)
            links += mesh_neighbour(m, chip, port) - b < n;
    return links;
}

Test(boardfly, a_link_leads_back_and_no_two_join_the_same_chips)
{
    for (uint32_t groups = 1; groups <= BOARDFLY_GROUPS; groups++) {
        struct mesh m = groups_of_boards(groups);
        for (uint32_t chip = 0; chip < mesh_size(&m); chip++)
            for (uint32_t port = 0; port < MESH_PORTS; port++) {
                uint32_t to = mesh_neighbour(&m, chip, port);
                if (to == MESH_NO_PORT)
                    continue;
                cr_assert_neq(to, chip);
                cr_assert_eq(mesh_neighbour(&m, to, mesh_arrival(&m, chip, port)), chip,
                             "%u groups: port %u of chip %u", groups, port, chip);
                cr_assert_eq(mesh_arrival(&m, to, mesh_arrival(&m, chip, port)), port);
                cr_assert_eq(count_links(&m, chip, to, 1), 1, "%u groups: from %u to %u", groups,
                             chip, to);
            }
    }
}

Test(boardfly, a_board_has_16_ports_11_of_them_to_the_boards_of_its_group)
{
    struct mesh m = groups_of_boards(2); /* so all that lead out of a group are used */

    for (uint32_t board = 0; board < 8; board++) {
        uint32_t out = 0, twice = 0;
        cr_expect_eq(count_links(&m, 4 * board, 4 * board, 4), 8, "a ring, both directions");
        for (uint32_t other = 0; other < 8; other++) {
            uint32_t links = other == board ? 0 : count_links(&m, 4 * board, 4 * other, 4);
            cr_expect(other == board || links >= 1, "boards %u and %u", board, other);
            out += links;
            twice += links == 2;
        }
        cr_expect_eq(out, 11);
        cr_expect_eq(twice, 4);
        uint32_t leave = 0;
        for (uint32_t other = 0; other < 8; other++)
            leave += count_links(&m, 4 * board, 32 + 4 * other, 4);
        cr_expect_eq(leave, 5);
    }
}

Test(boardfly, groups_share_their_40_links_out_evenly)
{
    static const uint32_t rows[][2] = { { 2, 40 }, { 3, 20 }, { 5, 10 }, { 8, 5 }, { 36, 1 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mesh m = groups_of_boards(rows[i][0]);
        for (uint32_t a = 0; a < rows[i][0]; a++)
            for (uint32_t b = 0; b < rows[i][0]; b++)
                cr_expect(a == b || count_links(&m, 32 * a, 32 * b, 32) == rows[i][1],
                          "%u groups: %u and %u", rows[i][0], a, b);
    }
}

/* Links to each chip on the shortest way there is. */
static void spread_from(const struct mesh *m, uint32_t from, uint32_t links[CHIPS])
{
    uint32_t queue[CHIPS], head = 0, tail = 0;

    memset(links, 0xff, CHIPS * sizeof *links);
    links[from] = 0;
    for (queue[tail++] = from; head < tail; head++)
        for (uint32_t port = 0; port < MESH_PORTS; port++) {
            uint32_t to = mesh_neighbour(m, queue[head], port);
            if (to == MESH_NO_PORT || links[to] != UINT32_MAX)
                continue;
            links[to] = links[queue[head]] + 1;
            queue[tail++] = to;
        }
}

Test(boardfly, ways_within_a_group_are_shortest_and_at_most_3_links)
{
    struct mesh m = groups_of_boards(1);
    uint32_t links[CHIPS], longest = 0;

    for (uint32_t from = 0; from < 32; from++) {
        spread_from(&m, from, links);
        for (uint32_t to = 0; to < 32; to++) {
            cr_expect_eq(mesh_distance(&m, from, to), links[to], "%u to %u", from, to);
            longest = links[to] > longest ? links[to] : longest;
        }
    }
    cr_expect_eq(longest, 3);
}

/* The published diameters: 7 of a pod of 1,024 chips in 32 groups; a torus of 8 x 8 x 16 has 16. */
Test(boardfly, no_two_chips_of_a_pod_are_more_than_7_links_apart)
{
    static const uint32_t rows[] = { 2, 3, 7, 32, 36 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mesh m = groups_of_boards(rows[i]);
        uint32_t longest = 0;
        for (uint32_t from = 0; from < 32; from++)
            for (uint32_t to = 0; to < mesh_size(&m); to++) {
                uint32_t at = from, links = 0, most = mesh_distance(&m, from, to);
                for (; at != to && links <= most; links++)
                    at = mesh_neighbour(&m, at, mesh_port(&m, at, to));
                cr_assert_eq(links, most, "%u groups: %u to %u", rows[i], from, to);
                longest = links > longest ? links : longest;
            }
        cr_expect_leq(longest, 7, "%u groups: %u", rows[i], longest);
        cr_expect(rows[i] < 32 || longest == 7, "%u groups: %u", rows[i], longest);
    }
    struct mesh torus = { { 8, 8, 16 }, { true, true, true } };
    cr_expect_eq(mesh_distance(&torus, 0, mesh_chip(&torus, (uint32_t[]){ 4, 4, 8 })), 16);
}

/* 8 x 266 links between the 32 x 31 pairs of a group: 14.0 on each of 152, if all were alike. */
Test(boardfly, ways_within_a_group_load_its_links_evenly)
{
    struct mesh m = groups_of_boards(1);
    uint32_t load[32][MESH_PORTS] = { { 0 } }, all = 0;

    for (uint32_t from = 0; from < 32; from++)
        for (uint32_t to = 0; to < 32; to++)
            for (uint32_t at = from; at != to;) {
                uint32_t port = mesh_port(&m, at, to);
                load[at][port]++;
                all++;
                at = mesh_neighbour(&m, at, port);
            }
    cr_expect_eq(all, 8 * 266);
    for (uint32_t chip = 0; chip < 32; chip++)
        for (uint32_t port = 0; port < MESH_PORTS; port++)
            cr_expect(mesh_neighbour(&m, chip, port) == MESH_NO_PORT ||
                          (load[chip][port] >= 13 && load[chip][port] <= 15),
                      "port %u of chip %u carries %u ways", port, chip, load[chip][port]);
}
