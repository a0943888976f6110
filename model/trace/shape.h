/* shape.h - shapes as text, dtypes by name, checked sums and products. */
#ifndef TRACE_SHAPE_H
#define TRACE_SHAPE_H

#include "trace/trace.h"

#define SHAPE_TEXT_MAX 512 /* bytes, the NUL included */

/* "f32[8,16]", with its layout if it has one; returns `buf`. */
char *shape_text(char buf[SHAPE_TEXT_MAX], const struct trace_shape *s);

/* The dtype called `name`, or TRACE_N_DTYPES. */
enum trace_dtype shape_dtype(const char *name);

/* *bytes = trace_bytes(s); false if they do not fit 64 bits. */
bool shape_bytes(const struct trace_shape *s, uint64_t *bytes);

/* *acc *= v and *acc += v; false if the result does not fit 64 bits. */
bool shape_mul(uint64_t *acc, uint64_t v);
bool shape_add(uint64_t *acc, uint64_t v);

#endif
