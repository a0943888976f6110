#include "schedule/boardfly.h"

#include <stdbool.h>

#include "base/err.h"

#define RING_PORTS 2
#define PORTS 4   /* of a chip that leave its board */
#define OPTICAL 5 /* of a board that leave its group */
#define NOWHERE UINT32_MAX

/* Where the ports of a chip lead that leave its board: so many boards up, to that place of it by
 * that port; boards 0: out of the group, as the `place`-th such port of the board. */
static const struct end {
    uint8_t boards, place, port;
} ends[BOARDFLY_CHIPS][PORTS] = {
    { { 7, 3, 3 }, { 2, 2, 2 }, { 5, 1, 4 }, { 0, 0, 0 } },
    { { 1, 3, 2 }, { 6, 2, 3 }, { 3, 0, 4 }, { 0, 1, 0 } },
    { { 6, 0, 3 }, { 2, 1, 3 }, { 0, 2, 0 }, { 0, 3, 0 } },
    { { 7, 1, 2 }, { 1, 0, 2 }, { 4, 3, 4 }, { 0, 4, 0 } },
};
/* The chip of each port of a board that leaves its group, and the port of that chip. */
static const struct {
    uint8_t place, port;
} optical[OPTICAL] = { { 0, 5 }, { 1, 5 }, { 2, 4 }, { 2, 5 }, { 3, 5 } };

/* The first port of a shortest way from each chip of a board to the chips of its own board and of
 * those 1 to 7 further up.  Where several are shortest, the links of a group share the ways from
 * each of its chips to each evenly: 13 to 15 times 8 ways over each. */
static const char first_port[BOARDFLY_CHIPS][BOARDFLY_GROUP + 1] = {
    "-0011120033304420311444012042122",
    "1-012222201444143133014203331011",
    "01-00011333112230330321222120000",
    "011-3333210014314244402413412220",
};

/* --- within a group ----------------------------------------------------------------------- */

/* The chip behind a port that stays in the group; NOWHERE for one that leaves it. */
static uint32_t step_within(uint32_t chip, uint32_t port, uint32_t *at)
{
    uint32_t place = chip % BOARDFLY_CHIPS, board = chip / BOARDFLY_CHIPS;

    if (port < RING_PORTS) {
        *at = port ^ 1;
        return board * BOARDFLY_CHIPS + (place + (port ? BOARDFLY_CHIPS - 1 : 1)) % BOARDFLY_CHIPS;
    }
    const struct end *e = &ends[place][port - RING_PORTS];
    *at = e->port;
    return e->boards ? (board + e->boards) % BOARDFLY_BOARDS * BOARDFLY_CHIPS + e->place : NOWHERE;
}

/* Chips of one group, counted within it, that are not the same. */
static uint32_t port_within(uint32_t from, uint32_t to)
{
    uint32_t boards = to / BOARDFLY_CHIPS + BOARDFLY_BOARDS - from / BOARDFLY_CHIPS;

    return (uint32_t)(first_port[from % BOARDFLY_CHIPS]
                                [boards % BOARDFLY_BOARDS * BOARDFLY_CHIPS + to % BOARDFLY_CHIPS] -
                      '0');
}

static uint32_t links_within(uint32_t from, uint32_t to)
{
    uint32_t n = 0, at;

    for (; from != to; n++)
        from = step_within(from, port_within(from, to), &at);
    return n;
}

/* --- between groups ----------------------------------------------------------------------- */

/* Links between two groups. */
static uint32_t count_joints(uint32_t groups)
{
    BUG_ON(groups < 2 || groups > BOARDFLY_GROUPS);
    return OPTICAL * BOARDFLY_BOARDS / (groups - 1);
}

/* An end of a link between groups: the i-th port of its group, over all boards first. */
static uint32_t chip_of_joint(uint32_t i, uint32_t *port)
{
    uint32_t k = i / BOARDFLY_BOARDS;

    *port = optical[k].port;
    return i % BOARDFLY_BOARDS * BOARDFLY_CHIPS + optical[k].place;
}

/* The i-th link to the group `up` groups further: both ends, as ports of their groups.  The links
 * of two groups are counted from both ends, so that no two join the same chips. */
static void find_joint(uint32_t groups, uint32_t up, uint32_t i, uint32_t *here, uint32_t *there)
{
    uint32_t n = count_joints(groups);

    *here = (up - 1) * n + i;
    *there = (groups - up - 1) * n + (n - 1 - i);
}

uint32_t boardfly_neighbour(uint32_t groups, uint32_t chip, uint32_t port, uint32_t *at)
{
    uint32_t group = chip / BOARDFLY_GROUP, in = chip % BOARDFLY_GROUP;
    uint32_t to = step_within(in, port, at), here, there;

    if (to != NOWHERE)
        return group * BOARDFLY_GROUP + to;
    if (groups < 2)
        return NOWHERE;
    uint32_t place = ends[in % BOARDFLY_CHIPS][port - RING_PORTS].place;
    uint32_t i = place * BOARDFLY_BOARDS + in / BOARDFLY_CHIPS, n = count_joints(groups);
    if (i / n >= groups - 1)
        return NOWHERE;
    find_joint(groups, i / n + 1, i % n, &here, &there);
    to = chip_of_joint(there, at);
    return (group + i / n + 1) % groups * BOARDFLY_GROUP + to;
}

/* The shortest way to another group: the port of this group by which it leaves, and its links. */
static uint32_t find_way(uint32_t groups, uint32_t from, uint32_t to, uint32_t *links)
{
    uint32_t up = (to / BOARDFLY_GROUP + groups - from / BOARDFLY_GROUP) % groups;
    uint32_t a = from % BOARDFLY_GROUP, b = to % BOARDFLY_GROUP, n = count_joints(groups);
    uint32_t best = 0, here, there, port;

    *links = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        find_joint(groups, up, (a + b + k) % n, &here, &there);
        uint32_t l = links_within(a, chip_of_joint(here, &port)) + 1 +
                     links_within(chip_of_joint(there, &port), b);
        if (l < *links) {
            *links = l;
            best = here;
        }
    }
    return best;
}

uint32_t boardfly_port(uint32_t groups, uint32_t from, uint32_t to)
{
    uint32_t a = from % BOARDFLY_GROUP, links, port;

    if (from / BOARDFLY_GROUP == to / BOARDFLY_GROUP)
        return port_within(a, to % BOARDFLY_GROUP);
    uint32_t gate = chip_of_joint(find_way(groups, from, to, &links), &port);
    return gate == a ? port : port_within(a, gate);
}

uint32_t boardfly_distance(uint32_t groups, uint32_t from, uint32_t to)
{
    uint32_t links;

    if (from / BOARDFLY_GROUP == to / BOARDFLY_GROUP)
        return links_within(from % BOARDFLY_GROUP, to % BOARDFLY_GROUP);
    find_way(groups, from, to, &links);
    return links;
}
