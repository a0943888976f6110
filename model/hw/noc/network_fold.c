/* The shortcut for a message alone: follow its first and its last flit over the links. */
#include "hw/noc/network.h"

/* Cycles from a flit's crossing to the return of its credit. */
static uint32_t round_trip_cycles(const struct network_params *p)
{
    return 5 + 2 * p->link + p->credit;
}

/* Is no queue ever full, and does no packet wait for a channel, while nothing else is under way? */
static bool flows_freely(const struct network *n, uint32_t flits, uint32_t packet)
{
    if (n->par.routing != NETWORK_DIMENSION || n->par.depth < round_trip_cycles(&n->par))
        return false;
    if (flits <= packet)
        return true;
    /* a queue serves a packet of one flit every third cycle, and every packet needs a channel of
     * its class while the tail of the one before still holds its own */
    if (packet < 2 || n->slowest > 1)
        return false;
    for (uint32_t c = 0; c < n->n_classes; c++)
        if (n->first_vc[c + 1] - n->first_vc[c] < 2)
            return false;
    return true;
}

/* Follow a message over the links of a leg.  *head and *tail are the cycles in which its first and
 * its last flit cross the router of *node. */
static void follow_leg(const struct network *n, uint32_t *node, struct topology_steps s,
                       uint32_t flits, uint64_t *head, uint64_t *tail)
{
    uint32_t port;

    while ((port = topology_next(&s)) != TOPOLOGY_NONE) {
        const struct network_link *l = &n->link[*node * (n->n_ports - 1) + port];
        uint64_t pace = *head + (uint64_t)(flits - 1) * l->interval;
        if (pace > *tail)
            *tail = pace;
        *head += l->cycles + 4;
        *tail += l->cycles + 2; /* with nothing ahead of it; else right behind that */
        if (*tail < *head + flits - 1)
            *tail = *head + flits - 1;
        *node = l->to;
        topology_take(&s, port);
    }
}

bool network_alone(const struct network *n, uint32_t from, uint32_t to, uint32_t flits,
                   uint32_t packet, uint64_t *cycles)
{
    struct topology_way way;
    struct err err;
    uint64_t head = 4, tail = 4 + (uint64_t)flits - 1;

    if (!flows_freely(n, flits, packet) || topology_way(n->topology, from, to, &way, &err) != 0)
        return false;
    follow_leg(n, &from, way.leg[0], flits, &head, &tail);
    follow_leg(n, &from, way.leg[1], flits, &head, &tail);
    *cycles = tail + 3;
    return true;
}
