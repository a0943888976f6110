/* Files that `trace pack` did not write: read if they hold a trace, named if they do not. */
#include <zstd.h>

#include "tests/unit/trace/trace_blob.h"

/* One frame of `text` as zstd writes it; `flags`: with a checksum, with the size of the text. */
static struct blob compress_alone(const char *text, size_t size, int level, int checksum, int sized)
{
    struct blob b = { malloc(ZSTD_compressBound(size)), 0 };
    ZSTD_CCtx *zstd = ZSTD_createCCtx();

    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, checksum);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, sized);
    b.size = ZSTD_compress2(zstd, b.data, ZSTD_compressBound(size), text, size);
    cr_assert(!ZSTD_isError(b.size));
    ZSTD_freeCCtx(zstd);
    return b;
}

/* A trace of so many steps with notes, all alike. */
static char *long_trace(unsigned steps, size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);

    fputs("cyclotron-trace 1\n", out);
    for (unsigned i = 0; i < steps; i++)
        fprintf(out, "step {\n  %%y f32[4] = rng() note=\"step %u\"\n}\n", i);
    fclose(out);
    return text;
}

/* read_all, of more steps than a trace usually may have. */
static int read_many(const void *data, size_t size, struct err *err)
{
    struct trace_limits limits = trace_limits_usual;
    struct trace_item item;
    struct trace *t;
    int rc;

    if (trace_open_memory(&t, "t", data, size, false, err) != 0)
        return -1;
    limits.steps = 200000;
    trace_limit(t, &limits);
    do
        rc = trace_next(t, &item, err);
    while (rc == 0 && item.kind != TRACE_ITEM_END);
    trace_close(t);
    return rc;
}

Test(trace_files, what_zstd_packed_is_read_like_its_text)
{
    static const struct {
        unsigned steps;
        int level, checksum, sized;
    } rows[] = { { 1, 3, 1, 1 },     { 1, 19, 0, 1 },     { 9000, 3, 1, 1 },
                 { 9000, 1, 1, 0 },  { 9000, 19, 0, 0 },  { 20000, 3, 1, 0 },
                 { 40000, 3, 1, 1 }, { 200000, 1, 1, 1 }, { 20000, 19, 0, 1 } };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct blob text, back;
        struct err err;
        text.data = (unsigned char *)long_trace(rows[i].steps, &text.size);
        struct blob zst = compress_alone((char *)text.data, text.size, rows[i].level,
                                         rows[i].checksum, rows[i].sized);
        cr_expect_eq(read_many(zst.data, zst.size, &err), 0, "row %u: %s", i, err.msg);
        cr_expect_eq(unpack_data(zst.data, zst.size, &back, &err), 0, "row %u: %s", i, err.msg);
        cr_expect_eq(back.size, text.size);
        cr_expect_eq(memcmp(back.data, text.data, text.size), 0);
        free(back.data);
        free(text.data);
        free(zst.data);
    }
}

/* A comment of `size` bytes behind a trace of one step, packed as zstd does. */
static int read_alone(size_t size, int checksum, struct err *err)
{
    char *text = malloc(size);
    size_t head = strlen(TINY);

    memcpy(text, TINY, head);
    memset(text + head, '#', size - head);
    for (size_t i = head + 80; i < size; i += 80)
        text[i - 1] = '\n';
    struct blob zst = compress_alone(text, size, 3, checksum, 1);
    int rc = read_all(zst.data, zst.size, false, err);
    zst.data[zst.size - 1] ^= checksum ? 1 : 0;
    if (checksum)
        cr_expect_eq(read_all(zst.data, zst.size, false, &(struct err){ 0 }), -1, "%zu", size);
    free(zst.data);
    free(text);
    return rc;
}

/* Around the sizes at which `trace pack` cuts frames, and around those at which the header of a
 * frame changes its form. */
Test(trace_files, a_lone_frame_of_any_size_is_believed)
{
    static const size_t sizes[] = {
        100,    255,     256,     (1 << 16) + 255, (1 << 16) + 256, 1 << 19,
        565087, 1 << 20, 3 << 19, 1 << 21,         4 << 20,         (4 << 20) + 1
    };
    struct err err;

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t size = sizes[i] - 1; size <= sizes[i] + 1; size++)
            for (int checksum = 0; checksum < 2; checksum++)
                cr_expect_eq(read_alone(size, checksum, &err), 0, "%zu: %s", size, err.msg);
}

/* The containers below have steps that could end anywhere: only the seek table knows the last. */
Test(trace_files, a_container_cut_between_its_frames_is_no_shorter_trace)
{
    struct blob text, zst;
    struct err err;

    text.data = (unsigned char *)long_trace(80000, &text.size);
    zst = pack_text(text.data, text.size);
    const unsigned char *foot = zst.data + zst.size - 9;
    uint32_t n = read_u32(foot);
    cr_assert_geq(n, 4);
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        at += read_u32(foot - 12 * (n - i));
        cr_expect_eq(read_all(zst.data, at, false, &err), -1, "cut after frame %u", i);
        const char *what = i == 0 ? "t:1:1: no text, expected 'cyclotron-trace 1'"
                                  : "`zstd -dc t | cyclotron trace pack - -o NEW.zst`";
        cr_expect_neq(strstr(err.msg, what), NULL, "%s", err.msg);
    }
    free(text.data);
    free(zst.data);
}

