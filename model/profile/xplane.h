/* xplane.h - XPlane files (.xplane.pb), as JAX, TensorFlow and PyTorch/XLA write them on a TPU.
 *
 * XSpace > XPlane (a device) > XLine ("XLA Modules", "XLA Ops", ...) > XEvent.  The file is read
 * twice: names and runs of programs first, then kernels.  What stays in memory are names and sums.
 * Field numbers: tsl/profiler/protobuf/xplane.proto of openxla/xla. */
#ifndef PROFILE_XPLANE_H
#define PROFILE_XPLANE_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

/* True if a file begins like one of these: profile_reader.knows. */
bool xplane_knows(const unsigned char *head, size_t n);

/* Read the profile, as profile_reader.read says.  Errors: ERR_FORMAT also where no plane is a
 * TPU's. */
int xplane_read(struct profile_build *b, struct profile_source *s, struct err *err);

#endif
