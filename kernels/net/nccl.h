/* nccl.h - collectives as NCCL runs them: which algorithm and protocol it takes, and what a chip
 * sends by them.
 *
 * n GPUs of each of N boxes, R = n N, hold S bytes each.  Bytes V that a GPU sends, and steps that
 * follow each other:
 *
 *      ring     all-reduce 2 (R-1)/R S, 2 steps; reduce-scatter and all-gather half of both;
 *               broadcast S, R-1 steps.  Where a ring leaves its box V / n goes over the network
 *      tree     over boxes: 2 S up and down a chain within the box, 2 (n-1) steps, and
 *               2 (N-1)/N S of each box up and down two trees of boxes, 2 ceil(log2 N) steps
 *      nvls     S: the switch of the box adds, and trees of boxes as above
 *      pairs    all-to-all (R-1)/R S, each to its GPU; permute S to one other
 *
 * Time = base + steps of either kind + ends + the longer of V within the box and over the network;
 * NCCL takes what is least by this reckoning, and it is what the simulation gives where no chip is
 * late and the links and cards are free. */
#ifndef KERNELS_NET_NCCL_H
#define KERNELS_NET_NCCL_H

#include "base/err.h"
#include "kernels/common/cap.h"
#include "task/task.h"

/* Choose for `s`, of which kind, group and bytes are set, and fill s->flow.  s->algorithm may ask
 * for `ring` or `tree`.  Errors: ERR_FIT, a clause without the operation, when NCCL does not do the
 * kind that way. */
int nccl_plan(struct schedule *s, const struct cap *cap, struct err *err);

#endif
