/* profile_source.c - see profile_source.h. */
#include "profile/source/profile_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "base/plain.h"

#define BLOCK (UINT32_C(1) << 20)
#define PACKED_BLOCK (UINT32_C(1) << 16)

enum packing { PLAIN, GZIP, ZSTD };

struct profile_source {
    char *name;
    int fd; /* -1: memory */
    const unsigned char *memory;
    uint64_t raw_size, raw_at; /* bytes of the file, and how many were read */
    enum packing packing;

    unsigned char *in; /* packed bytes: those from in_at to in_n wait */
    size_t in_n, in_at;
    z_stream inflate;
    ZSTD_DStream *zstd;
    bool inside; /* a gzip member or zstd frame has begun and not ended */

    unsigned char *buf; /* unpacked bytes: those from head to tail wait */
    size_t cap, head, tail;
    uint64_t at; /* place of buf[head] */
    bool ended;
};

int profile_source_damaged(const struct profile_source *s, uint64_t at, struct err *err,
                           const char *what, ...)
{
    char text[256];
    va_list args;

    va_start(args, what);
    plain_text_list(text, sizeof text, what, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%.160s: byte %" PRIu64 "%s: %s", s->name, at,
                   s->packing == PLAIN ? "" : " after unpacking", text);
}

/* Read bytes of the file as they lie there; *n is 0 at the end. */
static int read_raw(struct profile_source *s, unsigned char *to, size_t room, size_t *n,
                    struct err *err)
{
    *n = 0;
    if (s->fd < 0) {
        *n = s->raw_size - s->raw_at < room ? (size_t)(s->raw_size - s->raw_at) : room;
        if (*n > 0)
            memcpy(to, s->memory + s->raw_at, *n);
    } else {
        ssize_t got;
        do
            got = read(s->fd, to, room);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return err_set(err, ERR_IO, "%.200s: %s", s->name, strerror(errno));
        *n = (size_t)got;
    }
    s->raw_at += *n;
    return 0;
}

static int refill_packed(struct profile_source *s, struct err *err)
{
    s->in_at = 0;
    return read_raw(s, s->in, PACKED_BLOCK, &s->in_n, err);
}

static int unpack_gzip(struct profile_source *s, size_t *n, struct err *err)
{
    z_stream *z = &s->inflate;

    z->next_in = s->in + s->in_at;
    z->avail_in = (uInt)(s->in_n - s->in_at);
    z->next_out = s->buf + s->tail;
    z->avail_out = (uInt)(s->cap - s->tail < BLOCK ? s->cap - s->tail : BLOCK);
    uInt room = z->avail_out;
    if (!s->inside)
        inflateReset(z);
    s->inside = true;
    int rc = inflate(z, Z_NO_FLUSH);
    s->in_at = s->in_n - z->avail_in;
    *n = room - z->avail_out;
    if (rc == Z_STREAM_END)
        s->inside = false;
    else if (rc != Z_OK && rc != Z_BUF_ERROR)
        return err_set(err, ERR_FORMAT, "%.200s: byte %" PRIu64 ": damaged gzip data: %s", s->name,
                       s->raw_at - s->in_n + s->in_at, z->msg ? z->msg : "not a gzip member");
    return 0;
}

static int unpack_zstd(struct profile_source *s, size_t *n, struct err *err)
{
    ZSTD_inBuffer in = { s->in + s->in_at, s->in_n - s->in_at, 0 };
    ZSTD_outBuffer out = { s->buf + s->tail, s->cap - s->tail, 0 };

    size_t rc = ZSTD_decompressStream(s->zstd, &out, &in);
    s->in_at += in.pos;
    *n = out.pos;
    if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
        memory_end();
    if (ZSTD_isError(rc))
        return err_set(err, ERR_FORMAT, "%.200s: byte %" PRIu64 ": damaged zstd data: %s", s->name,
                       s->raw_at - s->in_n + s->in_at, ZSTD_getErrorName(rc));
    s->inside = rc != 0;
    return 0;
}

/* Unpack at least one byte to buf, or find the end. */
static int unpack_more(struct profile_source *s, size_t *n, struct err *err)
{
    for (;;) {
        bool dry = s->in_at == s->in_n;
        if (dry && refill_packed(s, err) != 0)
            return -1;
        bool at_end = s->in_n == 0;
        if (at_end && !s->inside) {
            *n = 0;
            return 0;
        }
        if ((s->packing == GZIP ? unpack_gzip : unpack_zstd)(s, n, err) != 0)
            return -1;
        if (*n > 0)
            return 0;
        if (at_end)
            return err_set(err, ERR_FORMAT, "%.200s: byte %" PRIu64 ": the %s data ends too early",
                           s->name, s->raw_at, s->packing == GZIP ? "gzip" : "zstd");
    }
}

/* Append the next bytes to buf. */
static int fill_buffer(struct profile_source *s, struct err *err)
{
    size_t n;

    if (s->head == s->tail)
        s->head = s->tail = 0;
    if (s->cap - s->tail < BLOCK && s->head > 0) {
        memmove(s->buf, s->buf + s->head, s->tail - s->head);
        s->tail -= s->head;
        s->head = 0;
    }
    if (s->cap - s->tail < BLOCK) {
        s->cap = s->cap < BLOCK ? 2 * (size_t)BLOCK : 2 * s->cap;
        s->buf = memory_resize(s->buf, s->cap, 1);
    }
    int rc = s->packing == PLAIN ? read_raw(s, s->buf + s->tail, BLOCK, &n, err)
                                 : unpack_more(s, &n, err);
    if (rc != 0)
        return -1;
    s->tail += n;
    s->ended = n == 0;
    return 0;
}

