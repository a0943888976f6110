/* import_function.c - what functions of one element cost the vector unit, as instruction words of
 * XLA:TPU have it.
 *
 *     class      operations of it, on registers of 32-bit elements
 *     divide     divide, remainder, sqrt, rsqrt; of 16-bit elements exp
 *     exp        exponential, log, tanh and their like
 *     logistic   exp 1, divide 1
 *     log1p, expm1  exp 1, add 7
 *     power      exp 1, divide 3, add 6
 *     erf        divide 2, add 9
 *     sine       sine, cosine and their like
 *
 * Casts.  The vector unit computes on 32 bits, but for bf16 from v7 on.  An array of narrower
 * elements is unpacked once where functions first read it, and packed where their last result
 * leaves them: between functions nothing is.  What the program converts itself counts as it says.
 *
 * Broadcasts.  A function of a broadcast is computed once for the elements that differ, and so is
 * the reciprocal with which a division by a broadcast multiplies. */
#include <stdlib.h>

#include "import/hlo/kernel/import_kernel.h"

#define LONG_ADDS 7 /* that log1p and expm1 take besides their function */

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

/* Functions of several classes in kernels of TPUs, as instruction words have them. */
static const struct words {
    enum hlo_opcode op;
    uint8_t add, divide, exp;
} words[] = {
    { HLO_OP_LOG1P, 7, 0, 1 }, { HLO_OP_EXPM1, 7, 0, 1 }, { HLO_OP_POWER, 6, 3, 1 },
    { HLO_OP_CBRT, 6, 3, 1 },  { HLO_OP_SINH, 7, 0, 2 },  { HLO_OP_COSH, 7, 0, 2 },
    { HLO_OP_ASINH, 7, 1, 1 }, { HLO_OP_ACOSH, 7, 1, 1 }, { HLO_OP_ATANH, 7, 1, 1 },
    { HLO_OP_ERF, 9, 2, 0 },
};

bool import_function_special(enum hlo_opcode o)
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
bool import_function_plain(enum hlo_opcode o)
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

static bool is_narrow(const struct importing *im, const struct hlo_shape *s)
{
    return s->rank > 0 && s->dtype != HLO_PRED && hlo_dtype_bits[s->dtype] < 32 &&
           !(im->packed16 && s->dtype == HLO_BF16);
}

/* A function of elements as they are, not one that changes their type. */
static bool is_function(const struct import_node *n)
{
    return n->i && n->i->opcode != HLO_OP_CONVERT &&
           (n->i->opcode == HLO_OP_REDUCE || n->i->opcode == HLO_OP_REDUCE_WINDOW ||
            import_function_plain(n->i->opcode) || import_function_special(n->i->opcode));
}

static void find_casts(struct import_functions *f, const struct importing *im,
                       const struct import_body *b)
{
    for (uint32_t j = 0; j < b->n && im->compiler->casts; j++) {
        const struct import_node *n = &b->node[j];
        bool function = is_function(n);
        for (uint32_t i = 0; i < n->n_in; i++) {
            uint32_t in = b->in[n->first_in + i];
            bool made = is_function(&b->node[in]);
            if (function != made && is_narrow(im, b->node[in].shape))
                f->cast[in] = function ? IMPORT_UNPACKED : IMPORT_PACKED;
        }
        if (n->result && function && is_narrow(im, n->shape))
            f->cast[j] = IMPORT_PACKED;
    }
}

/* Elements of a node that differ, in whole registers. */
static uint64_t count_distinct(const struct importing *im, const struct import_body *b,
                               const uint64_t *distinct, uint32_t j)
{
    const struct import_node *n = &b->node[j];
    uint64_t all = import_shape_vector(im, n->shape), most = 0;

    if (!n->i || !im->compiler->casts)
        return all;
    if (n->i->opcode == HLO_OP_CONSTANT && hlo_elements(n->shape) == 1)
        return 0;
    if (n->i->opcode == HLO_OP_BROADCAST && n->n_in == 1) {
        uint64_t in = distinct[b->in[n->first_in]];
        return in < all ? in : all;
    }
    if (n->n_in == 0 || !(is_function(n) || n->i->opcode == HLO_OP_CONVERT))
        return all;
    for (uint32_t i = 0; i < n->n_in; i++) {
        uint64_t in = distinct[b->in[n->first_in + i]];
        if (in && (most || in >= import_shape_vector(im, import_in(b, n, i)->shape)))
            return all; /* two may differ along other dimensions */
        most = in > most ? in : most;
    }
    return most < all ? most : all;
}

static bool is_product(const struct import_node *n)
{
    return n->i && (n->i->opcode == HLO_OP_CONVOLUTION || n->i->opcode == HLO_OP_DOT);
}

/* Work between products waits for all of the one and holds up the other: words of such kernels hide
 * it behind neither. */
