/* import_vector.c - operations of the vector unit: of each node of a kernel, its class
 * (trace/kind/kernel_facts.h) times the elements of its result, in whole registers.
 *
 *     add ... compare, logic, shifts, integer arithmetic    add 1
 *     clamp                                                  add 2
 *     select, pad, concatenate, update of a slice            select 1
 *     convert                                                cast 1
 *     divide, remainder, sqrt, rsqrt                         divide 1
 *     exponential, log, tanh and their like                  exp 1
 *     logistic                                               exp 1, divide 1
 *     power, cbrt, hyperbolic functions                      exp 2
 *     sine, cosine, erf and their like                       sine 1
 *     reduce     each operation of its function              on each element of the operand
 *                a sum along sublanes   sublanes 1 for each 128 elements of the result
 *                along lanes            XLU, a register for each 8 elements of the result
 *     windows    each operation of its function              on each element of each window
 *     transpose, copy, reverse that move lanes or sublanes   XLU, the registers of the result
 *
 * Broadcasts, bitcasts, tuples, constants, scalars and slices are free.  Elements of 16 and 8 bits
 * are cast where the program converts them, as a compiled one does before it computes; where it
 * computes on them as they are, bf16 from v6e on takes half the registers, others a cast of each
 * operand and the result. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/wide.h"
#include "import/hlo/kernel/import_kernel.h"

static void add_class(struct import_kernel *k, enum trace_vector op, uint64_t n)
{
    k->facts.vector[op] = import_add(k->facts.vector[op], n);
}

/* Functions of more than one element: how many operations of the class. */
static const struct function {
    enum hlo_opcode op;
    enum trace_vector class;
    uint32_t n;
} functions[] = {
    { HLO_OP_CLAMP, TRACE_VECTOR_ADD, 2 },
    { HLO_OP_SELECT, TRACE_VECTOR_SELECT, 1 },
    { HLO_OP_CONVERT, TRACE_VECTOR_CAST, 1 },
    { HLO_OP_BITCAST_CONVERT, TRACE_VECTOR_CAST, 0 },
    { HLO_OP_DIVIDE, TRACE_VECTOR_DIVIDE, 1 },
    { HLO_OP_REMAINDER, TRACE_VECTOR_DIVIDE, 1 },
    { HLO_OP_SQRT, TRACE_VECTOR_DIVIDE, 1 },
    { HLO_OP_RSQRT, TRACE_VECTOR_DIVIDE, 1 },
    { HLO_OP_EXP, TRACE_VECTOR_EXP, 1 },
    { HLO_OP_EXPM1, TRACE_VECTOR_EXP, 1 },
    { HLO_OP_LOG, TRACE_VECTOR_EXP, 1 },
    { HLO_OP_LOG1P, TRACE_VECTOR_EXP, 1 },
    { HLO_OP_TANH, TRACE_VECTOR_EXP, 1 },
    { HLO_OP_LOGISTIC, TRACE_VECTOR_EXP, 1 },
    { HLO_OP_POWER, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_CBRT, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_SINH, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_COSH, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_ASINH, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_ACOSH, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_ATANH, TRACE_VECTOR_EXP, 2 },
    { HLO_OP_SINE, TRACE_VECTOR_SINE, 1 },
    { HLO_OP_COSINE, TRACE_VECTOR_SINE, 1 },
    { HLO_OP_TAN, TRACE_VECTOR_SINE, 2 },
    { HLO_OP_ERF, TRACE_VECTOR_SINE, 1 },
    { HLO_OP_ATAN2, TRACE_VECTOR_SINE, 1 },
    { HLO_OP_ASIN, TRACE_VECTOR_SINE, 1 },
    { HLO_OP_ACOS, TRACE_VECTOR_SINE, 1 },
    { HLO_OP_IOTA, TRACE_VECTOR_ADD, 1 },
    { HLO_OP_REDUCE_PRECISION, TRACE_VECTOR_ADD, 2 },
    { HLO_OP_RNG, TRACE_VECTOR_ADD, 32 },
    { HLO_OP_RNG_BIT_GENERATOR, TRACE_VECTOR_ADD, 32 },
    { HLO_OP_STOCHASTIC_CONVERT, TRACE_VECTOR_ADD, 2 },
    { HLO_OP_PAD, TRACE_VECTOR_SELECT, 1 },
    { HLO_OP_CONCATENATE, TRACE_VECTOR_SELECT, 1 },
};

