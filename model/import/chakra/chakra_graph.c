#include "import/chakra/chakra_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/chakra/chakra_own.h"

#define NO_NODE UINT32_MAX

/* --- ids ---------------------------------------------------------------------------------- */

static uint32_t hash_id(uint64_t id, uint32_t n_slots)
{
    return (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (n_slots - 1);
}

/* The slot of an id, or the free one where it belongs. */
static uint32_t find_slot(const struct chakra_graph *g, uint64_t id)
{
    uint32_t i = hash_id(id, g->n_slots);

    while (g->slot[i] != 0 && g->node[g->slot[i] - 1]->id != id)
        i = (i + 1) & (g->n_slots - 1);
    return i;
}

static void grow_slots(struct chakra_graph *g)
{
    free(g->slot);
    g->n_slots = g->n_slots ? 2 * g->n_slots : 64;
    g->slot = memory_zeroed(g->n_slots, sizeof *g->slot);
    for (uint32_t i = 0; i < g->n; i++)
        g->slot[find_slot(g, g->node[i]->id)] = i + 1;
}

static uint32_t find_node(const struct chakra_graph *g, uint64_t id)
{
    return g->n_slots ? g->slot[find_slot(g, id)] - 1 : NO_NODE;
}

/* --- reading ------------------------------------------------------------------------------ */

/* Takes the node over. */
static int add_node(struct chakra_graph *g, Chakra__Node *node, struct err *err)
{
    if (g->n >= g->n_slots / 2)
        grow_slots(g);
    uint32_t slot = find_slot(g, node->id), other = g->slot[slot] - 1;
    MEMORY_GROW(g->node, g->n + 1, g->cap_nodes);
    MEMORY_GROW(g->begin, g->n + 1, g->cap_begin);
    g->node[g->n] = node;
    g->begin[g->n] = g->wire.begin;
    g->n++;
    if (other != NO_NODE)
        return chakra_fail(g, g->n - 1, err, ERR_FORMAT, "the node at byte %zu has that id as well",
                           g->begin[other]);
    g->slot[slot] = g->n;
    return 0;
}

static int read_messages(struct chakra_graph *g, struct err *err)
{
    ProtobufCMessage *message;
    int rc = chakra_wire_next(&g->wire, &chakra__global_metadata__descriptor, &message, err);

    if (rc == 0)
        return err_set(err, ERR_FORMAT, "%.200s: empty, expected a Chakra trace", g->wire.name);
    g->meta = (Chakra__GlobalMetadata *)message;
    while (rc > 0 &&
           (rc = chakra_wire_next(&g->wire, &chakra__node__descriptor, &message, err)) > 0)
        if (add_node(g, (Chakra__Node *)message, err) != 0)
            return -1;
    return rc;
}

/* --- dependencies ------------------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Add what `ids` names to the edges of node i, from *end on. */
static void add_edges(struct chakra_graph *g, const uint64_t *ids, size_t n, uint32_t *end)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t from = find_node(g, ids[k]);
        if (from == NO_NODE)
            g->dangling++;
        else
            g->dep[(*end)++] = from;
    }
}

static int resolve_edges(struct chakra_graph *g, struct err *err)
{
    bool own = chakra_own_is(g);
    uint64_t all = 0;
    uint32_t end = 0;

    for (uint32_t i = 0; i < g->n; i++)
        all += g->node[i]->n_data_deps + (own ? g->node[i]->n_ctrl_deps : 0);
    if (all >= UINT32_MAX)
        return err_set(err, ERR_RANGE, "%.200s: %" PRIu64 " dependencies, more than %" PRIu32,
                       g->wire.name, all, UINT32_MAX);
    g->dep = memory_zeroed((size_t)all, sizeof *g->dep);
    g->first = memory_zeroed(g->n + 1, sizeof *g->first);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t begin = end, kept;
        add_edges(g, g->node[i]->data_deps, g->node[i]->n_data_deps, &end);
        if (own)
            add_edges(g, g->node[i]->ctrl_deps, g->node[i]->n_ctrl_deps, &end);
        qsort(g->dep + begin, end - begin, sizeof *g->dep, compare_nodes);
        kept = begin;
        for (uint32_t k = begin; k < end; k++)
            if (k == begin || g->dep[k] != g->dep[k - 1])
                g->dep[kept++] = g->dep[k];
        g->first[i + 1] = end = kept;
    }
    return 0;
}

