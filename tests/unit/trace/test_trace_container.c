/* The container: byte-exact, read by any zstd, and no damage goes unnoticed. */
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "tests/unit/trace/trace_blob.h"

Test(trace_container, text_comes_back_byte_for_byte)
{
    static const struct {
        size_t size;
        unsigned longest;
    } rows[] = { { 0, 9 },
                 { 1, 9 },
                 { 17, 3 },
                 { 5000, 80 },
                 { 1 << 20, 100 },
                 { 1048577, 100 },
                 { 3 << 20, 100000 },
                 { 2500000, 7 },
                 { 1048576, 1 << 30 } };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = random_text(rows[i].size, i + 1, rows[i].longest);
        struct blob zst = pack_text(text, rows[i].size), back;
        struct err err;
        cr_assert_eq(unpack_data(zst.data, zst.size, &back, &err), 0, "%s", err.msg);
        cr_assert_eq(back.size, rows[i].size);
        cr_assert_eq(memcmp(back.data, text, back.size), 0);
        free(back.data);
        /* what is not packed comes back as well */
        cr_assert_eq(unpack_data(text, rows[i].size, &back, &err), 0, "%s", err.msg);
        cr_assert_eq(back.size, rows[i].size);
        cr_assert_eq(memcmp(back.data, text, back.size), 0);
        free(back.data);
        free(zst.data);
        free(text);
    }
}

Test(trace_container, a_plain_decoder_reads_it)
{
    size_t size = 2200000;
    char *text = random_text(size, 7, 200), *got = malloc(size);
    struct blob zst = pack_text(text, size);

    /* ZSTD_decompress reads all frames one after another and skips the seek table */
    cr_assert_eq(ZSTD_decompress(got, size, zst.data, zst.size), size);
    cr_assert_eq(memcmp(got, text, size), 0);
    free(zst.data);
    free(got);
    free(text);
}

Test(trace_container, frames_hold_whole_lines_of_a_mebibyte_at_most)
{
    size_t size = 3500000, at = 0;
    char *text = random_text(size, 11, 300);
    struct blob zst = pack_text(text, size);
    const unsigned char *foot = zst.data + zst.size - 9;
    uint32_t n = read_u32(foot);

    cr_assert_eq(n, 5);
    const unsigned char *entry = foot - 12 * n;
    for (uint32_t i = 0; i < n; i++, entry += 12) {
        uint32_t frame = read_u32(entry + 4);
        cr_assert_leq(frame, 1 << 20);
        cr_assert_eq(read_u32(entry + 8), (uint32_t)XXH64(text + at, frame, 0));
        at += frame;
        cr_assert(i == 0 || i == n - 1 || text[at - 1] == '\n');
    }
    cr_assert_eq(at, size);
    free(zst.data);
    free(text);
}

Test(trace_container, the_seek_table_of_a_tiny_file)
{
    struct blob zst = pack_text("a\n", 2);

    /* magic 4, frame header descriptor 0x24 (single segment, checksum, 1-byte size), size 2,
     * block header 3 (raw, last, 2 bytes: 2 << 3 | 1), 2 bytes, checksum 4: 15 bytes */
    static const unsigned char frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x24, 2, 0x11, 0, 0, 'a', '\n' };
    static const unsigned char table[] = { 0x5e, 0x2a, 0x4d, 0x18, 21, 0, 0, 0,
                                           15,   0,    0,    0,    2,  0, 0, 0 };
    static const unsigned char foot[] = { 1, 0, 0, 0, 0x80, 0xb1, 0xea, 0x92, 0x8f };

    cr_assert_eq(zst.size, 15 + 8 + 12 + 9);
    cr_assert_eq(memcmp(zst.data, frame, sizeof frame), 0);
    cr_assert_eq(memcmp(zst.data + 15, table, sizeof table), 0);
    /* zstd's own checksum of the frame is the same low half of XXH64 */
    cr_assert_eq(memcmp(zst.data + 15 + 16, zst.data + 11, 4), 0);
    cr_assert_eq(memcmp(zst.data + 35, foot, sizeof foot), 0);
    free(zst.data);
}

Test(trace_container, a_packed_trace_is_read_like_its_text)
{
    struct blob zst = pack_text(TINY, strlen(TINY));
    struct trace *t;
    struct trace_item item;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "t", zst.data, zst.size, false, &err), 0, "%s", err.msg);
    for (int round = 0; round < 2; round++) {
        do
            cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        while (item.kind != TRACE_ITEM_END);
        cr_assert_eq(trace_checksum(t), XXH64(TINY, strlen(TINY), 0));
        cr_assert_eq(trace_next(t, &item, &err), 0);
        cr_assert_eq(item.kind, TRACE_ITEM_END);
        cr_assert_eq(trace_rewind(t, &err), 0, "%s", err.msg);
    }
    trace_close(t);
    free(zst.data);
}

