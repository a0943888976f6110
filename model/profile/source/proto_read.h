/* proto_read.h - protocol buffers that may be larger than memory, in a profile_source.
 *
 * Fields come one by one, and what a field holds is entered, held or passed over. */
#ifndef PROFILE_SOURCE_PROTO_READ_H
#define PROFILE_SOURCE_PROTO_READ_H

#include "base/proto_walk.h"
#include "profile/source/profile_source.h"

struct proto_frame {
    struct profile_source *source;
    uint64_t end; /* place after its last byte; UINT64_MAX: the end of the file */
};

/* The next field of a frame.  The source then stands after it, or at the first of the value bytes
 * of PROTO_BYTES, which the caller passes over.  Returns 1; 0 at the end; -1 on error.  Errors:
 * ERR_FORMAT; those of profile_source_peek. */
int proto_frame_next(struct proto_frame *frame, struct proto_field *f, struct err *err);

/* Enter the field that proto_frame_next found: its message as a frame of its own. */
struct proto_frame proto_frame_enter(const struct proto_frame *frame, const struct proto_field *f);

/* Take the field that proto_frame_next found as a message in memory, valid until the next call for
 * the source.  Errors: as proto_frame_next. */
int proto_frame_hold(const struct proto_frame *frame, const struct proto_field *f,
                     struct proto_message *m, struct err *err);

/* Pass over the field that proto_frame_next found.  Errors: as proto_frame_next. */
int proto_frame_skip(const struct proto_frame *frame, const struct proto_field *f, struct err *err);

#endif
