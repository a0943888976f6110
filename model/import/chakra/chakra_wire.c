#include "import/chakra/chakra_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Nodes of other tools take 5 to 15 times their bytes in memory. */
#define ROOM_LEAST (UINT64_C(64) << 20)
#define ROOM_A_BYTE 48
#define BLOCK_OVERHEAD 32 /* of malloc, for a block */

/* --- reading ------------------------------------------------------------------------------ */

static void *take_room(void *self, size_t size)
{
    struct chakra_wire *w = self;

    if (size > w->left || w->left - size < BLOCK_OVERHEAD) {
        w->left = 0;
        return NULL;
    }
    w->left -= size + BLOCK_OVERHEAD;
    return memory_resize(NULL, size, 1);
}

static void give_room(void *self, void *block)
{
    (void)self;
    free(block);
}

void chakra_wire_init(struct chakra_wire *w, const char *name, const void *data, size_t size)
{
    *w = (struct chakra_wire){ .name = name, .data = data, .size = size };
    w->left =
        size > (SIZE_MAX - ROOM_LEAST) / ROOM_A_BYTE ? SIZE_MAX : ROOM_LEAST + ROOM_A_BYTE * size;
    w->allocator = (ProtobufCAllocator){ take_room, give_room, w };
}

/* Read the length before a message. */
static int read_length(struct chakra_wire *w, size_t *length, struct err *err)
{
    uint64_t value = 0;

    w->begin = w->at;
    for (unsigned shift = 0;; shift += 7) {
        if (w->at == w->size)
            return err_set(err, ERR_FORMAT,
                           "%.200s: byte %zu: the file ends in the length of a message", w->name,
                           w->begin);
        uint8_t byte = w->data[w->at++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
        if (shift == 28)
            return err_set(err, ERR_FORMAT,
                           "%.200s: byte %zu: the length of a message has more than 5 bytes",
                           w->name, w->begin);
    }
    if (value > w->size - w->at)
        return err_set(err, ERR_FORMAT,
                       "%.200s: byte %zu: a message of %" PRIu64 " bytes, but %zu are left",
                       w->name, w->begin, value, w->size - w->at);
    *length = (size_t)value;
    return 0;
}

int chakra_wire_next(struct chakra_wire *w, const ProtobufCMessageDescriptor *descriptor,
                     ProtobufCMessage **message, struct err *err)
{
    size_t length = 0;

    *message = NULL;
    if (w->at == w->size)
        return 0;
    if (read_length(w, &length, err) != 0)
        return -1;
    *message = protobuf_c_message_unpack(descriptor, &w->allocator, length, w->data + w->at);
    w->at += length;
    if (*message)
        return 1;
    if (w->left == 0)
        return err_set(err, ERR_RANGE,
                       "%.200s: byte %zu: its messages take more memory than %d times the file",
                       w->name, w->begin, ROOM_A_BYTE);
    return err_set(err, ERR_FORMAT, "%.200s: byte %zu: %zu bytes that are no %s of a Chakra trace",
                   w->name, w->begin, length, descriptor->short_name);
}

void chakra_wire_free(struct chakra_wire *w, ProtobufCMessage *message)
{
    if (message)
        protobuf_c_message_free_unpacked(message, &w->allocator);
}

/* --- attributes --------------------------------------------------------------------------- */

const Chakra__AttributeProto *chakra_find(Chakra__AttributeProto *const *attr, size_t n,
                                          const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(attr[i]->name, name) == 0)
            return attr[i];
    return NULL;
}

/* -1 if it is negative. */
static int take_signed(int64_t from, uint64_t *value)
{
    *value = (uint64_t)from;
    return from < 0 ? -1 : 1;
}

static int take_float(double from, uint64_t *value)
{
    if (!(from >= 0 && from < 0x1p63 && floor(from) == from))
        return -1;
    *value = (uint64_t)from;
    return 1;
}

