/* import_line.h - lines of the trace that an import writes: names, shapes, begins and ends of
 * lines, kernels and buffers. */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_LINE_H
#define IMPORT_HLO_PROGRAM_IMPORT_LINE_H

#include "import/hlo/program/importing.h"

/* A name in letters that words of traces have; returns how many were written. */
uint32_t import_line_word(FILE *out, struct hlo_text name);
/* A shape with its layout; the name of value `v`, unique; at most `most` bytes of a text, quoted.
 */
void import_line_shape(FILE *out, const struct hlo_shape *s);
void import_line_name(const struct importing *im, uint32_t v);
void import_line_text(FILE *out, struct hlo_text t, uint32_t most);
/* "%a shape at %b, ... = kind(%x, ...)": what it defines is written. */
void import_line_begin(struct importing *im, const uint32_t *result, uint32_t n, const char *kind,
                       const uint32_t *operand, uint32_t n_operands);
/* " basis= scope= ... note=" and the end of the line; of these bases too (enum trace_basis). */
void import_line_end_on(struct importing *im, const struct hlo_instruction *i, uint32_t basis,
                        const char *note);
void import_line_end(struct importing *im, const struct hlo_instruction *i, const char *note);
void import_line_indent(const struct importing *im);
/* A line that takes no time: a buffer, before anything is written to it. */
void import_line_buffer(struct importing *im, uint32_t v);
/* One for the buffer that `v` is in with others, if it has no line yet. */
void import_line_shared(struct importing *im, uint32_t v);
/* Leaves of all operands of an instruction as values: returns how many; *list is to be freed. */
uint32_t import_line_operands(const struct importing *im, const struct import_scope *s,
                              const struct hlo_instruction *i, uint32_t **list);
/* Lines that are written from here on belong to that instruction. */
void import_place_add(struct importing *im, uint32_t instruction);

#endif
