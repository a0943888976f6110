/* import_sums.c - the sums of a kernel without a product, as its windows state them, and what else
 * takes lanes elsewhere.
 *
 * Windows and loops of such a kernel are those of the array that is summed up, in its physical
 * order (import_window.c).  With a window of w units along each dimension, of which a unit of the
 * two minor ones is a tile:
 *
 *     chain      product of w along the dimensions that are summed up: tiles that are added to one
 *                register one after the other in a grid step
 *     sums       product of w along the others: registers of sums in a grid step
 *     sum-steps  product of the loop counts along those that are summed up
 *
 * A load brings one tile, however few rows or bytes it has, where the kernel computes.  Stores, and
 * loads of a kernel that only moves, take full registers of tiles of 8 rows, and a tile of fewer
 * rows each.  The rows of a result in tiles of one row are stored each by itself
 * (row-stores).  Windows that cut the sublanes of an operand at other places than its tiles find
 * each row at a place that is only known when it runs: such a row counts twice.
 *
 * A broadcast whose operand has along its lanes what the result has along its sublanes is made of
 * registers of 8 lanes each, which the XLU spreads.  A change of shape takes rows of 128 lanes to
 * places of their own, as many as the operand or the result has. */
#include <string.h>

#include "base/arith.h"
#include "base/wide.h"
#include "import/hlo/kernel/import_kernel.h"

/* The array that the kernel sums up, and the dimensions of the sum; NULL: it sums up nothing. */
static const struct hlo_shape *find_sum(const struct importing *im, const struct import_body *b,
                                        uint64_t *set)
{
    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        int64_t d[64];
        if (n->i == NULL || n->i->opcode != HLO_OP_REDUCE || n->n_in == 0)
            continue;
        struct hlo_text t = hlo_attribute(im->m, n->i, "dimensions");
        uint32_t count = t.at ? hlo_numbers(t, d, 64) : 0;
        const struct hlo_shape *in = import_in(b, n, 0)->shape;
        *set = 0;
        for (uint32_t k = 0; k < count && k < 64; k++) {
            bool is = d[k] >= 0 && (uint64_t)d[k] < in->rank;
            *set |= is ? UINT64_C(1) << d[k] : 0;
        }
        if (*set)
            return in;
    }
    return NULL;
}

/* Tiles of an array of at least two dimensions; 0: it has none. */
static uint64_t count_tiles(const struct hlo_shape *s)
{
    const struct hlo_layout *l = &s->layout;
    struct import_physical p;
    uint64_t n = 1;

    if (s->rank < 2 || l->n_tiles == 0 || l->tile[0].rank != 2 || !import_shape_physical(s, &p))
        return 0;
    for (uint32_t i = 0; i < p.rank; i++) {
        uint64_t unit = i + 2 < p.rank ? 1 : l->tile[0].dim[i + 2 - p.rank];
        n = import_multiply(n, arith_ceil_div(p.padded[i], unit ? unit : 1));
    }
    return n;
}

#define SUBLANES 8

static uint64_t rows_of_tile(const struct hlo_shape *s)
{
    return count_tiles(s) ? s->layout.tile[0].dim[0] : 0;
}

/* Elements of the registers that `bytes` of the array `s` take beyond those that they fill, if each
 * tile takes one. */
static uint64_t count_more(const struct hlo_shape *s, uint64_t bytes)
{
    uint64_t all = hlo_bytes(s), tiles = import_multiply(count_tiles(s), 1024);
    uint64_t moved = all > bytes ? (uint64_t)((u128)tiles * bytes / all) : tiles;
    uint64_t once = arith_ceil_div(bytes, 4);

    return moved > once ? moved - once : 0;
}

/* Tiles that lie beside each other share registers, if they have all sublanes and nobody computes
 * with them. */
static bool shares_registers(const struct hlo_shape *s)
{
    return rows_of_tile(s) >= SUBLANES;
}

static void move_tiles(const struct import_body *b, struct import_kernel *k, bool sums)
{
    bool moves = !sums && k->facts.form == TRACE_FORM_COPY;

    for (uint32_t j = 0; j < k->n_in; j++) {
        const struct hlo_shape *s = b->node[j].shape;
        if (!moves || !shares_registers(s))
            k->facts.loads = import_add(k->facts.loads, count_more(s, k->touched[j]));
    }
    for (uint32_t j = 0; j < k->n_out && j < b->n_roots; j++) {
        const struct hlo_shape *s = b->node[b->root[j]].shape;
        if (!shares_registers(s))
            k->facts.stores = import_add(k->facts.stores, count_more(s, k->written[j]));
    }
}

