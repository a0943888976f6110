#include "base/proto.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/memory.h"

enum wire { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
#define VARINT_MAX 10

static unsigned char *reserve_bytes(struct proto *p, size_t n)
{
    if (p->cap - p->n < n) {
        p->cap = 2 * (p->cap + n);
        p->bytes = memory_resize(p->bytes, p->cap, 1);
    }
    return p->bytes + p->n;
}

static size_t put_varint(unsigned char *at, uint64_t value)
{
    size_t n = 0;

    for (; value > 0x7f; value >>= 7)
        at[n++] = (unsigned char)(value | 0x80);
    at[n++] = (unsigned char)value;
    return n;
}

static void append_varint(struct proto *p, uint64_t value)
{
    p->n += put_varint(reserve_bytes(p, VARINT_MAX), value);
}

static void append_tag(struct proto *p, uint32_t field, enum wire wire)
{
    append_varint(p, (uint64_t)field << 3 | wire);
}

void proto_uint(struct proto *p, uint32_t field, uint64_t value)
{
    append_tag(p, field, VARINT);
    append_varint(p, value);
}

void proto_fixed64(struct proto *p, uint32_t field, uint64_t value)
{
    append_tag(p, field, FIXED64);
    unsigned char *at = reserve_bytes(p, 8);
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> 8 * i);
    p->n += 8;
}

void proto_double(struct proto *p, uint32_t field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    proto_fixed64(p, field, bits);
}

void proto_bytes(struct proto *p, uint32_t field, const void *bytes, size_t n)
{
    append_tag(p, field, LENGTH);
    append_varint(p, n);
    if (n > 0)
        memcpy(reserve_bytes(p, n), bytes, n);
    p->n += n;
}

void proto_text(struct proto *p, uint32_t field, const char *text)
{
    proto_bytes(p, field, text, strlen(text));
}

void proto_packed(struct proto *p, uint64_t value)
{
    append_varint(p, value);
}

void proto_raw(struct proto *p, uint64_t value, size_t n)
{
    unsigned char *at = reserve_bytes(p, n);

    for (size_t i = 0; i < n; i++)
        at[i] = (unsigned char)(value >> 8 * i);
    p->n += n;
}

void proto_begin(struct proto *p, uint32_t field)
{
    BUG_ON(p->depth == PROTO_DEPTH);
    append_tag(p, field, LENGTH);
    p->begun[p->depth++] = p->n;
}

void proto_end(struct proto *p)
{
    unsigned char length[VARINT_MAX];
    size_t begun = p->begun[--p->depth], n = put_varint(length, p->n - begun);

    (void)reserve_bytes(p, n);
    memmove(p->bytes + begun + n, p->bytes + begun, p->n - begun);
    memcpy(p->bytes + begun, length, n);
    p->n += n;
}

void proto_clear(struct proto *p)
{
    p->n = 0;
    p->depth = 0;
}

void proto_free(struct proto *p)
{
    free(p->bytes);
    *p = (struct proto){ 0 };
}
