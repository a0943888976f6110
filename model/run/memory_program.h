/* memory_program.h - what is special about the memory of a compiled program: the compiler has its
 * own figure, values lie on chip, and no what-if but a compilation changes either. */
#ifndef RUN_MEMORY_PROGRAM_H
#define RUN_MEMORY_PROGRAM_H

#include "run/job.h"

/* Fill in who owns the bytes at the peak, the peak as the compiler reports it, and what lies in
 * memories on the chip. */
void memory_program_collect(const struct job *j, struct run_result *r);

#endif
