#include "study/network/traffic_setup.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/wide.h"
#include "study/network/observers.h"

#define P(...) PARAM_DESC(struct traffic_params, __VA_ARGS__)
static const struct param_desc params[] = { TRAFFIC_PARAMS(P) };
static const struct param_table traffic_param_table = { "network", params,
                                                        sizeof params / sizeof *params,
                                                        sizeof(struct traffic_params), NULL };
const struct param_table *const traffic_tables[2] = { &traffic_param_table, &network_param_table };

const char *const traffic_topologies[] = { "mesh", "torus", "twisted" };
const char *const traffic_patterns[] = { "uniform", "neighbour", "tornado", "transpose" };
const char *const traffic_routings[] = { "dimension", "adaptive" };

static int refuse_key(const char *key, struct err *err)
{
    const char *names[32];
    unsigned n = 0;

    for (size_t i = 0; i < traffic_param_table.n_rows; i++)
        names[n++] = traffic_param_table.rows[i].name;
    for (size_t i = 0; i < network_param_table.n_rows; i++)
        names[n++] = network_param_table.rows[i].name;
    names[n++] = "radix";
    names[n++] = "dead";
    names[n++] = "slow";
    names[n++] = "send";
    const char *near = err_nearest(key, names, n);
    return err_set(err, ERR_UNKNOWN, "network: unknown key '%.40s'; %s%s%s", key,
                   near ? "did you mean '" : "`cyclotron network` lists them", near ? near : "",
                   near ? "'?" : "");
}

static int read_argument(struct traffic_setup *s, const char *text, struct err *err)
{
    const char *equal = strchr(text, '='), *value = equal ? equal + 1 : NULL;
    const struct param_desc *d;
    char key[41];

    if (!equal || equal - text >= (ptrdiff_t)sizeof key)
        return err_set(err, ERR_FORMAT, "'%.40s': expected KEY=VALUE, such as radix=4x4", text);
    snprintf(key, sizeof key, "%.*s", (int)(equal - text), text);
    if (strcmp(key, "radix") == 0)
        s->radix = value;
    else if (strcmp(key, "dead") == 0)
        s->dead = value;
    else if (strcmp(key, "slow") == 0)
        s->slow = value;
    else if (strcmp(key, "send") == 0)
        s->send = value;
    else if ((d = param_find(&traffic_param_table, key)) != NULL)
        return param_set(&traffic_param_table, d, &s->par, value, err);
    else if ((d = param_find(&network_param_table, key)) != NULL)
        return param_set(&network_param_table, d, &s->network, value, err);
    else
        return refuse_key(key, err);
    return 0;
}

uint64_t traffic_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t traffic_destination(const struct traffic_setup *s, uint64_t *random, uint32_t node)
{
    const struct topology *t = &s->topology;
    uint32_t c[TOPOLOGY_MAX_DIMS];

    switch ((enum traffic_pattern)s->par.pattern) {
    case TRAFFIC_UNIFORM: return (uint32_t)((u128)traffic_draw(random) * t->n_nodes >> 64);
    case TRAFFIC_TRANSPOSE: return node % s->side * s->side + node / s->side;
    case TRAFFIC_NEIGHBOUR:
    case TRAFFIC_TORNADO: break;
    }
    topology_coord(t, node, c);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        uint32_t far = (t->radix[d] + 1) / 2 - 1;
        c[d] = (c[d] + (s->par.pattern == TRAFFIC_TORNADO ? far : 1)) % t->radix[d];
    }
    return topology_node(t, c);
}

bool traffic_pair(const char **p, uint32_t *a, uint32_t *b, char sep, uint32_t *count)
{
    int used = 0;

    if (sscanf(*p, "%9u-%9u%n", a, b, &used) != 2 || used == 0)
        return false;
    *p += used;
    if (!sep)
        return true;
    used = 0;
    if (**p != sep || sscanf(*p + 1, "%9u%n", count, &used) != 1 || used == 0 || *count == 0)
        return false;
    *p += 1 + used;
    return true;
}

static bool is_end(const char *p)
{
    return *p == ',' || *p == '\0';
}

static int kill_links(struct traffic_setup *s, struct err *err)
{
    uint32_t a, b;

    for (const char *p = s->dead; p; p = *p == ',' ? p + 1 : NULL) {
        if (!traffic_pair(&p, &a, &b, 0, NULL) || !is_end(p))
            return err_set(err, ERR_FORMAT, "dead = %.40s: expected neighbours, such as 0-1,5-6",
                           s->dead);
        if (topology_kill(&s->topology, a, b, err) != 0)
            return err_at(err, "dead = %.40s", s->dead);
    }
    return 0;
}

/* Make both directions between two neighbours take `times` cycles per flit. */
static void slow_link(const struct topology *t, struct network *n, uint32_t a, uint32_t b,
                      uint32_t times)
{
    for (uint32_t p = 0; p < topology_ports(t); p++) {
        if (topology_neighbour(t, a, p) == b)
            network_slow(n, a, p, times);
        if (topology_neighbour(t, b, p) == a)
            network_slow(n, b, p, times);
    }
}