static bool is_transcendental(enum hlo_opcode o)
{
    switch (o) {
    case HLO_OP_EXP:
    case HLO_OP_EXPM1:
    case HLO_OP_LOG:
    case HLO_OP_LOG1P:
    case HLO_OP_TANH:
    case HLO_OP_LOGISTIC:
    case HLO_OP_POWER:
    case HLO_OP_SQRT:
    case HLO_OP_RSQRT:
    case HLO_OP_CBRT:
    case HLO_OP_SINE:
    case HLO_OP_COSINE:
    case HLO_OP_TAN:
    case HLO_OP_ERF:
    case HLO_OP_ATAN2:
    case HLO_OP_ASIN:
    case HLO_OP_ACOS:
    case HLO_OP_SINH:
    case HLO_OP_COSH:
    case HLO_OP_ASINH:
    case HLO_OP_ACOSH:
    case HLO_OP_ATANH:
    case HLO_OP_RNG:
    case HLO_OP_RNG_BIT_GENERATOR: return true;
    default: return false;
    }
}

/* Element by element, one FLOP each. */
static bool is_plain(enum hlo_opcode o)
{
    switch (o) {
    case HLO_OP_ABS:
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_MULTIPLY:
    case HLO_OP_DIVIDE:
    case HLO_OP_REMAINDER:
    case HLO_OP_MAXIMUM:
    case HLO_OP_MINIMUM:
    case HLO_OP_COMPARE:
    case HLO_OP_SELECT:
    case HLO_OP_CLAMP:
    case HLO_OP_AND:
    case HLO_OP_OR:
    case HLO_OP_XOR:
    case HLO_OP_NOT:
    case HLO_OP_NEGATE:
    case HLO_OP_SIGN:
    case HLO_OP_FLOOR:
    case HLO_OP_CEIL:
    case HLO_OP_ROUND_NEAREST_AFZ:
    case HLO_OP_ROUND_NEAREST_EVEN:
    case HLO_OP_IS_FINITE:
    case HLO_OP_POPCNT:
    case HLO_OP_COUNT_LEADING_ZEROS:
    case HLO_OP_SHIFT_LEFT:
    case HLO_OP_SHIFT_RIGHT_ARITHMETIC:
    case HLO_OP_SHIFT_RIGHT_LOGICAL:
    case HLO_OP_CONVERT:
    case HLO_OP_REDUCE_PRECISION:
    case HLO_OP_STOCHASTIC_CONVERT:
    case HLO_OP_COMPLEX:
    case HLO_OP_REAL:
    case HLO_OP_IMAG:
    case HLO_OP_MAP: return true;
    default: return false;
    }
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
            n += is_plain(o);
            *transcendental += is_transcendental(o);
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
    *transcendental = is_transcendental(n->i->opcode) ? out : 0;
    if (is_plain(n->i->opcode) || *transcendental)
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
        uint64_t a = import_shape_vector(im, n->shape), c = import_shape_vector(im, in);
        k->facts.xlu = import_add(k->facts.xlu, a > c ? a : c);
    }
}

/* The vector unit of most generations computes on 32 bits: packed operands are unpacked first, and
 * the result is packed. Compiled programs say so by converts, others do not. */
