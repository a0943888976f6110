/* import_custom.c - custom calls that are kernels, and transforms, each by a rule of its own.
 *
 *     TopK, PartialReduce           a sort of each row, of which the largest are kept
 *     factors, solutions            import_algebra.c
 *     attention of cuDNN            import_attention.c
 *     tpu_custom_call               what its module says (import_mosaic.c); else its author's
 *                                   estimate, FLOPs as a product of k = n = 128
 *
 * Any other is imported with form=custom, as memory traffic of its operands and results, and
 * counted as not modelled. */
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"
#include "import/hlo/program/import_half.h"

static bool is_on_chip(const struct hlo_shape *s)
{
    return s->rank > 0 && s->layout.space != 0;
}

/* Fill in the bytes that a copy of halves moves. */
static void read_half(const struct importing *im, const struct hlo_instruction *i,
                      struct import_kernel *k)
{
    k->facts.form = TRACE_FORM_COPY;
    for (uint32_t o = 0; o < i->n_operands && o < 2; o++) {
        const struct hlo_shape *from = hlo_operand(im->m, i, o)->shape;
        if (!is_on_chip(from))
            k->fetch[o] = hlo_bytes(import_half_is_split(im, i) ? i->shape : from);
    }
    if (!is_on_chip(i->shape))
        k->store[0] = hlo_bytes(i->shape);
}

static bool is_sort(const struct importing *im, const struct hlo_instruction *i)
{
    return import_is_target(im, i, "TopK") || import_is_target(im, i, "PartialReduce") ||
           import_is_target(im, i, "ApproxTopK") || import_is_target(im, i, "__gpu$TopK");
}

/* A kernel by hand: products that fill an array, as many as its author says. */
static void read_estimate(const struct import_config *c, struct import_kernel *k)
{
    k->flops = import_add(c->flops, 0);
    k->transcendentals = c->transcendentals;
    k->facts.vector[TRACE_VECTOR_EXP] =
        import_add(k->facts.vector[TRACE_VECTOR_EXP], c->transcendentals);
    k->facts.form = c->flops ? TRACE_FORM_PRODUCT : TRACE_FORM_VECTOR;
    k->note = "a kernel by hand, by its author's estimate";
    k->basis = TRACE_BASIS_BIT(ESTIMATE);
    if (c->flops == 0)
        return;
    k->product = true;
    k->facts.product[TRACE_DIM_B] = 1;
    k->facts.product[TRACE_DIM_K] = k->facts.product[TRACE_DIM_N] = 128;
    k->facts.product[TRACE_DIM_M] = arith_ceil_div(c->flops, UINT64_C(2) * 128 * 128);
    k->facts.taps = 1;
}

#define LANES 128     /* of a register: what a product has along a side */
#define MOST_LONE 256 /* points of a transform of whole registers that is one product */

/* Products of a transform along one dimension. */
struct factors {
    uint64_t n[2]; /* points; 0: there is no second product */
    uint64_t rows[2];
};

static struct factors factors_of(uint64_t points, uint64_t elements)
{
    struct factors f = { { points, 0 }, { elements / points, 0 } };
    uint64_t a = LANES;

    if (points <= MOST_LONE || points % LANES)
        return f;
    while (arith_ceil_div(points, a) > a)
        a *= 2;
    /* the points of the first lie in the lanes of the second */
    return (struct factors){ { a, arith_ceil_div(points, a) }, { elements / a, elements / a } };
}

static uint64_t passes_of(uint64_t n)
{
    return import_multiply(arith_ceil_div(n, LANES), arith_ceil_div(n, LANES));
}

/* A transform of n points is a product with a matrix of n x n; of multiples of 128 beyond 256 it is
 * two, of n = a b with a of 128 or more, the second in as many lanes as the first.  XLA:TPU has
 * three real products for each, in f32 precision, along each dimension, of as many points as there
 * are on the side that has more.  All have the sides of the largest, and as many rows as make the
 * same passes.  A GPU's library has butterflies, half of them where one side is real. */
