/* import_kernel.c - all that is said of a kernel: what it moves, its product, its vector work.
 *
 * An operand is read as far as the results need it (import_demand.c).  The operands of the product,
 * and arrays that are converted, combined or put together on the way there, are fetched window by
 * window (import_window.c), others once.  Only arrays in HBM (memory space 0) cross HBM.
 */
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "import/hlo/kernel/import_kernel.h"

/* --- what is read and written -------------------------------------------------------------- */

static void read_operands(const struct importing *im, struct import_kernel *k,
                          struct import_body *b)
{
    import_demand_find(im, b, k);
    for (uint32_t j = 0; j < k->n_in; j++) { /* the first nodes are the operands */
        k->touched[j] = import_demand_bytes(&b->node[j]);
        k->elements[j] = b->node[j].useful;
    }
}

/* Results that a carrier hands on are in place. */
static void hand_on(struct importing *im, const struct hlo_instruction *i, struct import_kernel *k)
{
    uint32_t at = 0, part, operand;

    while (import_carry_pair(im, i, &at, &part, &operand)) {
        uint32_t leaf = import_leaf_of(i->shape, part), first = 0;
        for (uint32_t j = 0; j < operand; j++)
            first += import_leaves(hlo_operand(im->m, i, j)->shape);
        import_limit_work(im, operand);
        if (leaf < k->n_out && import_leaves(hlo_operand(im->m, i, operand)->shape) == 1)
            k->in_place[leaf] = first;
    }
}

/* Bytes of the update of a part of `s`, which may be of another precision. */
static uint64_t update_bytes(const struct hlo_shape *s, const struct hlo_shape *update)
{
    uint64_t bits = import_shape_bits(update);

    return bits ? (uint64_t)((u128)hlo_bytes(update) * import_shape_bits(s) / bits) : 0;
}

/* Results that are in the buffer of an operand, and the bytes that are written of each. */
static void read_results(struct importing *im, const struct hlo_instruction *i,
                         const struct import_config *c, const struct import_body *b,
                         struct import_kernel *k)
{
    import_place_find(im, i, c, k->in_place, k->n_out);
    if (import_carry_of(im, i) == IMPORT_CARRY_ON)
        hand_on(im, i, k);
    for (uint32_t j = 0; j < k->n_out; j++) {
        const struct hlo_shape *s = import_leaf_shape(import_result_shape(im, i), j);
        const struct import_node *n = j < b->n_roots ? import_demand_result(b, j) : NULL;
        k->written[j] = hlo_dtype_bits[s->dtype] ? hlo_bytes(s) : 0;
        if (import_gpu_is_workspace(im, i, j))
            k->written[j] = 0;
        if (n == NULL || k->in_place[j] == IMPORT_NONE)
            continue;
        if (n->i == NULL && n->operand == IMPORT_NONE && n->n_in == 0)
            k->written[j] = 0; /* by the collective that it carries */
        if (n->i && n->i->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && n->n_in > 1)
            k->written[j] = update_bytes(s, import_in(b, n, 1)->shape);
        else if ((n->i && n->i->opcode == HLO_OP_SCATTER) || n->operand == k->in_place[j])
            k->written[j] = 0; /* row by row (import_rows.c), or not at all */
    }
}

/* --- traffic ------------------------------------------------------------------------------- */

/* True if bytes of an array there come to a kernel, or go: HBM, and the memory of the host. */
static bool is_far(const struct hlo_shape *s)
{
    return s->layout.space == 0 || s->layout.space == 5;
}

