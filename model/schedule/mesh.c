#include "schedule/mesh.h"

#include "schedule/boardfly.h"

uint32_t mesh_size(const struct mesh *m)
{
    return m->n[0] * m->n[1] * m->n[2];
}

void mesh_at(const struct mesh *m, uint32_t chip, uint32_t at[MESH_DIMS])
{
    at[0] = chip % m->n[0];
    at[1] = chip / m->n[0] % m->n[1];
    at[2] = chip / m->n[0] / m->n[1];
}

uint32_t mesh_chip(const struct mesh *m, const uint32_t at[MESH_DIMS])
{
    return at[0] + m->n[0] * (at[1] + m->n[1] * at[2]);
}

static bool is_closed(const struct mesh *m, uint32_t d)
{
    return m->wrap[d] && m->n[d] > 2;
}

bool mesh_twists(const struct mesh *m, uint32_t d)
{
    bool shorter = false;

    for (uint32_t e = 0; e < MESH_DIMS; e++)
        shorter |= m->n[e] == 2 * m->n[d];
    return m->wrap[MESH_TWIST] && m->n[d] > 1 && shorter;
}

uint32_t mesh_neighbour(const struct mesh *m, uint32_t chip, uint32_t port)
{
    uint32_t at[MESH_DIMS], d = port / 2, in;

    if (m->wrap[MESH_BOARDS])
        return boardfly_neighbour(m->n[2], chip, port, &in);
    mesh_at(m, chip, at);
    bool up = port % 2 == 0, edge = up ? at[d] + 1 == m->n[d] : at[d] == 0;
    if (edge && !is_closed(m, d))
        return MESH_NO_PORT;
    if (edge)
        at[d] = up ? 0 : m->n[d] - 1;
    else
        at[d] = up ? at[d] + 1 : at[d] - 1;
    for (uint32_t e = 0; edge && mesh_twists(m, d) && e < MESH_DIMS; e++)
        if (m->n[e] == 2 * m->n[d]) /* n up or n down of 2n is the same */
            at[e] = (at[e] + m->n[d]) % m->n[e];
    return mesh_chip(m, at);
}

uint32_t mesh_arrival(const struct mesh *m, uint32_t chip, uint32_t port)
{
    uint32_t in = port ^ 1;

    if (m->wrap[MESH_BOARDS])
        boardfly_neighbour(m->n[2], chip, port, &in);
    return in;
}

/* Steps upwards along `d` from `a` to `b` in the shorter direction; negative: downwards. */
static int64_t steps_along(const struct mesh *m, uint32_t d, uint32_t a, uint32_t b)
{
    int64_t n = m->n[d], up = (int64_t)b - a;

    if (!is_closed(m, d))
        return up;
    up = (up + n) % n;
    return 2 * up <= n ? up : up - n;
}

static uint32_t links_of_steps(const int64_t step[MESH_DIMS])
{
    int64_t sum = 0;

    for (uint32_t d = 0; d < MESH_DIMS; d++)
        sum += step[d] < 0 ? -step[d] : step[d];
    return (uint32_t)sum;
}

/* A route of a twisted mesh: over the end of each short dimension once upwards, not at all or once
 * downwards, as the digits of `over` to base 3 say, and the shorter direction along the others. */
static void wind_way(const struct mesh *m, const uint32_t a[MESH_DIMS], const uint32_t b[MESH_DIMS],
                     uint32_t over, int64_t step[MESH_DIMS])
{
    int64_t moved = 0; /* along the long ones */

    for (uint32_t d = 0; d < MESH_DIMS; d++) {
        if (!mesh_twists(m, d))
            continue;
        int64_t times = (int64_t)(over % 3) - 1;
        step[d] = (int64_t)b[d] - a[d] + times * m->n[d];
        moved += times * m->n[d];
        over /= 3;
    }
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (!mesh_twists(m, d)) {
            int64_t n = m->n[d], end = n > 1 ? ((int64_t)b[d] - moved % n + 2 * n) % n : b[d];
            step[d] = steps_along(m, d, a[d], (uint32_t)end);
        }
}

/* The shortest route of a twisted mesh.  Where several are shortest, chips take turns, so that its
 * links carry equal loads. */
static void find_twisted_way(const struct mesh *m, const uint32_t a[MESH_DIMS],
                             const uint32_t b[MESH_DIMS], int64_t step[MESH_DIMS])
{
    uint32_t ways = 1;

    for (uint32_t d = 0; d < MESH_DIMS; d++)
        ways *= mesh_twists(m, d) ? 3 : 1;
    wind_way(m, a, b, 0, step);
    uint32_t best = links_of_steps(step), equal = 1;
    for (uint32_t i = 1; i < ways; i++) {
        wind_way(m, a, b, i, step);
        uint32_t links = links_of_steps(step);
        equal = links < best ? 1 : equal + (links == best);
        best = links < best ? links : best;
    }
    uint32_t skip = (a[0] + a[1] + a[2]) % equal;
    for (uint32_t i = 0; i < ways; i++) {
        wind_way(m, a, b, i, step);
        if (links_of_steps(step) == best && skip-- == 0)
            return;
    }
}

