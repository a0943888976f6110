/* op_profile.h - the tree "Op Profile" of XProf as JSON: programs, categories, instructions.
 *
 * XProf leaves out what is small when it exports the tree; those kernels are not in the file.  It
 * holds sums per instruction. */
#ifndef PROFILE_OP_PROFILE_H
#define PROFILE_OP_PROFILE_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

/* True if a file begins like one of these: profile_reader.knows. */
bool op_profile_knows(const unsigned char *head, size_t n);
/* Read the profile, as profile_reader.read says. */
int op_profile_read(struct profile_build *b, struct profile_source *s, struct err *err);

#endif