Test(trace_container, no_flipped_bit_gives_other_text)
{
    struct blob zst = pack_text(TINY, strlen(TINY)), text;
    struct err err;

    for (size_t i = 0; i < zst.size * 8; i++) {
        zst.data[i / 8] ^= (unsigned char)(1 << i % 8);
        int rc = unpack_data(zst.data, zst.size, &text, &err);
        /* the first bytes damaged, it is text to unpack, which is not checked; a trace it is not */
        if (i >= 32)
            cr_expect_eq(rc, -1, "bit %zu of byte %zu", i % 8, i / 8);
        cr_expect_eq(read_all(zst.data, zst.size, false, &err), -1, "bit %zu", i);
        cr_expect_null(strchr(err.msg, '\n'));
        cr_expect_gt(strlen(err.msg), 10);
        free(text.data);
        zst.data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    cr_assert_eq(read_all(zst.data, zst.size, false, &err), 0, "%s", err.msg);
    free(zst.data);
}

Test(trace_container, no_shorter_and_no_longer_file_is_taken)
{
    struct blob zst = pack_text(TINY, strlen(TINY));
    unsigned char *longer = calloc(2, zst.size);
    struct err err;

    memcpy(longer, zst.data, zst.size);
    for (size_t n = 0; n < zst.size; n++) {
        /* without its seek table a frame of a whole trace is what zstd itself writes */
        if (n == zst.size - 29) {
            cr_expect_eq(read_all(zst.data, n, false, &err), 0, "%s", err.msg);
            continue;
        }
        cr_expect_eq(read_all(zst.data, n, false, &err), -1, "%zu bytes", n);
        cr_expect_null(strchr(err.msg, '\n'));
    }
    for (size_t n = zst.size + 1; n < 2 * zst.size; n++)
        cr_expect_eq(read_all(longer, n, false, &err), -1, "%zu bytes", n);
    memcpy(longer + zst.size, zst.data, zst.size);
    cr_expect_eq(read_all(longer, 2 * zst.size, false, &err), -1, "two containers");
    free(longer);
    free(zst.data);
}

Test(trace_container, every_shorter_text_is_an_error)
{
    struct err err;

    /* but for the last newline, which may be missing */
    for (size_t n = 0; n + 1 < strlen(TINY); n++)
        cr_expect_eq(read_all(TINY, n, false, &err), -1, "%zu bytes", n);
    cr_expect_eq(read_all(TINY, strlen(TINY) - 1, false, &err), 0, "%s", err.msg);
}

static void expect_damage(const struct blob *b, const char *what)
{
    struct err err;

    cr_expect_eq(read_all(b->data, b->size, false, &err), -1, "%s", what);
    cr_expect_eq(err.code, ERR_FORMAT);
    cr_expect_str_eq(err.msg, what, "found %s\nexpected %s", err.msg, what);
}

static void write_u32(unsigned char *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

Test(trace_container, each_damage_has_its_message)
{
    struct blob b = pack_text(TINY, strlen(TINY));
    unsigned char *table = b.data + b.size - 9 - 12, *foot = b.data + b.size - 9, old[64];
    size_t size = b.size;

    memcpy(old, table - 8, 29);
    b.size = size - 1;
    expect_damage(&b, "t: damaged zstd container: no seek table at its end: truncated, or followed "
                      "by other bytes; if its text is whole, `zstd -dc t | cyclotron trace pack - "
                      "-o NEW.zst` packs it anew");
    b.size = 16;
    expect_damage(&b, "t: damaged zstd file: truncated in its frame");
    b.size = 5;
    expect_damage(&b, "t: damaged zstd file: truncated in the header of its frame");
    b.size = size;
    foot[4] = 0;
    expect_damage(&b, "t: damaged zstd container: seek table descriptor 0x00, expected 0x80");
    memcpy(table - 8, old, 29);
    write_u32(foot, UINT32_MAX);
    expect_damage(&b,
                  "t: damaged zstd container: its seek table lists 4294967295 frames, more than "
                  "it can hold");
    write_u32(foot, 0);
    expect_damage(&b, "t: damaged zstd container: its seek table does not start where its end says "
                      "it does");
    memcpy(table - 8, old, 29);
    write_u32(table, read_u32(table) + 1);
    char what[200];
    snprintf(what, sizeof what,
             "t: damaged zstd container: its seek table accounts for %zu bytes "
             "of frames, expected %zu",
             size - 29 + 1, size - 29);
    expect_damage(&b, what);
    memcpy(table - 8, old, 29);
    write_u32(table + 4, 5);
    expect_damage(&b,
                  "t: damaged zstd container: frame 0 does not have the sizes of the seek table");
    write_u32(table + 4, (4u << 20) + 1);
    expect_damage(&b, "t: damaged zstd container: frame 0 has 4194305 bytes of text, expected at "
                      "most 4194304");
    memcpy(table - 8, old, 29);
    write_u32(table + 8, read_u32(table + 8) + 1);
    expect_damage(&b,
                  "t: damaged zstd container: the text of frame 0 does not have the checksum of "
                  "the seek table");
    free(b.data);
}

Test(trace_container, a_bomb_is_refused_before_it_is_decompressed)
{
    size_t huge = 64u << 20;
    char *zeros = calloc(1, huge);
    unsigned char *b = malloc(ZSTD_compressBound(huge) + 64);
    size_t n = ZSTD_compress(b, ZSTD_compressBound(huge), zeros, huge, 19);
    static const uint32_t sizes[] = { 64u << 20, 1000 };
    static const char *const messages[] = {
        "t: damaged zstd container: frame 0 has 67108864 bytes of text, expected at most 4194304",
        "t: damaged zstd container: frame 0 does not have the sizes of the seek table",
    };

    cr_assert_lt(n, 10000);
    for (int i = 0; i < 2; i++) {
        write_u32(b + n, 0x184D2A5E);
        write_u32(b + n + 4, 21);
        write_u32(b + n + 8, (uint32_t)n);
        write_u32(b + n + 12, sizes[i]);
        write_u32(b + n + 16, (uint32_t)XXH64(zeros, huge, 0));
        write_u32(b + n + 20, 1);
        b[n + 24] = 0x80;
        write_u32(b + n + 25, 0x8F92EAB1);
        expect_damage(&(struct blob){ b, n + 29 }, messages[i]);
    }
    free(b);
    free(zeros);
}

Test(trace_container, noise_is_refused)
{
    for (unsigned seed = 0; seed < 2000; seed++) {
        unsigned char noise[256];
        unsigned x = seed;
        for (size_t i = 0; i < sizeof noise; i++) {
            x = x * 1103515245u + 12345u;
            noise[i] = (unsigned char)(x >> 16);
        }
        if (seed % 2) /* as if it were zstd */
            write_u32(noise, ZSTD_MAGICNUMBER);
        struct err err;
        cr_assert_eq(read_all(noise, seed % sizeof noise, false, &err), -1);
        cr_assert_null(strchr(err.msg, '\n'));
    }
}

Test(trace_container, files_that_cannot_be_read)
{
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open(&t, "/nowhere/x.trace", false, &err), -1);
    cr_assert_str_eq(err.msg, "/nowhere/x.trace: No such file or directory");
    cr_assert_eq(err.code, ERR_IO);
    cr_assert_eq(trace_open(&t, "/", false, &err), -1);
    cr_assert_str_eq(err.msg, "/: Is a directory");
    cr_assert_null(t);
}

Test(trace_container, a_full_disk_is_an_error)
{
    FILE *full = fopen("/dev/full", "w"), *in = fmemopen((char[]){ TINY }, strlen(TINY), "r");
    struct err err;

    cr_assert_not_null(full);
    cr_assert_eq(trace_pack(in, full, &err), -1);
    cr_assert_str_eq(err.msg, "writing a zstd container: No space left on device");
    cr_assert_eq(err.code, ERR_IO);
    fclose(full);
    fclose(in);
}

Test(trace_container, standard_input_can_be_rewound)
{
    int pipes[2];
    struct trace *t;
    struct trace_item item;
    struct err err;

    cr_assert_eq(pipe(pipes), 0);
    cr_assert_eq(write(pipes[1], TINY, strlen(TINY)), (ssize_t)strlen(TINY));
    close(pipes[1]);
    cr_assert_geq(dup2(pipes[0], 0), 0);
    cr_assert_eq(trace_open(&t, "-", false, &err), 0, "%s", err.msg);
    cr_assert_str_eq(trace_file(t), "<stdin>");
    for (int round = 0; round < 2; round++) {
        do
            cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        while (item.kind != TRACE_ITEM_END);
        cr_assert_eq(trace_rewind(t, &err), 0);
    }
    trace_close(t);
}

/* Heap in use after reading a trace of so many steps, the reader still open. */
static size_t heap_after(unsigned steps)
{
    char path[32] = "/tmp/trace-test-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w+");
    struct trace *t;
    struct trace_item item;
    struct err err;

    fputs("cyclotron-trace 1\ntensor %x f32[8,16] input\n", f);
    for (unsigned i = 0; i < steps; i++) {
        fputs("step {\n", f);
        for (unsigned j = 0; j < 50; j++)
            fprintf(f, "%%step%u.op%u f32[8,8] = matmul(%%x, %%x) tb=1 note=\"number %u\"\n", i, j,
                    j);
        fputs("}\n", f);
    }
    fclose(f);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    cr_assert_eq(trace_open(&t, path, false, &err), 0, "%s", err.msg);
    do
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
    while (item.kind != TRACE_ITEM_END);
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    trace_close(t);
    unlink(path);
    return after - before;
}

Test(trace_container, memory_does_not_grow_with_the_steps)
{
    size_t few = heap_after(30), many = heap_after(3000); /* 10 MB of text */

    cr_assert_lt(few, 400000, "%zu", few);
    cr_assert_lt(many, few + 20000, "%zu and %zu", few, many);
}
