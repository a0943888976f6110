/* Arithmetic of boxes and mirrors. */
#include "machine/images.h"

#include "schedule/boardfly.h"

static bool is_closed(const struct mesh *m, uint32_t d)
{
    return m->wrap[d] && m->n[d] > 2;
}

void images_one(struct images *im, const struct mesh *mesh)
{
    *im = (struct images){ *mesh, { 1, 1, 1 } };
}

void images_mirrored(struct images *im, const struct mesh *mesh)
{
    im->mesh = *mesh;
    for (uint32_t d = 0; d < MESH_DIMS; d++) {
        uint32_t n = mesh->n[d];
        if (mesh->wrap[MESH_BOARDS])
            im->n[d] = d < 2 ? n : 1;
        else
            im->n[d] = is_closed(mesh, d) ? 1 : n % 2 == 0 ? n / 2 : n;
    }
}

uint32_t images_count(const struct images *im)
{
    return im->n[0] * im->n[1] * im->n[2];
}

static const struct mesh *mesh_of_box(const struct images *im, struct mesh *m)
{
    *m = (struct mesh){ .n = { im->n[0], im->n[1], im->n[2] } };
    return m;
}

uint32_t images_chip(const struct images *im, uint32_t index)
{
    uint32_t at[MESH_DIMS];
    struct mesh m;

    mesh_at(mesh_of_box(im, &m), index, at);
    return mesh_chip(&im->mesh, at);
}

/* Is the place in the mirrored half? */
static bool is_mirrored(const struct images *im, uint32_t d, uint32_t at)
{
    return !im->mesh.wrap[MESH_BOARDS] && 2 * im->n[d] == im->mesh.n[d] && at >= im->n[d];
}

uint32_t images_of(const struct images *im, uint32_t chip)
{
    uint32_t at[MESH_DIMS];
    struct mesh m;

    mesh_at(&im->mesh, chip, at);
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        at[d] = (is_mirrored(im, d, at[d]) ? im->mesh.n[d] - 1 - at[d] : at[d]) % im->n[d];
    return mesh_chip(mesh_of_box(im, &m), at);
}

uint32_t images_port(const struct images *im, uint32_t chip, uint32_t port)
{
    uint32_t at[MESH_DIMS];

    mesh_at(&im->mesh, chip, at);
    return is_mirrored(im, port / 2, at[port / 2]) ? port ^ 1 : port;
}

uint32_t images_neighbour(const struct images *im, uint32_t index, uint32_t port, uint32_t *at)
{
    uint32_t from = images_chip(im, index), to = mesh_neighbour(&im->mesh, from, port);

    *at = images_port(im, to, mesh_arrival(&im->mesh, from, port));
    /* a chip that stands for all of an open dimension receives by the port it sends by */
    if (!im->mesh.wrap[MESH_BOARDS] && im->n[port / 2] == 1 && !is_closed(&im->mesh, port / 2))
        *at = port;
    return images_of(im, to);
}

uint32_t images_shift(const struct images *im, uint32_t index, uint32_t port)
{
    uint32_t from = im->mesh.wrap[MESH_BOARDS]
                        ? mesh_neighbour(&im->mesh, images_chip(im, index), port)
                        : MESH_NO_PORT;

    return from == MESH_NO_PORT ? 0 : from / BOARDFLY_GROUP * BOARDFLY_GROUP;
}
