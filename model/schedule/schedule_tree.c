/* A tree, in pieces: all of the buffer goes up to the root, added on the way, and then down again.
 *
 *      on a box    the root is in its middle (of a broadcast: member 0); a chip passes pieces on to
 *                  its neighbour towards the root along x, then along y, then z: every chip is as
 *                  near to the root as possible, and no link is on two routes
 *      on a row    of members at any distance: a binary tree in their order, member 0 is the root
 *
 * A piece goes on in the step after it came, so that pieces follow each other without gaps.  With a
 * tree of depth D, a latency of a for each edge and a bandwidth of B, m pieces of S / m take
 *
 *     D a + (D + m - 1) S / (m B)
 *
 * in one direction.  On the way up a chip at depth d starts in step D - d, a leaf or not. */
#include "schedule/schedule_axis.h"

struct tree {
    bool row;
    uint32_t n[MESH_DIMS], root[MESH_DIMS];
    int32_t low[MESH_DIMS], high[MESH_DIMS]; /* places beside the root */
    uint32_t depth;
};

struct node {
    uint32_t depth, parent, n_children, child[MESH_PORTS]; /* members */
};

static bool goes_up(const struct schedule *s)
{
    return s->kind != SCHEDULE_BROADCAST;
}

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static void tree_of(const struct schedule *s, struct tree *t)
{
    const struct mesh *box = &s->group.box;

    *t = (struct tree){ .row = s->group.hop[0] == 0 };
    if (t->row) {
        t->depth = log2_of(s->group.size);
        return;
    }
    for (uint32_t d = 0; d < MESH_DIMS; d++) {
        int32_t n = (int32_t)box->n[d];
        bool ring = box->wrap[d] && n > 2;
        t->n[d] = box->n[d];
        t->root[d] = s->kind == SCHEDULE_BROADCAST ? 0 : box->n[d] / 2;
        t->low[d] = ring ? -((n - 1) / 2) : -(int32_t)t->root[d];
        t->high[d] = t->low[d] + n - 1;
        t->depth += (uint32_t)(t->high[d] > -t->low[d] ? t->high[d] : -t->low[d]);
    }
}

/* The member so many places beside the root. */
static uint32_t member_at(const struct schedule *s, const struct tree *t,
                          const int32_t off[MESH_DIMS])
{
    uint32_t at[MESH_DIMS];

    for (uint32_t d = 0; d < MESH_DIMS; d++)
        at[d] = (uint32_t)((int32_t)(t->root[d] + t->n[d]) + off[d]) % t->n[d];
    return mesh_chip(&s->group.box, at);
}

static uint32_t member_beside(const struct schedule *s, const struct tree *t,
                              const int32_t off[MESH_DIMS], uint32_t d, int32_t by)
{
    int32_t to[MESH_DIMS] = { off[0], off[1], off[2] };

    to[d] += by;
    return member_at(s, t, to);
}

static void node_of_box(const struct schedule *s, const struct tree *t, uint32_t member,
                        struct node *x)
{
    int32_t off[MESH_DIMS] = { 0 };
    uint32_t at[MESH_DIMS],
        first = MESH_DIMS; /* dimension in which it is not at the root's place */

    mesh_at(&s->group.box, member, at);
    for (uint32_t d = MESH_DIMS; d-- > 0;) {
        off[d] = (int32_t)at[d] - (int32_t)t->root[d];
        off[d] += off[d] > t->high[d] ? -(int32_t)t->n[d] : 0;
        off[d] += off[d] < t->low[d] ? (int32_t)t->n[d] : 0;
        x->depth += (uint32_t)(off[d] < 0 ? -off[d] : off[d]);
        first = off[d] ? d : first;
    }
    if (first < MESH_DIMS)
        x->parent = member_beside(s, t, off, first, off[first] < 0 ? 1 : -1);
    for (uint32_t d = 0; d <= first && d < MESH_DIMS; d++) {
        if (off[d] >= 0 && off[d] < t->high[d])
            x->child[x->n_children++] = member_beside(s, t, off, d, 1);
        if (off[d] <= 0 && off[d] > t->low[d])
            x->child[x->n_children++] = member_beside(s, t, off, d, -1);
    }
}

