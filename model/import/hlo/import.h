/* import.h - compiled programs as traces: an HLO module becomes the text of one step.
 *
 * Each line of the step is one instruction of the module's schedule: a kernel with the loop nest,
 * the windows and the traffic that the compiler states, a copy between memories, a collective, a
 * loop. Instructions that move nothing (tuples, bitcasts, constants) are names.  The text is what
 * model/trace reads; docs/reference/trace-format.md has its grammar.
 *
 * A module that is not scheduled, or one for GPUs, is imported too: its instructions in dependency
 * order, without loop nests, which lowering then chooses.
 *
 * Source of all rules about TPU programs: the text of programs that XLA:TPU compiled (jax 0.10.2).
 */
#ifndef IMPORT_HLO_IMPORT_H
#define IMPORT_HLO_IMPORT_H

#include <stdio.h>

#include "import/hlo/program/import_options.h"

/* Write the module as a trace.  `totals` may be NULL.  Errors: ERR_FORMAT, ERR_RANGE, ERR_UNKNOWN
 * as "file:line:column: what" with the line of the module; ERR_IO.  Cost: as above. */
int import_hlo(const struct hlo_module *m, const struct import_options *o, FILE *out,
               struct import_totals *totals, struct err *err);

/* The trace as text in memory, of `size` bytes and a 0, which the reader of traces has read to its
 * end; free() it.  What the reader refuses is an error at the instruction that the line was written
 * for.  *text is NULL on error. */
int import_hlo_text(const struct hlo_module *m, const struct import_options *o, char **text,
                    size_t *size, struct import_totals *totals, struct err *err);

#endif
