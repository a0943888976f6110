/* window.h - the windows in which a matrix product runs, chosen as XLA chooses them; private to
 * kernels.
 *
 * A window is the part of an operand that one grid step has.  The loops run over b, n, m and k, k
 * innermost; a dimension is cut into windows of one size in whole units, cap->lanes elements where
 * it lies on lanes and cap->sublanes otherwise (always, if it is not cut), so that the last window
 * of a dimension may be partly padding.  Of all such windows that fit, those of the least estimate
 * are taken, ties by fewer grid steps:
 *
 *     estimate = fetch of the first windows + compute of the last grid step + store of its result
 *                + sum over other grid steps of max(compute, fetch of the next + store of the last)
 *                + latency of each fetch after the first, which nothing hides
 *     fetch    = latency + bytes / rate of the windows that change and come from HBM
 *     store    = latency + bytes / rate; a result of 16 bits or less counts in 32 bits as well
 *     compute  = tiles of weights / matrix units
 *                * max(rows / rows per cycle + 16, cycles to push the rows that a tile has)
 *                + f32 sums of the window / elements of a register / matrix units, where k is cut;
 *                at least the XLU's cycles, if the rows that stream must be turned
 *     room     = windows in VMEM, twice where they change, none of operands that are on chip
 *                + f32 sums of the window of the result, if k is cut or it has 16 bits or less
 *                  (none in kernels whose result takes them: window_operands.summed)
 *
 * Where a grid step is said to take a time besides its product (xla.window_step), that joins
 * compute in place of the 16 cycles, and hides the latency of fetches: so the compiler counts on
 * TPU v2 and v3.
 *
 * The cores of a device take halves of the loop over n, m or else k, which adds 100 cycles.
 * The latency and the room are xla.window_time and xla.window_memory.  The estimates that the
 * compiler states for products on TPU v2 to v7 are this within 2 to 7 %, which is how all of its
 * numbers were found [xla-estimates].  It only ranks windows: the time of a kernel is what the
 * machine takes. */
#ifndef KERNELS_TPU_WINDOW_H
#define KERNELS_TPU_WINDOW_H

#include "kernels/common/cap.h"
#include "trace/kind/kernel_facts.h"

/* A, B and C of a product. */
struct window_operands {
    uint32_t element[3]; /* bytes of an element as it is stored */
    bool on_chip[3];     /* crosses HBM neither way, and needs no window */
    uint64_t taken;      /* bytes of VMEM of a core that are not free */
    bool summed;         /* C is f32 and its windows take the sums: they have no room of their own,
                            and the windows an eighth more */
    uint64_t beside;     /* bytes of other arrays that are read beside C, window by window */
    uint64_t n_parts;    /* of n, none of which shares a window with another; 0 counts as 1 */
    uint64_t k_parts;    /* of k likewise */
};

/* Fill in tile, counts, split, split_bytes and vmem of `k`, whose product and lanes are given.
 * Cost: some thousand estimates. */
void window_choose(struct trace_compiled *k, const struct window_operands *o,
                   const struct cap *cap);

/* Times that a half of the device reads the whole of A (0) or B (1), or its part of it. */
uint64_t window_reads(const struct trace_compiled *k, int operand, const struct cap *cap);
/* True if it has one window of it for all grid steps. */
bool window_stays(const struct trace_compiled *k, int operand);

#endif
