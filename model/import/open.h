/* open.h - a trace, or a file of another tool that is read as one.
 *
 * The first bytes tell which it is (import/import_reader.h).  What is no trace is written as the
 * text of one in memory, which the reader of traces then reads; so it gives what `cyclotron trace
 * import` and the file that this writes give, byte for byte. */
#ifndef IMPORT_OPEN_H
#define IMPORT_OPEN_H

#include "trace/trace.h"

/* Open a trace like trace_open() and trace_open_memory(), also from files of other tools, which may
 * be one zstd frame.  Memory for such a file: its bytes, and what its reader says (import.h).
 * Errors: those of trace_open() and of the reader of the format. */
int import_open(struct trace **t, const char *path, bool allow_unknown, struct err *err);
int import_open_memory(struct trace **t, const char *name, const void *data, size_t size,
                       bool allow_unknown, struct err *err);

/* The machine of a program that does not say its own: GPUs and CPUs, whose kernels it gets if no
 * compiler has seen it, or a TPU whose compiler computes on 32 bits alone. */
enum import_target { IMPORT_FOR_ANY, IMPORT_FOR_GPU, IMPORT_FOR_WIDE16 };

/* Open it for a machine.  With `text` the file is in memory and `path` its name for messages. */
int import_open_for(struct trace **t, enum import_target target, const char *path, const char *text,
                    size_t size, bool allow_unknown, struct err *err);

/* All bytes of `path`, "-" for standard input, without the zstd frame around them; *data is to be
 * freed.  Errors: ERR_IO, ERR_FORMAT, ERR_RANGE for more than 1 GiB. */
int import_read(char **data, size_t *size, const char *path, struct err *err);

#endif