static uint64_t scale_bytes(uint64_t bytes, uint64_t by, uint64_t of)
{
    u128 n = of ? (u128)bytes * by / of : bytes;

    return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

/* Operands of the product, and arrays of their size that become one on the way. */
static void fetch_factors(struct importing *im, struct import_kernel *k,
                          const struct import_body *b, const struct import_product *p,
                          const struct import_config *c)
{
    for (uint32_t f = 0; f < 2; f++) {
        const struct hlo_shape *s = f == 0 ? p->in : p->kernel;
        bool held;
        uint64_t bytes = import_window_fetch(im, p, c, f, &held), once = hlo_bytes(s);
        for (uint32_t j = 0; j < k->n_in; j++) {
            if (!(f == 0 ? b->node[j].to_a : b->node[j].to_b) ||
                !(b->node[j].joined || k->elements[j] >= hlo_elements(s)))
                continue;
            uint64_t all = scale_bytes(k->touched[j], bytes, once);
            bool both = f == 1 && b->node[j].to_a;
            k->held[j] = both ? k->held[j] && held : held;
            k->fetch[j] = both && k->fetch[j] > all ? k->fetch[j] : all;
        }
    }
}

static void note_fetches(struct importing *im, struct import_kernel *k,
                         const struct import_product *p, const struct import_config *c)
{
    bool held;

    for (uint32_t f = 0; f < 2; f++) {
        k->again[f].bytes = import_window_fetch(im, p, c, f, &held);
        k->again[f].once = hlo_bytes(f == 0 ? p->in : p->kernel);
    }
}

static void count_traffic(struct importing *im, struct import_kernel *k,
                          const struct import_body *b, const struct import_product *p,
                          const struct import_config *c, const struct hlo_instruction *i)
{
    uint64_t out = 0;

    for (uint32_t j = 0; j < k->n_out; j++) {
        const struct hlo_shape *s = import_leaf_shape(import_result_shape(im, i), j);
        uint64_t n = hlo_dtype_bits[s->dtype] ? hlo_elements(s) : 0;
        out = n > out ? n : out;
        k->store[j] = is_far(s) ? k->written[j] : 0;
    }
    for (uint32_t j = 0; j < k->n_in; j++) {
        k->fetch[j] = k->touched[j];
        k->held[j] = p && k->elements[j] < out && k->touched[j];
    }
    if (p && p->conv)
        fetch_factors(im, k, b, p, c);
    for (uint32_t j = 0; j < k->n_in; j++) {
        struct trace_side *side = b->node[j].to_b   ? &k->facts.side[1]
                                  : b->node[j].to_a ? &k->facts.side[0]
                                                    : NULL;
        if (!is_far(b->node[j].shape))
            k->fetch[j] = 0;
        if (side)
            side->fetch = import_add(side->fetch, k->fetch[j]);
    }
}

/* --- what kind of kernel it is ------------------------------------------------------------- */

static bool moves_only(enum hlo_opcode o)
{
    switch (o) {
    case HLO_OP_COPY:
    case HLO_OP_COPY_START:
    case HLO_OP_SLICE_START:
    case HLO_OP_BITCAST:
    case HLO_OP_BITCAST_CONVERT:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE:
    case HLO_OP_SLICE:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
    case HLO_OP_BROADCAST:
    case HLO_OP_CONCATENATE:
    case HLO_OP_PAD:
    case HLO_OP_CONSTANT:
    case HLO_OP_CONVERT:
    case HLO_OP_PARTITION_ID:
    case HLO_OP_REPLICA_ID: return true;
    default: return false;
    }
}

static enum trace_form name_form(const struct importing *im, const struct import_body *b,
                                 const struct import_kernel *k, const struct import_config *c)
{
    bool gather = false, scatter = false, sort = false, top = false, window = false;
    bool move = true, array = false;

    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        array |= n->shape->rank > 0 && hlo_elements(n->shape) != 1;
        if (n->i == NULL)
            continue;
        enum hlo_opcode o = n->i->opcode;
        gather |= o == HLO_OP_GATHER;
        scatter |= o == HLO_OP_SCATTER;
        sort |= o == HLO_OP_SORT || (o == HLO_OP_TOPK && im->compiler->gpu);
        top |= o == HLO_OP_TOPK;
        window |= o == HLO_OP_REDUCE_WINDOW || o == HLO_OP_SELECT_AND_SCATTER;
        move &= moves_only(o) || n->shape->rank == 0;
    }
    if (k->product)
        return TRACE_FORM_PRODUCT;
    if (!array && c->n_output == 0 && im->compiler->scalars)
        return TRACE_FORM_SCALAR;
    return scatter  ? TRACE_FORM_SCATTER
           : sort   ? TRACE_FORM_SORT
           : top    ? TRACE_FORM_TOP_K
           : gather ? TRACE_FORM_GATHER
           : window ? TRACE_FORM_REDUCE_WINDOW
           : move   ? TRACE_FORM_COPY
                    : TRACE_FORM_VECTOR;
}

/* --- reading ------------------------------------------------------------------------------- */

/* All products of the body; the kernel's own is the largest that no other product reads. */
struct products {
    uint32_t n, own;
    struct import_product p[1 + IMPORT_MAX_INNER];
    uint32_t node[1 + IMPORT_MAX_INNER];
};

