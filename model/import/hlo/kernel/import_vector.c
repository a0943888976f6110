/* import_vector.c - operations of the vector unit: of each node of a kernel, its class
 * (trace/kind/kernel_facts.h) times the elements of its result, in whole registers.
 *
 *     add ... compare, logic, shifts, integer arithmetic    add 1
 *     clamp                                                  add 2
 *     select, pad, concatenate, update of a slice            select 1
 *     functions, casts, what is the same in many registers   import_function.c
 *     reduce     each operation of its function              on each element of the operand
 *                a sum along sublanes   sublanes 1 for each 128 elements of the result
 *                along lanes            XLU, a register for each 8 elements of the result
 *     windows    each operation of its function              on each element of each window
 *     transpose, copy, reverse that move lanes or sublanes   XLU, the registers of the result
 *
 * Broadcasts, bitcasts, tuples, constants, scalars and slices are free. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/wide.h"
#include "import/hlo/kernel/import_kernel.h"

static void add_class(struct import_kernel *k, enum trace_vector op, uint64_t n)
{
    k->facts.vector[op] = import_add(k->facts.vector[op], n);
}

/* Operations of the function of a reduce: of one call. */
static uint64_t count_function(const struct importing *im, const struct hlo_instruction *i,
                               uint64_t *transcendental)
{
    uint64_t n = 0;

    *transcendental = 0;
    for (uint32_t k = 0; k < i->n_called; k++) {
        const struct hlo_computation *c = hlo_called(im->m, i, k);
        for (uint32_t j = 0; j < c->n; j++) {
            enum hlo_opcode o = im->m->instruction[c->first + j].opcode;
            n += import_function_plain(o);
            *transcendental += import_function_special(o);
        }
    }
    return n;
}

/* Elements of one window. */
static uint64_t window_elements(struct importing *im, const struct hlo_instruction *i)
{
    struct hlo_window w;
    struct err ignored;
    uint64_t n = 1;

    if (hlo_window(im->m, i, &w, &ignored) != 0)
        return 1;
    for (uint32_t d = 0; d < w.rank; d++)
        n = import_multiply(n, w.dim[d].size);
    return n;
}