static void find_between(struct import_functions *f, const struct import_body *b)
{
    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        for (uint32_t i = 0; i < n->n_in; i++) {
            uint32_t in = b->in[n->first_in + i];
            f->between[j] |= f->between[in] || is_product(&b->node[in]);
        }
    }
    for (uint32_t j = 0; j < b->n; j++)
        f->between[j] &= (b->node[j].to_a || b->node[j].to_b) && !is_product(&b->node[j]);
}

void import_functions_find(struct import_functions *f, const struct importing *im,
                           const struct import_body *b)
{
    f->distinct = memory_zeroed(b->n, sizeof *f->distinct);
    f->cast = memory_zeroed(b->n, sizeof *f->cast);
    f->between = memory_zeroed(b->n, sizeof *f->between);
    find_casts(f, im, b);
    if (im->compiler->casts)
        find_between(f, b);
    for (uint32_t j = 0; j < b->n; j++)
        f->distinct[j] = count_distinct(im, b, f->distinct, j);
}

void import_functions_free(struct import_functions *f)
{
    free(f->distinct);
    free(f->cast);
    free(f->between);
}

void import_function_cast(const struct importing *im, const struct import_node *n,
                          enum import_cast cast, struct import_kernel *k)
{
    uint64_t elements = cast ? import_shape_vector(im, n->shape) : 0;

    if (cast == IMPORT_UNPACKED)
        add_class(k, TRACE_VECTOR_CAST, elements);
    else if (cast == IMPORT_PACKED)
        add_class(k, TRACE_VECTOR_PACK, elements / 2);
}

static void add_convert(const struct importing *im, const struct import_body *b,
                        const struct import_node *n, uint64_t elements, struct import_kernel *k)
{
    const struct hlo_shape *from = import_in(b, n, 0)->shape;
    uint64_t in = import_shape_vector(im, from);
    bool tpu = im->compiler->casts;

    if (from->dtype == HLO_PRED) { /* a mask becomes numbers */
        add_class(k, TRACE_VECTOR_SELECT, elements);
    } else if (tpu && hlo_dtype_bits[n->shape->dtype] < hlo_dtype_bits[from->dtype] &&
               hlo_dtype_bits[n->shape->dtype] < 32) {
        add_class(k, TRACE_VECTOR_PACK, is_narrow(im, n->shape) ? elements / 2 : elements);
    } else {
        add_class(k, TRACE_VECTOR_CAST, !tpu && in > elements ? in : elements);
    }
}

/* The reciprocal of what differs, and a product; of 16-bit elements without the steps that make it
 * exact. */
static void add_division(const struct import_body *b, const struct import_node *n,
                         const uint64_t *distinct, struct import_kernel *k)
{
    bool narrow = hlo_dtype_bits[n->shape->dtype] < 32;
    uint64_t elements = distinct[n - b->node], by = distinct[b->in[n->first_in + 1]];

    if (by < elements)
        add_class(k, TRACE_VECTOR_ADD, elements);
    add_class(k, narrow ? TRACE_VECTOR_EXP : TRACE_VECTOR_DIVIDE, by < elements ? by : elements);
}

static bool add_words(enum hlo_opcode o, uint64_t elements, struct import_kernel *k)
{
    for (size_t f = 0; f < sizeof words / sizeof *words; f++)
        if (words[f].op == o) {
            add_class(k, TRACE_VECTOR_ADD, import_multiply(elements, words[f].add));
            add_class(k, TRACE_VECTOR_DIVIDE, import_multiply(elements, words[f].divide));
            add_class(k, TRACE_VECTOR_EXP, import_multiply(elements, words[f].exp));
            return true;
        }
    return false;
}

uint64_t import_function_packed(const struct importing *im, const struct hlo_shape *s)
{
    uint64_t elements = import_shape_vector(im, s);

    return im->compiler->casts && is_narrow(im, s) ? elements / 2 : elements;
}

bool import_function_add(const struct importing *im, const struct import_body *b,
                         const struct import_node *n, const uint64_t *distinct,
                         struct import_kernel *k)
{
    enum hlo_opcode o = n->i->opcode;
    uint64_t elements = distinct[n - b->node];
    bool tpu = im->compiler->casts, narrow = tpu && hlo_dtype_bits[n->shape->dtype] < 32;

    if (o == HLO_OP_CONVERT && n->n_in) {
        add_convert(im, b, n, elements, k);
        return true;
    }
    if (tpu && o == HLO_OP_DIVIDE && n->n_in == 2) {
        add_division(b, n, distinct, k);
        return true;
    }
    if (tpu && add_words(o, elements, k))
        return true;
    if (o == HLO_OP_PAD || o == HLO_OP_CONCATENATE)
        elements = import_function_packed(im, n->shape);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (functions[f].op == o) {
            add_class(k, functions[f].class, import_multiply(elements, functions[f].n));
            if (o == HLO_OP_LOGISTIC)
                add_class(k, narrow ? TRACE_VECTOR_EXP : TRACE_VECTOR_DIVIDE, elements);
            return true;
        }
    return false;
}
