/* profile_source.h - the bytes of a profile from begin to end, unpacked if they are packed.
 *
 * A source reads a block at a time; what it holds is the block and what a caller asks to have in
 * one piece.  Packed are gzip (any number of members) and zstd (any number of frames), known by
 * their first bytes.  Places are those of the unpacked bytes. */
#ifndef PROFILE_SOURCE_PROFILE_SOURCE_H
#define PROFILE_SOURCE_PROFILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PROFILE_SOURCE_PIECE (UINT64_C(1) << 30) /* bytes that can be had in one piece */

struct profile_source;

/* Open a file, or `n` bytes of memory that outlive the source and that messages call `name`.
 * Errors: ERR_IO. */
int profile_source_open(struct profile_source **s, const char *path, struct err *err);
int profile_source_memory(struct profile_source **s, const char *name, const void *bytes, size_t n,
                          struct err *err);
void profile_source_close(struct profile_source *s); /* NULL is allowed */

/* Go back to the first byte.  Errors: ERR_IO. */
int profile_source_rewind(struct profile_source *s, struct err *err);

/* The next `n` bytes in one piece without taking them; *got is less than n at the end alone.  They
 * are valid until the next call.  Errors: ERR_IO; ERR_FORMAT damaged packing; ERR_RANGE more than
 * PROFILE_SOURCE_PIECE. */
int profile_source_peek(struct profile_source *s, uint64_t n, const unsigned char **bytes,
                        size_t *got, struct err *err);
/* Take `n` bytes that were seen. */
void profile_source_take(struct profile_source *s, size_t n);
/* Pass over `n` bytes, seen or not.  Errors: those of peek; ERR_FORMAT the file ends in them. */
int profile_source_skip(struct profile_source *s, uint64_t n, struct err *err);

uint64_t profile_source_at(const struct profile_source *s); /* bytes taken so far */
/* Bytes that are left, or UINT64_MAX: a packed file does not say. */
uint64_t profile_source_left(const struct profile_source *s);
const char *profile_source_name(const struct profile_source *s);
bool profile_source_packed(const struct profile_source *s);

/* Fill `err` with "NAME: byte N: what" and return -1; N is told to be one of the unpacked bytes. */
int profile_source_damaged(const struct profile_source *s, uint64_t at, struct err *err,
                           const char *what, ...) __attribute__((format(printf, 4, 5)));

#endif
