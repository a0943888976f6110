/* lone_frame.c - see lone_frame.h. */
#include "trace/file/lone_frame.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

#define HEADER_MAX 18u /* bytes of the header of a frame */

static int fail_damaged(const struct lone_frame *f, struct err *err, const char *what)
{
    return err_set(err, ERR_FORMAT, "%.200s: damaged zstd file: %s", f->bytes->name, what);
}

/* Only the author of the file knows whether text is missing. */
static int refuse_rest(const struct lone_frame *f, struct err *err)
{
    const char *name = f->bytes->name;

    return err_set(err, ERR_FORMAT,
                   "%.100s: damaged zstd container: no seek table at its end: truncated, or "
                   "followed by other bytes; if its text is whole, `zstd -dc %.100s | "
                   "cyclotron trace pack - -o NEW.zst` packs it anew",
                   name, name[0] == '<' ? "FILE" : name);
}

static int check_header(const struct lone_frame *f, struct err *err)
{
    unsigned char head[HEADER_MAX];
    size_t n = f->bytes->size < sizeof head ? (size_t)f->bytes->size : sizeof head;

    if (bytes_at(f->bytes, 0, head, n, err) != 0)
        return -1;
    if (ZSTD_getFrameContentSize(head, n) == ZSTD_CONTENTSIZE_ERROR)
        return fail_damaged(f, err, "truncated in the header of its frame");
    return 0;
}

int lone_frame_open(struct lone_frame *f, const struct bytes *bytes, struct err *err)
{
    *f = (struct lone_frame){ .bytes = bytes };
    if (check_header(f, err) != 0)
        return -1;
    f->zstd = ZSTD_createDCtx();
    if (!f->zstd)
        memory_end();
    f->packed = memory_resize(NULL, ZSTD_DStreamInSize(), 1);
    return 0;
}

void lone_frame_close(struct lone_frame *f)
{
    ZSTD_freeDCtx(f->zstd);
    free(f->packed);
    *f = (struct lone_frame){ 0 };
}

void lone_frame_rewind(struct lone_frame *f)
{
    f->at = 0;
    f->n_packed = f->used = 0;
    f->ended = false;
    ZSTD_DCtx_reset(f->zstd, ZSTD_reset_session_only);
}

static int load_bytes(struct lone_frame *f, struct err *err)
{
    uint64_t left = f->bytes->size - f->at;
    size_t n = left < ZSTD_DStreamInSize() ? (size_t)left : ZSTD_DStreamInSize();

    if (n == 0)
        return fail_damaged(f, err, "truncated in its frame");
    if (bytes_at(f->bytes, f->at, f->packed, n, err) != 0)
        return -1;
    f->at += n;
    f->n_packed = n;
    f->used = 0;
    return 0;
}

int lone_frame_next(struct lone_frame *f, char *text, size_t size, size_t *n, struct err *err)
{
    ZSTD_outBuffer out = { text, size, 0 };

    while (out.pos == 0 && !f->ended) {
        if (f->used == f->n_packed && load_bytes(f, err) != 0)
            return -1;
        ZSTD_inBuffer in = { f->packed, f->n_packed, f->used };
        size_t more = ZSTD_decompressStream(f->zstd, &out, &in);
        if (ZSTD_getErrorCode(more) == ZSTD_error_memory_allocation)
            memory_end();
        if (ZSTD_isError(more))
            return fail_damaged(f, err, ZSTD_getErrorName(more));
        f->used = in.pos;
        f->ended = more == 0;
    }
    if (f->ended && (f->used < f->n_packed || f->at < f->bytes->size))
        return refuse_rest(f, err);
    *n = out.pos;
    return 0;
}
