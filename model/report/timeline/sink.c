#include "report/timeline/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/err.h"
#include "base/memory.h"

struct sink {
    FILE *out;
    uint64_t bytes, limit;
    bool full;
    ZSTD_CCtx *zstd; /* NULL: not compressed */
    size_t size;
    char *packed; /* [size] */
};

struct sink *sink_new(FILE *out, bool compress, uint64_t limit)
{
    struct sink *s = memory_zeroed(1, sizeof *s);

    *s = (struct sink){ .out = out, .limit = limit };
    if (compress) {
        s->zstd = ZSTD_createCCtx();
        if (!s->zstd)
            memory_end();
        s->size = ZSTD_CStreamOutSize();
        s->packed = memory_zeroed(s->size, 1);
        ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
        ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, 1); /* it must keep pace */
    }
    return s;
}

static int put_bytes(struct sink *s, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, s->out) == n ? 0 : errno ? errno : EIO;
}

static int compress_bytes(struct sink *s, const char *bytes, size_t n, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = { bytes, n, 0 };

    for (;;) {
        ZSTD_outBuffer out = { s->packed, s->size, 0 };
        size_t left = ZSTD_compressStream2(s->zstd, &out, &in, how);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            memory_end();
        BUG_ON(ZSTD_isError(left));
        int rc = put_bytes(s, s->packed, out.pos);
        if (rc != 0)
            return rc;
        if (how == ZSTD_e_end ? left == 0 : in.pos == in.size)
            return 0;
    }
}

int sink_write(void *self, const char *bytes, size_t n)
{
    struct sink *s = self;

    if (s->full)
        return EFBIG;
    s->full = n > s->limit - s->bytes;
    s->bytes += n;
    if (s->full)
        return EFBIG;
    return s->zstd ? compress_bytes(s, bytes, n, ZSTD_e_continue) : put_bytes(s, bytes, n);
}

uint64_t sink_bytes(const struct sink *s)
{
    return s->bytes;
}

bool sink_full(const struct sink *s)
{
    return s->full;
}

void sink_free(struct sink *s)
{
    if (!s)
        return;
    if (s->zstd && !s->full)
        compress_bytes(s, NULL, 0, ZSTD_e_end);
    ZSTD_freeCCtx(s->zstd);
    free(s->packed);
    free(s);
}
