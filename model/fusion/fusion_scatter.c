/* fusion_scatter.c - scatters of one element a row into an array of one value.
 *
 * The gradient of take_along_axis writes one element of each row of zeros.  XLA makes no scatter of
 * it: each element is chosen by its place, which the kernels that read it do themselves.  Seen in
 * programs that libtpu 0.0.42 compiled for v5e; into an array with other values the scatter
 * stays. */
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_impl.h"

struct row_scatter {
    const struct hlo_instruction *from;
    const struct hlo_shape *table;
    struct fusion_use in[3]; /* table, places, elements */
    uint32_t dim;            /* of the table, along which an element is chosen */
};

static uint32_t read_dims(const struct fusion_graph *g, const struct hlo_instruction *i,
                          const char *key, int64_t *d)
{
    struct hlo_text t = hlo_attribute(g->m, i, key);
    uint32_t n = t.at ? hlo_numbers(t, d, FUSION_DIMS) : 0;

    return n < FUSION_DIMS ? n : FUSION_DIMS;
}

/* A shape of other dimensions, which the graph frees. */
static struct hlo_shape *make_shape(struct fusion_graph *g, const struct hlo_shape *like,
                                    enum hlo_dtype dtype, uint32_t without)
{
    struct hlo_shape *s = memory_zeroed(1, sizeof *s + like->rank * sizeof *like->dim);
    uint64_t *dim = (uint64_t *)(s + 1);

    *s = (struct hlo_shape){ .dtype = dtype, .dim = dim, .leaves = 1 };
    for (uint32_t d = 0; d < like->rank; d++)
        if (d != without)
            dim[s->rank++] = like->dim[d];
    MEMORY_GROW(g->narrowed, g->n_narrowed + 1, g->cap_narrowed);
    return g->narrowed[g->n_narrowed++] = s;
}

/* True if node `v` is one value at all places. */
static bool is_one_value(const struct fusion_graph *g, uint32_t v)
{
    const struct fusion_node *n = &g->node[v];

    return n->from->opcode == HLO_OP_BROADCAST && n->n_in == 1 &&
           g->node[fusion_in(g, n, 0)->node].from->opcode == HLO_OP_CONSTANT;
}

/* True of a function that returns its second argument, or adds it to the first. */
static bool adds_or_sets(const struct fusion_graph *g, const struct hlo_instruction *i)
{
    const struct hlo_computation *c = i->n_called == 1 ? hlo_called(g->m, i, 0) : NULL;

    if (!c || c->n > 3)
        return false;
    const struct hlo_instruction *root = &g->m->instruction[c->root];
    return root->opcode == HLO_OP_ADD || (root->opcode == HLO_OP_PARAMETER && root->number == 1);
}

static bool read_scatter(const struct fusion_graph *g, const struct fusion_node *n,
                         struct row_scatter *r)
{
    int64_t batch[FUSION_DIMS], dim[FUSION_DIMS], window[FUSION_DIMS];

    if (n->from->opcode != HLO_OP_SCATTER || n->n_in != 3 || n->shape->dtype == HLO_TUPLE)
        return false;
    *r = (struct row_scatter){ .from = n->from, .table = n->shape };
    memcpy(r->in, fusion_in(g, n, 0), sizeof r->in);
    if (read_dims(g, n->from, "scatter_dims_to_operand_dims", dim) != 1 || dim[0] < 0 ||
        dim[0] >= r->table->rank ||
        read_dims(g, n->from, "input_batching_dims", batch) != r->table->rank - 1 ||
        read_dims(g, n->from, "update_window_dims", window) != 0)
        return false;
    r->dim = (uint32_t)dim[0];
    uint64_t rows = hlo_elements(r->table) / (r->table->dim[r->dim] ? r->table->dim[r->dim] : 1);
    for (int k = 1; k < 3; k++)
        if (hlo_elements(fusion_graph_leaf(g->node[r->in[k].node].shape, r->in[k].leaf)) != rows)
            return false;
    return rows > 0 && is_one_value(g, r->in[0].node) && adds_or_sets(g, n->from);
}

/* A node of opcode `o` and shape `s` that reads `n` values; it takes `attributes`. */
static struct fusion_use add_node(struct fusion_graph *g, const struct row_scatter *r,
                                  enum hlo_opcode o, const struct hlo_shape *s, char *attributes,
                                  const struct fusion_use *in, uint32_t n)
{
    uint32_t node = fusion_graph_add(g, fusion_graph_make(g, r->from, o, NULL));

    g->node[node].shape = s;
    g->node[node].attributes = attributes;
    for (uint32_t k = 0; k < n; k++)
        fusion_graph_read(g, in[k]);
    return (struct fusion_use){ .node = fusion_graph_settle(g) };
}

/* One value a row, at all places of its row. */
static struct fusion_use spread_rows(struct fusion_graph *g, const struct row_scatter *r,
                                     struct fusion_use in)
{
    enum hlo_dtype dtype = fusion_graph_leaf(g->node[in.node].shape, in.leaf)->dtype;
    struct memory_text t;
    const char *comma = "";

    in = add_node(g, r, HLO_OP_RESHAPE, make_shape(g, r->table, dtype, r->dim), NULL, &in, 1);
    memory_text_begin(&t);
    fputs(", dimensions={", t.out);
    for (uint32_t d = 0; d < r->table->rank; d++)
        if (d != r->dim) {
            fprintf(t.out, "%s%d", comma, (int)d);
            comma = ",";
        }
    fputs("}", t.out);
    return add_node(g, r, HLO_OP_BROADCAST, make_shape(g, r->table, dtype, FUSION_NONE),
                    memory_text_end(&t), &in, 1);
}

uint32_t fusion_scatter_choose(struct fusion_graph *g)
{
    struct row_scatter r;

    if (!read_scatter(g, &g->node[g->n - 1], &r))
        return fusion_graph_settle(g);
    g->n_in = g->node[g->n - 1].first_in;
    g->n--;
    enum hlo_dtype place = fusion_graph_leaf(g->node[r.in[1].node].shape, r.in[1].leaf)->dtype;
    struct fusion_use both[2] = { { 0 }, spread_rows(g, &r, r.in[1]) };
    both[0] = add_node(g, &r, HLO_OP_IOTA, make_shape(g, r.table, place, FUSION_NONE),
                       memory_format(", iota_dimension=%u", r.dim), NULL, 0);
    struct fusion_use choice[3] = { { 0 }, spread_rows(g, &r, r.in[2]), r.in[0] };
    choice[0] = add_node(g, &r, HLO_OP_COMPARE, make_shape(g, r.table, HLO_PRED, FUSION_NONE),
                         memory_copy(", direction=EQ"), both, 2);
    return add_node(g, &r, HLO_OP_SELECT, r.table, NULL, choice, 3).node;
}
