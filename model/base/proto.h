/* proto.h - writes messages in the wire format of protocol buffers.
 *
 *     proto_begin(&p, 3);              a message in field 3 ...
 *     proto_uint(&p, 1, 42);
 *     proto_text(&p, 2, "name");
 *     proto_end(&p);                   ... whose length is known now
 *
 * Source: the published description of the encoding (protobuf.dev, "Encoding"). */
#ifndef BASE_PROTO_H
#define BASE_PROTO_H

#include <stddef.h>
#include <stdint.h>

#define PROTO_DEPTH 80 /* messages inside each other */

struct proto {
    unsigned char *bytes;
    size_t n, cap;
    size_t begun[PROTO_DEPTH]; /* where the messages that are open begin */
    unsigned depth;
};

/* Append a field: a varint, eight bytes, a double, a text, bytes, or a message between begin and
 * end. */
void proto_uint(struct proto *p, uint32_t field, uint64_t value);
void proto_fixed64(struct proto *p, uint32_t field, uint64_t value);
void proto_double(struct proto *p, uint32_t field, double value);
void proto_text(struct proto *p, uint32_t field, const char *text);
void proto_bytes(struct proto *p, uint32_t field, const void *bytes, size_t n);
/* Append the next number of a packed list, between begin and end: a varint, or the low `n` bytes of
 * `value`. */
void proto_packed(struct proto *p, uint64_t value);
void proto_raw(struct proto *p, uint64_t value, size_t n);
void proto_begin(struct proto *p, uint32_t field);
void proto_end(struct proto *p);
/* Forget what was written; keeps the storage. */
void proto_clear(struct proto *p);
void proto_free(struct proto *p);

#endif
