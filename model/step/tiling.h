/* tiling.h - how an array lies in tiles: which dimensions fill them, and the bytes it takes.
 *
 * A register holds `lanes` elements of one dimension, the minor one, by `sublanes` of another, the
 * second; 16-bit elements go two and 8-bit ones four to a sublane.  An array is cut into tiles of
 * lanes x t elements, t = 2, 4 or 8 (more where elements are packed): the smallest that covers the
 * second dimension, else the largest.  With its other dimensions multiplied out to `rest`,
 *
 *     bytes = rest * ceil(second / t) * t * ceil(minor / lanes) * lanes * element
 *
 * and the compiler takes the order of dimensions with the least.  Source: XLA's tiled layouts, e.g.
 * bf16[64,96]{1,0:T(8,128)(2,1)}; the choice is [calibrated: tpu_v4_ops]. */
#ifndef STEP_TILING_H
#define STEP_TILING_H

#include "trace/trace.h"

struct tiling {
    uint32_t lanes, sublanes;
};

struct tiling_order {
    uint64_t bytes;
    uint32_t minor, second; /* dimensions; both 0 when there are fewer than two */
};

/* The order of dimensions with the least bytes.  Cost: O(dimensions squared). */
struct tiling_order tiling_least(const struct trace_shape *shape, enum trace_dtype dtype,
                                 struct tiling t);

/* Bytes of an array with dimension `minor` on the lanes and `second` on the sublanes. */
uint64_t tiling_bytes(const struct trace_shape *shape, uint32_t minor, uint32_t second,
                      enum trace_dtype dtype, struct tiling t);

/* Rows of a tile of an array with `extent` elements on the sublanes. */
uint64_t tiling_rows(uint64_t extent, enum trace_dtype dtype, struct tiling t);

/* Must `in` be laid out anew before it can become `out`, dimension by dimension?  Dimensions are
 * shared when they are larger than 1 in both.  If all dimensions of the tiles of both are, `in`
 * follows the result unless that takes more bytes; otherwise the first shared dimension of both,
 * from the minor one on, must be the same. */
bool tiling_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype, struct tiling t);

#endif
