/* foreign.h - files that are no traces, known by how they begin: what they are, what to do. */
#ifndef TRACE_FILE_FOREIGN_H
#define TRACE_FILE_FOREIGN_H

#include "trace/file/bytes.h"

#define FOREIGN_HEAD 16u /* bytes that are enough to know a file by */

/* Fail if the first `n` bytes of a file are those of a packed, UTF-16 or binary file that is not
 * read: "FILE: gzip data, expected text or zstd; `zcat FILE | ...` reads it".  Errors: ERR_FORMAT.
 */
int foreign_refuse(const char *name, const void *head, size_t n, struct err *err);

/* Fail if text is StableHLO or another dialect of MLIR, or the bytes of a serialised module or
 * profile of XLA's, and say what takes it.  Errors: ERR_FORMAT. */
int foreign_refuse_program(const char *name, const char *text, size_t n, struct err *err);

/* Say what text with this first line seems to be instead of a trace, and what takes it: "this looks
 * like ...".  NULL: nothing that is known. */
const char *foreign_text(const char *line, size_t n);

#endif
