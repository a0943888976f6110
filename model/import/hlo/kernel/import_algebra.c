/* import_algebra.c - factors of matrices and systems of equations.
 *
 *     triangular-solve, cuBLAS's    n^2 m FLOPs for n equations with m right-hand sides
 *     cholesky, cuSOLVER's          n^3 / 3 for each matrix of n x n
 *     Cholesky                      the same, of a block that the vector unit factors
 *     LU of cuSOLVER                2/3 n^3
 *     QrDecompositionBlock, Qr      4/3 n^3, as 2 m n^2 - 2/3 n^3 with m = n
 *     InvertDiagBlocks...           n^3 / 3: triangular inverses
 *     EighTpu, Eigh                 9 n^3: tridiagonal form, then QR steps
 *
 * The first two go block by block of 128 rows.  On a GPU: before a block is solved, the product of
 * what is solved with its coefficients is taken off it, n / 2 of them on average; of a factor as
 * many columns as there are rows below, n / 3 weighted by them.  On a TPU a block is also
 * multiplied by the inverse of the block on its diagonal: for B blocks, in products of 128^3,
 *
 *     a solution    B (B + 1) / 2 for each 128 right-hand sides: of each j + 1
 *     a factor      B (B - 1) / 2 * (B + 4) / 3: of each (B - j) j + B - 1 - j
 *
 * and it is a chain of kernels, which wait for each other:
 *
 *     a solution    3, of more than one block 4 and 6 a block: the other triangle cleared, places
 *                   of blocks, for each block four that take it out, then all inverted; two
 *                   products of each but the first, one of that; parts joined
 *     a factor      4, of more than one block 7 a block less 2: a block taken out, factored,
 *                   two that look for what is no number, inverted, two products; parts joined
 *                   and the result chosen
 *
 * Elements of 32 bits are not rounded.  The blocks on the diagonal are vector work.  Sources: G.
 * Golub, C. Van Loan, Matrix Computations, 4th ed. (3.1.4, 4.2.9, 5.2.2, 8.3.3); XLA's expanders of
 * both operations; kernels counted in both of 64 to 1,024 rows for v5e and v6e (jax 0.10.2). */
#include <string.h>

#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"

#define BLOCK 128 /* rows */

static uint64_t count_cube(const struct hlo_shape *s, uint64_t numerator, uint64_t denominator)
{
    uint64_t n = s->rank ? s->dim[s->rank - 1] : 1;

    return import_multiply(import_multiply(hlo_elements(s), n), numerator) / denominator;
}

/* FLOPs of other dense algebra on the first operand; 0: none of these. */
static uint64_t algebra_flops(const struct importing *im, const struct hlo_instruction *i,
                              const struct hlo_shape *s)
{
    static const struct {
        const char *target;
        uint64_t numerator, denominator;
    } rules[] = {
        { "Cholesky", 1, 3 },
        { "cusolver_getrf_ffi", 2, 3 },
        { "cusolver_geqrf_ffi", 4, 3 },
        { "cusolver_orgqr_ffi", 4, 3 },
        { "cusolver_syevd_ffi", 9, 1 },
        { "QrDecompositionBlock", 4, 3 },
        { "Qr", 4, 3 },
        { "InvertDiagBlocksLowerTriangular", 1, 3 },
        { "InvertDiagBlocksUpperTriangular", 1, 3 },
        { "EighTpu", 9, 1 },
        { "Eigh", 9, 1 },
    };

    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (import_is_target(im, i, rules[k].target))
            return count_cube(s, rules[k].numerator, rules[k].denominator);
    return 0;
}

static bool is_solve(const struct importing *im, const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_TRIANGULAR_SOLVE ||
           (i->opcode == HLO_OP_CUSTOM_CALL && import_is_target(im, i, "__cublas$triangularSolve"));
}

static bool is_factor(const struct importing *im, const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_CHOLESKY ||
           (i->opcode == HLO_OP_CUSTOM_CALL && (import_is_target(im, i, "__cusolver$cholesky") ||
                                                import_is_target(im, i, "cusolver_potrf_ffi")));
}

/* Blocks of `all` rows, and the products of each. */
struct blocks {
    uint64_t matrices, all;
    uint64_t m, k, n;
    uint64_t diagonals; /* blocks factored or inverted by the vector unit */
    uint64_t kernels;
};

