#include "run/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/network.h"
#include "machine/spec.h"

/* clang-format off */
#define TRAFFIC_PARAMS(P)                                                                          \
    P(ENUM, topology, "mesh|torus|twisted", "torus", "", "", "axes that end, close, or close with a twist") \
    P(ENUM, pattern, "uniform|neighbour|tornado|transpose", "uniform", "", "",                     \
      "where packets go: anywhere, one up on each axis, nearly half round each, or (x,y) to (y,x)") \
    P(PPB,  rate,   "ratio",    "0.1",   "0", "1",        "flits a node offers a cycle")           \
    P(U32,  flits,  "flit",     "1",     "1", "1024",     "of a packet")                           \
    P(U64,  warmup, "cycle",    "3000",  "0", "10000000", "before measuring")                      \
    P(U64,  cycles, "cycle",    "10000", "1", "10000000", "measured")                              \
    P(U64,  seed,   "",         "42",    "0", "1000000000000000000", "of the random draws")
/* clang-format on */

struct traffic_params {
    TRAFFIC_PARAMS(PARAM_FIELD)
};
#define P(...) PARAM_DESC(struct traffic_params, __VA_ARGS__)
static const struct param_desc params[] = { TRAFFIC_PARAMS(P) };
static const struct param_table traffic_param_table = { "network", params,
                                                        sizeof params / sizeof *params,
                                                        sizeof(struct traffic_params) };
const struct param_table *const traffic_tables[2] = { &traffic_param_table, &network_param_table };

__extension__ typedef unsigned __int128 u128;

static const char *const topologies[] = { "mesh", "torus", "twisted" };
static const char *const patterns[] = { "uniform", "neighbour", "tornado", "transpose" };
static const char *const routings[] = { "dimension", "adaptive" };

enum topology_kind { MESH, TORUS, TWISTED };
enum pattern { UNIFORM, NEIGHBOUR, TORNADO, TRANSPOSE };

/* Packets that wait this many cycles in the mean, or pile up to as many a node, mean saturation. */
#define LONG_WAIT 500
#define LONG_QUEUE 1000

#define FS_PER_S UINT64_C(1000000000000000)
#define BINS 65536 /* latencies from here on count as this one */

struct setup {
    struct traffic_params par;
    struct network_params network;
    const char *radix, *dead, *slow;
    struct topology topology;
    struct machine_spec *machine;
    uint64_t hz;
    char grid[TRAFFIC_TEXT]; /* radix of the machine */
    uint32_t side;           /* transpose: node s*a + b sends to s*b + a */
};

struct run {
    struct traffic_result *r;
    const struct setup *s;
    struct network n;
    uint64_t random, from, end; /* cycles in which measured packets are born */
    uint64_t born;              /* packets that were */
    uint32_t *bins;
};

/* --- arguments ---------------------------------------------------------------------------- */

static int unknown_key(const char *key, struct err *err)
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
    const char *near = err_nearest(key, names, n);
    return err_set(err, ERR_UNKNOWN, "network.%.40s: no such key%s%s", key,
                   near ? ", did you mean " : "", near ? near : "");
}

static int read_argument(struct setup *s, const char *text, struct err *err)
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
    else if ((d = param_find(&traffic_param_table, key)) != NULL)
        return param_set(&traffic_param_table, d, &s->par, value, err);
    else if ((d = param_find(&network_param_table, key)) != NULL)
        return param_set(&network_param_table, d, &s->network, value, err);
    else
        return unknown_key(key, err);
    return 0;
}

/* "0-1" or "0-1:4" at *p, which moves behind it; returns whether it is one. */
static bool read_pair(const char **p, uint32_t *a, uint32_t *b, uint32_t *times)
{
    int used = 0;

    if (sscanf(*p, "%9u-%9u%n", a, b, &used) != 2 || used == 0)
        return false;
    *p += used;
    if (!times)
        return **p == ',' || **p == '\0';
    used = 0;
    if (sscanf(*p, ":%9u%n", times, &used) != 1 || used == 0 || *times == 0)
        return false;
    *p += used;
    return **p == ',' || **p == '\0';
}

