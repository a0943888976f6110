/* print.h - canonical text: the parts of its lines.
 *
 * A line that opens a block is indented by the blocks around it: `depth` is how many there are, two
 * spaces each.  `first`: nothing of the list stands before it, so there is no comma. */
#ifndef TRACE_PRINT_H
#define TRACE_PRINT_H

#include "trace/trace.h"

/* The lines of the header, up to the tensors. */
void print_header(const struct trace_header *h, FILE *out);

/* The line "padding nodes real=140000 padded=150000". */
void print_padding(const struct trace_padding *p, FILE *out);

/* The line "framework tensorflow"; nothing where none is stated. */
void print_framework(enum trace_framework framework, FILE *out);

/* In quotes, with its escapes. */
void print_string(const char *s, FILE *out);

/* Whole lines: "tensor %w f32[8] weight stage=1"; "step every=10 {"; "phase fwd"; "repeat 3 {";
 * "}". */
void print_tensor(const char *name, const struct trace_shape *shape, enum trace_role role,
                  uint64_t stage, FILE *out);
void print_step(uint64_t every, FILE *out);
void print_phase(uint32_t depth, const char *name, FILE *out);
void print_repeat(uint32_t depth, uint64_t count, FILE *out);
void print_close(uint32_t depth, FILE *out);

/* Parts of the line of an operation or a fusion: its indent; "%y f32[8] gradient", a result;
 * "%x", an operand or a value that leaves a fusion; " = kind(" with the blank and the sign only
 * after results.  Attributes follow by attr_print(). */
void print_indent(uint32_t depth, FILE *out);
void print_result(bool first, const char *name, const struct trace_shape *shape, bool gradient,
                  FILE *out);
/* " at %x" behind a result that takes the place of %x. */
void print_place(const char *name, FILE *out);
void print_name(bool first, const char *name, FILE *out);
void print_kind(bool results, const char *kind, FILE *out);

#endif
