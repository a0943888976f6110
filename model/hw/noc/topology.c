/* Grids, neighbours, shortest routes, and detours around dead links. */
#include "hw/noc/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- the grid ----------------------------------------------------------------------------- */

int topology_init(struct topology *t, uint32_t n_dims, const uint32_t *radix, const bool *wrap,
                  struct err *err)
{
    uint64_t nodes = 1;

    if (n_dims == 0 || n_dims > TOPOLOGY_MAX_DIMS)
        return err_set(err, ERR_RANGE, "a network has 1 to %d dimensions, not %u",
                       TOPOLOGY_MAX_DIMS, n_dims);
    *t = (struct topology){ .n_dims = n_dims, .radix = { 1, 1, 1 } };
    for (uint32_t d = 0; d < n_dims; d++) {
        t->radix[d] = radix[d];
        t->wrap[d] = wrap[d] && radix[d] > 1;
        nodes *= radix[d];
        if (nodes == 0 || nodes > TOPOLOGY_MAX_NODES)
            return err_set(err, ERR_RANGE, "a network has 1 to %d nodes", TOPOLOGY_MAX_NODES);
    }
    t->n_nodes = (uint32_t)nodes;
    return 0;
}

int topology_twist(struct topology *t, struct err *err)
{
    uint32_t small = t->radix[0], large = t->radix[0];
    bool fits = true;

    for (uint32_t d = 0; d < t->n_dims; d++) {
        small = t->radix[d] < small ? t->radix[d] : small;
        large = t->radix[d] > large ? t->radix[d] : large;
    }
    for (uint32_t d = 0; d < t->n_dims; d++)
        fits = fits && t->wrap[d] && (t->radix[d] == small || t->radix[d] == large);
    if (!fits || large != 2 * small)
        return err_set(err, ERR_FIT,
                       "a twisted torus has axes of n and of 2n nodes, all closed: "
                       "4x8, 4x4x8 or 4x8x8");
    t->twisted = true;
    return 0;
}

/* Read "4x4x8", numbers up to TOPOLOGY_MAX_NODES; returns how many, or 0 if it is no such text. */
static uint32_t read_radix(const char *text, uint32_t radix[TOPOLOGY_MAX_DIMS])
{
    for (uint32_t n = 0; n < TOPOLOGY_MAX_DIMS; n++) {
        uint32_t v = 0;
        if (*text < '0' || *text > '9')
            return 0;
        for (; *text >= '0' && *text <= '9'; text++)
            v = v > TOPOLOGY_MAX_NODES ? v : v * 10 + (uint32_t)(*text - '0');
        radix[n] = v;
        if (*text == '\0')
            return n + 1;
        if (*text++ != 'x')
            return 0;
    }
    return 0;
}

int topology_parse(struct topology *t, const char *kind, const char *radix, struct err *err)
{
    static const char *const kinds[] = { "mesh", "torus", "twisted" };
    uint32_t r[TOPOLOGY_MAX_DIMS], n = read_radix(radix, r), k = 0;

    while (k < 3 && strcmp(kind, kinds[k]) != 0)
        k++;
    if (k == 3) {
        const char *near = err_nearest(kind, kinds, 3);
        return err_set(err, ERR_UNKNOWN, "topology = %.40s: neither mesh, torus nor twisted%s%s",
                       kind, near ? ", did you mean " : "", near ? near : "");
    }
    if (n == 0)
        return err_set(err, ERR_FORMAT,
                       "radix = %.40s: expected one to three counts: 8, 4x4, 4x4x8", radix);
    bool closed = k > 0, wrap[TOPOLOGY_MAX_DIMS] = { closed, closed, closed };
    if (topology_init(t, n, r, wrap, err) != 0 || (k == 2 && topology_twist(t, err) != 0))
        return err_at(err, "radix = %.40s", radix);
    return 0;
}

void topology_free(struct topology *t)
{
    free(t->dead);
    t->dead = NULL;
}

void topology_wraps(uint32_t n_dims, const uint32_t *radix, uint32_t least, bool together,
                    bool *wrap)
{
    bool all = least > 0;

    for (uint32_t d = 0; d < n_dims; d++)
        all = all && radix[d] >= least;
    for (uint32_t d = 0; d < n_dims; d++)
        wrap[d] = together ? all : least > 0 && radix[d] >= least;
}

void topology_coord(const struct topology *t, uint32_t node, uint32_t coord[TOPOLOGY_MAX_DIMS])
{
    BUG_ON(node >= t->n_nodes);
    coord[0] = node % t->radix[0];
    coord[1] = node / t->radix[0] % t->radix[1];
    coord[2] = node / t->radix[0] / t->radix[1];
}

