/* source.h - the text of a trace line by line, from a text file, a zstd container or a zstd frame.
 */
#ifndef TRACE_FILE_SOURCE_H
#define TRACE_FILE_SOURCE_H

#include "trace/file/container.h"
#include "trace/file/lone_frame.h"

#define SOURCE_LINE_MAX (UINT32_C(1) << 20) /* bytes of a line with its newline */

struct XXH64_state_s;
enum source_form { SOURCE_TEXT, SOURCE_CONTAINER, SOURCE_LONE_FRAME };
struct source {
    struct bytes bytes;
    enum source_form form;
    struct container container;
    struct lone_frame frame;
    uint64_t at;         /* text: bytes read so far */
    uint64_t read, most; /* bytes of lines so far; at most so many, 0: any number */
    char *buf;
    size_t cap, head, tail;
    bool ended; /* all text is in buf */
    uint32_t line;
    struct XXH64_state_s *sum; /* checksum of the lines so far, newlines included */
};

/* Open; the source owns `bytes` from here on, also after an error.  Errors: ERR_FORMAT, ERR_IO. */
int source_open(struct source *s, const struct bytes *bytes, struct err *err);
void source_close(struct source *s);
/* Close all but the bytes, which the caller owns again. */
void source_leave(struct source *s);
void source_rewind(struct source *s);

/* The next line without its newline, or the carriage return and newline that end it, and without a
 * byte order mark at the start of the text; valid until the next call.  Returns 1; 0 at the end; -1
 * on error. Errors: ERR_FORMAT a line too long or a damaged container, ERR_RANGE too many lines,
 * ERR_IO. */
int source_line(struct source *s, const char **line, size_t *n, struct err *err);

/* The next bytes of the text, any number of them.  Returns 1; 0 at the end; -1 on error. */
int source_part(struct source *s, const char **part, size_t *n, struct err *err);

#endif
