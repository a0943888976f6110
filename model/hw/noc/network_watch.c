/* Naming a deadlock: the cycle of links whose packets wait for each other. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "hw/noc/network.h"

/* An input channel of a node. */
struct place {
    uint32_t node, channel;
};

static uint32_t index_of_place(const struct network *n, struct place p)
{
    return p.node * n->n_ports * ROUTER_MAX_VCS + p.channel;
}

/* The input channel that holds output channel `out` of its router. */
static bool find_holder(const struct router *r, uint32_t out, uint32_t *in)
{
    for (channels s = r->holding; s; s &= s - 1) {
        *in = (uint32_t)__builtin_ctzll(s);
        if (r->output[*in] == out)
            return true;
    }
    return false;
}

/* Replace `p` by the input channel that the packet at its head waits for: the queue behind the
 * output channel it holds, or the holder of the first output channel it wants.  False: none. */
static bool follow_wait(const struct network *n, struct place *p, bool *over_link)
{
    const struct router *r = &n->router[p->node];
    uint32_t out, port;

    *over_link = false;
    if (r->vc >> p->channel & 1)
        return find_holder(r, (uint32_t)__builtin_ctzll(r->want[p->channel]), &p->channel);
    if (!(r->holding >> p->channel & 1))
        return false;
    out = r->output[p->channel];
    port = channel_port(out);
    if (port + 1 == n->n_ports)
        return false;
    const struct network_link *l = &n->link[p->node * (n->n_ports - 1) + port];
    *p = (struct place){ l->to, channel_of(l->port, channel_vc(out)) };
    *over_link = true;
    return true;
}

static size_t name_link(const struct network *n, struct place from, struct place to, char *text,
                        size_t size)
{
    char a[TOPOLOGY_TEXT], b[TOPOLOGY_TEXT];
    int k = snprintf(text, size, "node %u %s -> node %u %s vc %u", from.node,
                     topology_text(n->topology, from.node, a), to.node,
                     topology_text(n->topology, to.node, b), channel_vc(to.channel));

    return k < 0 ? 0 : (size_t)k;
}

/* Go round the cycle once from a place in it, and write its links into `text`. */
static uint32_t name_cycle(const struct network *n, struct place start, char *text, size_t size)
{
    struct place p = start, from;
    uint32_t links = 0;
    size_t used = 0;
    bool over_link;

    do {
        from = p;
        follow_wait(n, &p, &over_link);
        if (!over_link)
            continue;
        if (links++ > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, ", ");
        if (used < size)
            used += name_link(n, from, p, text + used, size - used);
    } while (index_of_place(n, p) != index_of_place(n, start));
    return links;
}

uint32_t network_waiting(const struct network *n, char *text, size_t size)
{
    uint32_t per_node = n->n_ports * ROUTER_MAX_VCS, found = 0;
    uint32_t *seen = memory_zeroed((size_t)n->topology->n_nodes * per_node, sizeof *seen);

    BUG_ON(size == 0);
    text[0] = '\0';
    /* each stuck packet waits for a stuck one, so following waits from anywhere ends in a cycle */
    for (uint32_t i = 0; i < n->topology->n_nodes * per_node && found == 0; i++) {
        struct place p = { i / per_node, i % per_node };
        bool over_link, on = n->router[p.node].count[p.channel] > 0;
        while (on && seen[index_of_place(n, p)] == 0) {
            seen[index_of_place(n, p)] = i + 1;
            on = follow_wait(n, &p, &over_link);
        }
        if (on && seen[index_of_place(n, p)] == i + 1)
            found = name_cycle(n, p, text, size);
    }
    free(seen);
    return found;
}
