/* proto_walk.h - a protocol buffer in memory, field by field, without a schema. */
#ifndef BASE_PROTO_WALK_H
#define BASE_PROTO_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Wire types: how the value of a field is written. */
enum proto_type { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
    uint32_t number;
    enum proto_type type;
    uint64_t value; /* of a number, as it lies there; of PROTO_BYTES how many they are */
    const unsigned char *bytes; /* of PROTO_BYTES in memory */
};

/* Bytes that are still to be read; borrowed. */
struct proto_message {
    const unsigned char *at, *end;
};

/* The next field.  Returns 1; 0 at the end; -1 if the bytes are no field: `at` stays there. */
int proto_next(struct proto_message *m, struct proto_field *f);

/* The message in a field of PROTO_BYTES; an empty one for another type. */
struct proto_message proto_inner(const struct proto_field *f);

/* The next number of a repeated field of varints, packed or not: `list` is a field, which is empty
 * afterwards.  Returns false at its end. */
bool proto_number(struct proto_field *list, uint64_t *value);

/* Read a field's head at *at: its number, its type and its value up to the bytes of PROTO_BYTES.
 * Returns false if there is none. */
bool proto_head(const unsigned char **at, const unsigned char *end, struct proto_field *f);

#endif
