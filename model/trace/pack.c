/* pack.c - trace_pack: text to zstd container. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "trace/file/container.h"
#include "trace/trace.h"

#define LEVEL 19 /* slow to compress and small: a trace is written once and read often */

struct entry {
    unsigned char bytes[CONTAINER_ENTRY_SIZE];
};

struct pack {
    ZSTD_CCtx *zstd;
    FILE *out;
    char *text;
    unsigned char *packed; /* the frame at hand, compressed */
    size_t cap_packed;
    struct entry *table; /* of the frames so far */
    uint32_t n_frames, cap_frames;
};

static int refuse_pack(const char *what, struct err *err)
{
    return err_set(err, ERR_IO, "%s: %s", what, strerror(errno));
}

static int write_bytes(struct pack *p, const void *data, size_t n, struct err *err)
{
    return fwrite(data, 1, n, p->out) == n ? 0 : refuse_pack("writing a zstd container", err);
}

static int write_frame(struct pack *p, size_t n, struct err *err)
{
    size_t size = ZSTD_compress2(p->zstd, p->packed, p->cap_packed, p->text, n);

    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
        memory_end();
    BUG_ON(ZSTD_isError(size));
    MEMORY_GROW(p->table, p->n_frames + 1, p->cap_frames);
    unsigned char *entry = p->table[p->n_frames].bytes;
    container_put32(entry, (uint32_t)size);
    container_put32(entry + 4, (uint32_t)n);
    container_put32(entry + 8, (uint32_t)XXH64(p->text, n, 0));
    p->n_frames++;
    return write_bytes(p, p->packed, size, err);
}

static int write_table(struct pack *p, struct err *err)
{
    unsigned char head[CONTAINER_HEAD_SIZE], foot[CONTAINER_FOOT_SIZE];
    size_t n = (size_t)p->n_frames * CONTAINER_ENTRY_SIZE;

    container_put32(head, CONTAINER_TABLE_MAGIC);
    container_put32(head + 4, (uint32_t)(n + CONTAINER_FOOT_SIZE));
    container_put32(foot, p->n_frames);
    foot[4] = CONTAINER_DESCRIPTOR;
    container_put32(foot + 5, CONTAINER_FOOT_MAGIC);
    if (write_bytes(p, head, sizeof head, err) != 0 ||
        (n > 0 && write_bytes(p, p->table, n, err) != 0) ||
        write_bytes(p, foot, sizeof foot, err) != 0)
        return -1;
    return fflush(p->out) == 0 ? 0 : refuse_pack("writing a zstd container", err);
}

/* Length of the next frame, of n bytes of text: whole lines, unless one line is so long that the
 * frame would have less than CONTAINER_TEXT_LEAST. */
static size_t cut_frame(const char *text, size_t n)
{
    if (n < CONTAINER_TEXT_WRITE)
        return n;
    const char *end = memrchr(text, '\n', n);
    size_t whole = end ? (size_t)(end - text) + 1 : 0;
    return whole >= CONTAINER_TEXT_LEAST ? whole : n;
}

static int pack_all(struct pack *p, FILE *text, struct err *err)
{
    size_t n = 0;

    for (;;) {
        n += fread(p->text + n, 1, CONTAINER_TEXT_WRITE - n, text);
        if (ferror(text))
            return refuse_pack("reading the text of a trace", err);
        if (n == 0)
            return write_table(p, err);
        if (p->n_frames == 0 && n == CONTAINER_TEXT_WRITE && write_frame(p, 0, err) != 0)
            return -1;
        size_t frame = cut_frame(p->text, n);
        if (write_frame(p, frame, err) != 0)
            return -1;
        n -= frame;
        memmove(p->text, p->text + frame, n);
    }
}

int trace_pack(FILE *text, FILE *zst, struct err *err)
{
    struct pack p = { .zstd = ZSTD_createCCtx(),
                      .out = zst,
                      .text = memory_resize(NULL, CONTAINER_TEXT_WRITE, 1),
                      .cap_packed = ZSTD_COMPRESSBOUND(CONTAINER_TEXT_WRITE) };

    if (!p.zstd)
        memory_end();
    p.packed = memory_resize(NULL, p.cap_packed, 1);
    ZSTD_CCtx_setParameter(p.zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(p.zstd, ZSTD_c_checksumFlag, 1);
    int rc = pack_all(&p, text, err);
    ZSTD_freeCCtx(p.zstd);
    free(p.text);
    free(p.packed);
    free(p.table);
    return rc;
}