int profile_source_peek(struct profile_source *s, uint64_t n, const unsigned char **bytes,
                        size_t *got, struct err *err)
{
    if (n > PROFILE_SOURCE_PIECE)
        return err_set(err, ERR_RANGE,
                       "%.160s: byte %" PRIu64 ": a piece of %" PRIu64
                       " bytes, more than the %" PRIu64 " that are read",
                       s->name, s->at, n, PROFILE_SOURCE_PIECE);
    while (s->tail - s->head < n && !s->ended)
        if (fill_buffer(s, err) != 0)
            return -1;
    *bytes = s->buf + s->head;
    *got = s->tail - s->head < n ? s->tail - s->head : (size_t)n;
    return 0;
}

void profile_source_take(struct profile_source *s, size_t n)
{
    BUG_ON(n > s->tail - s->head);
    s->head += n;
    s->at += n;
}

/* Move in a plain file past what is in buf; whether that is beyond its end, the caller has seen. */
static int seek_plain(struct profile_source *s, uint64_t n, struct err *err)
{
    s->raw_at += n;
    s->at += n;
    if (s->fd >= 0 && lseek(s->fd, (off_t)s->raw_at, SEEK_SET) < 0)
        return err_set(err, ERR_IO, "%.200s: %s", s->name, strerror(errno));
    return 0;
}

int profile_source_skip(struct profile_source *s, uint64_t n, struct err *err)
{
    uint64_t from = s->at, all = n;

    for (;;) {
        size_t here = s->tail - s->head < n ? s->tail - s->head : (size_t)n;
        profile_source_take(s, here);
        n -= here;
        if (n == 0)
            return 0;
        if (s->packing == PLAIN && n <= s->raw_size - s->raw_at)
            return seek_plain(s, n, err);
        if (fill_buffer(s, err) != 0)
            return -1;
        if (s->ended)
            return profile_source_damaged(
                s, from, err, "%" PRIu64 " bytes expected, and the file ends after %" PRIu64, all,
                all - n);
    }
}

uint64_t profile_source_at(const struct profile_source *s)
{
    return s->at;
}

uint64_t profile_source_left(const struct profile_source *s)
{
    if (s->packing != PLAIN)
        return UINT64_MAX;
    return s->raw_size - s->raw_at + (s->tail - s->head);
}

const char *profile_source_name(const struct profile_source *s)
{
    return s->name;
}

bool profile_source_packed(const struct profile_source *s)
{
    return s->packing != PLAIN;
}

int profile_source_rewind(struct profile_source *s, struct err *err)
{
    if (s->fd >= 0 && lseek(s->fd, 0, SEEK_SET) < 0)
        return err_set(err, ERR_IO, "%.200s: %s", s->name, strerror(errno));
    if (s->packing == ZSTD)
        ZSTD_DCtx_reset(s->zstd, ZSTD_reset_session_only);
    s->raw_at = s->at = 0;
    s->in_n = s->in_at = s->head = s->tail = 0;
    s->inside = s->ended = false;
    return 0;
}

/* Find out how the file is packed; all bytes are to be read again. */
static int know_packing(struct profile_source *s, struct err *err)
{
    unsigned char first[4] = { 0 };
    size_t n;

    if (read_raw(s, first, sizeof first, &n, err) != 0)
        return -1;
    uint32_t magic = (uint32_t)first[0] | (uint32_t)first[1] << 8 | (uint32_t)first[2] << 16 |
                     (uint32_t)first[3] << 24;
    if (n >= 2 && first[0] == 0x1f && first[1] == 0x8b) {
        s->packing = GZIP;
        if (inflateInit2(&s->inflate, 15 + 16) != Z_OK) /* all else is as it should be */
            memory_end();
    } else if (n == 4 && (magic == ZSTD_MAGICNUMBER ||
                          (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START)) {
        s->packing = ZSTD;
        s->zstd = ZSTD_createDStream();
        if (!s->zstd)
            memory_end();
    }
    if (s->packing != PLAIN)
        s->in = memory_zeroed(PACKED_BLOCK, 1);
    return profile_source_rewind(s, err);
}

static int open_file(struct profile_source *s, struct err *err)
{
    struct stat st;

    s->fd = open(s->name, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &st) != 0)
        return err_set(err, ERR_IO, "%.200s: %s", s->name, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_IO,
                       "%.200s: no file; a profile is read more than once, so a pipe "
                       "has to be saved first",
                       s->name);
    s->raw_size = (uint64_t)st.st_size;
    return know_packing(s, err);
}

int profile_source_open(struct profile_source **to, const char *path, struct err *err)
{
    struct profile_source *s = memory_zeroed(1, sizeof *s);

    s->name = memory_copy(path);
    *to = s;
    if (open_file(s, err) == 0)
        return 0;
    profile_source_close(s);
    *to = NULL;
    return -1;
}

int profile_source_memory(struct profile_source **to, const char *name, const void *bytes, size_t n,
                          struct err *err)
{
    struct profile_source *s = memory_zeroed(1, sizeof *s);

    s->name = memory_copy(name);
    s->fd = -1;
    s->memory = bytes;
    s->raw_size = n;
    *to = s;
    if (know_packing(s, err) == 0)
        return 0;
    profile_source_close(s);
    *to = NULL;
    return -1;
}

void profile_source_close(struct profile_source *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    if (s->packing == GZIP)
        inflateEnd(&s->inflate);
    ZSTD_freeDStream(s->zstd);
    free(s->in);
    free(s->buf);
    free(s->name);
    free(s);
}
