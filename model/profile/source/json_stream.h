/* json_stream.h - JSON of a source value by value, with no more in memory than one text.
 *
 *     json_stream_value()      what the next value is; of a text or a number, also what it says
 *     json_stream_member()     inside an object: its next key, behind which stands a value
 *     json_stream_element()    inside an array: does another value follow?
 *     json_stream_skip()       pass over the next value, whatever is in it
 *     json_stream_raw()        ... and keep it as it is written, without blanks
 *
 * Errors: ERR_FORMAT as "FILE: byte 12: what" for what is no JSON; those of the source. */
#ifndef PROFILE_SOURCE_JSON_STREAM_H
#define PROFILE_SOURCE_JSON_STREAM_H

#include "profile/source/profile_source.h"

#define JSON_STREAM_DEPTH 256                 /* values inside each other */
#define JSON_STREAM_TEXT (UINT32_C(16) << 20) /* bytes of a text, a number or a raw value */

enum json_kind { JSON_OBJECT_KIND, JSON_ARRAY_KIND, JSON_TEXT, JSON_NUMBER, JSON_WORD };

struct json_stream {
    struct profile_source *source;
    const unsigned char *begin, *at, *end; /* of the bytes at hand */
    char *text; /* the last text, key, number, word or raw value; ends in a 0 that n does not count
                 */
    size_t n, cap;
};

/* Begin to read a source, which outlives it; end, which leaves the source open. */
void json_stream_begin(struct json_stream *s, struct profile_source *source);
void json_stream_end(struct json_stream *s);

/* The next value; it is inside an object or an array then.  A word is true, false or null. */
int json_stream_value(struct json_stream *s, enum json_kind *kind, struct err *err);
/* Returns 1, 0 behind the last one, or -1.  `count` is 0 at the first and grows. */
int json_stream_member(struct json_stream *s, uint64_t *count, struct err *err);
int json_stream_element(struct json_stream *s, uint64_t *count, struct err *err);
int json_stream_skip(struct json_stream *s, struct err *err);
int json_stream_raw(struct json_stream *s, struct err *err);

/* Nothing but blanks follows. */
int json_stream_finish(struct json_stream *s, struct err *err);

/* "FILE: byte N: what", where it stands now; returns -1. */
int json_stream_fail(const struct json_stream *s, struct err *err, const char *what);

#endif
