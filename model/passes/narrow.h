/* narrow.h - pass: values that are kept in fewer bits in memory than they are computed in.
 *
 * XLA's bf16 propagation, as far as it concerns traffic.  The profiler's byte counters of f32
 * training steps on a TPU v2 show weights and their gradients in f32, and activations, which
 * matmuls, masks and bias gradients all read, in bf16 [calibrated: tpu_v2-8_fc].  So a value that
 * the matrix unit rounds anyway is kept rounded. */
#ifndef PASSES_NARROW_H
#define PASSES_NARROW_H

#include "step/step.h"

/* Keep every f32 activation that a matmul or convolution reads, itself or through copies and
 * gathers, in `to` in memory: sets `stored` of its value.  With activations=products only those
 * that nothing else reads outside of the kernel that makes them: programs of XLA:TPU (jax 0.10.2)
 * keep the others in f32, since masks and sums of the backward pass read them so [xla-programs].
 * Weights, state and weight gradients stay, and so does what lies as a compiled program states it.
 * Cost: O(references). */
void narrow_step(struct step *step, enum trace_dtype to);

/* Undo it: every value is kept in its own dtype.  Cost: O(values). */
void narrow_undo(struct step *step);

#endif
