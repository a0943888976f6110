/* fusion_group.c - operations joined into kernels.
 *
 * Nodes are looked at from the last to the first, so that all readers of a node have their kernels.
 *
 *     all readers are in one kernel      the node joins it: as an operand of its product, or in its
 *                                        loop; a product does if it is of that loop and no other
 *                                        product is in it
 *     several kernels read it            it is computed in each, if it is cheap and they read no
 *                                        more than they would of its result; else it joins those of
 *                                        them that go over the same elements, as a result of theirs
 *     a collective, a gather ... or      it is a result of a kernel
 *     the caller reads it
 *     a scatter reads it                 it joins the scatter, if it is no result of a product
 *
 * Then kernels over the same elements that read one array become one. */
#include <stdlib.h>

#include "fusion/fusion_impl.h"

#define SOURCE_DEPTH 8 /* operations one behind the other that are looked through for arrays */
#define JOIN_NODES 32  /* operations between a product and where its readers come together */

static uint64_t count_elements(const struct fusion_node *n)
{
    return hlo_elements(fusion_graph_leaf(n->shape, 0));
}

static uint32_t new_group(struct fusion_graph *g, uint32_t v)
{
    struct fusion_node *n = &g->node[v];
    uint64_t elements = count_elements(n);

    if (n->class == FUSION_REDUCE && n->n_in)
        elements = count_elements(&g->node[fusion_in(g, n, 0)->node]);
    MEMORY_GROW(g->group, g->n_groups + 1, g->cap_groups);
    g->group[g->n_groups] = (struct fusion_group){
        .elements = elements,
        .product = n->class == FUSION_PRODUCT ? v : FUSION_NONE,
        .opaque = n->class == FUSION_OPAQUE,
    };
    return g->n_groups++;
}

static void join_group(struct fusion_graph *g, uint32_t v, uint32_t group)
{
    fusion_list_add(&g->group[group].nodes, v);
    fusion_list_add(&g->node[v].groups, group);
    if (g->node[v].class == FUSION_PRODUCT)
        g->group[group].product = v;
}

static void write_in(struct fusion_graph *g, uint32_t v, uint32_t group)
{
    join_group(g, v, group);
    g->node[v].home = group;
}

/* Put all of kernel `b` into kernel `a`. */
static void merge_groups(struct fusion_graph *g, uint32_t a, uint32_t b)
{
    struct fusion_group *from = &g->group[b];

    for (uint32_t k = 0; k < from->nodes.n; k++) {
        struct fusion_node *n = &g->node[from->nodes.at[k]];
        bool there = fusion_list_has(&n->groups, a);
        uint32_t kept = 0;
        for (uint32_t j = 0; j < n->groups.n; j++)
            if (n->groups.at[j] != b)
                n->groups.at[kept++] = n->groups.at[j];
        n->groups.n = kept;
        if (n->home == b)
            n->home = a;
        if (!there) {
            fusion_list_add(&n->groups, a);
            fusion_list_add(&g->group[a].nodes, from->nodes.at[k]);
        }
    }
    if (g->group[a].product == FUSION_NONE)
        g->group[a].product = from->product;
    from->nodes.n = 0;
    from->gone = true;
}

/* --- readers ------------------------------------------------------------------------------ */

/* Kernels that read node `v`; false if somebody reads it who is in none. */
static bool list_readers(const struct fusion_graph *g, uint32_t v, struct fusion_list *kernels)
{
    const struct fusion_node *n = &g->node[v];
    bool fused = !n->output && !n->kept;

    for (uint32_t k = 0; k < n->users.n; k++) {
        const struct fusion_node *u = &g->node[n->users.at[k]];
        fused &= u->class != FUSION_OPAQUE || u->from->opcode == HLO_OP_SCATTER;
        for (uint32_t j = 0; j < u->groups.n; j++)
            if (!fusion_list_has(kernels, u->groups.at[j]))
                fusion_list_add(kernels, u->groups.at[j]);
    }
    return fused;
}

