/* kineto_profile.h - a recording of PyTorch's profiler as a profile: the operations of its step
 * with the time of their kernels, under the names that kineto_import.h gives them. */
#ifndef IMPORT_KINETO_KINETO_PROFILE_H
#define IMPORT_KINETO_KINETO_PROFILE_H

#include "profile/profile.h"

/* True if the file begins as a recording does, plain or packed by gzip.  A file that cannot be read
 * is none. */
bool kineto_profile_knows(const char *path);

/* Read the profile of a recording: one device, one program with one run, which is the step from the
 * host's first call to the end of the last kernel.  Errors: those of kineto_read(); ERR_FORMAT no
 * work of a GPU. */
int kineto_profile_read(struct profile **p, const char *path, struct err *err);

#endif
