/* import_impl.h - what the files that write the lines of a trace share. */
#ifndef IMPORT_HLO_IMPORT_IMPL_H
#define IMPORT_HLO_IMPORT_IMPL_H

#include "import/hlo/import.h"
#include "import/hlo/kernel/import_kernel.h"
#include "import/hlo/program/importing.h"

/* import_hlo(), which fills `places` where they are not NULL. */
int import_write(const struct hlo_module *m, const struct import_options *o, FILE *out,
                 struct import_totals *totals, struct import_places *places, struct err *err);

/* import_line_kernel.c: the line of a kernel */
void import_line_kernel(struct importing *im, const struct hlo_instruction *i, const char *kind,
                        const struct import_kernel *k, const uint32_t *result,
                        const uint32_t *operand);
/* Work between a product inside a kernel and its own, if there is any: a line of its own. */
void import_line_between(struct importing *im, const struct hlo_instruction *i,
                         const uint64_t vector[TRACE_N_VECTORS]);
/* The product inside of kernel `i`, as a line of its own before it. */
void import_line_inner(struct importing *im, const struct hlo_instruction *i,
                       const struct import_inner *p);

/* import_role.c: fill in the roles of all arguments */
void import_roles(struct importing *im);

/* import_emit.c */
int import_emit(struct importing *im);

/* import_collective.c */
int import_collective_emit(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                           enum import_class c);

/* import_header.c */
void import_header_read(struct importing *im);
void import_header_write(struct importing *im);

#endif
