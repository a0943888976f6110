/* trace_blob.h - packed traces in memory, for the tests of the files of traces. */
#ifndef UNIT_TRACE_TRACE_BLOB_H
#define UNIT_TRACE_TRACE_BLOB_H

#include "tests/unit/trace/trace_helper.h"
#include "trace/file/source.h"

#define TINY "cyclotron-trace 1\nstep {\n  %y f32[4] = rng()\n}\n"

struct blob {
    unsigned char *data;
    size_t size;
};

static inline uint32_t read_u32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline struct blob pack_text(const void *text, size_t size)
{
    struct blob b = { NULL, 0 };
    char *data;
    struct err err;
    FILE *in = size ? fmemopen((void *)(uintptr_t)text, size, "r") : fopen("/dev/null", "r");
    FILE *out = open_memstream(&data, &b.size);

    cr_assert_eq(trace_pack(in, out, &err), 0, "%s", err.msg);
    fclose(in);
    fclose(out);
    b.data = (unsigned char *)data;
    return b;
}

/* The text of a file with these bytes, whatever it is. */
static inline int unpack_data(const void *data, size_t size, struct blob *text, struct err *err)
{
    struct bytes from;
    struct source source;
    const char *part;
    char *bytes;
    size_t n;
    FILE *out = open_memstream(&bytes, &text->size);

    bytes_memory(&from, "t", data, size);
    int rc = source_open(&source, &from, err) == 0 ? 1 : -1;
    while (rc == 1 && (rc = source_part(&source, &part, &n, err)) == 1)
        cr_assert_eq(fwrite(part, 1, n, out), n);
    source_close(&source);
    fclose(out);
    text->data = (unsigned char *)bytes;
    return rc;
}

/* Text of `size` bytes in lines of all lengths, compressible or not. */
static inline char *random_text(size_t size, unsigned seed, unsigned longest)
{
    char *text = malloc(size + 1);

    for (size_t i = 0, left = 0; i < size; i++) {
        seed = seed * 1103515245u + 12345u;
        if (left == 0) {
            text[i] = '\n';
            left = (seed >> 8) % longest;
        } else {
            text[i] = (char)(' ' + (seed >> 16) % 90);
            left--;
        }
    }
    text[size] = '\0';
    return text;
}

#endif
