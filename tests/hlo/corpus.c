/* corpus.c - import every HLO text below a folder: how many become traces, which do not, and why.
 *
 * A file is HLO if its name ends in .hlo or .hlo.zst, or if it begins like a module.  Each module
 * of a file is parsed, imported twice, which has to give the same text, and read as a trace.  What
 * the trace reader refuses is a mistake of the importer: the program fails. */
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "hlo/hlo_module.h"
#include "import/hlo/import.h"

static struct {
    uint64_t files, modules, bytes;
    uint64_t refused; /* by the parser */
    uint64_t instructions, scheduled;
    uint64_t not_imported, not_read; /* by import_hlo(), by the reader of traces */
    uint64_t different;              /* the second time */
    uint64_t ops, unmodelled, loops, guessed, conditionals;
    double flops, bytes_moved, unmodelled_flops, unmodelled_bytes;
    uint64_t counted, far; /* beside the compiler's FLOPs */
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

static void count_trace(const char *path, const char *text, size_t size)
{
    struct trace_totals totals;
    struct trace *t;
    struct err err;

    trace_totals_init(&totals);
    if (trace_open_memory(&t, path, text, size, false, &err) == 0 &&
        trace_sum(t, &totals, &err) == 0)
        sums.ops += totals.ops;
    trace_close(t);
    trace_totals_clear(&totals);
}

/* The importer has written a line that is none of a trace. */
static bool is_mistake(const struct err *err)
{
    return strstr(err->msg, ": as a line of a trace: ") != NULL;
}

static double get_share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : 0;
}

/* FLOPs beside those of the compiler, which counts the body of a loop once. */
static void compare_flops(const char *path, const struct hlo_module *m, uint64_t flops)
{
    static const char key[] = "\"flops\": ";
    const char *at =
        m->comment.size ? memmem(m->comment.at, m->comment.size, key, sizeof key - 1) : NULL;
    double theirs = at ? strtod(at + sizeof key - 1, NULL) : 0;

    if (theirs <= 0)
        return;
    sums.counted++;
    if ((double)flops < 0.99 * theirs || (double)flops > 1.01 * theirs) {
        sums.far++;
        printf("%s: %" PRIu64 " FLOP, the compiler says %.0f: %+.2f %%\n", path, flops, theirs,
               100 * ((double)flops / theirs - 1));
    }
}

static void sum_totals(const char *path, const struct import_totals *t)
{
    double flops = get_share(t->unmodelled_flops, t->flops);
    double bytes = get_share(t->unmodelled_bytes, t->bytes);

    sums.unmodelled += t->unmodelled_instructions;
    sums.loops += t->loops;
    sums.guessed += t->guessed_loops;
    sums.conditionals += t->conditionals;
    sums.flops += (double)t->flops;
    sums.bytes_moved += (double)t->bytes;
    sums.unmodelled_flops += (double)t->unmodelled_flops;
    sums.unmodelled_bytes += (double)t->unmodelled_bytes;
    if (flops > 0.001 || bytes > 0.01)
        printf("%s: not modelled: %.2f %% of FLOPs, %.2f %% of bytes\n", path, 100 * flops,
               100 * bytes);
}

static void import_module(const char *path, const struct hlo_module *m)
{
    struct import_totals totals, again_totals;
    size_t size, again_size;
    struct err err, again_err;
    char *text, *again;

    if (import_hlo_text(m, NULL, &text, &size, &totals, &err) != 0) {
        sums.not_imported++;
        sums.not_read += is_mistake(&err);
        printf("not imported: %s\n", err.msg);
        return;
    }
    if (import_hlo_text(m, NULL, &again, &again_size, &again_totals, &again_err) != 0 ||
        size != again_size || memcmp(text, again, size) != 0 ||
        memcmp(&totals, &again_totals, sizeof totals) != 0) {
        sums.different++;
        printf("%s: imported twice, it is not the same\n", path);
    }
    sum_totals(path, &totals);
    compare_flops(path, m, totals.flops_once);
    count_trace(path, text, size);
    free(text);
    free(again);
}

static void read_module(const char *path, const struct hlo_piece *piece)
{
    struct hlo_module *m;
    struct err err;

    sums.modules++;
    sums.bytes += piece->end - piece->begin;
    if (hlo_parse_piece(&m, path, piece, &err) != 0) {
        sums.refused++;
        printf("not parsed: %s\n", err.msg);
        return;
    }
    sums.instructions += m->n_instructions;
    sums.scheduled += m->scheduled;
    import_module(path, m);
    hlo_free(m);
}

static void read_modules(const char *path, const char *text, size_t size)
{
    struct hlo_piece *piece;
    uint32_t n = hlo_pieces(text, size, &piece);

    for (uint32_t i = 0; i < n; i++)
        read_module(path, &piece[i]);
    free(piece);
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
    uint64_t parsed = sums.modules - sums.refused;
    printf("%" PRIu64 " files, %" PRIu64 " modules, %.1f MB: %" PRIu64 " not parsed; %" PRIu64
           " parsed (%" PRIu64 " scheduled, %" PRIu64 " instructions)\n",
           sums.files, sums.modules, (double)sums.bytes * 1e-6, sums.refused, parsed,
           sums.scheduled, sums.instructions);
    printf("%" PRIu64 " imported, %" PRIu64 " not; %" PRIu64
           " that the trace reader refuses, %" PRIu64 " not the same twice\n",
           parsed - sums.not_imported, sums.not_imported, sums.not_read, sums.different);
    printf("%" PRIu64 " operations, %" PRIu64 " of custom calls that nothing is known of; %" PRIu64
           " loops, %" PRIu64 " of a count that data decide; %" PRIu64 " conditionals\n",
           sums.ops, sums.unmodelled, sums.loops, sums.guessed, sums.conditionals);
    printf("%.3g FLOP, %.4f %% of it not modelled; %.3g B, %.4f %% of it; FLOPs of %" PRIu64
           " modules beside the compiler's, %" PRIu64 " of them off by more than 1 %%\n",
           sums.flops, 100 * sums.unmodelled_flops / (sums.flops > 0 ? sums.flops : 1),
           sums.bytes_moved,
           100 * sums.unmodelled_bytes / (sums.bytes_moved > 0 ? sums.bytes_moved : 1),
           sums.counted, sums.far);
    return sums.not_read || sums.different;
}