/* Registers of 8 elements of `in` each, if its lanes become the sublanes of `out`. */
static uint64_t count_spread(const struct importing *im, const struct hlo_instruction *i,
                             const struct hlo_shape *in, const struct hlo_shape *out)
{
    struct import_physical p, q;
    int64_t d[64];
    struct hlo_text t = hlo_attribute(im->m, i, "dimensions");

    if (in->rank == 0 || out->rank < 2 || !t.at || hlo_numbers(t, d, 64) != in->rank ||
        !import_shape_physical(in, &p) || !import_shape_physical(out, &q))
        return 0;
    uint64_t lanes = p.dim[p.rank - 1];
    if (lanes == 1 || d[p.logical[p.rank - 1]] != (int64_t)q.logical[q.rank - 2])
        return 0;
    return import_multiply(hlo_elements(in) / lanes, arith_ceil_div(lanes, 8));
}

static uint64_t count_rows(const struct hlo_shape *s)
{
    struct import_physical p;

    if (s->rank == 0 || !import_shape_physical(s, &p) || p.dim[p.rank - 1] == 0)
        return 0;
    uint64_t lanes = p.dim[p.rank - 1];
    return import_multiply(hlo_elements(s) / lanes, arith_ceil_div(lanes, 128));
}

void import_sums_lanes(const struct importing *im, const struct import_body *b,
                       const struct hlo_instruction *i, struct import_kernel *k)
{
    for (uint32_t j = 0; j < b->n && !k->product; j++) {
        const struct import_node *n = &b->node[j];
        if (n->i && n->i->opcode == HLO_OP_BROADCAST && n->n_in)
            k->facts.spread = import_add(
                k->facts.spread,
                import_demand_work(n, count_spread(im, n->i, import_in(b, n, 0)->shape, n->shape)));
    }
    if (i->n_operands == 0)
        return;
    const struct hlo_shape *in = hlo_operand(im->m, i, 0)->shape;
    if (i->opcode == HLO_OP_RESHAPE && k->facts.xlu && i->shape->rank > 1) {
        uint64_t a = count_rows(in), c = count_rows(i->shape);
        k->facts.lane_rows = a > c ? a : c;
    }
}

/* True if the windows of a result of the dimensions of `out` begin within tiles of `in`. */
static bool cuts_tiles(const struct hlo_shape *in, const struct hlo_shape *out,
                       const struct import_config *c)
{
    struct import_physical p, q;
    uint64_t rows = rows_of_tile(in);

    if (in->rank != out->rank || c->n_output != out->rank || c->n_grid != out->rank || rows < 2 ||
        !import_shape_physical(in, &p) || !import_shape_physical(out, &q))
        return false;
    uint32_t at = q.place[p.logical[p.rank - 2]];
    uint64_t unit = at + 2 < q.rank ? 1 : out->layout.tile[0].dim[at + 2 - q.rank];
    return c->grid[at] > 1 && c->output[at] * unit % rows != 0;
}

void import_sums_rows(const struct import_body *b, const struct import_config *c,
                      struct import_kernel *k)
{
    for (uint32_t j = 0; j < k->n_out && j < b->n_roots && !k->product; j++) {
        const struct hlo_shape *s = b->node[b->root[j]].shape;
        bool cut = false;
        if (rows_of_tile(s) != 1 || s->layout.tile[0].dim[1] == 1)
            continue;
        for (uint32_t i = 0; i < k->n_in; i++)
            cut |= cuts_tiles(b->node[i].shape, s, c);
        k->facts.row_stores =
            import_add(k->facts.row_stores, import_multiply(count_tiles(s), cut ? 2 : 1));
    }
}

void import_sums_add(const struct importing *im, const struct import_body *b,
                     const struct import_config *c, struct import_kernel *k)
{
    struct import_physical p;
    uint64_t set;
    const struct hlo_shape *in = k->product ? NULL : find_sum(im, b, &set);

    if (!k->product)
        move_tiles(b, k, in != NULL);
    if (in == NULL || in->rank == 0 || in->rank != c->n_output || in->rank != c->n_grid ||
        !import_shape_physical(in, &p))
        return;
    k->facts.chain = k->facts.sums = k->facts.sum_steps = 1;
    for (uint32_t i = 0; i < p.rank; i++) {
        bool summed = set >> p.logical[i] & 1;
        uint64_t *n = summed ? &k->facts.chain : &k->facts.sums;
        *n = import_multiply(*n, c->output[i] ? c->output[i] : 1);
        if (summed)
            k->facts.sum_steps = import_multiply(k->facts.sum_steps, c->grid[i] ? c->grid[i] : 1);
    }
}