/* True if kernel `group` goes on with the result of a product element by element, or sums it up. */
static bool takes_product(const struct fusion_graph *g, uint32_t v, uint32_t group)
{
    const struct fusion_node *n = &g->node[v];
    const struct fusion_group *k = &g->group[group];

    if (k->opaque || k->product != FUSION_NONE || k->elements != count_elements(n))
        return false;
    for (uint32_t j = 0; j < n->users.n; j++) {
        const struct fusion_node *u = &g->node[n->users.at[j]];
        if (fusion_list_has(&u->groups, group) && u->class != FUSION_MAP &&
            u->class != FUSION_REDUCE && !u->bitcast)
            return false;
    }
    return true;
}

/* True of a conversion to more bits: what it reads is smaller. */
static bool widens_bits(const struct fusion_graph *g, const struct fusion_node *n)
{
    const struct hlo_shape *in = g->node[fusion_in(g, n, 0)->node].shape;

    return hlo_dtype_bits[in->dtype] < hlo_dtype_bits[n->shape->dtype];
}

/* Add to `from` the arrays that a kernel reads to compute node `v`: what is computed element by
 * element on the way is computed in it. */
static void list_sources(const struct fusion_graph *g, uint32_t v, struct fusion_list *from,
                         uint32_t depth)
{
    const struct fusion_node *n = &g->node[v];

    for (uint32_t k = 0; k < n->n_in; k++) {
        uint32_t in = fusion_in(g, n, k)->node;
        const struct fusion_node *x = &g->node[in];
        enum hlo_opcode o = x->from->opcode;
        if (o == HLO_OP_BROADCAST || o == HLO_OP_IOTA || x->shape->dtype == HLO_TUPLE)
            continue;
        bool inside = depth > 0 && !x->head && !x->output && !fusion_class_is_dear(o) &&
                      (x->class == FUSION_MAP || x->bitcast);
        if (inside)
            list_sources(g, in, from, depth - 1);
        else if (!fusion_list_has(from, in))
            fusion_list_add(from, in);
    }
}

/* True of arrays put side by side that share tiles along that dimension and fill more than one: XLA
 * fuses them with no more than one reader. */
static bool shares_tiles(const struct fusion_graph *g, const struct fusion_node *n)
{
    struct hlo_text t = hlo_attribute(g->m, n->from, "dimensions");
    int64_t d;

    if (n->from->opcode != HLO_OP_CONCATENATE || !t.at || hlo_numbers(t, &d, 1) != 1 || d < 0 ||
        d >= n->shape->rank)
        return false;
    uint64_t tile = n->order[0] == d ? 128 : n->order[1] == d ? 8 : 1;
    bool shared = false;
    for (uint32_t k = 0; k + 1 < n->n_in; k++) {
        const struct hlo_shape *in = g->node[fusion_in(g, n, k)->node].shape;
        shared |= in->rank > d && in->dim[d] % tile != 0;
    }
    return shared && n->shape->dim[d] > tile;
}

/* Bytes that a kernel reads to compute node `v`: its operands, or what they are computed from. */
static uint64_t least_read(const struct fusion_graph *g, uint32_t v)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t depth = 0; depth <= SOURCE_DEPTH; depth += SOURCE_DEPTH) {
        struct fusion_list from = { 0 };
        uint64_t bytes = 0;
        list_sources(g, v, &from, depth);
        for (uint32_t k = 0; k < from.n; k++)
            bytes += fusion_layout_bytes(g->node[from.at[k]].shape, g->node[from.at[k]].order);
        free(from.at);
        least = bytes < least ? bytes : least;
    }
    return least;
}

/* Bytes that the kernels of `readers` readers would read to compute the node, against those of one
 * kernel that writes its result for them. */
