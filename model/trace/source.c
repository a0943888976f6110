/* source.c - see source.h. */
#include "trace/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#define TEXT_PART (UINT32_C(1) << 16)

int source_open(struct source *s, const struct bytes *bytes, struct err *err)
{
    unsigned char first[4];

    *s = (struct source){ .bytes = *bytes, .sum = XXH64_createState() };
    BUG_ON(!s->sum);
    XXH64_reset(s->sum, 0);
    if (s->bytes.size < sizeof first)
        return 0;
    if (bytes_at(&s->bytes, 0, first, sizeof first, err) != 0)
        return -1;
    s->packed = container_magic(first);
    return s->packed ? container_open(&s->container, &s->bytes, err) : 0;
}

void source_close(struct source *s)
{
    container_close(&s->container);
    bytes_close(&s->bytes);
    XXH64_freeState(s->sum);
    free(s->buf);
}

void source_rewind(struct source *s)
{
    container_rewind(&s->container);
    s->at = 0;
    s->head = s->tail = 0;
    s->ended = false;
    s->line = 0;
    XXH64_reset(s->sum, 0);
}

/* Append the next bytes of the text to buf. */
static int fill_buffer(struct source *s, struct err *err)
{
    size_t room = s->packed ? CONTAINER_TEXT_READ : TEXT_PART, n;

    if (s->head > 0)
        memmove(s->buf, s->buf + s->head, s->tail - s->head);
    s->tail -= s->head;
    s->head = 0;
    if (s->cap < s->tail + room) {
        s->cap = s->tail + room;
        s->buf = memory_resize(s->buf, s->cap, 1);
    }
    if (s->packed) {
        if (container_next(&s->container, s->buf + s->tail, &n, err) != 0)
            return -1;
    } else {
        n = s->bytes.size - s->at < room ? (size_t)(s->bytes.size - s->at) : room;
        if (bytes_at(&s->bytes, s->at, s->buf + s->tail, n, err) != 0)
            return -1;
        s->at += n;
    }
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
    s->line++;
    *line = s->buf + s->head;
    *n = end ? seen - 1 : seen;
    XXH64_update(s->sum, *line, seen);
    s->head += seen;
    return 1;
}
