/* Messages that must be walked, and their walks. */
#include "hw/noc/messages.h"

#include <stdlib.h>

#include "base/memory.h"

struct run {
    const struct message_world *w;
    struct message *m;
    size_t n;
    uint32_t words;    /* of a set of links, sources and sinks */
    uint64_t *used;    /* [message][words] */
    size_t *order;     /* messages by start */
    uint64_t *packets; /* [message] that have not arrived */
};

static void note_delivery(void *self, const struct network_packet *p, uint64_t now)
{
    struct run *r = self;

    if (--r->packets[p->tag] == 0)
        r->m[p->tag].done = now;
}

static void mark_use(struct run *r, size_t i, uint32_t what)
{
    r->used[i * r->words + what / 64] |= UINT64_C(1) << what % 64;
}

/* Note what message `i` uses: the links of its route, its source and its sink. */
static int mark_uses(struct run *r, size_t i, struct err *err)
{
    const struct topology *t = r->w->topology;
    uint32_t node = r->m[i].from, links = topology_links(t), port;
    struct topology_way way;

    if (topology_way(t, node, r->m[i].to, &way, err) != 0)
        return -1;
    mark_use(r, i, links + node);
    for (uint32_t leg = 0; leg < 2; leg++)
        while ((port = topology_next(&way.leg[leg])) != TOPOLOGY_NONE) {
            mark_use(r, i, node * topology_ports(t) + port);
            node = topology_neighbour(t, node, port);
            topology_take(&way.leg[leg], port);
        }
    mark_use(r, i, links + t->n_nodes + node);
    return 0;
}

/* Must `i` be walked because of `j`?  Yes if both use one thing at the same time; also if `j` is
 * walked and `i` used it before, because the allocators' turns depend on who came last. */
static bool must_walk(const struct run *r, size_t i, size_t j)
{
    const struct network_params *p = &r->w->par;
    uint64_t slack = 5 + 2 * p->link + p->credit;
    const uint64_t *a = &r->used[i * r->words], *b = &r->used[j * r->words];

    if (r->m[i].start > r->m[j].done + slack ||
        (r->m[j].start > r->m[i].done + slack && !r->m[j].walked))
        return false;
    for (uint32_t w = 0; w < r->words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}

static int build_network(const struct message_world *w, struct network *n, struct run *r,
                         struct err *err)
{
    if (network_init(n, w->topology, &w->par, note_delivery, r, err) != 0)
        return -1;
    for (size_t i = 0; i < w->n_slow; i++)
        network_slow(n, w->slow[i].node, w->slow[i].port, w->slow[i].interval);
    return 0;
}

/* Walk all messages marked `walked`, in a new network. */
static int walk_marked(struct run *r, struct err *err)
{
    struct network n;
    size_t next = 0;
    int rc = build_network(r->w, &n, r, err);

    while (rc == 0 && (next < r->n || n.in_flight > 0)) {
        network_skip(&n, next < r->n ? r->m[r->order[next]].start : UINT64_MAX);
        for (; rc == 0 && next < r->n && r->m[r->order[next]].start <= n.now; next++) {
            size_t i = r->order[next];
            struct message *m = &r->m[i];
            if (!m->walked)
                continue;
            r->packets[i] = (m->flits + r->w->packet - 1) / r->w->packet;
            rc = network_message(&n, m->from, m->to, m->flits, r->w->packet, i, err);
        }
        network_cycle(&n);
        if (r->w->cycle)
            r->w->cycle(r->w->self, &n);
        BUG_ON(network_stuck(&n));
    }
    network_free(&n);
    return rc;
}

/* Mark the messages that must be walked because of others; returns whether there are any new ones.
 */
static bool spread_walks(struct run *r)
{
    bool more = false;

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n && !r->m[i].walked; j++)
            if (i != j && must_walk(r, i, j))
                r->m[i].walked = more = true;
    return more;
}

static int solve_messages(struct run *r, struct err *err)
{
    struct network n;
    bool some = false;

    if (build_network(r->w, &n, r, err) != 0) {
        network_free(&n);
        return -1;
    }
    for (size_t i = 0; i < r->n; i++) {
        struct message *m = &r->m[i];
        uint64_t cycles = 0;
        m->walked = !r->w->fold || !r->w->fold(&n, m->from, m->to, m->flits, r->w->packet, &cycles);
        m->done = m->start + cycles;
        some = some || m->walked;
    }
    network_free(&n);
    if (some && walk_marked(r, err) != 0)
        return -1;
    while (spread_walks(r))
        if (walk_marked(r, err) != 0)
            return -1;
    return 0;
}

static void sort_by_start(struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        size_t j = i;
        for (; j > 0 && r->m[r->order[j - 1]].start > r->m[i].start; j--)
            r->order[j] = r->order[j - 1];
        r->order[j] = i;
    }
}

int messages_run(const struct message_world *w, struct message *m, size_t n, struct err *err)
{
    uint32_t what = topology_links(w->topology) + 2 * w->topology->n_nodes;
    struct run r = { .w = w, .m = m, .n = n, .words = (what + 63) / 64 };
    int rc = 0;

    r.used = memory_zeroed((n + 1) * r.words, sizeof *r.used);
    r.order = memory_zeroed(n + 1, sizeof *r.order);
    r.packets = memory_zeroed(n + 1, sizeof *r.packets);
    BUG_ON(w->packet == 0);
    sort_by_start(&r);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = mark_uses(&r, i, err);
    if (rc == 0)
        rc = solve_messages(&r, err);
    free(r.used);
    free(r.order);
    free(r.packets);
    return rc;
}
