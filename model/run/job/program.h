/* program.h - the machine that a compiled program was compiled for, the only one that it runs on.
 */
#ifndef RUN_JOB_PROGRAM_H
#define RUN_JOB_PROGRAM_H

#include "machine/spec/spec.h"
#include "trace/trace.h"

/* Refuse a compiled program on another generation than its own, unless its kernels are to be tiled
 * anew (`retile`), and on another number of cores, since the compiler has divided the work among
 * them.  A machine of a file of its own passes for what the program was compiled for: a what-if.
 * `file` is for messages.  Errors: ERR_FIT, with the command that compiles it for `spec`. */
int program_check(const struct trace_header *head, const struct machine_spec *spec, bool retile,
                  const char *file, struct err *err);

/* The machine that a program runs on unless told otherwise, and true; false if nothing says it.  It
 * is the one that it was compiled for or, if the program uses some of its devices only, the slice
 * of that generation with as many; of a program for several slices it is one of them.  `room` is at
 * least SIZES_NAME (machine/spec/sizes.h). */
bool program_machine(char *text, size_t room, const struct trace_header *head);

#define PROGRAM_COMMAND 512 /* bytes of a command line, as the next one writes it */

/* "scripts/compile gan3d.py:program --topology v3:2x2": what compiles the program of a trace for a
 * machine; "" if it is none, or if the compiler has no name for the machine. */
void program_command(char *text, size_t room, const struct trace_header *head,
                     const struct machine_spec *spec);

/* "v4:2x2x1": what the compiler calls the slice of a machine; "" if it has no name for it.  `room`
 * is at least 32. */
void program_topology(char *text, size_t room, const struct machine_spec *spec);

#endif
