/* memory_text.h - the memory of a compiled program: beside the compiler's figure, on the chip, and
 * who owns the bytes at the peak. */
#ifndef REPORT_TEXT_MEMORY_TEXT_H
#define REPORT_TEXT_MEMORY_TEXT_H

#include <stdio.h>

#include "run/result/result.h"

/* Lines below "  memory   fits: ...", each behind a newline: the peak that the compiler reports,
 * and what lies in memories on the chip.  Nothing for other traces. */
void memory_text_program(const struct run_result *r, FILE *out);

/* Tables of the source lines and of the scopes that own most bytes at the peak; nothing where no
 * line or scope is known. */
void memory_text_owners(const struct run_result *r, FILE *out);

#endif
