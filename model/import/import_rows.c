/* import_rows.c - kernels that go by indices, and sorts.
 *
 *     gather    a row for each index: the elements of one slice, read from the table
 *     scatter   a row for each index: the elements of one update, written to the result
 *     sort      rows= sorts of cols= keys
 *
 * A row in memory on chip is no access to HBM: then row_bytes is 0.  So are the rows of a scatter
 * with sorted indices: it goes through its table once, in order, and moves each row there and back,
 * or the whole table where it makes it.
 *
 * A table that stays in VMEM, as the VMEM of its kernel says, has its elements in 32 bits, and is
 * picked from row by row: each row is a load and a store for every 128 of its elements, or 8 x 128
 * of a slice; one that is added to is two loads, an addition and a store. */
#include <stdlib.h>

#include "base/arith.h"
#include "import/import_impl.h"

static uint64_t bytes_of(const struct hlo_shape *s, uint64_t elements)
{
    return import_multiply(elements, import_shape_bits(s)) / 8;
}

static void add_rows(struct import_kernel *k, uint64_t rows, uint64_t bytes, bool writes)
{
    if (k->row_bytes && !bytes) /* rows on chip are counted as loads and stores */
        return;
    if (bytes && !k->row_bytes)
        k->rows = 0;
    if (rows > k->rows) { /* the largest decides how long a row is */
        k->row_bytes = bytes;
        k->row_writes = writes;
    }
    k->rows = import_add(k->rows, rows);
}

/* Elements of the registers that hold one slice: rows of 128 lanes, 8 of them if it has so many. */
static uint64_t register_elements(const uint64_t *size, uint32_t n)
{
    uint64_t registers = 1, unit = 128;

    for (uint32_t j = n; j-- > 0;) {
        if (size[j] == 1)
            continue;
        registers = import_multiply(registers, arith_ceil_div(size[j], unit));
        unit = unit == 128 ? 8 : 1;
    }
    return import_multiply(registers, 1024);
}

/* True if the kernel has VMEM for all of the table, or the table is on chip already. */
static bool is_on_chip(const struct hlo_shape *table, uint64_t vmem)
{
    uint32_t bits = import_shape_bits(table);
    uint64_t elements = bits ? import_multiply(hlo_bytes(table), 8) / bits : 0;

    return table->layout.space != 0 || (vmem && import_multiply(4, elements) <= vmem);
}

static void add_gather(struct importing *im, const struct import_body *b,
                       const struct import_node *n, struct import_kernel *k)
{
    int64_t size[64];
    struct hlo_text t = hlo_attribute(im->m, n->i, "slice_sizes");
    uint32_t count = t.at ? hlo_numbers(t, size, 64) : 0;
    uint64_t slice = 1, elements = hlo_elements(n->shape), dim[64];

    if (n->n_in == 0)
        return;
    count = count < 64 ? count : 64;
    for (uint32_t j = 0; j < count; j++) {
        dim[j] = size[j] > 0 ? (uint64_t)size[j] : 1;
        slice = import_multiply(slice, dim[j]);
    }
    const struct import_node *table = import_in(b, n, 0);
    uint64_t rows = slice ? elements / slice : 0;
    bool hbm = table->shape->layout.space == 0;
    add_rows(k, rows, hbm ? bytes_of(table->shape, slice) : 0, false);
    if (!is_on_chip(table->shape, k->vmem))
        return;
    uint64_t moved = import_multiply(rows, register_elements(dim, count));
    k->loads = import_add(k->loads, moved);
    k->stores = import_add(k->stores, moved);
}

/* Rows of a table whose indices are sorted: no more of it than there is, once each way. */
static void stream_table(const struct import_body *b, const struct import_node *n, uint64_t bytes,
                         struct import_kernel *k)
{
    for (uint32_t j = 0; j < k->n_out && j < b->n_roots; j++) {
        uint32_t from = k->in_place[j];
        if (from == IMPORT_NONE || &b->node[import_body_source(b, b->root[j])] != n ||
            n->shape->layout.space != 0)
            continue;
        uint64_t all = hlo_bytes(n->shape);
        k->fetch[from] = k->store[j] = bytes < all ? bytes : all;
    }
}

