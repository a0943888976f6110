/* proto_read.c - see proto_read.h. */
#include "profile/proto_read.h"

#include <inttypes.h>

#define VARINT_BYTES 10u

static bool read_long(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    const unsigned char *p = *at;
    uint64_t v = 0;

    for (unsigned shift = 0; p < end && shift < 7 * VARINT_BYTES; shift += 7) {
        unsigned char c = *p++;
        if (shift == 63 && c > 1)
            return false;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *at = p;
            *value = v;
            return true;
        }
    }
    return false;
}

/* Read a varint at *at.  Returns false if it is cut or has more than 64 bits. */
static inline bool read_varint(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    if (*at < end && **at < 0x80) { /* most have one byte */
        *value = *(*at)++;
        return true;
    }
    return read_long(at, end, value);
}

static bool read_fixed(const unsigned char **at, const unsigned char *end, unsigned n,
                       uint64_t *value)
{
    uint64_t v = 0;

    if ((size_t)(end - *at) < n)
        return false;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)(*at)[i] << 8 * i;
    *at += n;
    *value = v;
    return true;
}

/* Read a field up to the bytes of PROTO_BYTES. */
static bool read_head(const unsigned char **at, const unsigned char *end, struct proto_field *f)
{
    uint64_t tag;

    if (!read_varint(at, end, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return false;
    f->number = (uint32_t)(tag >> 3);
    f->type = (enum proto_type)(tag & 7);
    f->bytes = NULL;
    switch (f->type) {
    case PROTO_VARINT:
    case PROTO_BYTES: return read_varint(at, end, &f->value);
    case PROTO_FIXED64: return read_fixed(at, end, 8, &f->value);
    case PROTO_FIXED32: return read_fixed(at, end, 4, &f->value);
    }
    return false;
}

int proto_next(struct proto_message *m, struct proto_field *f)
{
    const unsigned char *at = m->at;

    if (at == m->end)
        return 0;
    if (!read_head(&at, m->end, f))
        return -1;
    if (f->type == PROTO_BYTES) {
        if (f->value > (size_t)(m->end - at))
            return -1;
        f->bytes = at;
        at += f->value;
    }
    m->at = at;
    return 1;
}

struct proto_message proto_inner(const struct proto_field *f)
{
    if (f->type != PROTO_BYTES)
        return (struct proto_message){ NULL, NULL };
    return (struct proto_message){ f->bytes, f->bytes + f->value };
}

/* Does what a field of bytes holds end inside its frame and its file? */
static int check_length(const struct proto_frame *frame, const struct proto_field *f,
                        uint64_t begin, struct err *err)
{
    uint64_t at = profile_source_at(frame->source), left = profile_source_left(frame->source);

    if (frame->end != UINT64_MAX && f->value > frame->end - at)
        return profile_source_damaged(frame->source, begin, err,
                                      "field %u has %" PRIu64
                                      " bytes, and its message ends after %" PRIu64,
                                      f->number, f->value, frame->end - at);
    if (f->value > left)
        return profile_source_damaged(frame->source, begin, err,
                                      "field %u has %" PRIu64
                                      " bytes, and the file ends after %" PRIu64,
                                      f->number, f->value, left);
    return 0;
}

int proto_frame_next(struct proto_frame *frame, struct proto_field *f, struct err *err)
{
    struct profile_source *s = frame->source;
    uint64_t begin = profile_source_at(s);
    const unsigned char *bytes, *at;
    size_t n;

    if (begin == frame->end)
        return 0;
    if (profile_source_peek(s, 2 * VARINT_BYTES, &bytes, &n, err) != 0)
        return -1;
    if (n == 0 && frame->end == UINT64_MAX)
        return 0;
    if (n == 0)
        return profile_source_damaged(s, begin, err,
                                      "the file ends %" PRIu64 " bytes before a message does",
                                      frame->end - begin);
    if (n > frame->end - begin)
        n = (size_t)(frame->end - begin);
    at = bytes;
    if (!read_head(&at, bytes + n, f))
        return profile_source_damaged(
            s, begin, err, "no field of a protocol buffer begins with 0x%02x here", bytes[0]);
    profile_source_take(s, (size_t)(at - bytes));
    return f->type == PROTO_BYTES && check_length(frame, f, begin, err) != 0 ? -1 : 1;
}

struct proto_frame proto_frame_enter(const struct proto_frame *frame, const struct proto_field *f)
{
    return (struct proto_frame){ frame->source, profile_source_at(frame->source) + f->value };
}

int proto_frame_hold(const struct proto_frame *frame, const struct proto_field *f,
                     struct proto_message *m, struct err *err)
{
    struct profile_source *s = frame->source;
    uint64_t begin = profile_source_at(s);
    const unsigned char *bytes;
    size_t n;

    *m = (struct proto_message){ NULL, NULL };
    if (f->type != PROTO_BYTES)
        return 0;
    if (profile_source_peek(s, f->value, &bytes, &n, err) != 0)
        return -1;
    if (n < f->value)
        return profile_source_damaged(s, begin, err,
                                      "field %u has %" PRIu64 " bytes, and the file ends after %zu",
                                      f->number, f->value, n);
    profile_source_take(s, n);
    *m = (struct proto_message){ bytes, bytes + n };
    return 0;
}

int proto_frame_skip(const struct proto_frame *frame, const struct proto_field *f, struct err *err)
{
    return f->type == PROTO_BYTES ? profile_source_skip(frame->source, f->value, err) : 0;
}
