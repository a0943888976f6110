/* model_random.h - models at random, to compare two kernels by.
 *
 * What such a model logs must not depend on the order of processes within a phase.  So its
 * processes notify no event immediately, each cancels only events and writes only signals of its
 * own, and none asks whether it was a time-out that woke it.  What is left, immediate notifications
 * and the control of processes, is done by a process Z, always at moments when no other can run:
 * all other delays are multiples of some unit, and Z's k-th moment is k past one. */
#ifndef CONFORMANCE_MODEL_RANDOM_H
#define CONFORMANCE_MODEL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Write the model that `seed` stands for; the text is cut to `size`, 8192 is enough. */
void random_model(uint64_t seed, char *text, size_t size);

#endif