static void set_blocks(struct import_kernel *k, const struct importing *im,
                       const struct hlo_shape *s, const struct blocks *b)
{
    uint64_t blocks = arith_ceil_div(b->all, BLOCK), edge = b->all < BLOCK ? b->all : BLOCK;
    uint64_t cube = edge * edge * edge / 3, diagonals = import_multiply(b->matrices, b->diagonals);

    if (b->m) {
        k->facts.form = TRACE_FORM_PRODUCT;
        k->product = true;
        k->facts.taps = 1;
        memcpy(k->facts.product,
               (uint64_t[]){ import_multiply(b->matrices, blocks), b->m, b->k, b->n },
               sizeof k->facts.product);
        k->precision = import_shape_bits(s) == 32 ? TRACE_HIGHEST : TRACE_DEFAULT;
    } else
        k->facts.form = TRACE_FORM_VECTOR;
    if (im->compiler->gpu)
        return;
    k->facts.launches = b->kernels;
    k->facts.vector[TRACE_VECTOR_ADD] =
        import_add(k->facts.vector[TRACE_VECTOR_ADD], import_multiply(diagonals, cube));
}

static void set_solve(struct import_kernel *k, const struct importing *im,
                      const struct hlo_shape *s, uint64_t matrices, uint64_t sides)
{
    uint64_t n = s->dim[s->rank - 1], edge = n < BLOCK ? n : BLOCK;
    uint64_t blocks = arith_ceil_div(n, BLOCK);
    struct blocks b = { .matrices = matrices,
                        .all = n,
                        .m = edge,
                        .k = arith_ceil_div(im->compiler->gpu ? n : n + edge, 2),
                        .n = sides,
                        .diagonals = blocks,
                        .kernels = blocks > 1 ? import_add(import_multiply(6, blocks), 4) : 3 };

    set_blocks(k, im, s, &b);
}

static void set_factor(struct import_kernel *k, const struct importing *im,
                       const struct hlo_shape *s, uint64_t matrices)
{
    uint64_t n = s->dim[s->rank - 1], edge = n < BLOCK ? n : BLOCK;
    uint64_t blocks = arith_ceil_div(n, BLOCK);
    struct blocks b = { .matrices = matrices,
                        .all = n,
                        .m = arith_ceil_div(n - edge, 2),
                        .k = arith_ceil_div(import_add(n, 4 * BLOCK), 3),
                        .n = edge,
                        .diagonals = import_multiply(2, blocks) - 1,
                        .kernels = blocks > 1 ? import_multiply(7, blocks) - 2 : 4 };

    if (im->compiler->gpu) {
        b.m = arith_ceil_div(n, 3);
        b.k = arith_ceil_div(n, 2);
    }
    set_blocks(k, im, s, &b);
}

bool import_algebra_read(const struct importing *im, const struct hlo_instruction *i,
                         const struct import_body *b, struct import_kernel *k)
{
    const struct hlo_shape *s = k->n_in ? b->node[0].shape : import_leaf_shape(i->shape, 0);
    uint64_t n = s->rank ? s->dim[s->rank - 1] : 0, elements = hlo_elements(s);
    uint64_t square = import_multiply(n, n), flops;

    if (n && elements && is_solve(im, i) && k->n_in > 1) {
        uint64_t sides = hlo_elements(b->node[1].shape) / n, matrices = elements / square;
        matrices = matrices ? matrices : 1;
        k->flops = import_multiply(square, sides); /* of all matrices together */
        sides = arith_ceil_div(sides, matrices);
        set_solve(k, im, s, matrices, sides ? sides : 1);
        return true;
    }
    if (n && elements && is_factor(im, i)) {
        k->flops = count_cube(s, 1, 3);
        set_factor(k, im, s, elements / square ? elements / square : 1);
        return true;
    }
    flops = i->opcode == HLO_OP_CUSTOM_CALL ? algebra_flops(im, i, s) : 0;
    if (flops == 0)
        return false;
    k->facts.form = TRACE_FORM_VECTOR;
    k->flops = flops;
    k->facts.vector[TRACE_VECTOR_ADD] = import_add(k->facts.vector[TRACE_VECTOR_ADD], flops);
    return true;
}
