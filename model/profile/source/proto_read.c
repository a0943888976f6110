/* proto_read.c - see proto_read.h. */
#include "profile/source/proto_read.h"

#include <inttypes.h>

#define HEAD_BYTES 20u /* of two varints */

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
    if (profile_source_peek(s, HEAD_BYTES, &bytes, &n, err) != 0)
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
    if (!proto_head(&at, bytes + n, f))
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
