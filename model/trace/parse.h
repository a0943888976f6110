/* parse.h - lines to items: blocks, definitions, uses. */
#ifndef TRACE_PARSE_H
#define TRACE_PARSE_H

#include "trace/reader.h"

/* Read the header lines and hold the line after them. */
int parse_header(struct trace *t, struct err *err);

/* The next item after the header. */
int parse_item(struct trace *t, struct trace_item *item, struct err *err);

/* The value at the cursor, which must be defined; `handle`: and be the handle of a start, or else
 * must not be one.  *at is where it stands. */
int parse_use(struct trace *t, struct trace_value *v, size_t *at, bool handle);

#endif
