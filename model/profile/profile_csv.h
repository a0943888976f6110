/* profile_csv.h - sums of kernels as plain CSV: name,microseconds[,count].
 *
 * Microseconds are those of all occurrences together; without a count there is one.  A first row
 * that names the columns may be there.  Rows of one name are added up. */
#ifndef PROFILE_PROFILE_CSV_H
#define PROFILE_PROFILE_CSV_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

/* True if a file begins like one of these: profile_reader.knows. */
bool profile_csv_knows(const unsigned char *head, size_t n);
/* Read the profile, as profile_reader.read says. */
int profile_csv_read(struct profile_build *b, struct profile_source *s, struct err *err);

#endif
