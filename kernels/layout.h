/* layout.h - how an array lies in HBM: which dimensions fill the tiles, and the bytes it takes.
 *
 * A register holds `lanes` elements of one dimension, the minor one, by `sublanes` of another, the
 * second; 16-bit elements go two and 8-bit ones four to a sublane.  An array is cut into tiles of
 * lanes x t elements, t = 2, 4 or 8 (more where elements are packed): the smallest that covers the
 * second dimension, else the largest.  With its other dimensions multiplied out to `rest`,
 *
 *     bytes = rest * ceil(second / t) * t * ceil(minor / lanes) * lanes * element
 *
 * and the compiler takes the order of dimensions with the least (on a machine with
 * xla.layout=compact; otherwise an array takes its elements and no more). Source: XLA's tiled
 * layouts, e.g. bf16[64,96]{1,0:T(8,128)(2,1)}; the choice is [calibrated: tpu_v4_ops]. */
#ifndef KERNELS_LAYOUT_H
#define KERNELS_LAYOUT_H

#include "kernels/cap.h"
#include "step/step.h"

struct layout {
    uint64_t bytes;
    uint32_t minor, second; /* dimensions; both 0 when there are fewer than two */
};

/* The layout of `shape` with elements of `dtype`.  Cost: O(dimensions squared). */
struct layout layout_of(const struct trace_shape *shape, enum trace_dtype dtype,
                        const struct cap *cap);

/* The same in whole tiles on every machine: what a buffer takes, whatever its traffic. */
struct layout layout_tiled(const struct trace_shape *shape, enum trace_dtype dtype,
                           const struct cap *cap);

/* Bytes of a value in HBM on this machine. */
uint64_t layout_bytes(const struct step *step, uint32_t value, const struct cap *cap);

/* Must `in` be laid out anew before it can become `out`, dimension by dimension?  Dimensions are
 * shared when they are larger than 1 in both.  If all dimensions of the tiles of both are, `in`
 * follows the result unless that takes more bytes; otherwise the first shared dimension of both,
 * from the minor one on, must be the same. */
bool layout_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype,
                    const struct cap *cap);

#endif