uint32_t topology_node(const struct topology *t, const uint32_t coord[TOPOLOGY_MAX_DIMS])
{
    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        BUG_ON(coord[d] >= t->radix[d]);
    return coord[0] + t->radix[0] * (coord[1] + t->radix[1] * coord[2]);
}

char *topology_text(const struct topology *t, uint32_t node, char buf[TOPOLOGY_TEXT])
{
    uint32_t c[TOPOLOGY_MAX_DIMS];
    int n = 0;

    topology_coord(t, node, c);
    for (uint32_t d = 0; d < t->n_dims; d++)
        n += snprintf(buf + n, TOPOLOGY_TEXT - (size_t)n, "%c%u", d ? ',' : '(', c[d]);
    snprintf(buf + n, TOPOLOGY_TEXT - (size_t)n, ")");
    return buf;
}

bool topology_crosses(const struct topology *t, uint32_t node, uint32_t port)
{
    uint32_t c[TOPOLOGY_MAX_DIMS], d = port / 2;

    BUG_ON(d >= t->n_dims);
    topology_coord(t, node, c);
    return t->wrap[d] && c[d] == (port % 2 ? 0 : t->radix[d] - 1);
}

/* Nodes that a step up over the closing link of the short axis d also moves along axis e. */
static uint32_t shift_of_wrap(const struct topology *t, uint32_t d, uint32_t e)
{
    return t->twisted && t->radix[e] == 2 * t->radix[d] ? t->radix[d] : 0;
}

uint32_t topology_neighbour(const struct topology *t, uint32_t node, uint32_t port)
{
    uint32_t c[TOPOLOGY_MAX_DIMS], d = port / 2;

    BUG_ON(d >= t->n_dims);
    topology_coord(t, node, c);
    bool last = c[d] == (port % 2 ? 0 : t->radix[d] - 1);
    if (last && !t->wrap[d])
        return TOPOLOGY_NONE;
    c[d] = (c[d] + (port % 2 ? t->radix[d] - 1 : 1)) % t->radix[d];
    for (uint32_t e = 0; last && e < t->n_dims;
         e++) /* n up or n down on an axis of 2n ends at one node */
        c[e] = (c[e] + shift_of_wrap(t, d, e)) % t->radix[e];
    return topology_node(t, c);
}

uint32_t topology_port_to(const struct topology *t, uint32_t node, uint32_t to)
{
    for (uint32_t p = 0; p < topology_ports(t); p++)
        if (topology_neighbour(t, node, p) == to)
            return p;
    return TOPOLOGY_NONE;
}

/* --- routes ------------------------------------------------------------------------------- */

uint32_t topology_hops(const struct topology_steps *s)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        n += (uint32_t)(s->dim[d] < 0 ? -s->dim[d] : s->dim[d]);
    return n;
}

/* Routes that end `by` steps away differ in how often they go round each axis: `by` plus any sum of
 * vectors that lead back to their start, radix[d] steps along d less the shift of its closing link.
 * Up to twice round in either direction includes all the shortest. */
enum { ROUNDS = 5, COMBINATIONS = ROUNDS * ROUNDS * ROUNDS };

static struct topology_steps wind_steps(const struct topology *t,
                                        const int32_t by[TOPOLOGY_MAX_DIMS], uint32_t combination)
{
    struct topology_steps s = { { by[0], by[1], by[2] } };

    BUG_ON(t->n_dims > TOPOLOGY_MAX_DIMS);
    for (uint32_t d = 0; d < t->n_dims; d++, combination /= ROUNDS) {
        int32_t times = (int32_t)(combination % ROUNDS) - ROUNDS / 2;
        s.dim[d] += times * (int32_t)t->radix[d];
        for (uint32_t e = 0; e < t->n_dims; e++)
            s.dim[e] -= times * (int32_t)shift_of_wrap(t, d, e);
    }
    return s;
}

static struct topology_steps
choose_twisted_steps(const struct topology *t, const int32_t by[TOPOLOGY_MAX_DIMS], uint32_t turn)
{
    uint32_t best = UINT32_MAX, equal = 1, all = t->n_dims == 2 ? ROUNDS * ROUNDS : COMBINATIONS;

    for (uint32_t i = 0; i < all; i++) {
        struct topology_steps s = wind_steps(t, by, i);
        uint32_t hops = topology_hops(&s);
        equal = hops < best ? 1 : equal + (hops == best);
        best = hops < best ? hops : best;
    }
    uint32_t skip = turn % equal;
    for (uint32_t i = 0;; i++) {
        struct topology_steps s = wind_steps(t, by, i);
        if (topology_hops(&s) == best && skip-- == 0)
            return s;
    }
}

struct topology_steps topology_steps(const struct topology *t, uint32_t from, uint32_t to)
{
    uint32_t a[TOPOLOGY_MAX_DIMS], b[TOPOLOGY_MAX_DIMS];
    int32_t by[TOPOLOGY_MAX_DIMS];

