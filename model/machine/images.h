/* images.h - which chips of a slice are simulated, and whom each of them stands for.
 *
 * The chips of a box at the low corner of the mesh are; where it ends, the others begin as its
 * images: along a closed dimension the box has one place, and all others do the same; along an open
 * one of an even number it has half of them, and the other half does the same in a mirror:
 *
 *      built 0 1 | 1 0  images       a link over the middle leads back to the chip that sends
 *
 * Along other dimensions all places are built. */
#ifndef MACHINE_IMAGES_H
#define MACHINE_IMAGES_H

#include "schedule/mesh.h"

/* What may be built of a slice; as bits, what its programs allow. */
enum images_part { IMAGES_WHOLE = 0, IMAGES_ONE = 1, IMAGES_MIRRORED = 2 };

struct images {
    struct mesh mesh;
    uint32_t n[MESH_DIMS]; /* of the box */
};

/* One chip for all, if they do the same whatever the links; or a box as above. */
void images_one(struct images *im, const struct mesh *mesh);
void images_mirrored(struct images *im, const struct mesh *mesh);

uint32_t images_count(const struct images *im);
/* The chip that is built as the index-th. */
uint32_t images_chip(const struct images *im, uint32_t index);
/* Index of the one that stands for a chip, and its port that stands for a port of that chip. */
uint32_t images_of(const struct images *im, uint32_t chip);
uint32_t images_port(const struct images *im, uint32_t chip, uint32_t port);
/* Where the link from a port of a built chip leads: index of a chip, and its port. */
uint32_t images_neighbour(const struct images *im, uint32_t index, uint32_t port, uint32_t *at);

#endif
