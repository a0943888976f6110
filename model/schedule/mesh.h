/* mesh.h - chips on a mesh or torus of up to three dimensions, and groups of them.
 *
 *      chip = x + n[0] * (y + n[1] * z)
 *
 * A group is every `stride`-th chip, `size` of them:
 *      chip = base + member * stride,  base = (group / stride) * size * stride + group % stride
 * If the members stand on the corners of a regular box, the group has dimensions of its own, in
 * which neighbours are `hop` links apart; if not, it is a row of members at any distance. */
#ifndef SCHEDULE_MESH_H
#define SCHEDULE_MESH_H

#include <stdbool.h>
#include <stdint.h>

#define MESH_DIMS 3
#define MESH_PORTS 6 /* 2 d: to higher along d, 2 d + 1: to lower */
#define MESH_NO_PORT UINT32_MAX
#define MESH_TWIST MESH_DIMS /* of wrap[] */

struct mesh {
    uint32_t n[MESH_DIMS]; /* each at least 1 */
    /* [d]: the last is linked to the first; counts from 3 chips on.  [MESH_TWIST]: of closed
     * dimensions of n and of 2n chips, a step over the end of one of n also moves n along every one
     * of 2n */
    bool wrap[MESH_DIMS + 1];
};

struct mesh_group {
    uint32_t size, stride;   /* of chips; size * stride divides the number of chips */
    struct mesh box;         /* its members, member = x + n[0] * (y + n[1] * z) */
    uint32_t hop[MESH_DIMS]; /* links between neighbours; 0: they differ (box is a row then) */
};

uint32_t mesh_size(const struct mesh *m);

/* Is `d` a short dimension of a twisted mesh? */
bool mesh_twists(const struct mesh *m, uint32_t d);

/* Coordinates of a chip, and the chip at coordinates. */
void mesh_at(const struct mesh *m, uint32_t chip, uint32_t at[MESH_DIMS]);
uint32_t mesh_chip(const struct mesh *m, const uint32_t at[MESH_DIMS]);

/* The chip behind a port, or MESH_NO_PORT. */
uint32_t mesh_neighbour(const struct mesh *m, uint32_t chip, uint32_t port);

/* The port on the way `from` one chip `to` another, one dimension after the other, the shorter way
 * round (the higher one of equals; on a twisted mesh chips take turns); MESH_NO_PORT if they are
 * one.  And the links on that way. */
uint32_t mesh_port(const struct mesh *m, uint32_t from, uint32_t to);
uint32_t mesh_distance(const struct mesh *m, uint32_t from, uint32_t to);

/* Place `i` of a round through all chips: along the first row from x = 1, back and forth through
 * the rows without column 0, and home through column 0; planes are laid one behind the other.
 * Neighbours in the round are neighbours on the mesh when it can be (mesh_closed). */
uint32_t mesh_round(const struct mesh *m, uint32_t i);
/* The place of a chip in that round. */
uint32_t mesh_place(const struct mesh *m, uint32_t chip);
/* Is the round a ring of links?  It is one of at least two chips if some dimension is even, or if
 * there is only one and it wraps. */
bool mesh_closed(const struct mesh *m);

/* Group of `size` chips `stride` apart; false unless size * stride divides the number of chips. */
bool mesh_group(struct mesh_group *g, const struct mesh *m, uint32_t size, uint32_t stride);
uint32_t mesh_group_chip(const struct mesh_group *g, uint32_t group, uint32_t member);
void mesh_group_of(const struct mesh_group *g, uint32_t chip, uint32_t *group, uint32_t *member);

#endif