static void read_transform(struct importing *im, const struct hlo_instruction *i,
                           const struct hlo_shape *s, struct import_kernel *k)
{
    int64_t length[3];
    struct hlo_text t = hlo_attribute(im->m, i, "fft_length");
    uint32_t n = t.at ? hlo_numbers(t, length, 3) : 0;
    uint64_t in = hlo_elements(s), out = hlo_elements(import_leaf_shape(i->shape, 0));
    uint64_t elements = in > out ? in : out, depth = 0, side = 1, rows = 0;
    struct factors f[3];

    n = n < 3 ? n : 3;
    for (uint32_t d = 0; d < n; d++) {
        uint64_t points = length[d] > 0 ? (uint64_t)length[d] : 1, steps = 0;
        while (steps < 62 && points >> steps > 1)
            steps++;
        if (im->compiler->gpu)
            k->flops = import_add(k->flops, import_multiply(in < out ? in : out, 5 * steps));
        f[d] = factors_of(points, elements);
        depth = import_add(depth, f[d].n[0] + f[d].n[1]);
        side = f[d].n[0] > side ? f[d].n[0] : side;
    }
    k->facts.vector[TRACE_VECTOR_ADD] = import_add(k->facts.vector[TRACE_VECTOR_ADD], k->flops);
    k->facts.form = im->compiler->gpu || !depth ? TRACE_FORM_VECTOR : TRACE_FORM_PRODUCT;
    if (im->compiler->gpu || !depth)
        return;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t j = 0; j < 2; j++)
            rows =
                import_add(rows, arith_ceil_div(import_multiply(f[d].rows[j], passes_of(f[d].n[j])),
                                                passes_of(side)));
    k->product = true;
    k->precision = TRACE_HIGHEST;
    k->facts.taps = 1;
    k->facts.product[TRACE_DIM_B] = 3;
    k->facts.product[TRACE_DIM_M] = rows ? rows : 1;
    k->facts.product[TRACE_DIM_K] = k->facts.product[TRACE_DIM_N] = side;
    k->flops = import_multiply(6, import_multiply(elements, depth));
}

/* An estimate of other work than the kernel has. */
static void note_estimate(struct importing *im, const struct import_config *c,
                          struct import_kernel *k)
{
    if (c->flops == 0 || k->note || (c->flops / 2 <= k->flops && k->flops / 2 <= c->flops))
        return;
    snprintf(im->remark_text, sizeof im->remark_text,
             "a kernel by hand that computes other work than its author's estimate, %" PRIu64
             " FLOP",
             c->flops);
    k->note = im->remark_text;
}

int import_custom_read(struct importing *im, const struct hlo_instruction *i,
                       const struct import_config *c, const struct import_body *b,
                       struct import_kernel *k)
{
    const struct hlo_shape *s = k->n_in ? b->node[0].shape : import_leaf_shape(i->shape, 0);

    if (i->opcode == HLO_OP_FFT) {
        read_transform(im, i, s, k);
        return 0;
    }
    if (import_half_moves(im, i)) {
        read_half(im, i, k);
        return 0;
    }
    if (import_gpu_call(im, i, s, k))
        return 0;
    if (is_sort(im, i)) {
        k->facts.form = TRACE_FORM_SORT;
        k->cols = s->rank ? s->dim[s->rank - 1] : 1;
        k->rows = k->cols ? hlo_elements(s) / k->cols : 1;
        return 0;
    }
    if (import_algebra_read(im, i, b, k) || import_attention_read(im, i, k))
        return 0;
    if (import_is_target(im, i, "tpu_custom_call") && import_mosaic_read(im, i, k)) {
        note_estimate(im, c, k);
        return 0;
    }
    if (c->flops || c->transcendentals || c->bytes) {
        read_estimate(c, k);
        return 0;
    }
    k->facts.form = TRACE_FORM_CUSTOM;
    k->basis = TRACE_BASIS_BIT(UNREAD);
    k->note = "not modelled: the memory traffic of its operands and results";
    return 0;
}
