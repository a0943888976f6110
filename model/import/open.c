#include "import/open.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/import_reader.h"
#include "trace/file/foreign.h"
#include "trace/reader.h"

#define MOST_BYTES (UINT64_C(1) << 30)

struct text {
    char *at; /* ends in a 0 that n does not count */
    size_t n, cap;
};

static int append_part(struct text *to, const struct source *s, const char *part, size_t n,
                       struct err *err)
{
    if (to->n + n > MOST_BYTES)
        return err_set(err, ERR_RANGE, "%.200s: more than %" PRIu64 " MiB", s->bytes.name,
                       MOST_BYTES >> 20);
    if (!to->at || to->n + n + 1 > to->cap) {
        to->cap = 2 * (to->n + n + 1);
        to->at = memory_resize(to->at, to->cap, 1);
    }
    memcpy(to->at + to->n, part, n);
    to->n += n;
    to->at[to->n] = '\0';
    return 0;
}

/* Read all bytes if they begin as those of another tool do, or whatever they are if `always`; else
 * to->at stays NULL. */
static int read_all(struct source *s, bool always, struct text *to, struct err *err)
{
    const char *part;
    size_t n;
    int more = source_part(s, &part, &n, err);

    if (more <= 0)
        return more;
    if (!always && !import_reader_of(part, n))
        return foreign_refuse_program(s->bytes.name, part, n, err);
    while (more > 0) {
        if (append_part(to, s, part, n, err) != 0)
            return -1;
        more = source_part(s, &part, &n, err);
    }
    return more;
}

/* The trace of a file of another tool, as bytes that own it. */
static int write_trace(struct bytes *to, const struct import_request *q, struct err *err)
{
    struct import_result result = { 0 };
    struct memory_text trace;

    memory_text_begin(&trace);
    int rc = import_reader_of(q->data, q->size)->read(q, &result, trace.out, err);
    char *own = memory_text_end(&trace);
    bytes_memory(to, q->name, own, trace.size);
    to->own = own;
    if (rc != 0)
        bytes_close(to);
    return rc;
}

/* Take a recording that gzip packed as it is: its reader unpacks it. */
static int read_gzip(const struct bytes *bytes, struct text *to, struct err *err)
{
    unsigned char first[2];

    if (bytes->size < sizeof first || bytes_at(bytes, 0, first, sizeof first, err) != 0)
        return bytes->size < sizeof first ? 0 : -1;
    if (first[0] != 0x1f || first[1] != 0x8b)
        return 0;
    if (bytes->size > MOST_BYTES)
        return err_set(err, ERR_RANGE, "%.200s: more than %" PRIu64 " MiB", bytes->name,
                       MOST_BYTES >> 20);
    to->n = (size_t)bytes->size;
    to->at = memory_zeroed(to->n + 1, 1);
    if (bytes_at(bytes, 0, to->at, to->n, err) != 0)
        return -1;
    if (!import_reader_of(to->at, to->n)) { /* other files are refused by their first bytes */
        free(to->at);
        *to = (struct text){ 0 };
    }
    return 0;
}

static int open_bytes(struct trace **t, struct bytes *bytes, bool allow_unknown,
                      enum import_target target, struct err *err)
{
    struct text text = { 0 };
    struct source s;

    *t = NULL;
    int rc = read_gzip(bytes, &text, err);
    if (rc == 0 && !text.at) {
        rc = source_open(&s, bytes, err);
        if (rc == 0)
            rc = read_all(&s, false, &text, err);
        *bytes = s.bytes;
        source_leave(&s);
    }
    if (rc != 0) {
        bytes_close(bytes);
    } else if (text.at) {
        struct bytes given = *bytes;
        const struct import_request q = { .name = given.name,
                                          .data = text.at,
                                          .size = text.n,
                                          .allow_unknown = allow_unknown,
                                          .gpu = target == IMPORT_FOR_GPU,
                                          .wide16 = target == IMPORT_FOR_WIDE16 };
        rc = write_trace(bytes, &q, err);
        bytes_close(&given);
    }
    free(text.at);
    return rc != 0 ? -1 : trace_open_bytes(t, bytes, allow_unknown, err);
}

int import_open(struct trace **t, const char *path, bool allow_unknown, struct err *err)
{
    struct bytes bytes;

    *t = NULL;
    return bytes_open(&bytes, path, err) != 0
               ? -1
               : open_bytes(t, &bytes, allow_unknown, IMPORT_FOR_ANY, err);
}

int import_open_memory(struct trace **t, const char *name, const void *data, size_t size,
                       bool allow_unknown, struct err *err)
{
    struct bytes bytes;

    bytes_memory(&bytes, name, data, size);
    return open_bytes(t, &bytes, allow_unknown, IMPORT_FOR_ANY, err);
}

int import_open_for(struct trace **t, enum import_target target, const char *path, const char *text,
                    size_t size, bool allow_unknown, struct err *err)
{
    struct bytes bytes;

    *t = NULL;
    if (text)
        bytes_memory(&bytes, path, text, size);
    else if (bytes_open(&bytes, path, err) != 0)
        return -1;
    return open_bytes(t, &bytes, allow_unknown, target, err);
}

/* Standard input as bytes of memory.  It may hold anything, unlike what bytes_open() takes. */
static int read_standard(struct bytes *bytes, struct err *err)
{
    struct source in = { .bytes = { .name = "<stdin>" } };
    struct text text = { 0 };
    char part[1 << 16];
    size_t n;
    int rc = 0;

    while (rc == 0 && (n = fread(part, 1, sizeof part, stdin)) > 0)
        rc = append_part(&text, &in, part, n, err);
    if (rc == 0 && ferror(stdin))
        rc = err_set(err, ERR_IO, "<stdin>: %s", strerror(errno));
    bytes_memory(bytes, in.bytes.name, text.at, text.n);
    bytes->own = text.at;
    if (rc != 0)
        bytes_close(bytes);
    return rc;
}

int import_read(char **data, size_t *size, const char *path, struct err *err)
{
    struct text text = { 0 };
    struct bytes bytes;
    struct source s;

    *data = NULL;
    if ((strcmp(path, "-") == 0 ? read_standard(&bytes, err) : bytes_open(&bytes, path, err)) != 0)
        return -1;
    int rc = read_gzip(&bytes, &text, err);
    if (rc == 0 && !text.at) {
        rc = source_open(&s, &bytes, err);
        if (rc == 0)
            rc = read_all(&s, true, &text, err);
        source_close(&s);
    } else {
        bytes_close(&bytes);
    }
    if (rc != 0) {
        free(text.at);
        return -1;
    }
    *data = text.at;
    *size = text.n;
    return 0;
}