/* Steps along each dimension on the shortest route. */
static void find_way(const struct mesh *m, uint32_t from, uint32_t to, int64_t step[MESH_DIMS])
{
    uint32_t a[MESH_DIMS], b[MESH_DIMS];

    mesh_at(m, from, a);
    mesh_at(m, to, b);
    if (m->wrap[MESH_TWIST]) {
        find_twisted_way(m, a, b, step);
        return;
    }
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        step[d] = steps_along(m, d, a[d], b[d]);
}

uint32_t mesh_port(const struct mesh *m, uint32_t from, uint32_t to)
{
    int64_t step[MESH_DIMS];

    if (m->wrap[MESH_BOARDS] && from != to)
        return boardfly_port(m->n[2], from, to);
    find_way(m, from, to, step);
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (step[d])
            return 2 * d + (step[d] < 0);
    return MESH_NO_PORT;
}

uint32_t mesh_distance(const struct mesh *m, uint32_t from, uint32_t to)
{
    int64_t step[MESH_DIMS];

    if (m->wrap[MESH_BOARDS])
        return boardfly_distance(m->n[2], from, to);
    find_way(m, from, to, step);
    return links_of_steps(step);
}

/* --- the round ---------------------------------------------------------------------------- */

/* The mesh as a plane of w columns and h rows: its first dimension, and a snake through the others;
 * h is even if it can be, for which the two change roles. */
struct plane {
    uint32_t lead, near, far; /* dimensions: the first of more than one chip, and the snake's two */
    uint32_t w, h;
    bool turned; /* columns are the snake */
};

static struct plane plane_of(const struct mesh *m)
{
    uint32_t lead = m->n[0] > 1 ? 0 : 1, near = lead + 1, far = lead == 0 ? 2 : 0;
    uint32_t row = m->n[lead], snake = m->n[near] * m->n[far];
    bool turned = snake % 2 != 0;

    return (struct plane){ lead, near, far, turned ? snake : row, turned ? row : snake, turned };
}

static uint32_t plane_chip(const struct mesh *m, const struct plane *p, uint32_t col, uint32_t row)
{
    uint32_t at[MESH_DIMS], t = p->turned ? col : row, n = m->n[p->near];

    at[p->lead] = p->turned ? row : col;
    at[p->far] = t / n;
    at[p->near] = at[p->far] % 2 == 0 ? t % n : n - 1 - t % n;
    return mesh_chip(m, at);
}

/* One dimension only: the chips as they stand. */
static bool is_row(const struct mesh *m)
{
    uint32_t n = mesh_size(m);

    return m->n[0] == n || m->n[1] == n || m->n[2] == n;
}

uint32_t mesh_round(const struct mesh *m, uint32_t i)
{
    struct plane p = plane_of(m);

    if (is_row(m))
        return i;
    if (i >= p.h * (p.w - 1))
        return plane_chip(m, &p, 0, p.h - 1 - (i - p.h * (p.w - 1)));
    uint32_t row = i / (p.w - 1), j = i % (p.w - 1);
    return plane_chip(m, &p, row % 2 == 0 ? 1 + j : p.w - 1 - j, row);
}

uint32_t mesh_place(const struct mesh *m, uint32_t chip)
{
    struct plane p = plane_of(m);
    uint32_t at[MESH_DIMS];

    if (is_row(m))
        return chip;
    mesh_at(m, chip, at);
    uint32_t n = m->n[p.near], y = at[p.near], z = at[p.far];
    uint32_t t = z * n + (z % 2 == 0 ? y : n - 1 - y);
    uint32_t col = p.turned ? t : at[p.lead], row = p.turned ? at[p.lead] : t;
    if (col == 0)
        return p.h * (p.w - 1) + (p.h - 1 - row);
    return row * (p.w - 1) + (row % 2 == 0 ? col - 1 : p.w - 1 - col);
}

bool mesh_closed(const struct mesh *m)
{
    uint32_t n = mesh_size(m);

    if (n < 2)
        return false;
    if (!is_row(m))
        return n % 2 == 0;
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (m->n[d] == n)
            return n == 2 || m->wrap[d];
    return false;
}

/* --- groups ------------------------------------------------------------------------------- */

/* Neighbours of a group that goes over several boards are any number of links apart. */
static void part_from_grid(struct mesh_group *g, const struct mesh *m)
{
    for (uint32_t d = 0; m->wrap[MESH_BOARDS] && d < MESH_DIMS; d++)
        if (g->box.n[1] > 1 || g->box.n[2] > 1 || g->hop[0] != 1)
            g->hop[d] = 0;
}

