#include "kernels/tpu/fill.h"

#include "base/arith.h"

void fill_columns(struct array_mode *mode, uint64_t n, const struct cap *cap)
{
    uint64_t passes = arith_ceil_div(n, cap->mxu.size);
    uint64_t each = arith_round_up(arith_ceil_div(n, passes), cap->sublanes);

    if (mode->turned && !mode->columns && each < cap->mxu.size)
        mode->columns = (uint32_t)each;
}

void fill_registers(struct array_mode *mode, uint64_t n, const struct cap *cap)
{
    uint32_t size = cap->mxu.size, wide = size / cap->lanes, rows, across;

    mode->twin =
        wide > 1 && array_depth(size, mode) <= cap->lanes &&
        (mode->columns ? mode->columns <= cap->lanes : arith_ceil_div(n, cap->lanes) % 2 == 1);
    if (mode->twin && !mode->columns)
        mode->columns = cap->lanes;
    fill_columns(mode, n, cap);
    rows = mode->turned ? array_columns(size, mode) : array_depth(size, mode);
    if (mode->height)
        rows = mode->height;
    across = mode->turned ? array_depth(size, mode) : array_columns(size, mode);
    across = (uint32_t)arith_ceil_div(across, cap->lanes);
    if (across < wide && (mode->turned || !mode->twin))
        mode->height = (uint32_t)arith_ceil_div(rows * across, wide);
}