static void add_scatter(struct importing *im, const struct import_body *b,
                        const struct import_node *n, struct import_kernel *k)
{
    int64_t dim[64];
    struct hlo_text t = hlo_attribute(im->m, n->i, "update_window_dims");
    uint32_t count = t.at ? hlo_numbers(t, dim, 64) : 0, n_sizes = 0;
    uint64_t row = 1, size[64];

    if (n->n_in < 3)
        return;
    const struct hlo_shape *updates = import_in(b, n, n->n_in - 1)->shape;
    for (uint32_t j = 0; j < count && j < 64; j++)
        if (dim[j] >= 0 && dim[j] < updates->rank) {
            size[n_sizes] = updates->dim[dim[j]];
            row = import_multiply(row, size[n_sizes++]);
        }
    uint64_t rows = row ? hlo_elements(updates) / row : 0, bytes = bytes_of(n->shape, row);
    bool sorted = hlo_text_is(hlo_attribute(im->m, n->i, "indices_are_sorted"), "true");
    uint64_t work = import_shape_vector(im, updates);
    add_rows(k, rows, n->shape->layout.space == 0 && !sorted ? bytes : 0, true);
    if (sorted)
        stream_table(b, n, import_multiply(rows, bytes), k);
    if (sorted || is_on_chip(n->shape, k->vmem)) {
        work = import_multiply(rows, register_elements(size, n_sizes));
        k->loads = import_add(k->loads, import_multiply(2, work));
        k->stores = import_add(k->stores, work);
    }
    /* its function, on each row */
    k->vector[TRACE_VECTOR_ADD] = import_add(k->vector[TRACE_VECTOR_ADD], work);
}

static void add_sort(struct importing *im, const struct import_node *n, const struct import_body *b,
                     struct import_kernel *k)
{
    int64_t d = -1;
    const struct hlo_shape *keys = n->n_in ? import_in(b, n, 0)->shape : n->shape;
    struct hlo_text t = hlo_attribute(im->m, n->i, "dimensions");

    if (t.at && hlo_numbers(t, &d, 1) < 1)
        d = -1;
    if (d < 0 || d >= keys->rank)
        d = (int64_t)keys->rank - 1;
    k->cols = keys->rank ? keys->dim[d] : 1;
    k->rows = import_add(k->rows, k->cols ? hlo_elements(keys) / k->cols : 1);
}

/* True if input `j` of a node holds indices: those of rows. */
static bool is_index(const struct import_node *n, uint32_t j)
{
    return n->i && ((n->i->opcode == HLO_OP_GATHER && j == 1) ||
                    (n->i->opcode == HLO_OP_SCATTER && j == n->n_in / 2));
}

/* The scalar unit computes an index when it takes the row. */
bool *import_rows_indices(const struct import_body *b)
{
    bool *index = memory_zeroed(b->n, sizeof *index), *else_read;

    else_read = memory_zeroed(b->n, sizeof *else_read);
    for (uint32_t j = b->n; j-- > 0;) {
        const struct import_node *n = &b->node[j];
        else_read[j] |= n->result;
        index[j] &= !else_read[j];
        for (uint32_t i = 0; i < n->n_in; i++) {
            bool only = index[j] || is_index(n, i);
            index[b->in[n->first_in + i]] |= only;
            else_read[b->in[n->first_in + i]] |= !only;
        }
    }
    free(else_read);
    return index;
}

void import_rows_add(struct importing *im, const struct import_body *b, struct import_kernel *k)
{
    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        if (n->i == NULL)
            continue;
        if (n->i->opcode == HLO_OP_GATHER)
            add_gather(im, b, n, k);
        else if (n->i->opcode == HLO_OP_SCATTER)
            add_scatter(im, b, n, k);
        else if (n->i->opcode == HLO_OP_SORT || n->i->opcode == HLO_OP_TOPK)
            add_sort(im, n, b, k);
    }
}
