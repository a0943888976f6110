/* fusion.h - kernels, layouts and an order for a program that no compiler has scheduled.
 *
 * A program that is not scheduled is a list of operations on arrays.  fusion_text() writes it as a
 * scheduled one, which the importer reads like the output of XLA:
 *
 *     fusion_graph.c    calls written out, shapes of one device, nodes nobody needs left out
 *     fusion_layout.c   the order of dimensions in memory, with the padding of tiles
 *     fusion_group.c    operations joined into kernels
 *     fusion_combine.c  all-reduces joined into one
 *     fusion_order.c    the order of kernels
 *     fusion_print.c    the text
 *
 * Kernels.  Element-wise operations and those that only move elements join the kernel of whoever
 * reads them; one that several kernels read is computed again in each where that moves no more
 * bytes, unless it is a transcendental.  A matrix product takes in the chain of operations that
 * alone read its result, a scatter the operations that make what it adds.  Operations over the same
 * elements become one kernel with several results where no other kernel stands between them.  A
 * kernel has one product.
 *
 * Partition.  A program of one device's part (shard_map: GlobalToLocalShape, LocalToGlobalShape) is
 * taken at its local shapes; its collectives are in the text.  One that leaves the partition to the
 * compiler (shardings of values) is not handled, nor are loops and branches.
 *
 * Source of the rules: what XLA:TPU (jax 0.10.2) makes of the same programs. */
#ifndef FUSION_FUSION_H
#define FUSION_FUSION_H

#include <stdbool.h>
#include <stddef.h>

#include "hlo/hlo_module.h"

/* Whose kernels: those of TPUs, in whose memory arrays lie in tiles and products round their
 * operands, or of GPUs, where they lie as the program says. */
enum fusion_target { FUSION_TPU, FUSION_GPU };

/* The program with kernels, layouts and an order, as HLO text; free() it.  NULL: it is scheduled
 * already, holds what this does not handle, or has more than 50,000 operations.  Cost: O(operations
 * * kernels) at worst.  Memory: O(size of the program). */
char *fusion_text(const struct hlo_module *m, enum fusion_target target, size_t *size);

#endif