static int kill_links(struct setup *s, struct err *err)
{
    uint32_t a, b;

    for (const char *p = s->dead; p; p = *p == ',' ? p + 1 : NULL) {
        if (!read_pair(&p, &a, &b, NULL))
            return err_set(err, ERR_FORMAT, "dead = %.40s: expected neighbours, such as 0-1,5-6",
                           s->dead);
        if (topology_kill(&s->topology, a, b, err) != 0)
            return err_at(err, "dead = %.40s", s->dead);
    }
    return 0;
}

/* Both directions between two neighbours take so many cycles a flit. */
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

static int slow_links(const struct setup *s, struct network *n, struct err *err)
{
    const struct topology *t = &s->topology;
    uint32_t a, b, times;

    if (s->machine && s->machine->fault.slow_from != s->machine->fault.slow_to)
        slow_link(t, n, s->machine->fault.slow_from, s->machine->fault.slow_to,
                  (uint32_t)((s->machine->fault.slow_times + 999999999) / 1000000000));
    for (const char *p = s->slow; p; p = *p == ',' ? p + 1 : NULL) {
        if (!read_pair(&p, &a, &b, &times))
            return err_set(err, ERR_FORMAT,
                           "slow = %.40s: expected neighbours and cycles a flit, such as 0-1:4",
                           s->slow);
        if (a >= t->n_nodes || b >= t->n_nodes || topology_port_to(t, a, b) == TOPOLOGY_NONE)
            return err_set(err, ERR_FIT, "slow = %.40s: no link between nodes %u and %u", s->slow,
                           a, b);
        slow_link(t, n, a, b, times);
    }
    return 0;
}