    BUG_ON(t->n_dims > TOPOLOGY_MAX_DIMS);
    topology_coord(t, from, a);
    topology_coord(t, to, b);
    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        by[d] = (int32_t)b[d] - (int32_t)a[d];
    if (t->twisted)
        return choose_twisted_steps(t, by, a[0] + a[1] + a[2]);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        int32_t k = (int32_t)t->radix[d], up = by[d] < 0 ? by[d] + k : by[d];
        if (t->wrap[d])
            by[d] = 2 * up < k || (2 * up == k && a[d] % 2 == 0) ? up : up - k;
    }
    return (struct topology_steps){ { by[0], by[1], by[2] } };
}

uint32_t topology_distance(const struct topology *t, uint32_t from, uint32_t to)
{
    struct topology_steps s = topology_steps(t, from, to);

    return topology_hops(&s);
}

/* --- dead links --------------------------------------------------------------------------- */

static bool *dead_at(const struct topology *t, uint32_t node, uint32_t port)
{
    return &t->dead[node * topology_ports(t) + port];
}

bool topology_dead(const struct topology *t, uint32_t node, uint32_t port)
{
    return t->dead && *dead_at(t, node, port);
}

int topology_kill(struct topology *t, uint32_t a, uint32_t b, struct err *err)
{
    if (a >= t->n_nodes || b >= t->n_nodes)
        return err_set(err, ERR_RANGE, "no node %u: outside [0, %u]", a >= t->n_nodes ? a : b,
                       t->n_nodes - 1);
    if (a == b || topology_port_to(t, a, b) == TOPOLOGY_NONE)
        return err_set(err, ERR_FIT, "no link between nodes %u and %u", a, b);
    if (!t->dead)
        t->dead = memory_zeroed(topology_links(t), sizeof *t->dead);
    for (uint32_t way = 0; way < 2; way++) {
        uint32_t from = way ? b : a, to = way ? a : b;
        for (uint32_t p = 0; p < topology_ports(t); p++)
            if (topology_neighbour(t, from, p) == to && !topology_dead(t, from, p)) {
                *dead_at(t, from, p) = true;
                t->n_dead++;
            }
    }
    return 0;
}

/* Do the steps `s`, in order of dimensions, avoid dead links? */
static bool is_alive(const struct topology *t, uint32_t from, struct topology_steps s)
{
    uint32_t port;

    while ((port = topology_next(&s)) != TOPOLOGY_NONE) {
        if (topology_dead(t, from, port))
            return false;
        from = topology_neighbour(t, from, port);
        topology_take(&s, port);
    }
    return true;
}

/* Go the other way round the axes of `mask`, to the same end; false: impossible. */
static bool turn_axes(const struct topology *t, struct topology_steps *s, uint32_t mask)
{
    for (uint32_t d = 0; d < t->n_dims; d++) {
        if (!(mask >> d & 1))
            continue;
        if (!t->wrap[d] || t->twisted || s->dim[d] == 0)
            return false;
        s->dim[d] += (int32_t)t->radix[d] * (s->dim[d] < 0 ? 1 : -1);
    }
    return true;
}

static bool find_detour(const struct topology *t, uint32_t from, uint32_t to,
                        struct topology_way *way)
{
    struct topology_steps direct = topology_steps(t, from, to);
    uint32_t best = UINT32_MAX;

    for (uint32_t mask = 1; mask < UINT32_C(1) << t->n_dims; mask++) {
        struct topology_steps s = direct;
        if (turn_axes(t, &s, mask) && topology_hops(&s) < best && is_alive(t, from, s)) {
            best = topology_hops(&s);
            *way = (struct topology_way){ { { { 0 } }, s }, from };
        }
    }
    for (uint32_t via = 0; via < t->n_nodes; via++) {
        struct topology_steps a = topology_steps(t, from, via), b = topology_steps(t, via, to);
        if (topology_hops(&a) + topology_hops(&b) < best && is_alive(t, from, a) &&
            is_alive(t, via, b)) {
            best = topology_hops(&a) + topology_hops(&b);
            *way = (struct topology_way){ { a, b }, via };
        }
    }
    return best != UINT32_MAX;
}

int topology_way(const struct topology *t, uint32_t from, uint32_t to, struct topology_way *way,
                 struct err *err)
{
    char a[TOPOLOGY_TEXT], b[TOPOLOGY_TEXT];

    *way = (struct topology_way){ { { { 0 } }, topology_steps(t, from, to) }, from };
    if (!t->dead || is_alive(t, from, way->leg[1]) || find_detour(t, from, to, way))
        return 0;
    return err_set(err, ERR_FIT,
                   "no way from node %u %s to node %u %s in two legs avoids the %u dead links",
                   from, topology_text(t, from, a), to, topology_text(t, to, b), t->n_dead);
}
