/* fusion_layout.c - the order of dimensions in memory.
 *
 *     parameters, products, gathers ...   the two minor dimensions that padding costs the least, of
 *                                         equals the last ones
 *     element by element                  that of the first operand of the same dimensions
 *     transpose                           that of its operand, turned: nothing moves
 *     reshape that adds or drops ones     that of its operand: nothing moves
 *     reduce                              that of its operand, without what it sums over
 *
 * Tiles are 128 lanes by 1, 2, 4 or 8 sublanes, of packed elements at least as many as fill a
 * sublane; an array of one dimension is rounded up to 256, 512 or 1024 elements.  Elements of 4 and
 * 2 bits are packed, as from TPU v4 on, in tiles of up to 8 full sublanes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "fusion/fusion_impl.h"

/* Rows of a tile of packed elements, of an array with so many. */
static uint64_t count_rows(const struct hlo_shape *s, uint64_t extent)
{
    uint32_t bits = hlo_dtype_bits[s->dtype];
    uint64_t rows = bits < 32 ? 32 / bits : 1, most = bits < 8 ? 8 * rows : 8;

    while (rows < extent && rows < most)
        rows *= 2;
    return rows;
}

static uint64_t count_bytes(const struct hlo_shape *s, uint64_t elements)
{
    return arith_ceil_div(elements * hlo_dtype_bits[s->dtype], 8);
}

static uint64_t bytes_with(const struct hlo_shape *s, uint32_t minor, uint32_t second)
{
    uint64_t rest = 1;

    for (uint32_t d = 0; d < s->rank; d++)
        if (d != minor && d != second)
            rest *= s->dim[d];
    return count_bytes(s, rest * arith_round_up(s->dim[second], count_rows(s, s->dim[second])) *
                              arith_round_up(s->dim[minor], 128));
}

uint64_t fusion_layout_bytes(const struct hlo_shape *s, const uint32_t *order)
{
    if (s->rank == 0)
        return count_bytes(s, 1);
    if (s->rank == 1)
        return count_bytes(s, arith_round_up(s->dim[0], s->dim[0] <= 256   ? 256
                                                        : s->dim[0] <= 512 ? 512
                                                                           : 1024));
    return bytes_with(s, order[0], order[1]);
}

static void choose_least(const struct hlo_shape *s, uint32_t *order)
{
    uint32_t minor = s->rank ? s->rank - 1 : 0, second = s->rank > 1 ? s->rank - 2 : 0, n = 0;

    if (s->rank > 1) {
        uint64_t least = bytes_with(s, minor, second);
        for (uint32_t i = s->rank; i-- > 0;)
            for (uint32_t j = s->rank; j-- > 0;)
                if (i != j && bytes_with(s, i, j) < least) {
                    least = bytes_with(s, i, j);
                    minor = i;
                    second = j;
                }
        order[n++] = minor;
        order[n++] = second;
    }
    for (uint32_t d = s->rank; d-- > 0;)
        if (s->rank == 1 || (d != minor && d != second))
            order[n++] = d;
}

static void print_tiles(const struct hlo_shape *s, const uint32_t *order, FILE *out)
{
    uint32_t bits = hlo_dtype_bits[s->dtype];

    if (s->rank == 1)
        fprintf(out, "T(%d)", s->dim[0] <= 256 ? 256 : s->dim[0] <= 512 ? 512 : 1024);
    else
        fprintf(out, "T(%" PRIu64 ",128)", count_rows(s, s->dim[order[1]]));
    if (bits < 32 && s->rank > 1)
        fprintf(out, "(%" PRIu32 ",1)", 32 / bits);
}

void fusion_layout_print(const struct fusion_graph *g, const struct hlo_shape *s,
                         const uint32_t *order, FILE *out)
{
    uint32_t bits = hlo_dtype_bits[s->dtype];

    fprintf(out, "%s[", hlo_dtype_name[s->dtype]);
    for (uint32_t d = 0; d < s->rank; d++)
        fprintf(out, "%s%" PRIu64, d ? "," : "", s->dim[d]);
    putc(']', out);
    if (s->rank == 0)
        return;
    for (uint32_t d = 0; d < s->rank; d++)
        fprintf(out, "%s%" PRIu32, d ? "," : "{", order[d]);
    if (!g->gpu || bits < 8)
        putc(':', out);
    if (!g->gpu)
        print_tiles(s, order, out);
    if (bits < 8) /* packed */
        fprintf(out, "E(%" PRIu32 ")", bits);
    putc('}', out);
}

static bool same_dims(const struct hlo_shape *a, const struct hlo_shape *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0);
}

static bool is_spread(const struct fusion_node *n)
{
    enum hlo_opcode o = n->from->opcode;

    return o == HLO_OP_BROADCAST || o == HLO_OP_IOTA || o == HLO_OP_CONSTANT;
}

/* The order of the first operand of the same dimensions that is not made of fewer elements. */
static bool take_operand(struct fusion_graph *g, struct fusion_node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        const struct fusion_node *in = &g->node[fusion_in(g, n, k)->node];
        if (!is_spread(in) && same_dims(in->shape, n->shape)) {
            memcpy(n->order, in->order, sizeof n->order);
            return true;
        }
    }
    return false;
}

static uint32_t read_dimensions(const struct fusion_graph *g, const struct fusion_node *n,
                                int64_t *d)
{
    struct hlo_text t = hlo_attribute(g->m, n->from, "dimensions");
    uint32_t count = t.at ? hlo_numbers(t, d, FUSION_DIMS) : 0;

    return count < FUSION_DIMS ? count : FUSION_DIMS;
}

