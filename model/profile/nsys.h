/* nsys.h - kernels of GPUs that Nsight Systems recorded, as `nsys export --type sqlite` writes
 * them.
 *
 * The reader takes the tables of kernels, copies and fills (CUPTI_ACTIVITY_KIND_*) with their
 * names (StringIds).  A kernel of a node of a CUDA graph has the node behind its name. */
#ifndef PROFILE_NSYS_H
#define PROFILE_NSYS_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

/* True if a file begins like one of these: profile_reader.knows. */
bool nsys_knows(const unsigned char *head, size_t n);
/* Read the profile, as profile_reader.read says.  Errors also: ERR_FORMAT a database without
 * kernels. */
int nsys_read(struct profile_build *b, struct profile_source *s, struct err *err);

#endif
