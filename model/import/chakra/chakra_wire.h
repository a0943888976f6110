/* chakra_wire.h - messages of a Chakra execution trace: each behind its length, and their
 * attributes.
 *
 *     file ::= (length as a varint of at most 32 bits, message)*     GlobalMetadata, then Nodes
 *
 * The messages themselves are protobuf, read and written by protobuf-c (chakra.proto). */
#ifndef IMPORT_CHAKRA_CHAKRA_WIRE_H
#define IMPORT_CHAKRA_CHAKRA_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "import/chakra/chakra.pb-c.h"

/* --- reading ------------------------------------------------------------------------------ */

/* A file in memory.  What messages take is bounded by a multiple of its size, so a small file
 * cannot ask for much. */
struct chakra_wire {
    const char *name; /* for messages */
    const uint8_t *data;
    size_t size;
    size_t at;    /* of the next message */
    size_t begin; /* of the last one: the byte that messages name */
    size_t left;  /* bytes of memory that messages may still take */
    ProtobufCAllocator allocator;
};

/* `data` must outlive it.  Messages are allocated by `w`, which must not move. */
void chakra_wire_init(struct chakra_wire *w, const char *name, const void *data, size_t size);

/* Read the next message as `descriptor` says.  Returns 1 with the message, which the caller frees
 * by chakra_wire_free(); 0 at the end; -1.  Errors: ERR_FORMAT as "FILE: byte 123: what", ERR_RANGE
 * when it takes more memory than a file of this size may. */
int chakra_wire_next(struct chakra_wire *w, const ProtobufCMessageDescriptor *descriptor,
                     ProtobufCMessage **message, struct err *err);
void chakra_wire_free(struct chakra_wire *w, ProtobufCMessage *message); /* NULL is allowed */

/* --- attributes --------------------------------------------------------------------------- */

/* The attribute of that name; NULL if there is none. */
const Chakra__AttributeProto *chakra_find(Chakra__AttributeProto *const *attr, size_t n,
                                          const char *name);

/* A number in any of the members that hold one, as writers vary.  Returns 1; 0 if there is no such
 * attribute; -1 if it is no number, or one that is negative, too large or not whole. */
int chakra_number(const Chakra__Node *node, const char *name, uint64_t *value);

/* The text of an attribute, or NULL; a list of texts, or NULL. */
const char *chakra_text(const Chakra__Node *node, const char *name);
const Chakra__StringList *chakra_texts(Chakra__AttributeProto *const *attr, size_t n,
                                       const char *name);

/* --- writing ------------------------------------------------------------------------------ */

/* Names and values that are added to a message are copied;
 * protobuf_c_message_free_unpacked(message, NULL) frees it. A list of attributes is a pointer and a
 * number in the message. */
struct chakra_list {
    Chakra__AttributeProto ***attr;
    size_t *n;
};
struct chakra_list chakra_list_of(Chakra__Node *node);
void chakra_add_text(struct chakra_list list, const char *name, const char *text);
void chakra_add_texts(struct chakra_list list, const char *name, char *const *text, size_t n);
void chakra_add_numbers(struct chakra_list list, const char *name, const uint64_t *value, size_t n);
void chakra_add_int32(struct chakra_list list, const char *name, int32_t value);
void chakra_add_int64(struct chakra_list list, const char *name, int64_t value);
void chakra_add_uint64(struct chakra_list list, const char *name, uint64_t value);
void chakra_add_bool(struct chakra_list list, const char *name, bool value);

/* Write a message behind its length.  Errors: ERR_RANGE when it is too long for a length, ERR_IO.
 */
int chakra_wire_write(const ProtobufCMessage *message, FILE *out, struct err *err);

#endif
