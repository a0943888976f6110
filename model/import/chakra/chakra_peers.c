#include "import/chakra/chakra_peers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

#define NO_RANK UINT64_MAX

/* An end, for sorting. */
struct end {
    uint64_t shift, size, tag;
    bool receives;
    uint32_t place, node; /* in the order; in the file */
};

static bool is_send(const Chakra__Node *n)
{
    return (int)n->type == CHAKRA__NODE_TYPE__COMM_SEND_NODE;
}

static bool is_receive(const Chakra__Node *n)
{
    return (int)n->type == CHAKRA__NODE_TYPE__COMM_RECV_NODE;
}

/* "NAME.3.et" is of rank 3. */
static uint64_t rank_of_name(const char *name)
{
    size_t n = strlen(name);

    if (n < 4 || strcmp(name + n - 3, ".et") != 0)
        return NO_RANK;
    const char *digit = name + n - 3;
    while (digit > name && plain_is_digit(digit[-1]))
        digit--;
    if (digit == name || digit[-1] != '.' || digit == name + n - 3 || name + n - 3 - digit > 9)
        return NO_RANK;
    return strtoull(digit, NULL, 10);
}

/* The rank whose file this is: a send says who sends, a receive who receives. */
static int find_rank(const struct chakra_graph *g, uint64_t *rank, struct err *err)
{
    *rank = rank_of_name(g->wire.name);
    for (uint32_t i = 0; i < g->n && *rank == NO_RANK; i++)
        if ((is_send(g->node[i]) && chakra_graph_number(g, i, "comm_src", rank, err) != 0) ||
            (is_receive(g->node[i]) && chakra_graph_number(g, i, "comm_dst", rank, err) != 0))
            return -1;
    return 0;
}

static int read_shift(const struct chakra_graph *g, uint32_t node, uint64_t rank, uint64_t ranks,
                      uint64_t *shift, struct err *err)
{
    bool sends = is_send(g->node[node]);
    uint64_t own = rank, other = NO_RANK;

    if (chakra_graph_number(g, node, sends ? "comm_src" : "comm_dst", &own, err) != 0 ||
        chakra_graph_number(g, node, sends ? "comm_dst" : "comm_src", &other, err) != 0)
        return -1;
    if (other == NO_RANK)
        return chakra_fail(g, node, err, ERR_RANGE, "it has no %s, the rank at the other end",
                           sends ? "comm_dst" : "comm_src");
    if (own == NO_RANK)
        return chakra_fail(g, node, err, ERR_RANGE,
                           "nothing says which rank this is: neither %s nor a file name such as "
                           "trace.0.et",
                           sends ? "comm_src" : "comm_dst");
    uint64_t from = sends ? own : other, to = sends ? other : own;
    if (from == to)
        return chakra_fail(g, node, err, ERR_RANGE, "rank %" PRIu64 " sends to itself", own);
    if (ranks != 0 && (from >= ranks || to >= ranks))
        return chakra_fail(g, node, err, ERR_RANGE, "rank %" PRIu64 ": outside [0, %" PRIu64 "]",
                           from >= ranks ? from : to, ranks - 1);
    if (to < from && ranks == 0)
        return chakra_fail(g, node, err, ERR_RANGE,
                           "from rank %" PRIu64 " to rank %" PRIu64
                           ": say how many ranks there are (`cyclotron trace import --ranks N`)",
                           from, to);
    *shift = to > from ? to - from : ranks - from + to;
    return 0;
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    const uint64_t p[] = { x->shift, x->size, x->tag, x->receives, x->place };
    const uint64_t q[] = { y->shift, y->size, y->tag, y->receives, y->place };

    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static bool match_ends(const struct end *a, const struct end *b)
{
    return a->shift == b->shift && a->size == b->size && a->tag == b->tag;
}

/* The sends of a key stand before its receives. */
static void pair_ends(const struct end *end, uint32_t n, struct chakra_peer *peer)
{
    for (uint32_t first = 0, last; first < n; first = last) {
        uint32_t receive;
        for (last = first; last < n && match_ends(&end[first], &end[last]); last++)
            ;
        for (receive = first; receive < last && !end[receive].receives; receive++)
            ;
        for (uint32_t s = first, r = receive; s < receive && r < last; s++, r++) {
            peer[end[s].node].other = end[r].node;
            peer[end[r].node].other = end[s].node;
        }
    }
}

int chakra_peers_find(const struct chakra_graph *g, uint64_t ranks, struct chakra_peer *peer,
                      struct err *err)
{
    struct end *end = memory_zeroed(g->n, sizeof *end);
    uint64_t rank = NO_RANK;
    uint32_t n = 0;
    int rc = find_rank(g, &rank, err);

    for (uint32_t k = 0; k < g->n && rc == 0; k++) {
        uint32_t i = g->order[k];
        struct end e = { .receives = is_receive(g->node[i]), .place = k, .node = i };
        peer[i] = (struct chakra_peer){ .other = UINT32_MAX };
        if (!is_send(g->node[i]) && !e.receives)
            continue;
        rc = read_shift(g, i, rank, ranks, &e.shift, err);
        if (rc == 0)
            rc = chakra_graph_number(g, i, "comm_size", &e.size, err);
        if (rc == 0)
            rc = chakra_graph_number(g, i, "comm_tag", &e.tag, err);
        peer[i].shift = e.shift;
        end[n++] = e;
    }
    if (rc == 0) {
        qsort(end, n, sizeof *end, compare_ends);
        pair_ends(end, n, peer);
    }
    free(end);
    return rc;
}