Test(trace_files, between_the_first_and_the_last_no_frame_has_less_than_half_a_mebibyte)
{
    /* lines of 1 to 700000 bytes */
    size_t size = 6 << 20;
    char *text = random_text(size, 5, 700000);
    struct blob zst = pack_text(text, size);
    const unsigned char *foot = zst.data + zst.size - 9;
    uint32_t n = read_u32(foot);

    cr_expect_eq(read_u32(foot - 12 * n + 4), 0, "the first is empty");
    for (uint32_t i = 1; i + 1 < n; i++)
        cr_expect_geq(read_u32(foot - 12 * (n - i) + 4), 1u << 19);
    free(zst.data);
    free(text);
}

Test(trace_files, a_flipped_bit_of_a_checked_frame_gives_no_other_text)
{
    struct blob zst = compress_alone(TINY, strlen(TINY), 3, 1, 1), text;
    struct err err;

    for (size_t i = 32; i < zst.size * 8; i++) {
        zst.data[i / 8] ^= (unsigned char)(1 << i % 8);
        if (unpack_data(zst.data, zst.size, &text, &err) == 0) {
            cr_expect_eq(text.size, strlen(TINY), "bit %zu", i);
            cr_expect_eq(memcmp(text.data, TINY, text.size), 0, "bit %zu", i);
        }
        free(text.data);
        zst.data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    free(zst.data);
}

static void expect_refused(const char *name, const void *head, size_t n, const char *what)
{
    struct trace *t;
    struct err err;

    cr_expect_eq(trace_open_memory(&t, name, head, n, false, &err), -1, "%s", what);
    cr_expect_str_eq(err.msg, what, "found %s\nexpected %s", err.msg, what);
}

Test(trace_files, files_of_other_kinds_are_named)
{
#define PIPE "cyclotron trace check -` reads it, as other commands do with - for the trace"
    expect_refused("a.gz", "\x1f\x8b\x08\0\0\0", 6,
                   "a.gz: gzip data, expected UTF-8 text or zstd; `zcat a.gz | " PIPE);
    expect_refused("<stdin>", "\x1f\x8b\x08\0\0\0", 6,
                   "<stdin>: gzip data, expected UTF-8 text or zstd; send it through `zcat` first");
    expect_refused("a.xz",
                   "\xfd"
                   "7zXZ\0\0",
                   7, "a.xz: xz data, expected UTF-8 text or zstd; `xzcat a.xz | " PIPE);
    expect_refused("a", "PK\003\004rest", 8,
                   "a: a zip archive, expected UTF-8 text or zstd; `unzip -p a | " PIPE);
    expect_refused("u",
                   "\xff\xfe"
                   "c\0y\0",
                   6,
                   "u: UTF-16 text, expected UTF-8 text or zstd; "
                   "`iconv -f UTF-16 -t UTF-8 u | " PIPE);
    expect_refused("u", "\xfe\xff\0c\0y", 6,
                   "u: UTF-16 text, expected UTF-8 text or zstd; "
                   "`iconv -f UTF-16 -t UTF-8 u | " PIPE);
    expect_refused("u", "c\0y\0c\0", 6,
                   "u: UTF-16 text without a mark, expected UTF-8 text or zstd; "
                   "`iconv -f UTF-16LE -t UTF-8 u | " PIPE);
    expect_refused("s.db", "SQLite format 3\0\1\2", 18,
                   "s.db: a database: `cyclotron profile` reads one of Nsight Systems, `cyclotron "
                   "sweep report` one of `sweep --db`; expected a trace");
#undef PIPE
}

Test(trace_files, text_of_other_kinds_is_named)
{
#define FIRST "t:1:1: expected 'cyclotron-trace 1', the first line of a trace; this looks like "
    static const char *const rows[][2] = {
        { "{\n \"a\": 1 }\n", FIRST "JSON, such as the result of a run" },
        { "[1, 2]\n", FIRST "JSON, such as the result of a run" },
        { "# a machine\n[machine]\n",
          "t:2:1: expected 'cyclotron-trace 1', the first line of a trace; this looks like a "
          "machine file, which -m takes" },
        { "base = tpu-v3\n",
          FIRST "a machine file or a plan, which -m and `cyclotron sweep` take" },
        { "HloModule jit_f\n", FIRST "a program of XLA, which is not read: write its operations "
                                     "as docs/reference/trace-format.md says" },
        { "<!DOCTYPE html>\n", FIRST "a page of HTML" },
    };
    struct err err;

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(read_all(rows[i][0], strlen(rows[i][0]), false, &err), -1);
        cr_expect_str_eq(err.msg, rows[i][1], "found %s\nexpected %s", err.msg, rows[i][1]);
    }
#undef FIRST
}

Test(trace_files, text_from_other_systems_is_read)
{
    static const char dos[] = "\xef\xbb\xbf"
                              "cyclotron-trace 1\r\nworkload \"a b\"\r\n"
                              "step {\r\n  %y f32[4] = rng()\r\n}\r\n";
    struct err err;
    char *printed = print_canonical(dos);

    cr_expect_str_eq(printed, "cyclotron-trace 1\nworkload \"a b\"\nsamples step=1\n"
                              "dtype tensors=f32 matmul=bf16 activations=keep\n"
                              "step {\n  %y f32[4] = rng()\n}\n");
    free(printed);
    /* it is packed as it stands */
    struct trace *t = open_text(dos, false);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(trace_unpack(t, out, &err), 0, "%s", err.msg);
    fclose(out);
    cr_expect_eq(size, strlen(dos));
    cr_expect_eq(memcmp(text, dos, size), 0);
    cr_expect_eq(trace_rewind(t, &err), 0, "%s", err.msg);
    trace_close(t);
    free(text);
    /* a mark elsewhere is no blank */
    cr_expect_eq(read_all(TINY "\xef\xbb\xbf", strlen(TINY) + 3, false, &err), -1);
}
