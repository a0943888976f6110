/* profile_reader.h - what every reader of a format of profiles looks like, and the list of them. */
#ifndef PROFILE_PROFILE_READER_H
#define PROFILE_PROFILE_READER_H

#include "profile/profile_build.h"
#include "profile/source/profile_source.h"

#define PROFILE_READER_HEAD 4096u /* bytes that a format is known by */

struct profile_reader {
    const char *format; /* as in struct profile */
    const char *what;   /* for messages: "an XPlane file" */
    /* Do the first `n` bytes of a file, at most PROFILE_READER_HEAD, look like this format? */
    bool (*knows)(const unsigned char *head, size_t n);
    /* Put a file, of which nothing was taken, into a profile.  Errors: ERR_IO, ERR_FORMAT,
     * ERR_RANGE. */
    int (*read)(struct profile_build *b, struct profile_source *s, struct err *err);
};

/* The reader for a source, which stands at its begin afterwards.  NULL on error.  Errors: ERR_IO;
 * ERR_FORMAT an unknown file. */
const struct profile_reader *profile_reader_find(struct profile_source *s, struct err *err);

#endif
