/* parse.h - the parser: lines to items, with blocks, definitions and uses checked. */
#ifndef TRACE_PARSE_H
#define TRACE_PARSE_H

#include "trace/reader.h"

/* Read the header lines, and hold the line after them for parse_item. */
int parse_header(struct trace *t, struct err *err);

/* The next item after the header. */
int parse_item(struct trace *t, struct trace_item *item, struct err *err);

/* Read a shape, such as f32[8,16] or bf16[33,65]{1,0:T(8,128)(2,1)S(1)}; its bytes fit 63 bits
 * (shape_read.c). */
int parse_shape(struct trace *t, struct trace_shape *s);

#endif