static void add_casts(struct importing *im, const struct import_body *b,
                      const struct import_node *n, struct import_kernel *k)
{
    bool native = im->native16 && n->shape->dtype == HLO_BF16;

    if (native || !im->compiler->casts || n->i->opcode == HLO_OP_CONVERT ||
        n->i->opcode == HLO_OP_SELECT)
        return;
    for (uint32_t j = 0; j <= n->n_in; j++) {
        const struct hlo_shape *s = j < n->n_in ? import_in(b, n, j)->shape : n->shape;
        if (s->dtype != HLO_PRED && hlo_dtype_bits[s->dtype] < 32 && s->rank > 0)
            add_class(k, TRACE_VECTOR_CAST, import_shape_vector(im, s));
    }
}

static void add_node(struct importing *im, const struct import_body *b, const struct import_node *n,
                     struct import_kernel *k)
{
    enum hlo_opcode o = n->i->opcode;
    uint64_t elements = import_shape_vector(im, n->shape);

    if (import_parts_add(im, b, n, k))
        return;
    switch (o) {
    case HLO_OP_REDUCE: add_reduce(im, b, n, k); return;
    case HLO_OP_REDUCE_WINDOW:
    case HLO_OP_SELECT_AND_SCATTER: add_windows(im, b, n, k); return;
    case HLO_OP_COPY:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_RESHAPE:
    case HLO_OP_REVERSE: add_move(im, b, n, k); return;
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        if (n->n_in > 1)
            add_class(k, TRACE_VECTOR_SELECT, import_shape_vector(im, import_in(b, n, 1)->shape));
        return;
    default: break;
    }
    if (o == HLO_OP_CONVERT && n->n_in) {
        uint64_t in = import_shape_vector(im, import_in(b, n, 0)->shape);
        elements = in > elements ? in : elements; /* registers of the wider side */
        if (import_in(b, n, 0)->shape->dtype == HLO_PRED)
            o = HLO_OP_SELECT; /* a mask becomes numbers */
    }
    if (is_plain(o) || is_transcendental(o))
        add_casts(im, b, n, k);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (functions[f].op == o) {
            add_class(k, functions[f].class, import_multiply(elements, functions[f].n));
            if (o == HLO_OP_LOGISTIC)
                add_class(k, TRACE_VECTOR_DIVIDE, elements);
            return;
        }
    if (is_plain(o))
        add_class(k, TRACE_VECTOR_ADD, elements);
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
    if (n->i->opcode != HLO_OP_DYNAMIC_UPDATE_SLICE && n->i->opcode != HLO_OP_SCATTER)
        work = import_demand_work(n, work);
    return repeat_work(k, n, work);
}

static void add_repeated(struct importing *im, const struct import_body *b,
                         const struct import_node *n, struct import_kernel *k)
{
    uint64_t vector[TRACE_N_VECTORS], xlu = k->facts.xlu;
    int side = side_of(n);

    memcpy(vector, k->facts.vector, sizeof vector);
    add_node(im, b, n, k);
    for (unsigned v = 0; v < TRACE_N_VECTORS; v++) {
        uint64_t more = scale_work(k, n, k->facts.vector[v] - vector[v]);
        k->facts.vector[v] = import_add(vector[v], more);
        if (side >= 0)
            k->facts.side[side].vector[v] = import_add(k->facts.side[side].vector[v], more);
    }
    k->facts.xlu = import_add(xlu, scale_work(k, n, k->facts.xlu - xlu));
}

void import_vector_add(struct importing *im, const struct import_body *b, struct import_kernel *k)
{
    bool *index = import_rows_indices(b);

    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        uint64_t transcendental;
        if (n->i == NULL)
            continue;
        k->flops = import_add(k->flops, import_vector_flops(im, b, n, &transcendental));
        k->transcendentals = import_add(k->transcendentals, transcendental);
        if ((n->shape->rank > 0 || n->i->opcode == HLO_OP_REDUCE) && !index[j])
            add_repeated(im, b, n, k);
    }
    add_borders(b, k);
    free(index);
}
