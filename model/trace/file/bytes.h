/* bytes.h - the bytes of a trace at any offset: of a file, of memory, or of standard input. */
#ifndef TRACE_FILE_BYTES_H
#define TRACE_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct bytes {
    FILE *file; /* NULL: memory */
    const char *mem;
    char *own; /* memory that is freed with it, or NULL */
    uint64_t size;
    const char *name; /* for messages; borrowed */
};

/* Open `path`; "-" is standard input.  A stream that cannot seek (a pipe, a terminal) is copied to
 * a temporary file first.  Errors: ERR_IO. */
int bytes_open(struct bytes *b, const char *path, struct err *err);
void bytes_memory(struct bytes *b, const char *name, const void *data, size_t size);
void bytes_close(struct bytes *b);

/* Read exactly n bytes at `at`; at + n is at most b->size.  Errors: ERR_IO. */
int bytes_at(const struct bytes *b, uint64_t at, void *buf, size_t n, struct err *err);

#endif
