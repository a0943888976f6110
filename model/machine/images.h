/* images.h - which chips of a slice are simulated, and which chips each of them stands for.
 *
 * The chips of a box at the low corner of the mesh are built; all others are their images.  Along a
 * closed dimension the box has one place, and all chips do the same.  Along an open dimension of
 * even length it has half of the places, and the other half does the same in a mirror:
 *
 *      built 0 1 | 1 0  images       a link over the middle leads back to the chip that sends
 *
 * Along other dimensions all places are built.
 *
 * Where chips are wired as boards (schedule/boardfly.h), one group of boards is built, and all
 * groups do the same.  A link that leaves the group leads back into it: a chip of the group
 * receives what the link would carry to the same chip of another group. */
#ifndef MACHINE_IMAGES_H
#define MACHINE_IMAGES_H

#include "schedule/mesh.h"

/* The part of a slice that is built; as bits, the parts that a program allows. */
enum images_part { IMAGES_WHOLE = 0, IMAGES_ONE = 1, IMAGES_MIRRORED = 2 };

struct images {
    struct mesh mesh;
    uint32_t n[MESH_DIMS]; /* places of the box */
};

/* The box of one chip, for chips that all do the same; the box described above. */
void images_one(struct images *im, const struct mesh *mesh);
void images_mirrored(struct images *im, const struct mesh *mesh);

/* Number of chips built. */
uint32_t images_count(const struct images *im);
/* The chip that is built as the index-th. */
uint32_t images_chip(const struct images *im, uint32_t index);
/* Index of the built chip that stands for `chip`; its port that stands for `port` of that chip. */
uint32_t images_of(const struct images *im, uint32_t chip);
uint32_t images_port(const struct images *im, uint32_t chip, uint32_t port);
/* The end of the link that leaves the index-th built chip by `port`: index of a built chip; *at is
 * the port by which it comes in. */
uint32_t images_neighbour(const struct images *im, uint32_t index, uint32_t port, uint32_t *at);
/* The places by which a chip is further on, round the slice, than what comes in by `port` of the
 * index-th built chip says: its sender is of another group of boards.  0 but between those. */
uint32_t images_shift(const struct images *im, uint32_t index, uint32_t port);

#endif
