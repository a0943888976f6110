/* print.h - canonical text. */
#ifndef TRACE_PRINT_H
#define TRACE_PRINT_H

#include "trace/trace.h"

void print_header(const struct trace_header *h, FILE *out);

/* In quotes, with its escapes. */
void print_string(const char *s, FILE *out);

#endif