int chakra_number(const Chakra__Node *node, const char *name, uint64_t *value)
{
    const Chakra__AttributeProto *a = chakra_find(node->attr, node->n_attr, name);

    if (!a)
        return 0;
    switch ((int)a->value_case) {
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_INT32_VAL: return take_signed(a->int32_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_INT64_VAL: return take_signed(a->int64_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SINT32_VAL: return take_signed(a->sint32_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SINT64_VAL: return take_signed(a->sint64_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SFIXED32_VAL: return take_signed(a->sfixed32_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_SFIXED64_VAL: return take_signed(a->sfixed64_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT32_VAL: *value = a->uint32_val; return 1;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT64_VAL: *value = a->uint64_val; return 1;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_FIXED32_VAL: *value = a->fixed32_val; return 1;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_FIXED64_VAL: *value = a->fixed64_val; return 1;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_VAL: *value = a->bool_val != 0; return 1;
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_FLOAT_VAL: return take_float((double)a->float_val, value);
    case CHAKRA__ATTRIBUTE_PROTO__VALUE_DOUBLE_VAL: return take_float(a->double_val, value);
    default: return -1;
    }
}

const char *chakra_text(const Chakra__Node *node, const char *name)
{
    const Chakra__AttributeProto *a = chakra_find(node->attr, node->n_attr, name);

    return a && a->value_case == CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL ? a->string_val : NULL;
}

const Chakra__StringList *chakra_texts(Chakra__AttributeProto *const *attr, size_t n,
                                       const char *name)
{
    const Chakra__AttributeProto *a = chakra_find(attr, n, name);

    return a && a->value_case == CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_LIST ? a->string_list : NULL;
}

/* --- writing ------------------------------------------------------------------------------ */

struct chakra_list chakra_list_of(Chakra__Node *node)
{
    return (struct chakra_list){ &node->attr, &node->n_attr };
}

static Chakra__AttributeProto *add_attribute(struct chakra_list list, const char *name,
                                             Chakra__AttributeProto__ValueCase member)
{
    Chakra__AttributeProto *a = memory_zeroed(1, sizeof *a);

    chakra__attribute_proto__init(a);
    a->name = memory_copy(name);
    a->value_case = member;
    MEMORY_ADD(*list.attr, *list.n);
    (*list.attr)[(*list.n)++] = a;
    return a;
}

void chakra_add_text(struct chakra_list list, const char *name, const char *text)
{
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL)->string_val =
        memory_copy(text);
}

void chakra_add_texts(struct chakra_list list, const char *name, char *const *text, size_t n)
{
    Chakra__StringList *l = memory_zeroed(1, sizeof *l);

    chakra__string_list__init(l);
    l->n_values = n;
    l->values = memory_zeroed(n, sizeof *l->values);
    for (size_t i = 0; i < n; i++)
        l->values[i] = memory_copy(text[i]);
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_LIST)->string_list = l;
}

void chakra_add_numbers(struct chakra_list list, const char *name, const uint64_t *value, size_t n)
{
    Chakra__Uint64List *l = memory_zeroed(1, sizeof *l);

    chakra__uint64_list__init(l);
    l->n_values = n;
    l->values = memory_zeroed(n, sizeof *l->values);
    for (size_t i = 0; i < n; i++)
        l->values[i] = value[i];
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT64_LIST)->uint64_list = l;
}

void chakra_add_int32(struct chakra_list list, const char *name, int32_t value)
{
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_INT32_VAL)->int32_val = value;
}

void chakra_add_int64(struct chakra_list list, const char *name, int64_t value)
{
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_INT64_VAL)->int64_val = value;
}

void chakra_add_uint64(struct chakra_list list, const char *name, uint64_t value)
{
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT64_VAL)->uint64_val = value;
}

void chakra_add_bool(struct chakra_list list, const char *name, bool value)
{
    add_attribute(list, name, CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_VAL)->bool_val = value;
}

int chakra_wire_write(const ProtobufCMessage *message, FILE *out, struct err *err)
{
    size_t n = protobuf_c_message_get_packed_size(message);

    if (n > INT32_MAX) /* other readers of protobuf take no more */
        return err_set(err, ERR_RANGE, "a node of %zu bytes, more than a Chakra trace can hold", n);
    uint8_t *bytes = memory_resize(NULL, n, 1);
    protobuf_c_message_pack(message, bytes);
    uint64_t length = n;
    for (; length > 0x7f; length >>= 7)
        putc((int)(0x80 | (length & 0x7f)), out);
    putc((int)length, out);
    bool bad = fwrite(bytes, 1, n, out) != n;
    free(bytes);
    return bad ? err_set(err, ERR_IO, "cannot write: %s", strerror(errno)) : 0;
}