static void node_of(const struct schedule *s, const struct tree *t, uint32_t member, struct node *x)
{
    *x = (struct node){ 0 };
    if (!t->row) {
        node_of_box(s, t, member, x);
        return;
    }
    x->depth = log2_of(member + 1);
    x->parent = member ? (member - 1) / 2 : 0;
    for (uint32_t c = 2 * member + 1; c <= 2 * member + 2 && c < s->group.size; c++)
        x->child[x->n_children++] = c;
}

static bool tree_fits(const struct schedule *s)
{
    return s->kind == SCHEDULE_ALL_REDUCE || s->kind == SCHEDULE_BROADCAST ||
           s->kind == SCHEDULE_BARRIER;
}

/* Steps one way. */
static uint32_t steps_one_way(const struct schedule *s, const struct tree *t)
{
    return t->depth ? t->depth + s->pieces - 1 : 0;
}

static uint32_t tree_steps(const struct schedule *s)
{
    struct tree t;

    tree_of(s, &t);
    return steps_one_way(s, &t) * (goes_up(s) ? 2 : 1);
}

static uint64_t tree_parts(const struct schedule *s)
{
    return s->pieces;
}

static struct schedule_part piece_of(const struct schedule *s, uint32_t group, uint32_t member,
                                     uint32_t k)
{
    uint64_t bytes = schedule_padded(s) / s->pieces;

    return (struct schedule_part){ mesh_group_chip(&s->group, group, member), k * bytes, bytes,
                                   bytes, 1 };
}

/* Piece k leaves depth d in step D - d + k. */
static void step_up(const struct schedule *s, const struct tree *t, const struct node *x,
                    uint32_t group, uint32_t i, struct schedule_step *out)
{
    uint32_t late = t->depth - x->depth;

    out->sum = true;
    if (x->depth > 0 && i >= late && i - late < s->pieces)
        schedule_send(out, piece_of(s, group, x->parent, i - late), x->n_children == 0);
    if (i + 1 < late || i + 1 - late >= s->pieces)
        return;
    /* the chip's own piece is read once, and the root writes the sum once */
    for (uint32_t c = 0; c < x->n_children; c++)
        schedule_recv(out, piece_of(s, group, x->child[c], i + 1 - late), c == 0,
                      c == 0 && x->depth == 0);
}

/* Piece k leaves depth d in step d + k. */
static void step_down(const struct schedule *s, const struct node *x, uint32_t group, uint32_t i,
                      struct schedule_step *out)
{
    /* if there is one piece, the root has received the last addend in the step before */
    bool fresh = x->depth == 0 && (s->pieces > 1 || !goes_up(s));

    if (i >= x->depth && i - x->depth < s->pieces)
        for (uint32_t c = 0; c < x->n_children; c++)
            schedule_send(out, piece_of(s, group, x->child[c], i - x->depth), fresh && c == 0);
    if (x->depth > 0 && i + 1 >= x->depth && i + 1 - x->depth < s->pieces)
        schedule_recv(out, piece_of(s, group, x->parent, i + 1 - x->depth), false, true);
}

static void tree_step(const struct schedule *s, uint32_t group, uint32_t member, uint32_t i,
                      struct schedule_step *out)
{
    struct tree t;
    struct node x;

    tree_of(s, &t);
    node_of(s, &t, member, &x);
    uint32_t up = goes_up(s) ? steps_one_way(s, &t) : 0;
    if (i < up)
        step_up(s, &t, &x, group, i, out);
    else
        step_down(s, &x, group, i - up, out);
}

/* Links of the longest edge. */
static uint64_t longest_edge(const struct schedule *s, const struct tree *t)
{
    uint64_t most = 0;

    for (uint32_t i = 1; t->row && i < s->group.size; i++) {
        uint64_t links = schedule_links(s, i, (i - 1) / 2);
        most = links > most ? links : most;
    }
    for (uint32_t d = 0; !t->row && d < MESH_DIMS; d++)
        if (t->n[d] > 1 && s->group.hop[d] > most)
            most = s->group.hop[d];
    return most;
}

static struct schedule_cost tree_cost(const struct schedule *s)
{
    struct tree t;

    tree_of(s, &t);
    return schedule_stream_cost(s, t.depth, longest_edge(s, &t), goes_up(s) ? 2 : 1);
}

const struct schedule_family schedule_tree = { tree_fits,         tree_steps, tree_step, tree_parts,
                                               schedule_no_share, tree_cost,  true };
