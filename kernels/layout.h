/* layout.h - how an array lies in HBM of a machine, and the bytes that its traffic takes.
 *
 * Where the compiler pads arrays to tiles (xla.layout=compact) they lie as step/tiling.h says;
 * elsewhere an array takes its elements and no more. */
#ifndef KERNELS_LAYOUT_H
#define KERNELS_LAYOUT_H

#include "kernels/cap.h"
#include "step/step.h"
#include "step/tiling.h"

/* The layout of `shape` with elements of `dtype`.  Cost: O(dimensions squared). */
struct tiling_order layout_of(const struct trace_shape *shape, enum trace_dtype dtype,
                              const struct cap *cap);

/* The dimension on the lanes of an array of two dimensions and more, whether HBM holds tiles or
 * not: the compiler lays it so in VMEM. */
uint32_t layout_minor(const struct trace_shape *shape, enum trace_dtype dtype,
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
