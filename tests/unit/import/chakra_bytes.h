/* chakra_bytes.h - files of Chakra for tests, byte by byte, and what is read of them. */
#ifndef UNIT_IMPORT_CHAKRA_BYTES_H
#define UNIT_IMPORT_CHAKRA_BYTES_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/chakra/chakra_import.h"

/* Messages of fewer than 128 bytes, each behind its length. */
struct chakra_bytes {
    char data[4096];
    size_t size;
};

static inline void add_message(struct chakra_bytes *f, const char *bytes, size_t n)
{
    cr_assert(n < 128 && f->size + n < sizeof f->data);
    f->data[f->size++] = (char)n;
    memcpy(f->data + f->size, bytes, n);
    f->size += n;
}
#define MESSAGE(f, bytes) add_message(f, bytes, sizeof(bytes) - 1)

/* clang-format off */
/* GlobalMetadata { version = "0.0.4" } */
#define VERSION "\x0a\x05" "0.0.4"
/* Parts of a Node: type; attributes, as their length, name and value */
#define COMP "\x18\x04"
#define SEND "\x18\x05"
#define RECV "\x18\x06"
#define COLL "\x18\x07"
#define DEVICE "\x52\x0e\x0a\x09" "is_cpu_op" "\xd8\x01\x00"
#define ON_HOST "\x52\x0e\x0a\x09" "is_cpu_op" "\xd8\x01\x01"
/* int64 (field 9) in one byte */
#define NUM_OPS(x) "\x52\x0b\x0a\x07" "num_ops" "\x48" x
#define COMM_TYPE(x) "\x52\x0d\x0a\x09" "comm_type" "\x48" x
#define COMM_SIZE(x) "\x52\x0d\x0a\x09" "comm_size" "\x48" x
/* uint64 (field 13) in one byte */
#define TENSOR_SIZE(x) "\x52\x0f\x0a\x0b" "tensor_size" "\x68" x
/* int32 (field 7) in one byte */
#define COMM_SRC(x) "\x52\x0c\x0a\x08" "comm_src" "\x38" x
#define COMM_DST(x) "\x52\x0c\x0a\x08" "comm_dst" "\x38" x
/* clang-format on */

/* The text that a file becomes, without the five lines of its head; to be freed.  NULL: an error.
 */
static inline char *import_body(const struct chakra_bytes *f, struct chakra_import *x,
                                struct err *err)
{
    struct memory_text t;

    memory_text_begin(&t);
    int rc = chakra_import("f", f->data, f->size, x, t.out, err);
    char *text = memory_text_end(&t);
    char *body = text;
    for (int i = 0; i < 5 && rc == 0; i++)
        body = strchr(body, '\n') + 1;
    body = rc == 0 ? memory_copy(body) : NULL;
    free(text);
    return body;
}

static inline void expect_body(const struct chakra_bytes *f, struct chakra_import x,
                               const char *expected)
{
    struct err err;
    char *body = import_body(f, &x, &err);

    cr_assert(body, "%s", err.msg);
    cr_expect_str_eq(body, expected, "%s", body);
    free(body);
}

static inline void expect_error(const struct chakra_bytes *f, struct chakra_import x,
                                const char *expected)
{
    struct err err;
    char *body = import_body(f, &x, &err);

    cr_assert_null(body, "expected an error, read %s", body);
    cr_expect_str_eq(err.msg, expected, "%s", err.msg);
}

#endif