static int find_products(struct importing *im, const struct import_body *b, struct import_kernel *k,
                         struct products *all)
{
    bool own = false;

    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        struct import_product p;
        if (n->i == NULL || n->n_in < 2)
            continue;
        const struct hlo_shape *operand[2] = { import_in(b, n, 0)->shape,
                                               import_in(b, n, 1)->shape };
        int rc = import_product_read(im, n->i, operand, n->n_in, &p);
        if (rc < 0)
            return -1;
        if (rc == 0)
            continue;
        if (import_depthwise_is(im, n->i, &p)) {
            import_depthwise_add(im, n->i, &p, k);
            continue;
        }
        k->flops = import_add(k->flops, import_multiply(2, p.macs));
        uint32_t at = all->n <= IMPORT_MAX_INNER ? all->n++ : IMPORT_MAX_INNER;
        all->p[at] = p;
        all->node[at] = j;
        bool last = !n->to_a && !n->to_b;
        if (!own || (last && (b->node[all->node[all->own]].to_a ||
                              b->node[all->node[all->own]].to_b || p.macs > all->p[all->own].macs)))
            all->own = at;
        own = k->product = true;
    }
    return 0;
}

/* Products inside are evaluated whenever the window that reads them is fetched. */
static void add_inner(struct importing *im, struct import_kernel *k, const struct import_body *b,
                      const struct products *all, const struct import_config *c)
{
    const struct import_product *own = &all->p[all->own];

    for (uint32_t j = 0; j < all->n; j++) {
        const struct import_node *n = &b->node[all->node[j]];
        bool held;
        if (j == all->own || k->n_inner == IMPORT_MAX_INNER)
            continue;
        struct import_inner *x = &k->inner[k->n_inner++];
        memcpy(x->dim, all->p[j].dim, sizeof x->dim);
        x->taps = all->p[j].taps;
        x->flops = import_multiply(2, all->p[j].macs);
        k->flops -= x->flops < k->flops ? x->flops : k->flops;
        if (!own->conv || (!n->to_a && !n->to_b))
            continue;
        const struct hlo_shape *s = n->to_a ? own->in : own->kernel;
        uint64_t once = hlo_bytes(s),
                 bytes = import_window_fetch(im, own, c, n->to_a ? 0 : 1, &held);
        if (once && bytes > once)
            x->dim[TRACE_DIM_M] = scale_bytes(x->dim[TRACE_DIM_M], bytes, once);
    }
}

static void allocate_arrays(struct importing *im, const struct hlo_instruction *i,
                            struct import_kernel *k)
{
    for (uint32_t j = 0; j < i->n_operands; j++)
        k->n_in += import_leaves(hlo_operand(im->m, i, j)->shape);
    k->n_out = import_leaves(import_result_shape(im, i));
    k->fetch = memory_zeroed(k->n_in, sizeof *k->fetch);
    k->touched = memory_zeroed(k->n_in, sizeof *k->touched);
    k->elements = memory_zeroed(k->n_in, sizeof *k->elements);
    k->held = memory_zeroed(k->n_in, sizeof *k->held);
    k->store = memory_zeroed(k->n_out, sizeof *k->store);
    k->written = memory_zeroed(k->n_out, sizeof *k->written);
    k->in_place = memory_zeroed(k->n_out, sizeof *k->in_place);
}

void import_kernel_free(struct import_kernel *k)
{
    free(k->fetch);
    free(k->touched);
    free(k->elements);
    free(k->held);
    free(k->store);
    free(k->written);
    free(k->in_place);
}

/* Loop counts that the compiler states, without those that do nothing. */
static void read_grid(struct import_kernel *k, const struct import_config *c)
{
    k->facts.n_grid = c->n_grid;
    memcpy(k->facts.grid, c->grid, sizeof c->grid);
    for (uint32_t j = 0; j < k->facts.n_grid; j++)
        k->facts.grid[j] = k->facts.grid[j] ? k->facts.grid[j] : 1;
    k->facts.vmem = c->vmem == UINT64_MAX ? 0 : c->vmem;
    k->facts.estimate = c->estimate;
    k->facts.packed |= c->packed;
    if (c->divided && !k->product) {
        k->facts.split = c->split >= 0 ? TRACE_SPLIT_M : TRACE_SPLIT_NONE;
        k->facts.split_bytes = c->split_bytes;
    }
}

