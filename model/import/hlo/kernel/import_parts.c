/* import_parts.c - numbers that XLA computes part by part.
 *
 * Complex numbers, of which each part is computed by itself:
 *
 *     add, subtract, negate            2 operations on real numbers
 *     multiply                         4 products, 2 sums
 *     abs                              the larger part times the root of 1 + ratio^2
 *     divide                           products with the conjugate, checks for infinite parts
 *     exponential                      that of the real part, sine and cosine of the other
 *     real, imaginary part, complex    names
 *
 * f64 on a TPU, which is the sum of two f32: operations and functions in so many of f32; a matrix
 * product cuts operands into eight parts in bf16 and has 48 products of those.  64-bit integers on
 * a TPU are two of 32.
 *
 * Counts are those of the fusions into which XLA:TPU (jax 0.10.2) writes each out; FLOPs without
 * selections, as it counts them, with them.  Functions of f64 that are not in the table count as
 * the exponential, an operation that is not in the others once for each part. */
#include "import/hlo/kernel/import_kernel.h"

struct rule {
    enum hlo_opcode op;
    uint16_t flops, transcendentals;
    uint16_t add, select, divide, exp, sine; /* operations of each class */
};

static const struct rule complex_rules[] = {
    { HLO_OP_ADD, 2, 0, 2, 0, 0, 0, 0 },         { HLO_OP_SUBTRACT, 2, 0, 2, 0, 0, 0, 0 },
    { HLO_OP_NEGATE, 2, 0, 2, 0, 0, 0, 0 },      { HLO_OP_MULTIPLY, 6, 0, 6, 0, 0, 0, 0 },
    { HLO_OP_DIVIDE, 35, 0, 24, 9, 2, 0, 0 },    { HLO_OP_ABS, 10, 1, 8, 1, 2, 0, 0 },
    { HLO_OP_EXP, 12, 4, 9, 3, 0, 2, 2 },        { HLO_OP_LOG, 10, 3, 8, 1, 2, 1, 1 },
    { HLO_OP_SQRT, 20, 3, 16, 6, 4, 0, 0 },      { HLO_OP_RSQRT, 22, 3, 18, 6, 4, 0, 0 },
    { HLO_OP_COMPARE, 3, 0, 3, 0, 0, 0, 0 },     { HLO_OP_REAL, 0, 0, 0, 0, 0, 0, 0 },
    { HLO_OP_IMAG, 0, 0, 0, 0, 0, 0, 0 },        { HLO_OP_COMPLEX, 0, 0, 0, 0, 0, 0, 0 },
    { HLO_OP_POWER, 30, 7, 24, 4, 2, 3, 3 },     { HLO_OP_TANH, 47, 8, 42, 15, 2, 4, 4 },
    { HLO_OP_LOGISTIC, 49, 4, 35, 12, 2, 2, 2 },
};

static const struct rule double_rules[] = {
    { HLO_OP_ADD, 25, 0, 25, 0, 0, 0, 0 },      { HLO_OP_SUBTRACT, 25, 0, 25, 0, 0, 0, 0 },
    { HLO_OP_MULTIPLY, 83, 0, 83, 0, 0, 0, 0 }, { HLO_OP_DIVIDE, 50, 0, 49, 0, 1, 0, 0 },
    { HLO_OP_EXP, 770, 0, 770, 0, 0, 0, 0 },    { HLO_OP_COMPARE, 3, 0, 3, 0, 0, 0, 0 },
    { HLO_OP_MAXIMUM, 5, 0, 3, 2, 0, 0, 0 },    { HLO_OP_MINIMUM, 5, 0, 3, 2, 0, 0, 0 },
};

static const struct rule integer_rules[] = {
    { HLO_OP_ADD, 5, 0, 5, 0, 0, 0, 0 },
    { HLO_OP_SUBTRACT, 5, 0, 5, 0, 0, 0, 0 },
    { HLO_OP_MULTIPLY, 23, 0, 23, 0, 0, 0, 0 },
};

#define ROWS(rules) sizeof(rules) / sizeof *(rules)

static const struct rule *search_rule(const struct rule *rule, size_t n, enum hlo_opcode op)
{
    for (size_t r = 0; r < n; r++)
        if (rule[r].op == op)
            return &rule[r];
    return NULL;
}

static bool is_complex(enum hlo_dtype d)
{
    return d == HLO_C64 || d == HLO_C128;
}

/* Functions of f64 that are long series, as the exponential is. */
static bool is_series(enum hlo_opcode o)
{
    switch (o) {
    case HLO_OP_EXPM1:
    case HLO_OP_LOG:
    case HLO_OP_LOG1P:
    case HLO_OP_TANH:
    case HLO_OP_LOGISTIC:
    case HLO_OP_POWER:
    case HLO_OP_SINE:
    case HLO_OP_COSINE:
    case HLO_OP_TAN:
    case HLO_OP_ATAN2:
    case HLO_OP_ERF: return true;
    default: return false;
    }
}

/* The rule of a node, for a part of each number of *array.  NULL: it has none. */
static const struct rule *find_rule(const struct importing *im, const struct import_body *b,
                                    const struct import_node *n, const struct hlo_shape **array)
{
    enum hlo_opcode o = n->i->opcode;

    *array = n->shape;
    if (!is_complex(n->shape->dtype) && n->n_in &&
        (is_complex(import_in(b, n, 0)->shape->dtype) || o == HLO_OP_COMPARE))
        *array = import_in(b, n, 0)->shape;
    enum hlo_dtype d = (*array)->dtype;
    if (is_complex(d))
        return search_rule(complex_rules, ROWS(complex_rules), o);
    if (im->compiler->gpu)
        return NULL;
    if (d == HLO_F64)
        return search_rule(double_rules, ROWS(double_rules), is_series(o) ? HLO_OP_EXP : o);
    return d == HLO_S64 || d == HLO_U64 ? search_rule(integer_rules, ROWS(integer_rules), o) : NULL;
}

bool import_parts_flops(const struct importing *im, const struct import_body *b,
                        const struct import_node *n, uint64_t *flops, uint64_t *transcendental)
{
    const struct hlo_shape *s;
    const struct rule *r = find_rule(im, b, n, &s);

    if (!r)
        return false;
    *flops = import_multiply(hlo_elements(s), r->flops);
    *transcendental = import_multiply(hlo_elements(s), r->transcendentals);
    return true;
}

uint64_t import_parts_products(const struct importing *im, enum hlo_dtype d)
{
    uint64_t n = is_complex(d) ? 3 : 1;

    return !im->compiler->gpu && (d == HLO_F64 || d == HLO_C128) ? 48 * n : n;
}

static void add_class(struct import_kernel *k, enum trace_vector op, uint64_t each, uint64_t n)
{
    k->facts.vector[op] = import_add(k->facts.vector[op], import_multiply(each, n));
}

bool import_parts_add(struct importing *im, const struct import_body *b,
                      const struct import_node *n, struct import_kernel *k)
{
    const struct hlo_shape *s;
    const struct rule *r = find_rule(im, b, n, &s);

    if (!r)
        return false;
    /* registers hold 32 bits of an element, so that those of both parts are counted */
    uint64_t part = import_shape_vector(im, s) / (im->compiler->gpu ? 1 : 2);
    add_class(k, TRACE_VECTOR_ADD, part, r->add);
    add_class(k, TRACE_VECTOR_SELECT, part, r->select);
    add_class(k, TRACE_VECTOR_DIVIDE, part, r->divide);
    add_class(k, TRACE_VECTOR_EXP, part, r->exp);
    add_class(k, TRACE_VECTOR_SINE, part, r->sine);
    return true;
}