static uint64_t log2_up(uint64_t n)
{
    uint64_t bits = 0;

    while (bits < 63 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

static uint64_t flops_of_selection(struct importing *im, const struct import_body *b,
                                   const struct import_node *n)
{
    const struct hlo_shape *source = n->n_in > 1 ? import_in(b, n, 1)->shape : n->shape;
    uint64_t window = window_elements(im, n->i);
    /* a comparison for each further element of the window, and the sum where it was chosen */
    return import_multiply(hlo_elements(source), window ? window : 1);
}

uint64_t import_vector_flops(struct importing *im, const struct import_body *b,
                             const struct import_node *n, uint64_t *transcendental)
{
    uint64_t in = n->n_in ? hlo_elements(import_in(b, n, 0)->shape) : 0;
    uint64_t out = hlo_elements(n->shape), each, calls = 0;

    if (import_parts_flops(im, b, n, &each, transcendental))
        return each;
    *transcendental = import_function_special(n->i->opcode) ? out : 0;
    if (import_function_plain(n->i->opcode) || *transcendental)
        return *transcendental ? 0 : out;
    switch (n->i->opcode) {
    case HLO_OP_REDUCE: calls = in > out ? in - out : 0; break;
    case HLO_OP_REDUCE_WINDOW: {
        uint64_t window = window_elements(im, n->i);
        calls = import_multiply(out, window ? window - 1 : 0);
        break;
    }
    case HLO_OP_SELECT_AND_SCATTER: return flops_of_selection(im, b, n);
    case HLO_OP_SCATTER:
        calls = n->n_in ? hlo_elements(import_in(b, n, n->n_in - 1)->shape) : 0;
        break;
    case HLO_OP_SORT: return import_multiply(in, log2_up(in));
    default: return 0;
    }
    each = count_function(im, n->i, transcendental);
    *transcendental = import_multiply(*transcendental, calls);
    return import_multiply(each, calls);
}

/* --- registers ----------------------------------------------------------------------------- */

static uint64_t dims_of(const struct importing *im, const struct hlo_instruction *i)
{
    int64_t d[64];
    struct hlo_text t = hlo_attribute(im->m, i, "dimensions");
    uint32_t n = t.at ? hlo_numbers(t, d, 64) : 0;
    uint64_t set = 0;

    for (uint32_t k = 0; k < n && k < 64; k++)
        set |= d[k] >= 0 && d[k] < 64 ? UINT64_C(1) << d[k] : 0;
    return set;
}

/* A sum over some dimensions: whole registers first, then along sublanes and lanes. */
static void add_reduce(struct importing *im, const struct import_body *b,
                       const struct import_node *n, struct import_kernel *k)
{
    struct import_physical p;
    uint64_t transcendental, each = count_function(im, n->i, &transcendental);

    if (n->n_in == 0)
        return;
    const struct hlo_shape *in = import_in(b, n, 0)->shape;
    uint64_t elements = import_shape_vector(im, in), out = hlo_elements(n->shape);
    add_class(k, TRACE_VECTOR_ADD, import_multiply(elements, each ? each : 1));
    add_class(k, TRACE_VECTOR_EXP, import_multiply(elements, transcendental));
    if (in->rank == 0 || !import_shape_physical(in, &p))
        return;
    uint64_t set = dims_of(im, n->i);
    uint32_t lane = p.logical[p.rank - 1], sublane = p.rank > 1 ? p.logical[p.rank - 2] : lane;
    if ((set >> lane & 1) && in->dim[lane] > 1)
        k->facts.xlu = import_add(k->facts.xlu, arith_ceil_div(out, 8) * 1024);
    if ((set >> sublane & 1) && in->dim[sublane] > 1)
        add_class(k, TRACE_VECTOR_SUBLANES, arith_ceil_div(out, 128) * 1024);
}

/* Windows that slide: each element of each window; a running sum needs only the logarithm. */
static void add_windows(struct importing *im, const struct import_body *b,
                        const struct import_node *n, struct import_kernel *k)
{
    struct hlo_window w;
    struct err ignored;
    uint64_t each, transcendental, n_ops = 1;
    bool select = n->i->opcode == HLO_OP_SELECT_AND_SCATTER;
    const struct hlo_shape *at = select && n->n_in > 1 ? import_in(b, n, 1)->shape : n->shape;

    if (n->n_in == 0 || hlo_window(im->m, n->i, &w, &ignored) != 0)
        return;
    for (uint32_t d = 0; d < w.rank; d++) {
        uint64_t size = w.dim[d].size;
        bool running = size > 8 && d < at->rank && size >= at->dim[d] && at->dim[d] > 1;
        n_ops = import_multiply(n_ops, running ? 2 * log2_up(size) : size);
    }
    each = count_function(im, n->i, &transcendental);
    add_class(
        k, TRACE_VECTOR_ADD,
        import_multiply(import_shape_vector(im, at), import_multiply(n_ops, each ? each : 1)));
    if (select)
        add_class(k, TRACE_VECTOR_SELECT, import_multiply(import_shape_vector(im, at), n_ops));
}

/* Equal dimensions on lanes and sublanes, with the same extents: registers move as they are. */
static bool keeps_registers(const struct importing *im, const struct import_node *n,
                            const struct hlo_shape *in)
{
    struct import_physical p, q;
    int64_t order[64];

    if (import_shape_same_order(n->shape, in))
        return true;
    if (!import_shape_physical(n->shape, &p) || !import_shape_physical(in, &q) || p.rank < 2 ||
        p.rank != q.rank)
        return false;
    struct hlo_text t = hlo_attribute(im->m, n->i, "dimensions");
    bool transposed =
        n->i->opcode == HLO_OP_TRANSPOSE && t.at && hlo_numbers(t, order, 64) == n->shape->rank;
    if (!transposed && n->i->opcode != HLO_OP_COPY)
        return false;
    for (uint32_t back = 1; back <= 2; back++) {
        uint32_t d = p.logical[p.rank - back];
        uint32_t from = transposed && d < 64 ? (uint32_t)order[d] : d;
        if (from != q.logical[q.rank - back])
            return false;
    }
    return true;
}

static void add_move(struct importing *im, const struct import_body *b, const struct import_node *n,
                     struct import_kernel *k)
{
    if (n->n_in == 0)
        return;
    const struct hlo_shape *in = import_in(b, n, 0)->shape;
    if (n->i->opcode == HLO_OP_REVERSE || !keeps_registers(im, n, in)) {
        uint64_t a = import_function_packed(im, n->shape), c = import_function_packed(im, in);
        k->facts.xlu = import_add(k->facts.xlu, a > c ? a : c);
    }
}

static void add_node(struct importing *im, const struct import_body *b, const struct import_node *n,
                     struct import_kernel *k, const uint64_t *distinct)
{
    if (import_parts_add(im, b, n, k))
        return;
    switch (n->i->opcode) {
    case HLO_OP_REDUCE: add_reduce(im, b, n, k); return;
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_SELECT_AND_SCATTER: add_windows(im, b, n, k); return;
    case HLO_OP_COPY:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE: add_move(im, b, n, k); return;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        if (n->n_in > 1)
            add_class(k, TRACE_VECTOR_SELECT,
                      import_function_packed(im, import_in(b, n, 1)->shape));
        return;
    default: break;
    }
    if (!import_function_add(im, b, n, distinct, k) && import_function_plain(n->i->opcode))
        add_class(k, TRACE_VECTOR_ADD, distinct[n - b->node]);
}

static bool is_product(const struct import_node *n)
{
    return n->i && (n->i->opcode == HLO_OP_CONVOLUTION || n->i->opcode == HLO_OP_DOT ||
                    n->i->opcode == HLO_OP_RAGGED_DOT || n->i->opcode == HLO_OP_SCALED_DOT);
}

/* Work that is nothing but names and moves of whole registers needs no cast. */
static bool is_move(enum hlo_opcode o)
{
    return o == HLO_OP_BITCAST || o == HLO_OP_COPY || o == HLO_OP_TRANSPOSE ||
           o == HLO_OP_RESHAPE || o == HLO_OP_SLICE || o == HLO_OP_DYNAMIC_SLICE ||
           o == HLO_OP_DYNAMIC_UPDATE_SLICE || o == HLO_OP_BROADCAST || o == HLO_OP_CONSTANT ||
           o == HLO_OP_GATHER || o == HLO_OP_CUSTOM_CALL || o == HLO_OP_SELECT || o == HLO_OP_PAD ||
           o == HLO_OP_CONCATENATE || o == HLO_OP_BITCAST_CONVERT;
}

/* An operand of a product that is computed in the kernel is computed again whenever its window is
 * fetched: windows overlap, and outer loops come back to them. */
static uint64_t repeat_work(const struct import_kernel *k, const struct import_node *n,
                            uint64_t work)
{
    u128 most = work;

    for (uint32_t f = 0; f < 2; f++) {
        uint64_t bytes = k->again[f].bytes, once = k->again[f].once;
        if (!(f == 0 ? n->to_a : n->to_b) || once == 0 || bytes <= once)
            continue;
        u128 all = (u128)work * bytes / once;
        most = all > most ? all : most;
    }
    return most > UINT64_MAX ? UINT64_MAX : (uint64_t)most;
}

/* The operand of the product that a node is on the way to, B of both; -1: none. */
static int side_of(const struct import_node *n)
{
    return n->to_b ? 1 : n->to_a ? 0 : -1;
}

/* Between VMEM and registers: operands that operations of the vector unit read, and all results. */
static void add_borders(const struct import_body *b, struct import_kernel *k)
{
    bool *read = memory_zeroed(b->n, sizeof *read);

    for (uint32_t j = b->n; j-- > 0;) {
        const struct import_node *n = &b->node[j];
        for (uint32_t i = 0; n->i && !is_product(n) && i < n->n_in; i++)
            read[b->in[n->first_in + i]] |= !is_move(n->i->opcode) || read[j];
    }
    for (uint32_t j = 0; j < k->n_in; j++) { /* the first nodes are the operands */
        uint64_t loads = repeat_work(k, &b->node[j], arith_ceil_div(k->touched[j], 4));
        int side = side_of(&b->node[j]);
        if (!read[j] && k->product) /* all, also of a convolution that the vector unit does */
            continue;
        k->facts.loads = import_add(k->facts.loads, loads);
        if (side >= 0)
            k->facts.side[side].loads = import_add(k->facts.side[side].loads, loads);
    }
    for (uint32_t j = 0; j < k->n_out; j++)
        k->facts.stores = import_add(k->facts.stores, arith_ceil_div(k->written[j], 4));
    free(read);
}

/* Work on all elements, as far and as often as it is done.  That of an update is of its own size
 * already. */
static uint64_t scale_work(const struct import_kernel *k, const struct import_node *n,
                           uint64_t work)
{
    if (!n->i || (n->i->opcode != HLO_OP_DYNAMIC_UPDATE_SLICE && n->i->opcode != HLO_OP_SCATTER))
        work = import_demand_work(n, work);
    return repeat_work(k, n, work);
}

static void add_repeated(struct importing *im, const struct import_body *b,
                         const struct import_node *n, struct import_kernel *k,
                         const struct import_functions *f)
{
    uint64_t vector[TRACE_N_VECTORS], xlu = k->facts.xlu;
    int side = side_of(n);

    memcpy(vector, k->facts.vector, sizeof vector);
    import_function_cast(im, n, f->cast[n - b->node], k);
    if (n->i)
        add_node(im, b, n, k, f->distinct);
    for (unsigned v = 0; v < TRACE_N_VECTORS; v++) {
        uint64_t more = scale_work(k, n, k->facts.vector[v] - vector[v]);
        if (f->between[n - b->node]) {
            k->facts.vector[v] = vector[v];
            k->between[v] = import_add(k->between[v], more);
            continue;
        }
        k->facts.vector[v] = import_add(vector[v], more);
        if (side >= 0)
            k->facts.side[side].vector[v] = import_add(k->facts.side[side].vector[v], more);
    }
    k->facts.xlu = import_add(xlu, scale_work(k, n, k->facts.xlu - xlu));
}

/* Casts alone between products hold up nothing: results are cast as they leave the arrays. */
static void give_back_casts(struct import_kernel *k)
{
    for (unsigned v = 0; v < TRACE_N_VECTORS; v++)
        if (k->between[v] && v != TRACE_VECTOR_CAST && v != TRACE_VECTOR_PACK)
            return;
    for (unsigned v = 0; v < TRACE_N_VECTORS; v++) {
        k->facts.vector[v] = import_add(k->facts.vector[v], k->between[v]);
        k->between[v] = 0;
    }
}

void import_vector_add(struct importing *im, const struct import_body *b, struct import_kernel *k)
{
    bool *index = import_rows_indices(b);
    struct import_functions f;

    import_functions_find(&f, im, b);
    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        uint64_t transcendental;
        if (n->i == NULL && !f.cast[j])
            continue;
        if (n->i) {
            k->flops = import_add(k->flops, import_vector_flops(im, b, n, &transcendental));
            k->transcendentals = import_add(k->transcendentals, transcendental);
        }
        if ((n->shape->rank > 0 || n->i->opcode == HLO_OP_REDUCE) && !index[j])
            add_repeated(im, b, n, k, &f);
    }
    give_back_casts(k);
    add_borders(b, k);
    import_functions_free(&f);
    free(index);
}
