/* Checks of faults, and routes around a dead link. */
#include "machine/spec/fault.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

#define P(...) PARAM_DESC(struct fault_params, __VA_ARGS__)
static const struct param_desc params[] = { FAULT_PARAMS(P) };
const struct param_table fault_param_table = { "fault", params, sizeof params / sizeof *params,
                                               sizeof(struct fault_params), NULL };

static bool joins_chips(uint32_t a, uint32_t b, uint32_t from, uint32_t to)
{
    return a != b && ((a == from && b == to) || (a == to && b == from));
}

bool fault_slow(const struct fault_params *f, uint32_t from, uint32_t to)
{
    return f->slow_times > PPB_PER_ONE && joins_chips(f->slow_from, f->slow_to, from, to);
}

bool fault_dead(const struct fault_params *f, uint32_t from, uint32_t to)
{
    return joins_chips(f->dead_from, f->dead_to, from, to);
}

bool fault_any(const struct fault_params *f)
{
    return (f->slow_from != f->slow_to && f->slow_times > PPB_PER_ONE) ||
           f->dead_from != f->dead_to || f->chip_times > PPB_PER_ONE || f->jitter > 0;
}

/* Links from every chip to `to` without the dead one; UINT32_MAX: no route. */
static void find_distances(const struct fault_params *f, const struct mesh *m, uint32_t to,
                           uint32_t *distance, uint32_t *queue)
{
    uint32_t n = mesh_size(m), head = 0, tail = 0;

    for (uint32_t i = 0; i < n; i++)
        distance[i] = UINT32_MAX;
    distance[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (uint32_t port = 0; port < MESH_PORTS; port++) {
            uint32_t next = mesh_neighbour(m, at, port);
            if (next == MESH_NO_PORT || fault_dead(f, next, at) || distance[next] != UINT32_MAX)
                continue;
            distance[next] = distance[at] + 1;
            queue[tail++] = next;
        }
    }
}

static bool are_neighbours(const struct mesh *m, uint32_t a, uint32_t b)
{
    for (uint32_t port = 0; port < MESH_PORTS; port++)
        if (mesh_neighbour(m, a, port) == b)
            return true;
    return false;
}

static int check_link(const struct mesh *m, const char *name, uint32_t from, uint32_t to,
                      struct err *err)
{
    uint32_t n = mesh_size(m);

    if (from == to)
        return 0;
    if (from >= n || to >= n)
        return err_set(err, ERR_RANGE, "fault.%s_%s = %u: the slice has chips 0 to %u", name,
                       from >= n ? "from" : "to", from >= n ? from : to, n - 1);
    if (!are_neighbours(m, from, to))
        return err_set(err, ERR_FIT, "fault.%s_to = %u: there is no link between chips %u and %u",
                       name, to, from, to);
    return 0;
}

int fault_check(const struct fault_params *f, const struct mesh *m, struct err *err)
{
    uint32_t n = mesh_size(m), cut = MESH_NO_PORT;

    if (check_link(m, "slow", f->slow_from, f->slow_to, err) != 0 ||
        check_link(m, "dead", f->dead_from, f->dead_to, err) != 0)
        return -1;
    if (f->chip_times > PPB_PER_ONE && f->slow_chip >= n)
        return err_set(err, ERR_RANGE, "fault.slow_chip = %u: the slice has chips 0 to %u",
                       f->slow_chip, n - 1);
    if (f->dead_from == f->dead_to)
        return 0;
    uint32_t *distance = memory_zeroed(n, sizeof *distance),
             *queue = memory_zeroed(n, sizeof *queue);
    find_distances(f, m, f->dead_from, distance, queue);
    for (uint32_t i = 0; i < n; i++)
        if (distance[i] == UINT32_MAX)
            cut = i;
    free(distance);
    free(queue);
    if (cut == MESH_NO_PORT)
        return 0;
    return err_set(err, ERR_FIT,
                   "fault.dead_to = %u: without the link between chips %u and %u no way leads from "
                   "chip %u to chip %u",
                   f->dead_to, f->dead_from, f->dead_to, cut, f->dead_from);
}

uint8_t *fault_ways(const struct fault_params *f, const struct mesh *m)
{
    uint32_t n = mesh_size(m);

    if (f->dead_from == f->dead_to)
        return NULL;
    uint8_t *way = memory_zeroed((size_t)n * n, 1);
    uint32_t *distance = memory_zeroed(n, sizeof *distance),
             *queue = memory_zeroed(n, sizeof *queue);
    for (uint32_t to = 0; to < n; to++) {
        find_distances(f, m, to, distance, queue);
        for (uint32_t from = 0; from < n; from++) {
            uint32_t best = MESH_PORTS;
            for (uint32_t port = MESH_PORTS; from != to && port-- > 0;) {
                uint32_t next = mesh_neighbour(m, from, port);
                if (next != MESH_NO_PORT && !fault_dead(f, from, next) &&
                    distance[next] + 1 == distance[from])
                    best = port;
            }
            way[(size_t)from * n + to] = (uint8_t)best;
        }
    }
    free(distance);
    free(queue);
    return way;
}
