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
 * On a GPU a row whose elements do not lie side by side in its table is as many rows as it has runs
 * of such, and sorted indices make no difference.  A GPU computes the rows that it takes of a
 * computed table: each array of the table's size counts as a table.  A scatter with a gather fused
 * in has rows of its own; of the gather's table the rows that it takes are read.
 *
 * A table that stays in VMEM, as the VMEM of its kernel says, has its elements in 32 bits, and is
 * picked from row by row: each row is a load and a store for every 128 of its elements, or 8 x 128
 * of a slice; one that is added to is two loads, an addition and a store. */
#include <stdlib.h>

#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"

static uint64_t bytes_of(const struct hlo_shape *s, uint64_t elements)
{
    return import_multiply(elements, import_shape_bits(s)) / 8;
}

static void add_rows(struct import_kernel *k, uint64_t rows, uint64_t bytes, bool writes)
{
    if (k->facts.row_bytes && !bytes) /* rows on chip are counted as loads and stores */
        return;
    if (bytes && !k->facts.row_bytes)
        k->rows = 0;
    if (rows > k->rows) { /* the largest decides how long a row is */
        k->facts.row_bytes = bytes;
        k->facts.row_writes = writes;
    }
    k->rows = import_add(k->rows, rows);
}

/* Elements of a slice of `size` that lie side by side in its table; all of them on a TPU. */
static uint64_t count_run(const struct importing *im, const struct hlo_shape *table,
                          const uint64_t *size, uint64_t slice)
{
    struct import_physical p;
    uint64_t run = 1;

    if (!im->compiler->gpu || slice == 0 || !import_shape_physical(table, &p))
        return slice;
    for (uint32_t i = p.rank; i-- > 0;) {
        run = import_multiply(run, size[p.logical[i]]);
        if (size[p.logical[i]] < p.dim[i])
            break;
    }
    return run && slice % run == 0 ? run : slice;
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

/* Elements that a GPU gathers from operand `j`, `run` side by side. */
static void take_rows(const struct import_body *b, uint32_t j, uint64_t elements, uint64_t run,
                      struct import_kernel *k)
{
    const struct hlo_shape *table = b->node[j].shape;
    uint64_t all = hlo_bytes(table);

    if (k->facts.form == TRACE_FORM_SCATTER) {
        uint64_t bytes = import_add(k->fetch[j], bytes_of(table, elements));
        k->fetch[j] = bytes < all ? bytes : all;
        return;
    }
    k->fetch[j] = 0;
    add_rows(k, run ? elements / run : 0, bytes_of(table, run), false);
}

/* The rows of a computed table are those of the arrays that it is made of; a scatter counts its own
 * operands. */
static void take_computed(struct importing *im, const struct import_body *b,
                          const struct import_node *n, uint64_t run, struct import_kernel *k)
{
    uint32_t first = b->in[n->first_in];
    bool *behind = memory_zeroed((size_t)first + 1, sizeof *behind);

    import_limit_work(im, 1 + first / 64);
    behind[first] = true;
    for (uint32_t j = first + 1; j-- > 0;) {
        const struct import_node *at = &b->node[j];
        if (!behind[j] || (at->i && at->i->opcode == HLO_OP_GATHER))
            continue;
        for (uint32_t i = 0; i < at->n_in; i++)
            behind[b->in[at->first_in + i]] = true;
        if (j < k->n_in && hlo_elements(at->shape) >= hlo_elements(b->node[first].shape))
            take_rows(b, j, hlo_elements(n->shape), run, k);
    }
    free(behind);
}

static void add_gpu_gather(struct importing *im, const struct import_body *b,
                           const struct import_node *n, uint64_t run, struct import_kernel *k)
{
    uint32_t table = import_body_source(b, b->in[n->first_in]);

    if (table < k->n_in && b->node[table].operand != IMPORT_NONE)
        take_rows(b, table, hlo_elements(n->shape), run, k);
    else if (k->facts.form != TRACE_FORM_SCATTER)
        take_computed(im, b, n, run, k);
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
    uint64_t run = count == table->shape->rank ? count_run(im, table->shape, dim, slice) : slice;
    bool hbm = table->shape->layout.space == 0;
    if (im->compiler->gpu) {
        add_gpu_gather(im, b, n, run, k);
        return;
    }
    add_rows(k, run ? elements / run : 0, hbm ? bytes_of(table->shape, run) : 0, false);
    if (!is_on_chip(table->shape, k->facts.vmem))
        return;
    uint64_t moved = import_multiply(rows, register_elements(dim, count));
    k->facts.loads = import_add(k->facts.loads, moved);
    k->facts.stores = import_add(k->facts.stores, moved);
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

static bool is_listed(const struct importing *im, const struct import_node *n, const char *key,
                      int64_t dim)
{
    int64_t list[64];
    struct hlo_text t = hlo_attribute(im->m, n->i, key);
    uint32_t count = t.at ? hlo_numbers(t, list, 64) : 0;

    for (uint32_t j = 0; j < count && j < 64; j++)
        if (list[j] == dim)
            return true;
    return false;
}

/* Elements of an update that lie side by side in the result: the window has one of each dimension
 * that is inserted, and the sizes of the update, in order, of the others. */
static uint64_t run_of_update(const struct importing *im, const struct import_node *n,
                              const uint64_t *size, uint32_t n_sizes, uint64_t row)
{
    uint64_t window[IMPORT_DIMS];
    uint32_t at = 0;

    if (n->shape->rank > IMPORT_DIMS)
        return row;
    for (uint32_t d = 0; d < n->shape->rank; d++) {
        bool inserted = is_listed(im, n, "inserted_window_dims", d) ||
                        is_listed(im, n, "input_batching_dims", d);
        if (!inserted && at == n_sizes)
            return row;
        window[d] = inserted ? 1 : size[at++];
    }
    return at == n_sizes ? count_run(im, n->shape, window, row) : row;
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
    uint64_t run = run_of_update(im, n, size, n_sizes, row);
    bool sorted =
        !im->compiler->gpu && hlo_text_is(hlo_attribute(im->m, n->i, "indices_are_sorted"), "true");
    uint64_t work = import_shape_vector(im, updates);
    add_rows(k, run ? hlo_elements(updates) / run : 0,
             n->shape->layout.space == 0 && !sorted ? bytes_of(n->shape, run) : 0, true);
    if (sorted)
        stream_table(b, n, import_multiply(rows, bytes), k);
    if (sorted || is_on_chip(n->shape, k->facts.vmem)) {
        work = import_multiply(rows, register_elements(size, n_sizes));
        k->facts.loads = import_add(k->facts.loads, import_multiply(2, work));
        k->facts.stores = import_add(k->facts.stores, work);
    }
    /* its function, on each row */
    k->facts.vector[TRACE_VECTOR_ADD] = import_add(k->facts.vector[TRACE_VECTOR_ADD], work);
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
