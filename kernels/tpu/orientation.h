/* orientation.h - how a convolution lies in registers and arrays: what is on the lanes of its
 * operands, which of them stays in the arrays, and which taps share a pass.
 *
 * A convolution and its gradients are one form, with the roles of the dimensions exchanged:
 *
 *                b          k          n          positions      taps
 *     conv       batch      channels   outputs    of the result  of the filter
 *     dgrad      batch      outputs    channels   of the image   of the filter that no stride skips
 *     wgrad      channels   batch      outputs    of the filter  of the result
 *
 * An array has two of its dimensions in registers: one on the lanes, padded to 128, one on the
 * sublanes, padded to 2, 4 or 8.  Of images these are batch and channels, of filters channels and
 * outputs.  The one that takes fewer bytes when it is on the lanes is there.
 *
 *     b on the lanes of the result    the image stays: for each position and tap the n rows of the
 *                                     filter stream for the k rows that are pushed, however small b
 *     n on the lanes                  the filter stays: b rows of each position stream
 *     ... and a gradient between      each position has weights of its own: b rows stream for
 *     strides                         each tap that it has
 *
 * In a tie the channels of an image are on the lanes, the outputs of a filter, and in the gradient
 * of a filter the batch of one of its operands, unless it is on those of the other already.  A
 * window larger than the image becomes the image, and the image the window.
 *
 * An operand that stays and has k on its lanes is turned as it is pushed, each tap by itself.
 * Otherwise taps of small k share a pass, as many as fit with the rows of each padded to sublanes:
 * under an image that stays all taps, and those of fewer than 8 channels without padding; where the
 * filter stays, or streams with k on its lanes through an array that is one register wide, taps
 * that follow each other along the last dimension.  A filter that stays does so only without
 * strides.
 *
 * Fewer images than a register has sublanes are cut along their last dimension into
 * cap->xla.image_parts parts, each with the rim that its window needs, if that is no wider than a
 * part:
 *
 *     part = ceil((extent + padding) / parts) in whole strides; images and their gradients alike
 *
 * but not for the gradient of a filter, whose images are summed over.
 *
 * Source: the emitters, windows and estimates of XLA's compiler; docs/evidence/compiler.md says
 * how far they agree. */
#ifndef KERNELS_TPU_ORIENTATION_H
#define KERNELS_TPU_ORIENTATION_H

#include "kernels/common/work.h"

/* Bytes of an image of so many groups of channels, each padded as an image of its own. */
uint64_t orientation_group_bytes(const struct step_value *v, uint64_t groups,
                                 const struct cap *cap);

/* Set the product of a convolution, one for each group of channels, how it uses the arrays, which
 * operand stays and what the XLU turns.  The operands of `w` are those of the operation, in its
 * order. */
void orientation_set(struct work *w, const struct step *step, const struct step_op *op,
                     const struct cap *cap);

#endif