bool mesh_group(struct mesh_group *g, const struct mesh *m, uint32_t size, uint32_t stride)
{
    uint64_t all = mesh_size(m), pitch = 1, step = stride;
    uint32_t left = size;

    *g = (struct mesh_group){ .size = size, .stride = stride };
    if (size == 0 || stride == 0 || (uint64_t)size * stride > all ||
        all % ((uint64_t)size * stride))
        return false;
    for (uint32_t d = 0; d < MESH_DIMS; pitch *= m->n[d++]) {
        g->box.n[d] = 1;
        g->hop[d] = 1;
        /* places along d between members; no side of a mesh is 0, so neither is pitch */
        uint64_t apart = step / pitch; /* NOLINT(clang-analyzer-core.DivideZero) */
        if (left == 1 || step % pitch || apart >= m->n[d] || m->n[d] % apart)
            continue;
        uint32_t room = (uint32_t)(m->n[d] / apart), take = left < room ? left : room;
        g->box.n[d] = take;
        g->hop[d] = (uint32_t)apart;
        /* round the end of a short dimension of a twisted mesh a ring does not close */
        g->box.wrap[d] = m->wrap[d] && take == room && !mesh_twists(m, d);
        if (left % take || room % take)
            break;
        left /= take;
        step = pitch * m->n[d];
    }
    if (left != 1 || mesh_size(&g->box) != size)
        *g = (struct mesh_group){ .size = size, .stride = stride, .box = { .n = { size, 1, 1 } } };
    part_from_grid(g, m);
    return true;
}

/* The box that ascending chips would stand on: along each dimension, the distance to the next one
 * that differs from the first in it alone, and how often it fits up to the last chip. */
static bool span_box(struct mesh_group *g, const struct mesh *m, const uint32_t *chip)
{
    uint32_t low[MESH_DIMS], high[MESH_DIMS], all = 1;

    mesh_at(m, chip[0], low);
    mesh_at(m, chip[g->size - 1], high);
    for (uint32_t d = 0; d < MESH_DIMS; d++) {
        g->box.n[d] = g->hop[d] = 1;
        if (high[d] < low[d])
            return false;
        uint32_t at[MESH_DIMS] = { low[0], low[1], low[2] };
        if (all < g->size)
            mesh_at(m, chip[all], at); /* the first one beyond the dimensions so far */
        if (high[d] == low[d] || at[d] <= low[d])
            continue;
        g->hop[d] = at[d] - low[d];
        if ((high[d] - low[d]) % g->hop[d])
            return false;
        g->box.n[d] = (high[d] - low[d]) / g->hop[d] + 1;
        g->box.wrap[d] = m->wrap[d] && g->box.n[d] * g->hop[d] == m->n[d] && !mesh_twists(m, d);
        all *= g->box.n[d];
    }
    return all == g->size;
}

static bool stands_on_box(const struct mesh_group *g, const struct mesh *m, const uint32_t *chip)
{
    uint32_t low[MESH_DIMS];

    mesh_at(m, chip[0], low);
    for (uint32_t i = 0; i < g->size; i++) {
        uint32_t in[MESH_DIMS], at[MESH_DIMS];
        mesh_at(&g->box, i, in);
        for (uint32_t d = 0; d < MESH_DIMS; d++) {
            at[d] = low[d] + in[d] * g->hop[d];
            if (at[d] >= m->n[d])
                return false;
        }
        if (mesh_chip(m, at) != chip[i])
            return false;
    }
    return true;
}

bool mesh_group_listed(struct mesh_group *g, const struct mesh *m, uint32_t size,
                       const uint32_t *chips, const uint32_t *place)
{
    *g = (struct mesh_group){ .size = size, .stride = 1, .chips = chips, .place = place };
    if (size == 0 || mesh_size(m) % size || !span_box(g, m, chips))
        return false;
    for (uint32_t i = 0; i < mesh_size(m); i += size)
        if (!stands_on_box(g, m, &chips[i]))
            return false;
    part_from_grid(g, m);
    return true;
}

uint32_t mesh_group_chip(const struct mesh_group *g, uint32_t group, uint32_t member)
{
    if (g->chips)
        return g->chips[group * g->size + member];
    return group / g->stride * g->size * g->stride + group % g->stride + member * g->stride;
}

void mesh_group_of(const struct mesh_group *g, uint32_t chip, uint32_t *group, uint32_t *member)
{
    uint32_t span = g->size * g->stride;

    if (g->chips) {
        *group = g->place[chip] / g->size;
        *member = g->place[chip] % g->size;
        return;
    }
    *group = chip / span * g->stride + chip % g->stride;
    *member = chip % span / g->stride;
}
