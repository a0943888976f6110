/* memory_program.h - the memory of a compiled program: the compiler's own figure of its peak, and
 * values that lie on chip.  Only another compilation changes either. */
#ifndef RUN_MEMORY_MEMORY_PROGRAM_H
#define RUN_MEMORY_MEMORY_PROGRAM_H

#include "run/job/job.h"

/* Fill in who owns the bytes at the peak, the peak as the compiler reports it, and what lies in
 * memories on the chip. */
void memory_program_collect(const struct job *j, struct run_result *r);

#endif
