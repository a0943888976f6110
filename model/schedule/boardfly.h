/* boardfly.h - the network of TPU 8i: boards of 4 chips, groups of 8 boards, up to 36 groups.
 *
 *      chip = place + 4 * (board + 8 * group)
 *
 *      board   a ring of its 4 chips, by ports 0 (to place + 1) and 1 (to place - 1)
 *      group   11 of the 16 other ports of a board lead to the other boards of its group: two
 *              links to each of four of them, one to each of three
 *      slice   5 lead to other groups: of the 40 of a group, as many to each other group as go
 *
 * These counts are published, and a greatest distance of 7 links between two chips [google-tpu8].
 * The wiring of the ports is not published [unverified]: here all boards are wired alike; two chips
 * of a group are at most 3 links apart, two chips of different groups at most 3 + 1 + 3. */
#ifndef SCHEDULE_BOARDFLY_H
#define SCHEDULE_BOARDFLY_H

#include <stdint.h>

#define BOARDFLY_CHIPS 4   /* of a board */
#define BOARDFLY_BOARDS 8  /* of a group */
#define BOARDFLY_GROUP 32  /* chips of a group */
#define BOARDFLY_GROUPS 36 /* at most */

/* The chip behind a port, UINT32_MAX if no link leads there; *at is the port by which the link
 * comes in.  `groups` is their number. */
uint32_t boardfly_neighbour(uint32_t groups, uint32_t chip, uint32_t port, uint32_t *at);

/* The port by which a part leaves chip `from` for another chip `to`, and the links on its route: a
 * shortest one within a group; between two groups the shortest over a link that joins them, from
 * chip to chip in turns where several are as short.  O(links between the two groups). */
uint32_t boardfly_port(uint32_t groups, uint32_t from, uint32_t to);
uint32_t boardfly_distance(uint32_t groups, uint32_t from, uint32_t to);

#endif
