/* Sums as frameworks run them.
 *
 * Over rows, PyTorch: a block has some columns and a share of the rows, and the
 * last block of each group of columns adds what the others left, a step after the other.
 *
 *     columns of a thread   4, 2 or 1, as they divide all
 *     block                 512 / columns threads, as wide as the columns take, at most a warp
 *     blocks of a group     as many as fill the GPU, of 16 to 256 rows a thread
 *     steps                 blocks of a group / height of a block
 *
 * Fewer than 256 rows a thread stay in one block.  The rules are those of PyTorch 2.11.
 *
 * Over what stands before and behind a dimension that stays, TensorFlow [tensorflow-sums]: one
 * block for each place of that dimension, which finds every element by two divisions.  A batch norm
 * of images whose channels come first has as many blocks as channels.  The gradient of a bias has a
 * kernel of its own, which fills the GPU. */
#include "base/arith.h"
#include "kernels/gpu/gpu.h"

#define LANES 64u        /* of an SM for integers [cuda-guide] */
#define THREADS 512u     /* of a block of one column a thread */
#define WARP 32u         /* threads */
#define SM_THREADS 2048u /* of blocks on an SM */
#define FEWEST 16u       /* rows of a thread where blocks share them */
#define MOST 256u        /* rows of a thread, if blocks suffice */

static uint64_t take_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t floor_power(uint64_t n)
{
    uint64_t power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

/* Rows that are summed, and columns that stay, of dimensions behind them; false: another sum. */
static bool read_sides(const struct step *step, const struct step_op *op, uint64_t *rows,
                       uint64_t *columns)
{
    const struct trace_shape *s = &step->value[step_operand(step, op, 0)].shape;
    uint32_t n = 0;

    *rows = *columns = 1;
    while (n < s->rank && op->op.over >> n & 1)
        *rows *= s->dim[n++];
    if (n == 0 || op->op.over >> n)
        return false;
    for (; n < s->rank; n++)
        *columns *= s->dim[n];
    return *columns > 1;
}

uint64_t gpu_sum_steps(const struct step *step, const struct step_op *op, uint32_t sms)
{
    uint64_t rows, columns;

    if (step->head.framework != TRACE_PYTORCH || op->op.kind != TRACE_REDUCE || op->n_in == 0 ||
        !read_sides(step, op, &rows, &columns))
        return 0;
    uint64_t each = columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
    uint64_t threads = THREADS / each, wide = floor_power(columns / each);
    uint64_t width = take_smaller(wide, WARP),
             height = take_smaller(floor_power(rows), threads / width);
    width = take_smaller(wide, threads / height);
    uint64_t of_thread = arith_ceil_div(rows, height);
    uint64_t groups = arith_ceil_div(columns, each * width);
    uint64_t room = sms * (SM_THREADS / (width * height));
    if (of_thread < MOST || groups > room)
        return 0;
    uint64_t blocks = take_smaller(arith_ceil_div(room, groups), arith_ceil_div(of_thread, FEWEST));
    uint64_t least = arith_ceil_div(of_thread, MOST);
    blocks = blocks > least ? blocks : least;
    return blocks > 1 ? arith_ceil_div(blocks, height) : 0;
}

uint64_t gpu_sum_places(const struct step *step, const struct step_op *op)
{
    if (step->head.framework != TRACE_TENSORFLOW || op->op.kind != TRACE_REDUCE || op->n_in == 0)
        return 0;
    const struct trace_shape *s = &step->value[step_operand(step, op, 0)].shape;
    uint32_t first = 0, last = s->rank;
    uint64_t places = 1;

    while (first < s->rank && op->op.over >> first & 1)
        first++;
    while (last > first && op->op.over >> (last - 1) & 1)
        last--;
    for (uint32_t d = first; d < last; d++) {
        if (op->op.over >> d & 1)
            return 0;
        places *= s->dim[d];
    }
    bool bias = op->n_in == 1 && step->value[step_result(step, op, 0)].role == TRACE_GRADIENT;
    return first == 0 || last == s->rank || first == last || bias ? 0 : places;
}

uint64_t gpu_sum_cycles(uint64_t elements, uint64_t places, const struct cap_gpu *gpu)
{
    u128 work =
        (u128)(elements / places) * arith_ceil_div(places, gpu->sms) * gpu->library.stream.finding;

    return (uint64_t)(work / LANES);
}
