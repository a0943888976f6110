/* stream.h - windows of kernels without a matrix product, as the compiler chooses them for arrays
 * that lie in tiles.
 *
 * An array is cut in units: tiles of 8 rows along its sublanes, of the lanes along its minor
 * dimension, elements of the others.  A window holds 1/1, 1/2, 1/3 ... of each dimension in whole
 * units.  With `target` units wished for, the window is taken for which
 *
 *     steps * (units + 5/16 target + weight * |units - target|)
 *
 * is least: little beyond the array, few steps, near the target.  In a tie the one with fewer
 * steps, then the longest chain of tiles that are summed up, then the longest along the minor
 * dimension.
 *
 *                              weight   at most
 *     nothing is summed up      1       1.08 target
 *     sums                      1/2     1.08 target
 *     sums along lanes          0       1 target
 *
 * Source: windows of kernels of tpu_v6e_ops with more than one (target 128): those of 73 of 84
 * without sums are the same, of all 17 sums along other dimensions than lanes and of 3 of 7 along
 * lanes; on v4, whose halves share the steps, of about half [xla-kernels]. */
#ifndef KERNELS_COMMON_STREAM_H
#define KERNELS_COMMON_STREAM_H

#include "kernels/common/cap.h"
#include "step/step.h"

/* The dimensions of an array as windows cut them: those beyond the tiles in two products, of those
 * that stay and those that are summed over. */
enum stream_dim { STREAM_KEPT, STREAM_SUMMED, STREAM_SUBLANES, STREAM_LANES, STREAM_N_DIMS };

struct stream_array {
    uint64_t units[STREAM_N_DIMS];
    bool summed[STREAM_N_DIMS];
};

struct stream_window {
    uint64_t units[STREAM_N_DIMS]; /* of a window */
    uint64_t steps;                /* windows of all halves together */
    uint64_t sum_steps;            /* of them that add to one sum */
};

/* `v` as it lies; `over`: bit d is set if dimension d is summed over. */
void stream_array_of(struct stream_array *a, const struct step_value *v, uint32_t over,
                     const struct cap *cap);
uint64_t stream_units(const struct stream_array *a);

/* Windows of about `target` units; 0: one for each half of the device, cut where that pads least.
 */
void stream_choose(struct stream_window *w, const struct stream_array *a, uint64_t target,
                   const struct cap *cap);

#endif