/* The grid, the links and the faults of a machine. */
static int take_machine(struct setup *s, const struct traffic_request *q, struct err *err)
{
    const struct fault_params *f;
    struct mesh mesh;
    uint32_t n = MESH_DIMS;
    int used = 0;

    if (spec_load(&s->machine, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    f = &s->machine->fault;
    spec_mesh(s->machine, &mesh);
    while (n > 1 && mesh.n[n - 1] == 1)
        n--;
    for (uint32_t d = 0; d < n; d++) {
        used += snprintf(s->grid + used, sizeof s->grid - (size_t)used, "%s%u", d ? "x" : "",
                         mesh.n[d]);
        mesh.wrap[d] = mesh.wrap[d] && mesh.n[d] > 2; /* two chips have one link */
        s->par.topology = mesh.wrap[d] ? TORUS : s->par.topology;
    }
    s->radix = s->grid;
    s->hz = s->machine->ici.bandwidth / s->machine->ici.flit;
    uint64_t hop = (uint64_t)(((u128)s->machine->ici.latency * s->hz + FS_PER_S - 1) / FS_PER_S);
    s->network.link = hop > 30004 ? 30000 : hop > 5 ? (uint32_t)hop - 4 : 1;
    s->network.depth = 5 + 2 * s->network.link + s->network.credit;
    s->par.warmup += 2 * (mesh.n[0] + mesh.n[1] + mesh.n[2]) * (4 + (uint64_t)s->network.link);
    if (topology_init(&s->topology, n, mesh.n, mesh.wrap, err) != 0)
        return -1;
    return f->dead_from == f->dead_to ? 0
                                      : topology_kill(&s->topology, f->dead_from, f->dead_to, err);
}

static int set_up(struct setup *s, const struct traffic_request *q, struct err *err)
{
    *s = (struct setup){ .radix = NULL };
    param_defaults(&traffic_param_table, &s->par);
    param_defaults(&network_param_table, &s->network);
    if (q->machine) {
        s->par.topology = MESH;
        if (take_machine(s, q, err) != 0)
            return -1;
    }
    uint32_t kind = s->par.topology;
    for (size_t i = 0; i < q->n_args; i++)
        if (read_argument(s, q->arg[i], err) != 0)
            return -1;
    if (q->machine && (s->radix != s->grid || s->par.topology != kind))
        return err_set(err, ERR_FIT,
                       "%s has a radix and a topology of its own: change slice.mesh_x "
                       "and others with --set",
                       q->machine);
    if (!q->machine && topology_parse(&s->topology, topologies[s->par.topology],
                                      s->radix ? s->radix : "4x4", err) != 0)
        return -1;
    while (s->side * s->side < s->topology.n_nodes)
        s->side++;
    if (s->par.pattern == TRANSPOSE && s->side * s->side != s->topology.n_nodes)
        return err_set(err, ERR_FIT,
                       "pattern = transpose: it takes a square number of nodes, not %u",
                       s->topology.n_nodes);
    return kill_links(s, err);
}

/* --- traffic ------------------------------------------------------------------------------ */

/* splitmix64: small, fast and the same everywhere */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t destination(struct run *u, uint32_t node)
{
    const struct topology *t = &u->s->topology;
    uint32_t c[TOPOLOGY_MAX_DIMS];

    switch ((enum pattern)u->s->par.pattern) {
    case UNIFORM: return (uint32_t)((u128)draw(&u->random) * t->n_nodes >> 64);
    case TRANSPOSE: return node % u->s->side * u->s->side + node / u->s->side;
    case NEIGHBOUR:
    case TORNADO: break;
    }
    topology_coord(t, node, c);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        uint32_t far = (t->radix[d] + 1) / 2 - 1;
        c[d] = (c[d] + (u->s->par.pattern == TORNADO ? far : 1)) % t->radix[d];
    }
    return topology_node(t, c);
}

static int offer(struct run *u, uint64_t chance, struct err *err)
{
    for (uint32_t node = 0; node < u->s->topology.n_nodes; node++) {
        if (draw(&u->random) >= chance)
            continue;
        if (network_send(&u->n, node, destination(u, node), u->s->par.flits, 0, err) != 0)
            return -1;
        if (u->n.now >= u->from && u->n.now < u->end) {
            u->born++;
            u->r->offered += u->s->par.flits;
        }
    }
    return 0;
}

static void measure(void *self, const struct network_packet *p, uint64_t now)
{
    struct run *u = self;
    struct traffic_result *r = u->r;
    uint64_t latency = now - p->born;

    if (now >= u->from && now < u->end)
        r->accepted += p->flits;
    if (p->born < u->from || p->born >= u->end)
        return;
    r->packets++;
    r->latency += latency;
    r->hops += p->hops;
    r->wait += latency - (7 + (4 + (uint64_t)u->n.par.link) * p->hops + p->flits - 1);
    u->bins[latency < BINS ? latency : BINS - 1]++;
    if (r->packets == 1 || latency < r->least)
        r->least = latency;
    if (latency > r->longest)
        r->longest = latency;
}

/* The latency that `share` of a hundred packets do not pass. */
static uint64_t percentile(const struct run *u, uint64_t share)
{
    uint64_t seen = 0, i = 0;

    if (u->r->packets == 0)
        return 0;
    while ((seen += u->bins[i]) * 100 < share * u->r->packets)
        i++;
    return i;
}

static void heat(const struct run *u)
{
    const struct topology *t = &u->s->topology;
    struct traffic_result *r = u->r;
    char text[TOPOLOGY_TEXT];
    uint32_t ports = topology_ports(t);

    for (uint32_t i = 0; i < topology_links(t); i++) {
        const struct network_link *l = &u->n.link[i];
        uint64_t busy = l->flits * l->interval;
        if (l->to == TOPOLOGY_NONE || topology_dead(t, i / ports, i % ports))
            continue;
        r->links++;
        r->carried += busy;
        if (r->links > 1 && busy <= r->hottest)
            continue;
        r->hottest = busy;
        snprintf(r->hottest_from, TRAFFIC_TEXT, "%s", topology_text(t, i / ports, text));
        snprintf(r->hottest_to, TRAFFIC_TEXT, "%s", topology_text(t, l->to, text));
    }
}

static int go(struct run *u, struct err *err)
{
    struct traffic_result *r = u->r;
    uint64_t before = 0, after = 0, rate = u->s->par.rate, flits = u->s->par.flits;
    u128 chance = ((u128)rate << 64) / (1000000000 * flits);
    const struct topology *t = &u->s->topology;
    uint64_t flight = (4 + (uint64_t)u->n.par.link) * (t->radix[0] + t->radix[1] + t->radix[2]);
    uint64_t most =
        (LONG_QUEUE + flight) * t->n_nodes; /* one a cycle and node is on links at most */

    if (chance > UINT64_MAX)
        chance = UINT64_MAX;
    while (u->n.now < u->end || r->packets < u->born) {
        if (u->n.now == u->from)
            before = u->n.in_flight;
        if (u->n.now == u->end)
            after = u->n.in_flight;
        if (offer(u, (uint64_t)chance, err) != 0)
            return -1;
        network_cycle(&u->n);
        if (network_stuck(&u->n)) {
            char text[400];
            network_waiting(&u->n, text, sizeof text);
            bug(__FILE__, __LINE__, text);
        }
        if (u->n.in_flight > most ||
            u->n.now > u->end + u->s->par.cycles + flight + 10 * LONG_WAIT) {
            r->saturated = true;
            break;
        }
    }
    r->saturated = r->saturated || r->wait > LONG_WAIT * r->packets ||
                   after > before + u->born / 50 + u->s->topology.n_nodes;
    r->cycles = u->n.now;
    r->measured = u->n.now <= u->from ? 0 : u->n.now < u->end ? u->n.now - u->from : r->measured;
    r->flit_hops = u->n.flit_hops;
    r->half = percentile(u, 50);
    r->most_of = percentile(u, 99);
    heat(u);
    return 0;
}

static int one_rate(const struct setup *s, struct traffic_result *r, struct err *err)
{
    struct run u = { .r = r,
                     .s = s,
                     .random = s->par.seed,
                     .from = s->par.warmup,
                     .end = s->par.warmup + s->par.cycles };
    int rc = -1;

    *r = (struct traffic_result){ .topology = topologies[s->par.topology],
                                  .pattern = patterns[s->par.pattern],
                                  .routing = routings[s->network.routing],
                                  .rate = s->par.rate,
                                  .seed = s->par.seed,
                                  .measured = s->par.cycles,
                                  .flits = s->par.flits,
                                  .vcs = s->network.vcs,
                                  .depth = s->network.depth,
                                  .nodes = s->topology.n_nodes };
    snprintf(r->radix, sizeof r->radix, "%s", s->radix ? s->radix : "4x4");
    snprintf(r->machine, sizeof r->machine, "%s", s->machine ? s->machine->name : "");
    r->hz = s->hz;
    u.bins = calloc(BINS, sizeof *u.bins);
    BUG_ON(!u.bins);
    if (network_init(&u.n, &s->topology, &s->network, measure, &u, err) == 0) {
        if (slow_links(s, &u.n, err) == 0)
            rc = go(&u, err);
        network_free(&u.n);
    }
    free(u.bins);
    return rc;
}

/* Halve the range of rates, in 128ths, between one that is carried and one that is not; `r` is the
 * run at the highest rate that is carried. */
static int search(struct setup *s, struct traffic_result *r, struct err *err)
{
    struct traffic_result trial;
    uint64_t low = 0, high = 129, step = 7812500; /* 1e9 / 128 */

    *r = (struct traffic_result){ 0 };
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        s->par.rate = middle * step;
        if (one_rate(s, &trial, err) != 0)
            return -1;
        if (trial.saturated) {
            high = middle;
        } else {
            low = middle;
            *r = trial;
        }
    }
    if (low == 0)
        *r = trial;
    r->carries = low * step;
    r->fails = high * step;
    return 0;
}

int run_traffic(const struct traffic_request *q, struct traffic_result *r, struct err *err)
{
    struct setup s = { 0 };
    int rc = set_up(&s, q, err);

    if (rc == 0)
        rc = q->saturate ? search(&s, r, err) : one_rate(&s, r, err);
    topology_free(&s.topology);
    if (s.machine)
        spec_free(s.machine);
    return rc;
}
