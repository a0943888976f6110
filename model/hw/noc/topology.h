/* topology.h - the nodes of a network and their neighbours: mesh, torus, twisted torus.
 *
 * Nodes stand on a grid of one to three dimensions, x first: node = x + radix_x (y + radix_y z).
 * Port 2d of a node leads one step up along dimension d, port 2d + 1 one step down.  A link is one
 * direction: link = node * ports + port, named after the node it leaves.
 *
 *     mesh     an axis ends at its last node
 *     torus    an axis closes: the last node's upward link leads to the first.  An axis of two
 *              then has two links each way; an axis of one has none.
 *     twisted  a torus of radices n and 2n only, where a step over the wrap of a short axis also
 *              moves n along every long one: n x 2n, n x n x 2n, n x 2n x 2n.  Smaller diameter,
 *              all links alike [camarero-2014], as TPU v4 offers it.
 *
 * All of it is a function of the grid and its dead links, without time. */
#ifndef HW_NOC_TOPOLOGY_H
#define HW_NOC_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TOPOLOGY_MAX_DIMS 3                        /* x, y and z */
#define TOPOLOGY_MAX_PORTS (2 * TOPOLOGY_MAX_DIMS) /* without the node's own */
#define TOPOLOGY_MAX_NODES 65536                   /* of a network */
#define TOPOLOGY_NONE UINT32_MAX                   /* no neighbour */

struct topology {
    uint32_t n_dims, n_nodes;
    uint32_t radix[TOPOLOGY_MAX_DIMS]; /* 1 beyond n_dims */
    bool wrap[TOPOLOGY_MAX_DIMS];
    bool twisted;
    uint32_t n_dead; /* links, each direction by itself */
    bool *dead;      /* [link], NULL while there is none */
};

/* A grid of `n_dims` axes; `wrap[d]`: axis d closes.  Errors: ERR_RANGE for no node, more than
 * TOPOLOGY_MAX_NODES or a number of axes outside 1 to 3. */
int topology_init(struct topology *t, uint32_t n_dims, const uint32_t *radix, const bool *wrap,
                  struct err *err);
/* Twist a torus.  Errors: ERR_FIT when the radices are not n and 2n with both present. */
int topology_twist(struct topology *t, struct err *err);
/* From text: kind "mesh", "torus" or "twisted", radix "8", "4x4" or "4x4x8".  Errors: also
 * ERR_FORMAT, ERR_UNKNOWN. */
int topology_parse(struct topology *t, const char *kind, const char *radix, struct err *err);
void topology_free(struct topology *t);

/* Axes of a slice that close: those of at least `least` nodes (0: none); with `together` only if
 * every axis has so many.  v4 and v5p: 4, together; v5e and v6e: 16, each by itself. */
void topology_wraps(uint32_t n_dims, const uint32_t *radix, uint32_t least, bool together,
                    bool *wrap);

/* Ports of a node that lead to neighbours. */
static inline uint32_t topology_ports(const struct topology *t)
{
    return 2 * t->n_dims;
}

/* Directions of links that there can be; some of a mesh lead nowhere. */
static inline uint32_t topology_links(const struct topology *t)
{
    return t->n_nodes * topology_ports(t);
}

/* The place of a node on the grid, and the node at a place. */
void topology_coord(const struct topology *t, uint32_t node, uint32_t coord[TOPOLOGY_MAX_DIMS]);
uint32_t topology_node(const struct topology *t, const uint32_t coord[TOPOLOGY_MAX_DIMS]);
/* "(1,0,3)", in a buffer of TOPOLOGY_TEXT bytes, which it returns. */
#define TOPOLOGY_TEXT 40
char *topology_text(const struct topology *t, uint32_t node, char buf[TOPOLOGY_TEXT]);

/* The node behind a port, dead or not; TOPOLOGY_NONE at the end of an open axis. */
uint32_t topology_neighbour(const struct topology *t, uint32_t node, uint32_t port);
/* The port of `node` whose link goes to `to`, the lowest if there are two; TOPOLOGY_NONE: none. */
uint32_t topology_port_to(const struct topology *t, uint32_t node, uint32_t to);
/* Does this step go over the place where an axis closes? */
bool topology_crosses(const struct topology *t, uint32_t node, uint32_t port);

/* --- routes ------------------------------------------------------------------------------- */

/* Steps still to go along each axis, up counted positive. */
struct topology_steps {
    int32_t dim[TOPOLOGY_MAX_DIMS];
};

/* The fewest steps between two nodes, without regard to dead links.  If both directions round an
 * axis are equally long, nodes of even coordinate go up and others down, which loads all links
 * equally; nodes share the shortest routes of a twisted torus in the same manner. */
struct topology_steps topology_steps(const struct topology *t, uint32_t from, uint32_t to);
uint32_t topology_hops(const struct topology_steps *s);
uint32_t topology_distance(const struct topology *t, uint32_t from, uint32_t to);

/* The next port in order of dimensions (x, then y, then z); TOPOLOGY_NONE: arrived. */
static inline uint32_t topology_next(const struct topology_steps *s)
{
    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        if (s->dim[d] != 0)
            return 2 * d + (s->dim[d] < 0);
    return TOPOLOGY_NONE;
}

/* All ports that bring a packet nearer, as bits 1 << port: what minimal adaptive routing chooses
 * from. */
static inline uint32_t topology_candidates(const struct topology_steps *s)
{
    uint32_t ports = 0;

    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        if (s->dim[d] != 0)
            ports |= UINT32_C(1) << (2 * d + (s->dim[d] < 0));
    return ports;
}

/* Take a step through `port`, which must be one of the candidates. */
static inline void topology_take(struct topology_steps *s, uint32_t port)
{
    int32_t *left = &s->dim[port / 2];

    BUG_ON(port % 2 ? *left >= 0 : *left <= 0);
    *left += port % 2 ? 1 : -1;
}

/* --- dead links --------------------------------------------------------------------------- */

/* Remove all links between two neighbours, in both directions.  Errors: ERR_FIT if they are not
 * neighbours, ERR_RANGE if there is no such node. */
int topology_kill(struct topology *t, uint32_t a, uint32_t b, struct err *err);
bool topology_dead(const struct topology *t, uint32_t node, uint32_t port);

/* A route around dead links: in order of dimensions to `via`, then in order of dimensions to its
 * end.  Each leg takes the closing link of an axis at most once, so that a pair of virtual channels
 * a leg keeps it free of deadlock. */
struct topology_way {
    struct topology_steps leg[2]; /* leg[0] takes no step if one leg is enough */
    uint32_t via;                 /* the node between them; the first node if one leg is enough */
};

/* The direct route if it has no dead link; else the shortest of the routes the other way round its
 * axes and of those by another node, the first of equal ones in that order.  Errors: ERR_FIT if
 * each has a dead link.  O(nodes * diameter) if the direct route has one. */
int topology_way(const struct topology *t, uint32_t from, uint32_t to, struct topology_way *way,
                 struct err *err);

#endif
