/* import_trace.h - a file of another tool as a trace: read it, find its format, check the result.
 */
#ifndef IMPORT_IMPORT_TRACE_H
#define IMPORT_IMPORT_TRACE_H

#include "import/import_reader.h"
#include "trace/trace.h"

/* Write the file as text of a trace that has been read from end to end; `totals`, which the caller
 * has initialised, is what it adds up to.  Errors: ERR_FORMAT for a format that no reader knows,
 * those of the reader, and those of trace_next() for what makes no trace. */
int import_trace(const struct import_request *q, struct import_result *result,
                 struct trace_totals *totals, FILE *out, struct err *err);

/* Choose, among recordings of several ranks of a job, the one that is the step of all; `notes` says
 * how ranks differ.  Errors: those of kineto_job_read(). */
int import_ranks(const char *const *path, size_t n, size_t *chosen, char *notes, size_t size,
                 struct err *err);

#endif