static bool is_cheap(const struct fusion_graph *g, uint32_t v, uint32_t readers)
{
    const struct fusion_node *n = &g->node[v];
    enum hlo_opcode o = n->from->opcode;

    if (o == HLO_OP_CONVERT && widens_bits(g, n))
        return true;
    if (fusion_class_is_dear(o) || n->head || shares_tiles(g, n))
        return false;
    if (o == HLO_OP_BROADCAST || o == HLO_OP_IOTA || o == HLO_OP_SLICE || n->bitcast)
        return true;
    uint64_t out = fusion_layout_bytes(n->shape, n->order), in = least_read(g, v);
    return readers * in <= in + (readers + 1) * out;
}

/* --- joining ------------------------------------------------------------------------------ */

/* Become a result of kernels over the same elements; false if there is none. */
static bool join_as_result(struct fusion_graph *g, uint32_t v, const struct fusion_list *kernels)
{
    uint64_t elements = count_elements(&g->node[v]);
    uint32_t in = FUSION_NONE;

    for (uint32_t k = 0; k < kernels->n; k++) {
        uint32_t a = kernels->at[k];
        const struct fusion_group *x = &g->group[a];
        if (x->opaque || x->product != FUSION_NONE || x->elements != elements ||
            (g->node[v].class == FUSION_PRODUCT && !takes_product(g, v, a)))
            continue;
        if (in == FUSION_NONE) {
            if (!fusion_path_between(g, a, FUSION_NONE, v)) {
                write_in(g, v, a);
                in = a;
            }
        } else if (!fusion_path_between(g, in, a, v)) {
            merge_groups(g, in, a);
        }
    }
    return in != FUSION_NONE;
}

static void place_product(struct fusion_graph *g, uint32_t v, const struct fusion_list *kernels,
                          bool fused)
{
    if (fused && kernels->n == 1 && takes_product(g, v, kernels->at[0]))
        write_in(g, v, kernels->at[0]);
    else if (!join_as_result(g, v, kernels))
        write_in(g, v, new_group(g, v));
}

static void place_cheap(struct fusion_graph *g, uint32_t v, const struct fusion_list *kernels,
                        bool fused)
{
    const struct fusion_node *n = &g->node[v];

    if (fused && kernels->n == 1 && (!n->head || !g->group[kernels->at[0]].opaque)) {
        write_in(g, v, kernels->at[0]);
        return;
    }
    if (fused && kernels->n && is_cheap(g, v, kernels->n)) {
        for (uint32_t k = 0; k < kernels->n; k++)
            join_group(g, v, kernels->at[k]);
        return;
    }
    if (!join_as_result(g, v, kernels))
        write_in(g, v, new_group(g, v));
}

static void place_node(struct fusion_graph *g, uint32_t v)
{
    struct fusion_list kernels = { 0 };
    bool fused = list_readers(g, v, &kernels);

    switch (g->node[v].kept && g->node[v].class != FUSION_LEAF ? FUSION_OPAQUE : g->node[v].class) {
    case FUSION_LEAF: break;
    case FUSION_OPAQUE:
    case FUSION_REDUCE: write_in(g, v, new_group(g, v)); break;
    case FUSION_PRODUCT: place_product(g, v, &kernels, fused); break;
    default: place_cheap(g, v, &kernels, fused); break;
    }
    free(kernels.at);
}

/* --- kernels over one array ----------------------------------------------------------------- */

static bool go_together(const struct fusion_graph *g, uint32_t a, uint32_t b, uint64_t elements)
{
    const struct fusion_group *x = &g->group[a], *y = &g->group[b];

    return a != b && !x->opaque && !y->opaque && x->product == FUSION_NONE &&
           y->product == FUSION_NONE && x->elements == elements && y->elements == elements;
}

static bool is_in_memory(const struct fusion_graph *g, uint32_t v)
{
    const struct fusion_node *n = &g->node[v];

    return n->shape->dtype != HLO_TUPLE && n->shape->rank &&
           (n->from->opcode == HLO_OP_PARAMETER || n->home != FUSION_NONE);
}

