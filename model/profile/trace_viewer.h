/* trace_viewer.h - a timeline of XProf or JAX as Chrome events in JSON (trace.json.gz).
 *
 * Processes are devices, threads are lines: "XLA Modules" are runs of programs, "XLA Ops" kernels.
 * Exporters keep a million events at most, so a long capture is cut. */
#ifndef PROFILE_TRACE_VIEWER_H
#define PROFILE_TRACE_VIEWER_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

/* True if a file begins like one of these: profile_reader.knows. */
bool trace_viewer_knows(const unsigned char *head, size_t n);
/* Read the profile, as profile_reader.read says. */
int trace_viewer_read(struct profile_build *b, struct profile_source *s, struct err *err);

#endif
