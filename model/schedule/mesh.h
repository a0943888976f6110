/* mesh.h - chips on a mesh or torus of up to three dimensions, and groups of them.
 *
 *      chip = x + n[0] * (y + n[1] * z)
 *
 * Chips may instead be wired as boards and groups of boards (boardfly.h): x is then the place on a
 * board, y the board and z the group.
 *
 * A group is every `stride`-th chip, `size` of them:
 *      chip = base + member * stride,  base = (group / stride) * size * stride + group % stride
 * If the members stand on the corners of a regular box, the group has dimensions of its own, in
 * which neighbours are `hop` links apart; if not, it is a row of members at any distance. */
#ifndef SCHEDULE_MESH_H
#define SCHEDULE_MESH_H

#include <stdbool.h>
#include <stdint.h>

#define MESH_DIMS 3                 /* at most */
#define MESH_PORTS 6                /* 2 d: to higher along d, 2 d + 1: to lower */
#define MESH_NO_PORT UINT32_MAX     /* no link leads there */
#define MESH_TWIST MESH_DIMS        /* of wrap[] */
#define MESH_BOARDS (MESH_DIMS + 1) /* likewise */

struct mesh {
    uint32_t n[MESH_DIMS]; /* each at least 1 */
    /* [d]: the last chip along d is linked to the first, if there are 3 or more.  [MESH_TWIST]: the
     * torus is twisted; a step over the end of a dimension of n also moves n along every dimension
     * of 2n.  [MESH_BOARDS]: boards of boardfly.h, 4 x 8 chips a group; only [0] is true besides */
    bool wrap[MESH_DIMS + 2];
};

struct mesh_group {
    uint32_t size, stride;   /* of chips; size * stride divides the number of chips */
    struct mesh box;         /* its members, member = x + n[0] * (y + n[1] * z) */
    uint32_t hop[MESH_DIMS]; /* links between neighbours; 0: they differ (box is a row then, or goes
                                over several boards) */
    /* groups that no stride describes, all of one box; NULL: as `stride` says */
    const uint32_t *chips; /* [group * size + member] */
    const uint32_t *place; /* [chip] group * size + member */
};

/* The number of chips. */
uint32_t mesh_size(const struct mesh *m);

/* True if the mesh is twisted and `d` one of its short dimensions. */
bool mesh_twists(const struct mesh *m, uint32_t d);

/* Coordinates of a chip, and the chip at coordinates. */
void mesh_at(const struct mesh *m, uint32_t chip, uint32_t at[MESH_DIMS]);
uint32_t mesh_chip(const struct mesh *m, const uint32_t at[MESH_DIMS]);

/* The chip behind a port, or MESH_NO_PORT; and its port by which the link comes in. */
uint32_t mesh_neighbour(const struct mesh *m, uint32_t chip, uint32_t port);
uint32_t mesh_arrival(const struct mesh *m, uint32_t chip, uint32_t port);

/* The port by which a part leaves chip `from` for chip `to`, and the links on its route.  The route
 * takes one dimension after the other and the shorter direction along each; if both are as long,
 * upwards, on a twisted mesh chips take turns; between boards it is that of boardfly.h.
 * MESH_NO_PORT and 0 if from == to. */
uint32_t mesh_port(const struct mesh *m, uint32_t from, uint32_t to);
uint32_t mesh_distance(const struct mesh *m, uint32_t from, uint32_t to);

/* The chip at place `i` of the round through all chips: along the first row from x = 1, back and
 * forth through the other rows but for column 0, and home through column 0; planes are laid one
 * behind the other.  Neighbours in the round are neighbours on the mesh where that is possible
 * (mesh_closed). */
uint32_t mesh_round(const struct mesh *m, uint32_t i);
/* The place of a chip in that round. */
uint32_t mesh_place(const struct mesh *m, uint32_t chip);
/* True if the round is a ring of links: of two or more chips some dimension is even, or the only
 * one wraps. */
bool mesh_closed(const struct mesh *m);

/* Make the group of `size` chips `stride` apart; false unless size * stride divides the number of
 * chips.  Then: the chip of a member, and the group and member of a chip. */
bool mesh_group(struct mesh_group *g, const struct mesh *m, uint32_t size, uint32_t stride);
/* Make groups of `size` chips each, the members of each in ascending order, of `chips` and `place`
 * as above, which stay the caller's; false unless all stand on the corners of equal boxes. */
bool mesh_group_listed(struct mesh_group *g, const struct mesh *m, uint32_t size,
                       const uint32_t *chips, const uint32_t *place);
uint32_t mesh_group_chip(const struct mesh_group *g, uint32_t group, uint32_t member);
void mesh_group_of(const struct mesh_group *g, uint32_t chip, uint32_t *group, uint32_t *member);

#endif
