#include "proto_reader.h"

static bool read_varint(struct proto_in *in, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; in->at < in->end && shift < 64; shift += 7) {
        unsigned char b = *in->at++;
        *value |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return true;
    }
    return false;
}

static bool read_fixed(struct proto_in *in, unsigned n, uint64_t *value)
{
    if (in->end - in->at < (ptrdiff_t)n)
        return false;
    *value = 0;
    for (unsigned i = 0; i < n; i++)
        *value |= (uint64_t)*in->at++ << 8 * i;
    return true;
}

bool proto_next(struct proto_in *in, struct proto_field *f, bool *bad)
{
    uint64_t tag, length;
    bool ok;

    if (in->at == in->end)
        return false;
    ok = read_varint(in, &tag);
    *f = (struct proto_field){ .number = (uint32_t)(tag >> 3), .wire = tag & 7 };
    switch (f->wire) {
    case 0: ok = ok && read_varint(in, &f->value); break;
    case 1: ok = ok && read_fixed(in, 8, &f->value); break;
    case 2:
        ok = ok && read_varint(in, &length) && length <= (uint64_t)(in->end - in->at);
        if (ok) {
            f->nested = (struct proto_in){ in->at, in->at + length };
            in->at += length;
        }
        break;
    case 5: ok = ok && read_fixed(in, 4, &f->value); break;
    default: ok = false;
    }
    *bad |= !ok || f->number == 0;
    return !*bad;
}