int traffic_slow(const struct traffic_setup *s, struct network *n, struct err *err)
{
    const struct topology *t = &s->topology;
    uint32_t a, b, times;

    if (s->machine && s->machine->fault.slow_from != s->machine->fault.slow_to)
        slow_link(t, n, s->machine->fault.slow_from, s->machine->fault.slow_to,
                  (uint32_t)((s->machine->fault.slow_times + PPB_PER_ONE - 1) / PPB_PER_ONE));
    for (const char *p = s->slow; p; p = *p == ',' ? p + 1 : NULL) {
        if (!traffic_pair(&p, &a, &b, ':', &times) || !is_end(p))
            return err_set(err, ERR_FORMAT,
                           "slow = %.40s: expected neighbours and cycles per flit, such as 0-1:4",
                           s->slow);
        if (a >= t->n_nodes || b >= t->n_nodes || topology_port_to(t, a, b) == TOPOLOGY_NONE)
            return err_set(err, ERR_FIT, "slow = %.40s: no link between nodes %u and %u", s->slow,
                           a, b);
        slow_link(t, n, a, b, times);
    }
    return 0;
}

/* Take the grid, the links and the faults of a machine. */
static int copy_machine(struct traffic_setup *s, const struct traffic_request *q, struct err *err)
{
    const struct fault_params *f;
    struct mesh mesh;
    bool wrap[MESH_DIMS];
    uint32_t n = MESH_DIMS;
    int used = 0;

    if (spec_load(&s->machine, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    f = &s->machine->fault;
    spec_mesh(s->machine, &mesh);
    if (mesh.wrap[MESH_BOARDS])
        return err_set(err, ERR_FIT,
                       "%s: its chips are wired as boards and groups (slice.network = boardfly); "
                       "this command simulates meshes and tori",
                       s->machine->name);
    while (n > 1 && mesh.n[n - 1] == 1)
        n--;
    for (uint32_t d = 0; d < n; d++) {
        used += snprintf(s->grid + used, sizeof s->grid - (size_t)used, "%s%u", d ? "x" : "",
                         mesh.n[d]);
        wrap[d] = mesh.wrap[d] && mesh.n[d] > 2; /* two chips have one link */
        s->par.topology = wrap[d] ? TRAFFIC_TORUS : s->par.topology;
    }
    s->radix = s->grid;
    s->hz = s->machine->ici.bandwidth / s->machine->ici.flit;
    uint64_t hop = wide_mul_div_up(s->machine->ici.latency, s->hz, FS_PER_S);
    s->network.link = hop > 30004 ? 30000 : hop > 5 ? (uint32_t)hop - 4 : 1;
    s->network.depth = 5 + 2 * s->network.link + s->network.credit;
    s->par.warmup += 2 * (mesh.n[0] + mesh.n[1] + mesh.n[2]) * (4 + (uint64_t)s->network.link);
    if (topology_init(&s->topology, n, mesh.n, wrap, err) != 0)
        return -1;
    if (mesh.wrap[MESH_TWIST]) {
        s->par.topology = TRAFFIC_TWISTED;
        BUG_ON(topology_twist(&s->topology, err) != 0); /* of a machine that was checked */
    }
    return f->dead_from == f->dead_to ? 0
                                      : topology_kill(&s->topology, f->dead_from, f->dead_to, err);
}

int traffic_set_up(struct traffic_setup *s, const struct traffic_request *q, struct err *err)
{
    *s = (struct traffic_setup){ .radix = NULL };
    param_defaults(&traffic_param_table, &s->par);
    param_defaults(&network_param_table, &s->network);
    if (q->machine) {
        s->par.topology = TRAFFIC_MESH;
        if (copy_machine(s, q, err) != 0)
            return -1;
    }
    uint32_t kind = s->par.topology;
    if (param_once(q->arg, q->n_args, err) != 0)
        return err_at(err, "network");
    for (size_t i = 0; i < q->n_args; i++)
        if (read_argument(s, q->arg[i], err) != 0)
            return -1;
    if (q->machine && (s->radix != s->grid || s->par.topology != kind))
        return err_set(err, ERR_FIT,
                       "%s has a radix and a topology of its own: change slice.mesh_x "
                       "and others with --set",
                       q->machine);
    if (!q->machine && topology_parse(&s->topology, traffic_topologies[s->par.topology],
                                      s->radix ? s->radix : "4x4", err) != 0)
        return -1;
    while (s->side * s->side < s->topology.n_nodes)
        s->side++;
    if (s->par.pattern == TRAFFIC_TRANSPOSE && s->side * s->side != s->topology.n_nodes)
        return err_set(err, ERR_FIT,
                       "pattern = transpose: expected a square number of nodes, not %u",
                       s->topology.n_nodes);
    return kill_links(s, err);
}

void traffic_set_down(struct traffic_setup *s)
{
    topology_free(&s->topology);
    if (s->machine)
        spec_free(s->machine);
}

/* --- observers ---------------------------------------------------------------------------- */

#define HZ_WITHOUT_MACHINE UINT64_C(1000000000)

int traffic_view_begin(struct traffic_view *v, const struct traffic_setup *s,
                       const struct traffic_request *q, uint64_t cycles, struct err *err)
{
    uint64_t hz = s->hz ? s->hz : HZ_WITHOUT_MACHINE;

    *v = (struct traffic_view){ NULL, NULL, false };
    if (!q->n_observers)
        return 0;
    v->sim = des_new();
    v->show = network_show_new(v->sim, &s->topology, &s->network, hz);
    if (observers_begin(q->observer, q->n_observers, v->sim, observers_time(cycles, hz), err) != 0)
        return -1;
    v->begun = true;
    return 0;
}

void traffic_view_end(struct traffic_view *v, const struct traffic_request *q)
{
    if (!v->sim)
        return;
    if (v->begun)
        network_show_end(v->show);
    observers_end(q->observer, q->n_observers, v->sim);
    network_show_free(v->show);
    des_free(v->sim);
}
