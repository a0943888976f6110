/* fusion_dot.c - dots that are no matrix products.
 *
 *     nothing is summed           an element-wise product
 *     a matrix and a vector       an element-wise product and a sum along the matrix
 *
 * A product of a matrix and a vector would use one column or one row of the array.  XLA gives such
 * products, and those that sum nothing, to the vector unit. */
#include <stdlib.h>

#include "fusion/fusion_impl.h"

struct dims {
    int64_t at[FUSION_DIMS];
    uint32_t n;
};

static struct dims read_dims(const struct fusion_graph *g, const struct hlo_instruction *i,
                             const char *key)
{
    struct hlo_text t = hlo_attribute(g->m, i, key);
    struct dims d = { { 0 }, 0 };

    d.n = t.at ? hlo_numbers(t, d.at, FUSION_DIMS) : 0;
    d.n = d.n < FUSION_DIMS ? d.n : FUSION_DIMS;
    return d;
}

static uint64_t multiply_dims(const struct hlo_shape *s, const struct dims *d)
{
    uint64_t n = 1;

    for (uint32_t k = 0; k < d->n; k++)
        n *= d->at[k] >= 0 && d->at[k] < s->rank ? s->dim[d->at[k]] : 1;
    return n;
}

static char *print_sum(const struct dims *d)
{
    struct memory_text t;

    memory_text_begin(&t);
    fputs(", dimensions={", t.out);
    for (uint32_t k = 0; k < d->n; k++)
        fprintf(t.out, "%s%d", k ? "," : "", (int)d->at[k]);
    fputs("}, to_apply=" FUSION_DOT_SUM, t.out);
    return memory_text_end(&t);
}

static void make_scalar(struct fusion_graph *g, uint32_t node)
{
    struct hlo_shape *s = memory_zeroed(1, sizeof *s);

    *s = (struct hlo_shape){ .dtype = g->node[node].shape->dtype, .leaves = 1 };
    MEMORY_GROW(g->narrowed, g->n_narrowed + 1, g->cap_narrowed);
    g->narrowed[g->n_narrowed++] = s;
    g->node[node].shape = s;
}

/* The product of `large` and the other operand, summed over dimensions `d` of `large`. */
static uint32_t write_sum(struct fusion_graph *g, const struct hlo_instruction *dot,
                          const struct fusion_use use[2], const struct hlo_shape *large,
                          const struct dims *d)
{
    uint32_t node = fusion_graph_add(g, fusion_graph_make(g, dot, HLO_OP_MULTIPLY, NULL));

    g->node[node].shape = large;
    fusion_graph_read(g, use[0]);
    fusion_graph_read(g, use[1]);
    uint32_t product = fusion_graph_settle(g);
    uint32_t zero = fusion_graph_add(g, fusion_graph_make(g, dot, HLO_OP_CONSTANT, "0"));
    make_scalar(g, zero);
    node = fusion_graph_add(g, fusion_graph_make(g, dot, HLO_OP_REDUCE, NULL));
    fusion_graph_read(g, (struct fusion_use){ .node = product });
    fusion_graph_read(g, (struct fusion_use){ .node = zero });
    g->node[node].attributes = print_sum(d);
    return fusion_graph_settle(g);
}

uint32_t fusion_dot_reduce(struct fusion_graph *g)
{
    struct fusion_node *n = &g->node[g->n - 1];
    const struct hlo_instruction *dot = n->from;

    if (n->n_in != 2)
        return fusion_graph_settle(g);
    struct fusion_use use[2] = { *fusion_in(g, n, 0), *fusion_in(g, n, 1) };
    const struct hlo_shape *a = fusion_graph_leaf(g->node[use[0].node].shape, use[0].leaf);
    const struct hlo_shape *b = fusion_graph_leaf(g->node[use[1].node].shape, use[1].leaf);
    struct dims batch = read_dims(g, dot, "lhs_batch_dims");
    struct dims k_a = read_dims(g, dot, "lhs_contracting_dims");
    struct dims k_b = read_dims(g, dot, "rhs_contracting_dims");
    uint64_t k = multiply_dims(a, &k_a), both = k * multiply_dims(a, &batch);

    if (k == 1) {
        n->from = fusion_graph_make(g, dot, HLO_OP_MULTIPLY, NULL);
        n->class = FUSION_MAP;
        return fusion_graph_settle(g);
    }
    if (both == 0 || (hlo_elements(a) != both && hlo_elements(b) != both))
        return fusion_graph_settle(g);
    g->n_in = n->first_in;
    g->n--;
    return hlo_elements(b) == both ? write_sum(g, dot, use, a, &k_a)
                                   : write_sum(g, dot, use, b, &k_b);
}
