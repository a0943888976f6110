/* source.c - see source.h. */
#include "trace/file/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/memory.h"
#include "trace/file/foreign.h"

#define TEXT_PART (UINT32_C(1) << 16)

static int open_packed(struct source *s, const unsigned char first[4], struct err *err)
{
    bool table;

    if (container_ends(&s->bytes, &table, err) != 0)
        return -1;
    s->form =
        table || container_get32(first) != ZSTD_MAGICNUMBER ? SOURCE_CONTAINER : SOURCE_LONE_FRAME;
    return s->form == SOURCE_CONTAINER ? container_open(&s->container, &s->bytes, err)
                                       : lone_frame_open(&s->frame, &s->bytes, err);
}

int source_open(struct source *s, const struct bytes *bytes, struct err *err)
{
    unsigned char first[FOREIGN_HEAD];

    *s = (struct source){ .bytes = *bytes, .sum = XXH64_createState() };
    if (!s->sum)
        memory_end();
    XXH64_reset(s->sum, 0);
    size_t n = s->bytes.size < sizeof first ? (size_t)s->bytes.size : sizeof first;
    if (bytes_at(&s->bytes, 0, first, n, err) != 0)
        return -1;
    if (n >= 4 && container_magic(first))
        return open_packed(s, first, err);
    return foreign_refuse(s->bytes.name, first, n, err);
}

void source_leave(struct source *s)
{
    if (s->form == SOURCE_CONTAINER)
        container_close(&s->container);
    if (s->form == SOURCE_LONE_FRAME)
        lone_frame_close(&s->frame);
    XXH64_freeState(s->sum);
    free(s->buf);
}

void source_close(struct source *s)
{
    source_leave(s);
    bytes_close(&s->bytes);
}

void source_rewind(struct source *s)
{
    if (s->form == SOURCE_CONTAINER)
        container_rewind(&s->container);
    if (s->form == SOURCE_LONE_FRAME)
        lone_frame_rewind(&s->frame);
    s->at = s->read = 0;
    s->head = s->tail = 0;
    s->ended = false;
    s->line = 0;
    XXH64_reset(s->sum, 0);
}

static int read_text(struct source *s, char *to, size_t room, size_t *n, struct err *err)
{
    *n = s->bytes.size - s->at < room ? (size_t)(s->bytes.size - s->at) : room;
    if (bytes_at(&s->bytes, s->at, to, *n, err) != 0)
        return -1;
    s->at += *n;
    return 0;
}

/* Append the next bytes of the text to buf. */
static int fill_buffer(struct source *s, struct err *err)
{
    size_t room = s->form == SOURCE_CONTAINER ? CONTAINER_TEXT_READ : TEXT_PART, n = 0;
    int rc = 0;

    if (s->head > 0)
        memmove(s->buf, s->buf + s->head, s->tail - s->head);
    s->tail -= s->head;
    s->head = 0;
    if (s->cap < s->tail + room) {
        s->cap = s->tail + room;
        s->buf = memory_resize(s->buf, s->cap, 1);
    }
    switch (s->form) {
    case SOURCE_TEXT: rc = read_text(s, s->buf + s->tail, room, &n, err); break;
    case SOURCE_CONTAINER: rc = container_next(&s->container, s->buf + s->tail, &n, err); break;
    case SOURCE_LONE_FRAME: rc = lone_frame_next(&s->frame, s->buf + s->tail, room, &n, err); break;
    }
    if (rc != 0)
        return -1;
    s->tail += n;
    s->ended = n == 0;
    return 0;
}

int source_part(struct source *s, const char **part, size_t *n, struct err *err)
{
    if (s->head == s->tail && !s->ended && fill_buffer(s, err) != 0)
        return -1;
    *part = s->buf + s->head;
    *n = s->tail - s->head;
    s->head = s->tail;
    return *n > 0;
}

/* Editors of other systems put a byte order mark before the first line and a carriage return before
 * each newline: neither is part of the line. */
static void trim_line(const struct source *s, const char **line, size_t *n)
{
    if (s->line == 1 && *n >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0) {
        *line += 3;
        *n -= 3;
    }
    *n -= *n > 0 && (*line)[*n - 1] == '\r';
}

int source_line(struct source *s, const char **line, size_t *n, struct err *err)
{
    size_t seen = 0; /* bytes from head on without a newline */
    const char *end = NULL;

    for (;;) {
        if (s->tail - s->head > seen)
            end = memchr(s->buf + s->head + seen, '\n', s->tail - s->head - seen);
        seen = end ? (size_t)(end - s->buf) - s->head + 1 : s->tail - s->head;
        if (seen > SOURCE_LINE_MAX)
            return err_set(err, ERR_FORMAT,
                           "%.200s:%" PRIu32 ":1: line of more than %" PRIu32 " bytes",
                           s->bytes.name, s->line + 1, SOURCE_LINE_MAX);
        if (end || s->ended)
            break;
        if (fill_buffer(s, err) != 0)
            return -1;
    }
    if (seen == 0)
        return 0;
    if (s->line == UINT32_MAX)
        return err_set(err, ERR_RANGE, "%.200s: more than %" PRIu32 " lines", s->bytes.name,
                       UINT32_MAX);
    s->read += seen;
    if (s->most && s->read > s->most)
        return err_set(err, ERR_RANGE,
                       "%.200s:%" PRIu32 ": more than %" PRIu64
                       " bytes of text (--allow text=N allows more)",
                       s->bytes.name, s->line + 1, s->most);
    s->line++;
    *line = s->buf + s->head;
    *n = end ? seen - 1 : seen;
    XXH64_update(s->sum, *line, seen);
    s->head += seen;
    trim_line(s, line, n);
    return 1;
}