static bool turn_order(const struct fusion_graph *g, struct fusion_node *n,
                       const struct fusion_node *in)
{
    int64_t from[FUSION_DIMS];
    uint32_t of[FUSION_DIMS] = { 0 };

    if (read_dimensions(g, n, from) != n->shape->rank)
        return false;
    for (uint32_t d = 0; d < n->shape->rank; d++) {
        if (from[d] < 0 || from[d] >= n->shape->rank)
            return false;
        of[from[d]] = d;
    }
    for (uint32_t k = 0; k < n->shape->rank; k++)
        n->order[k] = of[in->order[k]];
    return true;
}

/* Dimensions of more than one element, in the order of the shape. */
static uint32_t list_long(const struct hlo_shape *s, uint32_t *dim)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < s->rank; d++)
        if (s->dim[d] != 1)
            dim[n++] = d;
    return n;
}

/* A reshape between arrays that differ in dimensions of one element alone. */
static bool add_ones(struct fusion_node *n, const struct fusion_node *in)
{
    uint32_t from[FUSION_DIMS], to[FUSION_DIMS], kept = 0;
    uint32_t a = list_long(in->shape, from), b = list_long(n->shape, to);

    if (a != b)
        return false;
    for (uint32_t k = 0; k < a; k++)
        if (in->shape->dim[from[k]] != n->shape->dim[to[k]])
            return false;
    for (uint32_t k = 0; k < in->shape->rank; k++)
        for (uint32_t j = 0; j < a; j++)
            if (in->order[k] == from[j])
                n->order[kept++] = to[j];
    for (uint32_t d = n->shape->rank; d-- > 0;)
        if (n->shape->dim[d] == 1)
            n->order[kept++] = d;
    return true;
}

/* Both as written, with the same minor dimension and whole tiles of the second. */
static bool splits_major(const struct fusion_node *n, const struct fusion_node *in)
{
    const struct hlo_shape *s = n->shape, *t = in->shape;

    if (s->rank < 2 || t->rank < 2 || s->dim[s->rank - 1] != t->dim[t->rank - 1] ||
        s->dim[s->rank - 2] % 8 || t->dim[t->rank - 2] % 8)
        return false;
    return n->order[0] == s->rank - 1 && n->order[1] == s->rank - 2 &&
           in->order[0] == t->rank - 1 && in->order[1] == t->rank - 2;
}

static void drop_sums(const struct fusion_graph *g, struct fusion_node *n,
                      const struct fusion_node *in)
{
    int64_t sum[FUSION_DIMS];
    uint32_t n_sum = read_dimensions(g, n, sum), kept = 0;
    const struct hlo_shape *s = fusion_graph_leaf(n->shape, 0);

    for (uint32_t k = 0; k < in->shape->rank; k++) {
        uint32_t d = in->order[k], less = 0;
        bool summed = false;
        for (uint32_t j = 0; j < n_sum; j++) {
            summed |= sum[j] == d;
            less += sum[j] >= 0 && sum[j] < d;
        }
        if (!summed && kept < s->rank)
            n->order[kept++] = d - less;
    }
    if (kept != s->rank || in->shape->rank - n_sum != s->rank)
        choose_least(s, n->order);
}

static void choose_order(struct fusion_graph *g, struct fusion_node *n)
{
    const struct fusion_node *in = n->n_in ? &g->node[fusion_in(g, n, 0)->node] : NULL;
    const struct hlo_shape *s = fusion_graph_leaf(n->shape, 0);
    enum hlo_opcode o = n->from->opcode;

    if ((n->class == FUSION_MAP || o == HLO_OP_REVERSE || o == HLO_OP_COPY ||
         o == HLO_OP_ALL_REDUCE || o == HLO_OP_DYNAMIC_UPDATE_SLICE) &&
        take_operand(g, n))
        return;
    if (in && in->shape->dtype != HLO_TUPLE) {
        if (o == HLO_OP_TRANSPOSE && (n->bitcast = turn_order(g, n, in)))
            return;
        bool ones = o == HLO_OP_RESHAPE || (o == HLO_OP_REDUCE && n->class == FUSION_MOVE);
        if (ones && (n->bitcast = add_ones(n, in)))
            return;
        if (n->class == FUSION_REDUCE) {
            drop_sums(g, n, in);
            return;
        }
    }
    choose_least(s, n->order);
    if (o == HLO_OP_RESHAPE && in && in->shape->dtype != HLO_TUPLE)
        n->bitcast = splits_major(n, in);
}

void fusion_layout_plain(const struct fusion_graph *g, struct fusion_node *n)
{
    const struct hlo_shape *s = fusion_graph_leaf(n->shape, 0);

    if (!g->gpu)
        choose_least(s, n->order);
    for (uint32_t d = 0; g->gpu && d < s->rank; d++)
        n->order[d] = s->rank - 1 - d;
}

/* The last dimension is the minor one. */
static void keep_order(const struct fusion_graph *g, struct fusion_node *n)
{
    const struct fusion_node *in = n->n_in ? &g->node[fusion_in(g, n, 0)->node] : NULL;

    fusion_layout_plain(g, n);
    n->bitcast = n->from->opcode == HLO_OP_RESHAPE && in && in->shape->dtype != HLO_TUPLE;
}

void fusion_layout_choose(struct fusion_graph *g)
{
    for (uint32_t k = 0; k < g->n; k++)
        if (g->gpu)
            keep_order(g, &g->node[k]);
        else
            choose_order(g, &g->node[k]);
}
