/* container.h - text in zstd frames with a seek table: zstd seekable format 0.1.0.
 *
 *     frame ... frame | 0x184D2A5E size | entry ... entry | frames u32, descriptor u8, 0x8F92EAB1
 *
 * An entry is the frame's compressed size, its size, and the low 32 bits of the XXH64 of its text,
 * each a little-endian u32.  The first frame of a text of several is empty (lone_frame.h says why).
 * `zstdcat` reads the file too: it skips the table.  This reader checks
 * everything: the table must end the file and account for all its bytes, and every frame must have
 * the sizes and the checksum of its entry. */
#ifndef TRACE_FILE_CONTAINER_H
#define TRACE_FILE_CONTAINER_H

#include "trace/file/bytes.h"

#define CONTAINER_TEXT_WRITE (UINT32_C(1) << 20) /* largest text of a frame that is written */
#define CONTAINER_TEXT_LEAST (UINT32_C(1) << 19) /* least text of a frame that is not the last */
#define CONTAINER_TEXT_READ (UINT32_C(4) << 20)  /* largest text of a frame that is read */
/* Numbers and bytes of the seek table: zstd, contrib/seekable_format, version 0.1.0. */
#define CONTAINER_TABLE_MAGIC UINT32_C(0x184D2A5E)
#define CONTAINER_FOOT_MAGIC UINT32_C(0x8F92EAB1)
#define CONTAINER_DESCRIPTOR 0x80 /* entries have checksums */
#define CONTAINER_HEAD_SIZE 8u
#define CONTAINER_ENTRY_SIZE 12u
#define CONTAINER_FOOT_SIZE 9u

struct ZSTD_DCtx_s;
struct container {
    const struct bytes *bytes;
    uint64_t table;           /* offset of the first entry */
    uint32_t n_frames, frame; /* number of frames; index of the next */
    uint64_t at;              /* offset of the next frame */
    struct ZSTD_DCtx_s *zstd;
    unsigned char *packed; /* the compressed frame */
    size_t cap;
};

/* True if a file with these first bytes is a zstd stream. */
bool container_magic(const unsigned char first[4]);

/* Set *found: the file ends as one with a seek table does.  Errors: ERR_IO. */
int container_ends(const struct bytes *bytes, bool *found, struct err *err);

/* Check the seek table.  `bytes` is borrowed.  Errors: ERR_FORMAT, ERR_IO. */
int container_open(struct container *c, const struct bytes *bytes, struct err *err);
void container_close(struct container *c);
void container_rewind(struct container *c);

/* Write the text of the next frame that is not empty to `text`, CONTAINER_TEXT_READ bytes, and its
 * length to *n: 0 at the end.  Errors: ERR_FORMAT, ERR_IO. */
int container_next(struct container *c, char *text, size_t *n, struct err *err);

/* A little-endian number of four bytes. */
uint32_t container_get32(const unsigned char *p);
void container_put32(unsigned char *p, uint32_t v);

#endif
