/* lone_frame.h - text in one zstd frame without a seek table, as `zstd FILE` writes it.
 *
 * The frame is checked as zstd does: it is whole, has the size that its header states, and matches
 * its checksum if it has one.  The frame must fill the file.  A container (container.h) that was
 * cut off is never read as a shorter text: one of several frames begins with an empty one, so that
 * what is left of it is empty or has bytes behind its first frame. */
#ifndef TRACE_FILE_LONE_FRAME_H
#define TRACE_FILE_LONE_FRAME_H

#include "trace/file/bytes.h"

struct ZSTD_DCtx_s;
struct lone_frame {
    const struct bytes *bytes;
    uint64_t at; /* offset of the next bytes to read */
    struct ZSTD_DCtx_s *zstd;
    unsigned char *packed;
    size_t n_packed, used; /* bytes at hand; how many of them are decompressed */
    bool ended;
};

/* Open a file that begins with a zstd frame.  `bytes` is borrowed.  Errors: ERR_FORMAT, ERR_IO. */
int lone_frame_open(struct lone_frame *f, const struct bytes *bytes, struct err *err);
void lone_frame_close(struct lone_frame *f);
void lone_frame_rewind(struct lone_frame *f);

/* Write the next bytes of the text to `text`, at most `size` of them, and their number to *n: 0 at
 * the end.  Errors: ERR_FORMAT, ERR_IO. */
int lone_frame_next(struct lone_frame *f, char *text, size_t size, size_t *n, struct err *err);

#endif
