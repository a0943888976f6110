/* container.c - see container.h. */
#include "trace/file/container.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "base/plain.h"

uint32_t container_get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void container_put32(unsigned char *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

bool container_magic(const unsigned char first[4])
{
    uint32_t magic = container_get32(first);

    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

__attribute__((format(printf, 3, 4))) static int fail_damaged(const struct container *c,
                                                              struct err *err, const char *fmt, ...)
{
    char what[256];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_set(err, ERR_FORMAT, "%.200s: damaged zstd container: %s", c->bytes->name, what);
}

/* The frames must fill the file from its start to the table. */
static int check_sizes(struct container *c, struct err *err)
{
    unsigned char part[1024 * CONTAINER_ENTRY_SIZE];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < c->n_frames;) {
        size_t n = c->n_frames - i < 1024 ? (size_t)(c->n_frames - i) : 1024;
        if (bytes_at(c->bytes, c->table + i * CONTAINER_ENTRY_SIZE, part, n * CONTAINER_ENTRY_SIZE,
                     err) != 0)
            return -1;
        for (size_t j = 0; j < n; j++)
            sum += container_get32(part + j * CONTAINER_ENTRY_SIZE);
        i += n;
    }
    if (sum != c->table - CONTAINER_HEAD_SIZE)
        return fail_damaged(
            c, err, "its seek table accounts for %" PRIu64 " bytes of frames, expected %" PRIu64,
            sum, c->table - CONTAINER_HEAD_SIZE);
    return 0;
}

static int check_table(struct container *c, struct err *err)
{
    unsigned char foot[CONTAINER_FOOT_SIZE], head[CONTAINER_HEAD_SIZE];
    uint64_t size = c->bytes->size;

    if (size < CONTAINER_HEAD_SIZE + CONTAINER_FOOT_SIZE)
        return fail_damaged(c, err, "%" PRIu64 " bytes, too few for a seek table: truncated", size);
    if (bytes_at(c->bytes, size - CONTAINER_FOOT_SIZE, foot, CONTAINER_FOOT_SIZE, err) != 0)
        return -1;
    if (container_get32(foot + 5) != CONTAINER_FOOT_MAGIC)
        return fail_damaged(c, err,
                            "no seek table at its end: truncated, or followed by other bytes");
    if (foot[4] != CONTAINER_DESCRIPTOR)
        return fail_damaged(c, err, "seek table descriptor 0x%02x, expected 0x%02x", foot[4],
                            CONTAINER_DESCRIPTOR);
    c->n_frames = container_get32(foot);
    uint64_t table = (uint64_t)c->n_frames * CONTAINER_ENTRY_SIZE + CONTAINER_FOOT_SIZE;
    if (table > size - CONTAINER_HEAD_SIZE || table > UINT32_MAX)
        return fail_damaged(
            c, err, "its seek table lists %" PRIu32 " frames, more than it can hold", c->n_frames);
    c->table = size - table;
    if (bytes_at(c->bytes, c->table - CONTAINER_HEAD_SIZE, head, CONTAINER_HEAD_SIZE, err) != 0)
        return -1;
    if (container_get32(head) != CONTAINER_TABLE_MAGIC || container_get32(head + 4) != table)
        return fail_damaged(c, err, "its seek table does not start where its end says it does");
    return check_sizes(c, err);
}

int container_ends(const struct bytes *bytes, bool *found, struct err *err)
{
    unsigned char magic[4];

    *found = false;
    if (bytes->size < sizeof magic)
        return 0;
    if (bytes_at(bytes, bytes->size - sizeof magic, magic, sizeof magic, err) != 0)
        return -1;
    *found = container_get32(magic) == CONTAINER_FOOT_MAGIC;
    return 0;
}

int container_open(struct container *c, const struct bytes *bytes, struct err *err)
{
    *c = (struct container){ .bytes = bytes };
    if (check_table(c, err) != 0)
        return -1;
    c->zstd = ZSTD_createDCtx();
    if (!c->zstd)
        memory_end();
    return 0;
}

void container_close(struct container *c)
{
    ZSTD_freeDCtx(c->zstd);
    free(c->packed);
    *c = (struct container){ 0 };
}

void container_rewind(struct container *c)
{
    c->frame = 0;
    c->at = 0;
}

/* Read a compressed frame and compare its sizes with the table, before it is decompressed. */
static int load_frame(struct container *c, uint32_t packed, uint32_t text, struct err *err)
{
    if (text > CONTAINER_TEXT_READ || packed > ZSTD_COMPRESSBOUND(CONTAINER_TEXT_READ))
        return fail_damaged(
            c, err, "frame %" PRIu32 " has %" PRIu32 " bytes of text, expected at most %" PRIu32,
            c->frame, text, CONTAINER_TEXT_READ);
    if (packed > c->table - CONTAINER_HEAD_SIZE - c->at)
        return fail_damaged(c, err, "frame %" PRIu32 " reaches into the seek table", c->frame);
    if (c->cap < packed) {
        free(c->packed);
        c->cap = packed;
        c->packed = memory_resize(NULL, packed, 1);
    }
    if (bytes_at(c->bytes, c->at, c->packed, packed, err) != 0)
        return -1;
    /* zstd ignores bit 4 of the frame header, which has no meaning; if it is set, it was flipped */
    if (packed < 5 || container_get32(c->packed) != ZSTD_MAGICNUMBER || (c->packed[4] & 0x10) ||
        ZSTD_findFrameCompressedSize(c->packed, packed) != packed ||
        ZSTD_getFrameContentSize(c->packed, packed) != text)
        return fail_damaged(c, err, "frame %" PRIu32 " does not have the sizes of the seek table",
                            c->frame);
    return 0;
}

int container_next(struct container *c, char *text, size_t *n, struct err *err)
{
    unsigned char entry[CONTAINER_ENTRY_SIZE];

    for (*n = 0; *n == 0 && c->frame < c->n_frames; c->frame++) {
        uint64_t at = c->table + (uint64_t)c->frame * CONTAINER_ENTRY_SIZE;
        if (bytes_at(c->bytes, at, entry, sizeof entry, err) != 0)
            return -1;
        uint32_t packed = container_get32(entry), size = container_get32(entry + 4);
        if (load_frame(c, packed, size, err) != 0)
            return -1;
        size_t got = ZSTD_decompressDCtx(c->zstd, text, CONTAINER_TEXT_READ, c->packed, packed);
        if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
            memory_end();
        if (ZSTD_isError(got))
            return fail_damaged(c, err, "frame %" PRIu32 ": %s", c->frame, ZSTD_getErrorName(got));
        if (got != size || (uint32_t)XXH64(text, size, 0) != container_get32(entry + 8))
            return fail_damaged(c, err,
                                "the text of frame %" PRIu32
                                " does not have the checksum of the seek table",
                                c->frame);
        c->at += packed;
        *n = size;
    }
    return 0;
}
