/* import_complex.c - complex numbers, of which XLA computes each part by itself.
 *
 *     add, subtract, negate            2 operations on real numbers
 *     multiply                         4 products, 2 sums
 *     abs                              the larger part times the root of 1 + ratio^2
 *     divide                           products with the conjugate, checks for infinite parts
 *     exponential                      that of the real part, sine and cosine of the other
 *     real, imaginary part, complex    names
 *
 * Counts are those of the fusions into which XLA:TPU (jax 0.10.2) writes each out; FLOPs without
 * selections, as it counts them, with them.  An operation that is not in the table counts once for
 * each part. */
#include "import/import_impl.h"

struct rule {
    enum hlo_opcode op;
    uint8_t flops, transcendentals;
    uint8_t add, select, divide, exp, sine; /* operations of each class */
};

static const struct rule rules[] = {
    { HLO_OP_ADD, 2, 0, 2, 0, 0, 0, 0 },       { HLO_OP_SUBTRACT, 2, 0, 2, 0, 0, 0, 0 },
    { HLO_OP_NEGATE, 2, 0, 2, 0, 0, 0, 0 },    { HLO_OP_MULTIPLY, 6, 0, 6, 0, 0, 0, 0 },
    { HLO_OP_DIVIDE, 35, 0, 24, 9, 2, 0, 0 },  { HLO_OP_ABS, 10, 1, 8, 1, 2, 0, 0 },
    { HLO_OP_EXP, 12, 4, 9, 3, 0, 2, 2 },      { HLO_OP_LOG, 10, 3, 8, 1, 2, 1, 1 },
    { HLO_OP_SQRT, 20, 3, 16, 6, 4, 0, 0 },    { HLO_OP_RSQRT, 22, 3, 18, 6, 4, 0, 0 },
    { HLO_OP_COMPARE, 3, 0, 3, 0, 0, 0, 0 },   { HLO_OP_REAL, 0, 0, 0, 0, 0, 0, 0 },
    { HLO_OP_IMAG, 0, 0, 0, 0, 0, 0, 0 },      { HLO_OP_COMPLEX, 0, 0, 0, 0, 0, 0, 0 },
    { HLO_OP_POWER, 30, 7, 24, 4, 2, 3, 3 },   { HLO_OP_TANH, 47, 8, 42, 15, 2, 4, 4 },
    { HLO_OP_LOGISTIC, 49, 4, 35, 12, 2, 2, 2 },
};

static bool is_complex(const struct hlo_shape *s)
{
    return s->dtype == HLO_C64 || s->dtype == HLO_C128;
}

/* The rule of a node on complex numbers; *part: the array with one part of each.  NULL: it is none.
 */
static const struct rule *find_rule(const struct import_body *b, const struct import_node *n,
                                    const struct hlo_shape **part)
{
    *part = n->shape;
    if (!is_complex(*part) && n->n_in)
        *part = import_in(b, n, 0)->shape;
    for (size_t r = 0; is_complex(*part) && r < sizeof rules / sizeof *rules; r++)
        if (rules[r].op == n->i->opcode)
            return &rules[r];
    return NULL;
}

bool import_complex_flops(const struct import_body *b, const struct import_node *n, uint64_t *flops,
                          uint64_t *transcendental)
{
    const struct hlo_shape *s;
    const struct rule *r = find_rule(b, n, &s);

    if (!r)
        return false;
    *flops = import_multiply(hlo_elements(s), r->flops);
    *transcendental = import_multiply(hlo_elements(s), r->transcendentals);
    return true;
}

static void add_class(struct import_kernel *k, enum trace_vector op, uint64_t each, uint64_t n)
{
    k->vector[op] = import_add(k->vector[op], import_multiply(each, n));
}

bool import_complex_add(struct importing *im, const struct import_body *b,
                        const struct import_node *n, struct import_kernel *k)
{
    const struct hlo_shape *s;
    const struct rule *r = find_rule(b, n, &s);

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
