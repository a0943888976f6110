/* proto_reader.h - reads the wire format of protocol buffers, a field at a time. */
#ifndef TESTS_PROTO_READER_H
#define TESTS_PROTO_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto_in {
    const unsigned char *at, *end;
};

struct proto_field {
    uint32_t number, wire;
    uint64_t value;         /* varint and fixed */
    struct proto_in nested; /* of length: the bytes */
};

/* False at the end; *bad is set if what is there is no field. */
bool proto_next(struct proto_in *in, struct proto_field *f, bool *bad);

#endif
