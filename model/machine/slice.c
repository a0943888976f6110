/* Components that stand for chips, cores and hosts of a slice, and their neighbours. */
#include "machine/slice.h"

#include <stdio.h>

static uint32_t cores_on_chip(const struct slice *m)
{
    return spec_cores_of_chip(m->spec);
}

uint32_t slice_chips_of_host(const struct slice *m)
{
    uint32_t per_host = m->spec->slice.chips_per_host;

    return m->images.n[0] < per_host ? m->images.n[0] : per_host;
}

uint32_t slice_number(const struct slice *m, uint32_t index)
{
    return m->alike ? images_chip(&m->images, index) : m->first_chip + index;
}

bool slice_joined(const struct slice *m)
{
    return m->spec->dcn.slices > 1;
}

uint32_t slice_neighbour(const struct slice *m, uint32_t chip, uint32_t port)
{
    uint32_t here = chip % m->chips_of_slice, to = mesh_neighbour(&m->mesh, here, port);

    return to == MESH_NO_PORT ? to : chip - here + to;
}

bool slice_linked(const struct slice *m, uint32_t chip, uint32_t port)
{
    return slice_neighbour(m, chip, port) != MESH_NO_PORT;
}

char *slice_link_name(const struct slice *m, uint32_t chip, uint32_t port,
                      char buf[SLICE_LINK_NAME])
{
    const char *name = spec_chip_name[m->spec->kind];

    snprintf(buf, SLICE_LINK_NAME, "%s%u->%s%u", name, chip, name, slice_neighbour(m, chip, port));
    return buf;
}

uint32_t slice_chip(const struct slice *m, uint32_t chip)
{
    return m->alike ? images_of(&m->images, chip % m->chips_of_slice) : chip - m->first_chip;
}

uint32_t slice_core(const struct slice *m, uint32_t core)
{
    uint32_t n = cores_on_chip(m);

    return slice_chip(m, core / n) * n + core % n;
}

uint32_t slice_host(const struct slice *m, uint32_t host)
{
    uint32_t first = host % m->hosts_of_slice * m->spec->slice.chips_per_host;

    return m->alike ? slice_chip(m, first) / slice_chips_of_host(m) : host - m->first_host;
}
