/* profile_json.h - JSON of a source, as a tree in memory. */
#ifndef PROFILE_SOURCE_PROFILE_JSON_H
#define PROFILE_SOURCE_PROFILE_JSON_H

#include <jansson.h>

#include "profile/source/profile_source.h"

/* The largest file that is read. */
#define PROFILE_JSON_MAX                                                                           \
    (UINT64_C(512) << 20) /* bytes of text; the tree is several times as large */

/* Read all of a source.  NULL on error.  Numbers are reals.  Errors: ERR_FORMAT with the line;
 * ERR_RANGE more than PROFILE_JSON_MAX; those of the source. */
json_t *profile_json_read(struct profile_source *s, struct err *err);

/* A member that is a string; "" if there is none. */
const char *profile_json_text(const json_t *object, const char *key);
/* A member as a number, which may be written as a string.  Returns false if it is none. */
bool profile_json_real(const json_t *object, const char *key, double *value);
/* A whole number of at most 20 digits in a string, or 0. */
uint64_t profile_json_id(const json_t *object, const char *key);

/* Do the first bytes of a file begin an object or an array, and stand all of `words`, up to NULL,
 * in them? */
bool profile_json_knows(const unsigned char *head, size_t n, const char *const *words);

#endif
