/* source.h - the text of a trace, line by line, from text or container. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/container.h"

#define SOURCE_LINE_MAX (UINT32_C(1) << 20) /* bytes of a line with its newline */

struct XXH64_state_s;
struct source {
    struct bytes bytes;
    bool packed;
    struct container container;
    uint64_t at; /* text: bytes taken from `bytes` */
    char *buf;
    size_t cap, head, tail;
    bool ended; /* nothing left to append to buf */
    uint32_t line;
    struct XXH64_state_s *sum; /* of the lines handed out, newlines included */
};

/* Take over `bytes`, also on error.  Errors: ERR_FORMAT, ERR_IO. */
int source_open(struct source *s, const struct bytes *bytes, struct err *err);
void source_close(struct source *s);
void source_rewind(struct source *s);

/* The next line without its newline: 1, or 0 at the end, or -1.  It is valid until the next call.
 * Errors: ERR_FORMAT a line too long or a damaged container, ERR_RANGE too many lines, ERR_IO. */
int source_line(struct source *s, const char **line, size_t *n, struct err *err);

/* The next bytes of the text instead, however many: 1, 0 at the end, or -1. */
int source_part(struct source *s, const char **part, size_t *n, struct err *err);

#endif