/* --- order -------------------------------------------------------------------------------- */

/* Nodes that wait for nothing any more, the first of the file on top; and who waits for whom. */
struct queue {
    uint32_t *heap, n;
    uint32_t *waits; /* [node] nodes that it still waits for */
    uint32_t *first, *next;
};

static void push_node(struct queue *q, uint32_t node)
{
    uint32_t i = q->n++;

    for (; i > 0 && q->heap[(i - 1) / 2] > node; i = (i - 1) / 2)
        q->heap[i] = q->heap[(i - 1) / 2];
    q->heap[i] = node;
}

static uint32_t pop_node(struct queue *q)
{
    uint32_t top = q->heap[0], last = q->heap[--q->n], i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= q->n)
            break;
        child += child + 1 < q->n && q->heap[child + 1] < q->heap[child];
        if (q->heap[child] >= last)
            break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = last;
    return top;
}

static void queue_begin(struct queue *q, const struct chakra_graph *g)
{
    uint32_t n_edges = g->first[g->n];
    uint32_t *at = memory_zeroed(g->n + 1, sizeof *at);

    *q = (struct queue){ .heap = memory_zeroed(g->n, sizeof *q->heap),
                         .waits = memory_zeroed(g->n, sizeof *q->waits),
                         .first = memory_zeroed(g->n + 1, sizeof *q->first),
                         .next = memory_zeroed(n_edges, sizeof *q->next) };
    for (uint32_t e = 0; e < n_edges; e++)
        q->first[g->dep[e] + 1]++;
    for (uint32_t i = 0; i < g->n; i++)
        at[i + 1] = q->first[i + 1] += q->first[i];
    for (uint32_t i = 0; i < g->n; i++) {
        q->waits[i] = g->first[i + 1] - g->first[i];
        if (q->waits[i] == 0)
            push_node(q, i);
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
            q->next[at[g->dep[e]]++] = i;
    }
    free(at);
}

static void queue_end(struct queue *q)
{
    free(q->heap);
    free(q->waits);
    free(q->first);
    free(q->next);
}

/* Some nodes wait for each other: walk back from one that is left until a node comes again. */
static int fail_circle(const struct chakra_graph *g, const struct queue *q, struct err *err)
{
    uint32_t i = 0, last = NO_NODE;
    bool *seen = memory_zeroed(g->n, sizeof *seen);

    while (q->waits[i] == 0)
        i++;
    while (!seen[i]) {
        uint32_t e = g->first[i];
        seen[i] = true;
        while (q->waits[g->dep[e]] == 0)
            e++;
        last = i;
        i = g->dep[e];
    }
    free(seen);
    if (last == i)
        return chakra_fail(g, i, err, ERR_FORMAT, "it waits for itself");
    return chakra_fail(g, i, err, ERR_FORMAT,
                       "node %" PRIu64 " waits for it, and it waits for that node in turn",
                       g->node[last]->id);
}

static int order_nodes(struct chakra_graph *g, struct err *err)
{
    struct queue q;
    uint32_t n = 0;

    g->order = memory_zeroed(g->n, sizeof *g->order);
    queue_begin(&q, g);
    while (q.n > 0) {
        uint32_t i = g->order[n++] = pop_node(&q);
        for (uint32_t e = q.first[i]; e < q.first[i + 1]; e++)
            if (--q.waits[q.next[e]] == 0)
                push_node(&q, q.next[e]);
    }
    int rc = n == g->n ? 0 : fail_circle(g, &q, err);
    queue_end(&q);
    return rc;
}

int chakra_graph_read(struct chakra_graph *g, const char *name, const void *data, size_t size,
                      struct err *err)
{
    *g = (struct chakra_graph){ 0 };
    chakra_wire_init(&g->wire, name, data, size);
    if (read_messages(g, err) != 0 || resolve_edges(g, err) != 0)
        return -1;
    return order_nodes(g, err);
}

void chakra_graph_free(struct chakra_graph *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        chakra_wire_free(&g->wire, &g->node[i]->base);
    if (g->meta)
        chakra_wire_free(&g->wire, &g->meta->base);
    free(g->node);
    free(g->begin);
    free(g->slot);
    free(g->first);
    free(g->dep);
    free(g->order);
}
