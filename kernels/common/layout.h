/* layout.h - how an array lies in HBM of a machine, and the bytes that its traffic takes.
 *
 * Where the compiler pads arrays to tiles (xla.layout=compact) they lie as step/tiling.h says;
 * elsewhere an array takes its elements and no more. */
#ifndef KERNELS_COMMON_LAYOUT_H
#define KERNELS_COMMON_LAYOUT_H

#include "kernels/common/cap.h"
#include "step/step.h"
#include "step/tiling.h"

/* The layout of `shape` with elements of `dtype`.  Cost: O(dimensions squared). */
struct tiling_order layout_of(const struct trace_shape *shape, enum trace_dtype dtype,
                              const struct cap *cap);

/* The dimension on the lanes of an array of two dimensions and more, whether HBM holds tiles or
 * not: the compiler lays it so in VMEM. */
uint32_t layout_minor(const struct trace_shape *shape, enum trace_dtype dtype,
                      const struct cap *cap);

/* The order of a value in registers: as it lies, but one that never leaves a kernel lies as one of
 * 16 bits around it would. */
struct tiling_order layout_of_value(const struct step_value *v, const struct cap *cap);

/* Registers of `rows` rows by the lanes that hold a value, or with `rows` 0 the tiles
 * that it lies in. */
uint64_t layout_tiles(const struct step_value *v, uint32_t rows, const struct cap *cap);

/* Rows of a tile of it. */
uint64_t layout_tile_rows(const struct step_value *v, const struct cap *cap);

/* Bytes of a value in HBM on this machine. */
uint64_t layout_bytes(const struct step *step, uint32_t value, const struct cap *cap);

/* Must `in` be laid out anew before it can become `out`, on this machine (tiling_differs). */
bool layout_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype,
                    const struct cap *cap);

#endif
