/* op_window.h - windows that slide over images, for `cyclotron op`: convolutions and pooling.
 *
 * An image has the dimensions batch x channels x 1 to 3 of positions.  Messages lack the operation.
 */
#ifndef STUDY_OP_OP_WINDOW_H
#define STUDY_OP_OP_WINDOW_H

#include "study/op/op_key.h"

/* Check that key=, whose value is `v`, is an image.  Errors: ERR_FORMAT. */
int op_window_check_image(const struct op_value *v, const char *key, struct err *err);

/* The window that window= and the sizes of a filter (NULL: window= has them) together say, with all
 * `rank` dimensions filled in.  Errors: ERR_FORMAT, ERR_RANGE. */
int op_window_read(struct trace_window *w, const struct op_value *window, const uint64_t *size,
                   uint32_t rank, struct err *err);

/* The number of positions that the window takes over `in`:
 *
 *     (in + low pad + high pad - reach) / stride + 1,   reach = dilate * (size - 1) + 1
 *
 * in each dimension.  Errors: ERR_RANGE, it fits nowhere. */
int op_window_positions(const struct trace_window *w, const uint64_t *in, uint64_t *out,
                        struct err *err);

/* The smallest image over which the window takes `in` positions, which is the result of a
 * transposed convolution.  Errors: ERR_RANGE. */
int op_window_image(const struct trace_window *w, const uint64_t *in, uint64_t *out,
                    struct err *err);

#endif
