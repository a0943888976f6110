/* import_demand.c - how much of each array in a kernel is needed.
 *
 * A fusion computes what its results are made of and no more: an operand, a copy or a conversion of
 * which a slice is taken is read and computed as far as the slice goes, wherever it stands on the
 * way.  From the results back, in elements with their padding:
 *
 *     a result in place      the update that is written into it
 *     any other result       all of it
 *     slices                 of their operand what is needed of them
 *     an update of a part    the update; of what it updates the rest
 *     rows by indices        of their table nothing: rows are counted one by one (import_rows.c);
 *                            of a table that a GPU computes, the elements that are taken
 *     others                 of each operand the same share as of their result
 *
 * Slices of one array are added up, to the size of the array at most. */
#include <stdlib.h>

#include "base/wide.h"
#include "import/hlo/kernel/import_kernel.h"

struct share {
    uint64_t padded, useful; /* elements, with padding and without */
};

struct asked {
    struct share parts, most; /* by slices together, by the other reader that needs the most */
};

static struct share whole_of(const struct hlo_shape *s)
{
    uint32_t bits = hlo_dtype_bits[s->dtype] ? import_shape_bits(s) : 0;
    uint64_t bytes = hlo_bytes(s);

    if (bits == 0)
        return (struct share){ 0 };
    u128 n = (u128)bytes * 8 / bits;
    return (struct share){ n > UINT64_MAX ? UINT64_MAX : (uint64_t)n, hlo_elements(s) };
}

static uint64_t take_part(uint64_t all, uint64_t n, uint64_t of)
{
    return n >= of ? all : (uint64_t)((u128)all * n / of);
}

/* A share of an array `to` that is as large as `s` is of `from`. */
static struct share scale_share(struct share s, struct share from, struct share to)
{
    return (struct share){ take_part(to.padded, s.padded, from.padded),
                           take_part(to.useful, s.useful, from.useful) };
}

static struct share limit_share(struct share s, struct share most)
{
    if (s.padded >= most.padded)
        return most;
    return (struct share){ s.padded, s.useful < most.useful ? s.useful : most.useful };
}

static struct share add_shares(struct share a, struct share b)
{
    return (struct share){ import_add(a.padded, b.padded), import_add(a.useful, b.useful) };
}

static void ask_most(struct asked *a, struct share s)
{
    a->most.padded = s.padded > a->most.padded ? s.padded : a->most.padded;
    a->most.useful = s.useful > a->most.useful ? s.useful : a->most.useful;
}

/* --- results ------------------------------------------------------------------------------- */

const struct import_node *import_demand_result(const struct import_body *b, uint32_t root)
{
    const struct import_node *n = &b->node[import_body_source(b, b->root[root])];

    if (n->i == NULL && n->n_in == 1) /* one of several results of an operation */
        n = import_in(b, n, 0);
    return n;
}

static bool is_update(const struct import_node *n)
{
    return n->i && n->i->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && n->n_in > 1;
}

static struct share share_of_result(const struct import_body *b, const struct import_kernel *k,
                                    uint32_t j)
{
    const struct import_node *n = import_demand_result(b, j);
    uint32_t place = j < k->n_out ? k->in_place[j] : IMPORT_NONE;

    if (place == IMPORT_NONE)
        return whole_of(b->node[b->root[j]].shape);
    if (is_update(n))
        return whole_of(import_in(b, n, 1)->shape);
    if (n->operand == place || (n->i && n->i->opcode == HLO_OP_SCATTER) ||
        (n->i == NULL && n->n_in == 0 && n->operand == IMPORT_NONE))
        return (struct share){ 0 };
    return whole_of(b->node[b->root[j]].shape);
}

/* --- operations ---------------------------------------------------------------------------- */

/* The elements that a gather takes are those of its table that are computed. */
static bool is_computed(const struct import_body *b, const struct import_node *n, uint32_t input)
{
    return b->node[import_body_source(b, b->in[n->first_in + input])].operand == IMPORT_NONE;
}

static void ask_input(const struct importing *im, const struct import_body *b,
                      const struct import_node *n, struct share need, uint32_t input,
                      struct asked *in)
{
    const struct hlo_shape *shape = import_in(b, n, input)->shape;
    struct share whole = whole_of(shape), own = whole_of(n->shape);
    enum hlo_opcode o = n->i ? n->i->opcode : HLO_OP_OTHER;

    switch (o) {
    case HLO_OP_SLICE:
    case HLO_OP_DYNAMIC_SLICE:
        if (input == 0)
            in->parts = add_shares(in->parts, need);
        else
            ask_most(in, whole);
        return;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        if (input == 0 && n->n_in > 1) {
            struct share part = limit_share(whole_of(import_in(b, n, 1)->shape), need);
            need.padded -= part.padded;
            need.useful -= part.useful < need.useful ? part.useful : need.useful;
            ask_most(in, limit_share(need, whole));
        } else {
            ask_most(in, whole);
        }
        return;
    case HLO_OP_SCATTER:
        ask_most(in, input < n->n_in / 2 ? scale_share(need, own, whole) : whole);
        return;
    case HLO_OP_GATHER:
        if (input > 0)
            ask_most(in, whole);
        else if (im->compiler->gpu && is_computed(b, n, input))
            in->parts = add_shares(in->parts, need);
        return;
    case HLO_OP_GET_DIMENSION_SIZE: return; /* known without the array */
    case HLO_OP_BROADCAST: ask_most(in, limit_share(need, whole)); return;
    case HLO_OP_CONVOLUTION:
    case HLO_OP_DOT:
    case HLO_OP_SORT:
    case HLO_OP_TOPK: ask_most(in, whole); return;
    case HLO_OP_CUSTOM_CALL: /* of one operand: a name of it */
        ask_most(in, n->n_in == 1 ? scale_share(need, own, whole) : whole);
        return;
    default: ask_most(in, scale_share(need, own, whole)); return;
    }
}

void import_demand_find(const struct importing *im, struct import_body *b,
                        const struct import_kernel *k)
{
    struct asked *asked = memory_zeroed(b->n, sizeof *asked);

    for (uint32_t j = 0; j < b->n_roots; j++)
        ask_most(&asked[b->root[j]], share_of_result(b, k, j));
    for (uint32_t j = b->n; j-- > 0;) {
        struct import_node *n = &b->node[j];
        struct share whole = whole_of(n->shape);
        struct share need = limit_share(add_shares(asked[j].parts, asked[j].most), whole);
        n->all = whole.padded;
        n->need = need.padded;
        n->useful = need.useful;
        bool rows = n->i && n->i->opcode == HLO_OP_SCATTER;
        for (uint32_t input = 0; input < n->n_in && (need.padded || rows); input++)
            ask_input(im, b, n, need, input, &asked[b->in[n->first_in + input]]);
    }
    free(asked);
}

uint64_t import_demand_bytes(const struct import_node *n)
{
    return n->need == n->all ? hlo_bytes(n->shape)
                             : import_multiply(n->need, import_shape_bits(n->shape)) / 8;
}

uint64_t import_demand_work(const struct import_node *n, uint64_t work)
{
    return n->need == n->all ? work : take_part(work, n->need, n->all);
}
