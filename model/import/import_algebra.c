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
 * The first two go block by block of 128 rows: before a block is solved, the product of what is
 * solved with its coefficients is taken off it, n / 2 of them on average; of a factor as many
 * columns as there are rows below, n / 3 weighted by them.  Elements of 32 bits are not rounded.
 * The blocks on the diagonal are vector work.  Sources: G. Golub, C. Van Loan, Matrix
 * Computations, 4th ed. (3.1.4, 4.2.9, 5.2.2, 8.3.3); XLA's expanders of both operations. */
#include <string.h>

#include "base/arith.h"
#include "import/import_impl.h"

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

/* The product of each block, `m` rows and `n` columns of it, over the half of `all` that is solved
 * on average. */
static void set_blocks(struct import_kernel *k, const struct importing *im,
                       const struct hlo_shape *s, uint64_t matrices, uint64_t all, uint64_t m,
                       uint64_t n)
{
    uint64_t blocks = arith_ceil_div(all, BLOCK), edge = all < BLOCK ? all : BLOCK;
    uint64_t diagonal = import_multiply(import_multiply(matrices, blocks), edge * edge * edge / 3);

    k->form = "product";
    k->product = true;
    k->taps = 1;
    memcpy(k->dim,
           (uint64_t[]){ import_multiply(matrices, blocks), m ? m : 1, arith_ceil_div(all, 2), n },
           sizeof k->dim);
    k->precision = import_shape_bits(s) == 32 ? TRACE_HIGHEST : TRACE_DEFAULT;
    if (!im->compiler->gpu)
        k->vector[TRACE_VECTOR_ADD] = import_add(k->vector[TRACE_VECTOR_ADD], diagonal);
}

bool import_algebra_read(const struct importing *im, const struct hlo_instruction *i,
                         const struct import_body *b, struct import_kernel *k)
{
    const struct hlo_shape *s = k->n_in ? b->node[0].shape : import_leaf_shape(i->shape, 0);
    uint64_t n = s->rank ? s->dim[s->rank - 1] : 1, elements = hlo_elements(s);
    uint64_t square = import_multiply(n, n), flops;

    if (n && elements && is_solve(im, i) && k->n_in > 1) {
        uint64_t sides = hlo_elements(b->node[1].shape) / n, matrices = elements / square;
        matrices = matrices ? matrices : 1;
        k->flops = import_multiply(square, sides); /* of all matrices together */
        sides = arith_ceil_div(sides, matrices);
        set_blocks(k, im, s, matrices, n, n < BLOCK ? n : BLOCK, sides ? sides : 1);
        return true;
    }
    if (n && elements && is_factor(im, i)) {
        k->flops = count_cube(s, 1, 3);
        set_blocks(k, im, s, elements / square ? elements / square : 1, n, arith_ceil_div(n, 3),
                   n < BLOCK ? n : BLOCK);
        return true;
    }
    flops = i->opcode == HLO_OP_CUSTOM_CALL ? algebra_flops(im, i, s) : 0;
    if (flops == 0)
        return false;
    k->form = "vector";
    k->flops = flops;
    k->vector[TRACE_VECTOR_ADD] = import_add(k->vector[TRACE_VECTOR_ADD], flops);
    return true;
}
