/* proto_walk.c - see proto_walk.h. */
#include "base/proto_walk.h"

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

bool proto_head(const unsigned char **at, const unsigned char *end, struct proto_field *f)
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
    if (!proto_head(&at, m->end, f))
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

bool proto_number(struct proto_field *list, uint64_t *value)
{
    if (list->type == PROTO_VARINT) {
        *value = list->value;
        list->type = PROTO_BYTES;
        list->value = 0;
        return true;
    }
    if (list->type != PROTO_BYTES || list->value == 0)
        return false;
    const unsigned char *at = list->bytes;
    if (!read_varint(&at, at + list->value, value))
        return false;
    list->value -= (uint64_t)(at - list->bytes);
    list->bytes = at;
    return true;
}
