/* fusion_group.c - which operations are one kernel.
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
    bool fused = !n->output;

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

/* Bytes that the kernels of `n` readers would read to compute the node, against those of one kernel
 * that writes its result for them. */
static bool is_cheap(const struct fusion_graph *g, const struct fusion_node *n, uint32_t readers)
{
    enum hlo_opcode o = n->from->opcode;
    uint64_t out = fusion_layout_bytes(n->shape, n->order), in = 0;

    if (o == HLO_OP_CONVERT && widens_bits(g, n))
        return true;
    if (fusion_class_is_dear(o) || n->head)
        return false;
    if (o == HLO_OP_BROADCAST || o == HLO_OP_IOTA || o == HLO_OP_SLICE || n->bitcast)
        return true;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const struct fusion_node *x = &g->node[fusion_in(g, n, k)->node];
        enum hlo_opcode from = x->from->opcode;
        if (from != HLO_OP_BROADCAST && from != HLO_OP_IOTA && x->shape->dtype != HLO_TUPLE)
            in += fusion_layout_bytes(x->shape, x->order);
    }
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
    if (fused && kernels->n && is_cheap(g, n, kernels->n)) {
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

    switch (g->node[v].class) {
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

/* Mark what is the result of a product, changed element by element, with no other reader. */
static void mark_heads(struct fusion_graph *g)
{
    for (uint32_t v = 0; v < g->n; v++) {
        struct fusion_node *n = &g->node[v];
        if (n->class != FUSION_MAP && !n->bitcast)
            continue;
        for (uint32_t k = 0; k < n->n_in; k++) {
            const struct fusion_node *in = &g->node[fusion_in(g, n, k)->node];
            if ((in->class == FUSION_PRODUCT || in->head) && in->users.n == 1 && !in->output)
                n->head = true;
        }
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