/* The vector unit cuts f32 operands into bf16 parts: a cast for each, a difference between two. */
static void add_parts(struct importing *im, struct import_kernel *k, const struct import_product *p)
{
    uint64_t parts = p->precision == TRACE_HIGH ? 2 : 3;

    if (p->precision == TRACE_DEFAULT || !p->conv)
        return;
    uint64_t n = import_add(import_shape_vector(im, p->in), import_shape_vector(im, p->kernel));
    k->facts.vector[TRACE_VECTOR_CAST] =
        import_add(k->facts.vector[TRACE_VECTOR_CAST], import_multiply(parts, n));
    k->facts.vector[TRACE_VECTOR_ADD] =
        import_add(k->facts.vector[TRACE_VECTOR_ADD], import_multiply(parts - 1, n));
}

static void finish_tiles(struct importing *im, const struct hlo_instruction *i,
                         const struct import_config *c, const struct import_body *b,
                         const struct import_product *p, struct import_kernel *k)
{
    if (!k->product && import_join_copies(b)) {
        k->facts.form = TRACE_FORM_COPY;
        memset(k->facts.vector, 0, sizeof k->facts.vector);
    }
    import_sums_add(im, b, c, k);
    import_sums_lanes(im, b, i, k);
    import_sums_rows(b, c, k);
    if (p)
        add_parts(im, k, p);
}

const struct import_compiler import_tpu = { .name = "XLA",
                                            .threads = true,
                                            .scalars = true,
                                            .casts = true,
                                            .vector = import_shape_registers,
                                            .finish = finish_tiles };

static int read_kernel(struct importing *im, const struct hlo_instruction *i,
                       const struct import_config *c, struct import_body *b,
                       struct import_kernel *k)
{
    struct products all = { 0 };
    const struct import_product *p = NULL;

    if (import_body_build(b, im, i) != 0 || find_products(im, b, k, &all) != 0)
        return -1;
    read_results(im, i, c, b, k);
    read_operands(im, k, b);
    if (k->product) {
        p = &all.p[all.own];
        memcpy(k->facts.product, p->dim, sizeof k->facts.product);
        k->facts.taps = p->taps;
        k->precision = p->precision;
        if (p->conv)
            import_window_tile(k, p, c);
        if (p->conv)
            note_fetches(im, k, p, c);
        add_inner(im, k, b, &all, c);
    }
    count_traffic(im, k, b, p, c, i);
    k->facts.form = name_form(im, b, k, c);
    if (i->opcode == HLO_OP_OTHER) {
        k->facts.form = TRACE_FORM_CUSTOM;
        k->basis = TRACE_BASIS_BIT(UNREAD);
        k->note = "not modelled: an instruction that we do not know";
    }
    if (i->opcode == HLO_OP_SEND || i->opcode == HLO_OP_RECV) {
        k->facts.form = TRACE_FORM_CUSTOM;
        k->basis = TRACE_BASIS_BIT(UNREAD);
        k->note = "not modelled: data sent from device to device";
    }
    read_grid(k, c);
    import_rows_add(im, b, k);
    bool sort = k->facts.form == TRACE_FORM_SORT || k->facts.form == TRACE_FORM_TOP_K;
    bool rows = sort || k->facts.form == TRACE_FORM_GATHER || k->facts.form == TRACE_FORM_SCATTER;
    if (rows && (k->rows == 0 || (sort && k->cols == 0)))
        k->facts.form = TRACE_FORM_VECTOR; /* of arrays without elements */
    import_vector_add(im, b, k);
    im->compiler->finish(im, i, c, b, p, k);
    if (i->opcode == HLO_OP_TRIANGULAR_SOLVE || i->opcode == HLO_OP_CHOLESKY)
        import_algebra_read(im, i, b, k);
    if ((i->opcode == HLO_OP_CUSTOM_CALL || i->opcode == HLO_OP_FFT) && !k->product)
        return import_custom_read(im, i, c, b, k);
    return 0;
}

int import_kernel_read(struct importing *im, const struct hlo_instruction *i,
                       struct import_kernel *k)
{
    struct import_config c;
    struct import_body b = { 0 };
    char *storage;

    *k = (struct import_kernel){ 0 };
    allocate_arrays(im, i, k);
    import_config_read(&c, hlo_attribute(im->m, i, "backend_config"), &storage);
    int rc = read_kernel(im, i, &c, &b, k);
    if (rc == 0 && import_cores_inside(im, i) && k->facts.form != TRACE_FORM_SCALAR)
        k->facts.split = TRACE_SPLIT_NONE;
    import_body_free(im, &b);
    free(storage);
    return rc;
}