/* Kernels that read the array `v`, which is in memory, and go over its elements become one. */
static void merge_readers(struct fusion_graph *g, uint32_t v)
{
    struct fusion_list kernels = { 0 };
    uint64_t elements = count_elements(&g->node[v]);

    list_readers(g, v, &kernels);
    for (uint32_t k = 0; k < kernels.n; k++)
        for (uint32_t j = k + 1; j < kernels.n; j++) {
            uint32_t a = kernels.at[k], b = kernels.at[j];
            if (!g->group[a].gone && !g->group[b].gone && go_together(g, a, b, elements) &&
                !fusion_path_between(g, a, b, FUSION_NONE))
                merge_groups(g, a, b);
        }
    free(kernels.at);
}

/* The first node beyond `from`, each of one element of the result of one element of the same place,
 * that reads them; FUSION_NONE if there is none, and *single says whether there is no other. */
static uint32_t find_beyond(const struct fusion_graph *g, const struct fusion_list *from,
                            bool *single)
{
    uint64_t elements = count_elements(&g->node[from->at[0]]);
    uint32_t first = FUSION_NONE;

    *single = true;
    for (uint32_t k = 0; k < from->n; k++) {
        const struct fusion_node *n = &g->node[from->at[k]];
        if (n->output)
            return FUSION_NONE;
        for (uint32_t j = 0; j < n->users.n; j++) {
            uint32_t v = n->users.at[j];
            const struct fusion_node *u = &g->node[v];
            if (fusion_list_has(from, v) || v == first)
                continue;
            if (!u->live || (u->class != FUSION_MAP && !u->bitcast) ||
                count_elements(u) != elements)
                return FUSION_NONE;
            *single &= first == FUSION_NONE;
            first = v < first ? v : first;
        }
    }
    return first;
}

/* The node at which all readers of a value meet, element by element; FUSION_NONE if none. */
static uint32_t find_join(const struct fusion_graph *g, uint32_t value)
{
    struct fusion_list from = { 0 };
    uint32_t v = value;
    bool single = false;

    while (v != FUSION_NONE && !single) {
        fusion_list_add(&from, v);
        v = from.n < JOIN_NODES ? find_beyond(g, &from, &single) : FUSION_NONE;
    }
    free(from.at);
    return v;
}

/* Mark what is the result of a product, changed element by element, with no other reader. */
static void mark_heads(struct fusion_graph *g)
{
    for (uint32_t v = 0; v < g->n; v++) {
        struct fusion_node *n = &g->node[v];
        if (n->class == FUSION_MAP || n->bitcast)
            for (uint32_t k = 0; k < n->n_in; k++) {
                const struct fusion_node *in = &g->node[fusion_in(g, n, k)->node];
                n->head |= (in->class == FUSION_PRODUCT || in->head) && in->users.n == 1 &&
                           !in->output && !in->kept;
            }
        uint32_t join =
            n->live && (n->class == FUSION_PRODUCT || n->head) && n->users.n > 1 && !n->kept
                ? find_join(g, v)
                : FUSION_NONE;
        if (join != FUSION_NONE)
            g->node[join].head = true;
    }
}

static int compare_nodes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void fusion_group_all(struct fusion_graph *g)
{
    mark_heads(g);
    for (uint32_t v = g->n; v-- > 0;)
        if (g->node[v].live)
            place_node(g, v);
    for (uint32_t v = 0; v < g->n; v++)
        if (g->node[v].live && is_in_memory(g, v))
            merge_readers(g, v);
    for (uint32_t k = 0; k < g->n_groups; k++)
        if (g->group[k].nodes.n)
            qsort(g->group[k].nodes.at, g->group[k].nodes.n, sizeof(uint32_t), compare_nodes);
}
