/* corpus.c - read every HLO text below a folder: how many are read, which are refused, and why.
 *
 * A file is HLO if its name ends in .hlo or .hlo.zst, or if it begins like a module.  A line
 * `// -----` parts modules of one file, as in the tests of XLA. */
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "hlo/hlo_module.h"

static struct {
    uint64_t files, modules, refused, instructions, bytes, scheduled;
} sums;

/* --- bytes -------------------------------------------------------------------------------- */

static char *read_plain(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, cap = 0;

    *size = 0;
    if (!in)
        return NULL;
    do {
        cap = cap ? 2 * cap : 1 << 16;
        text = memory_resize(text, cap, 1);
        n = fread(text + *size, 1, cap - *size, in);
        *size += n;
    } while (*size == cap);
    fclose(in);
    return text;
}

/* All frames of `packed`; NULL if they are none. */
static char *unpack_zstd(const char *packed, size_t size, size_t *unpacked)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    ZSTD_inBuffer in = { packed, size, 0 };
    size_t cap = 4 * size + 65536;
    ZSTD_outBuffer out = { memory_resize(NULL, cap, 1), cap, 0 };

    while (in.pos < in.size) {
        size_t rc = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(rc)) {
            free(out.dst);
            out.dst = NULL;
            break;
        }
        if (out.pos == out.size) {
            out.size = 2 * out.size;
            out.dst = memory_resize(out.dst, out.size, 1);
        }
    }
    ZSTD_freeDStream(z);
    *unpacked = out.pos;
    return out.dst;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

static char *read_text(const char *path, size_t *size)
{
    char *bytes = read_plain(path, size);

    if (!bytes || !ends_with(path, ".zst"))
        return bytes;
    char *text = unpack_zstd(bytes, *size, size);
    free(bytes);
    return text;
}

/* --- modules ------------------------------------------------------------------------------ */

static void read_module(const char *path, const char *text, size_t size)
{
    struct hlo_module *m;
    struct err err;

    sums.modules++;
    sums.bytes += size;
    if (hlo_parse(&m, path, text, size, &err) != 0) {
        sums.refused++;
        printf("%s\n", err.msg);
        return;
    }
    sums.instructions += m->n_instructions;
    sums.scheduled += m->scheduled;
    hlo_free(m);
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] > ' ')
            return false;
    return true;
}

/* The line `// -----` behind which another module begins, or NULL. */
static const char *find_cut(const char *text, size_t size)
{
    static const char mark[] = "\n// -----";
    const char *end = text + size;

    for (const char *at = text; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)); at++)
        if (hlo_looks_like(at + 1, (size_t)(end - at - 1)))
            return at + 1;
    return NULL;
}

static void read_modules(const char *path, const char *text, size_t size)
{
    for (unsigned part = 1; size > 0; part++) {
        const char *cut = find_cut(text, size);
        size_t n = cut ? (size_t)(cut - text) : size;
        if (!is_blank(text, n)) {
            char *name = part > 1 || cut ? memory_format("%s[%u]", path, part) : memory_copy(path);
            read_module(name, text, n);
            free(name);
        }
        text += n;
        size -= n;
    }
}

static int visit_file(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    size_t size;

    (void)st;
    (void)ftw;
    if (kind != FTW_F)
        return 0;
    char *text = read_text(path, &size);
    if (!text) {
        printf("%s: cannot be read\n", path);
        return 0;
    }
    if (ends_with(path, ".hlo") || ends_with(path, ".hlo.zst") || hlo_looks_like(text, size)) {
        sums.files++;
        read_modules(path, text, size);
    }
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 || !*argv[1] || nftw(argv[1], visit_file, 32, FTW_PHYS) != 0) {
        fprintf(stderr, "usage: corpus FOLDER\n");
        return 2;
    }
    printf("%" PRIu64 " files, %" PRIu64 " modules: %" PRIu64 " read (%" PRIu64
           " scheduled, %" PRIu64 " instructions), %" PRIu64 " refused; %.1f MB\n",
           sums.files, sums.modules, sums.modules - sums.refused, sums.scheduled, sums.instructions,
           sums.refused, (double)sums.bytes * 1e-6);
    return 0;
}
