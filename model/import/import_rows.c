/* import_rows.c - kernels that go by indices, and sorts.
 *
 *     gather    a row for each index: the elements of one slice, read from the table
 *     scatter   a row for each index: the elements of one update, written to the result
 *     sort      rows= sorts of cols= keys
 *
 * A row in memory on chip is no access to HBM: then row_bytes is 0. */
#include "import/import_impl.h"

static uint64_t bytes_of(const struct hlo_shape *s, uint64_t elements)
{
    return import_multiply(elements, import_shape_bits(s)) / 8;
}

static void add_rows(struct import_kernel *k, uint64_t rows, uint64_t bytes, bool writes)
{
    if (rows > k->rows) { /* the largest decides how long a row is */
        k->row_bytes = bytes;
        k->row_writes = writes;
    }
    k->rows = import_add(k->rows, rows);
}

static void add_gather(struct importing *im, const struct import_body *b,
                       const struct import_node *n, struct import_kernel *k)
{
    int64_t size[64];
    struct hlo_text t = hlo_attribute(im->m, n->i, "slice_sizes");
    uint32_t count = t.at ? hlo_numbers(t, size, 64) : 0;
    uint64_t slice = 1, elements = hlo_elements(n->shape);

    if (n->n_in == 0)
        return;
    for (uint32_t j = 0; j < count && j < 64; j++)
        slice = import_multiply(slice, size[j] > 0 ? (uint64_t)size[j] : 1);
    const struct import_node *table = import_in(b, n, 0);
    uint64_t rows = slice ? elements / slice : 0;
    bool hbm = table->shape->layout.space == 0;
    add_rows(k, rows, hbm ? bytes_of(table->shape, slice) : 0, false);
}

static void add_scatter(struct importing *im, const struct import_body *b,
                        const struct import_node *n, struct import_kernel *k)
{
    int64_t dim[64];
    struct hlo_text t = hlo_attribute(im->m, n->i, "update_window_dims");
    uint32_t count = t.at ? hlo_numbers(t, dim, 64) : 0;
    uint64_t row = 1;

    if (n->n_in < 3)
        return;
    const struct hlo_shape *updates = import_in(b, n, n->n_in - 1)->shape;
    for (uint32_t j = 0; j < count && j < 64; j++)
        if (dim[j] >= 0 && dim[j] < updates->rank)
            row = import_multiply(row, updates->dim[dim[j]]);
    uint64_t rows = row ? hlo_elements(updates) / row : 0;
    bool hbm = n->shape->layout.space == 0;
    add_rows(k, rows, hbm ? bytes_of(n->shape, row) : 0, true);
    /* its function, on each element of the updates */
    k->vector[TRACE_VECTOR_ADD] =
        import_add(k->vector[TRACE_VECTOR_ADD], import_shape_vector(im, updates));
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
