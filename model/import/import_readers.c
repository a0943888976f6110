#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "fusion/fusion.h"
#include "hlo/hlo_module.h"
#include "import/chakra/chakra_import.h"
#include "import/hlo/import.h"
#include "import/import_pick.h"
#include "import/import_reader.h"
#include "import/kineto/kineto_import.h"
#include "import/scalesim/scalesim.h"

/* Add "12 nodes are ...", if there are any. */
static void add_note(struct import_result *result, uint64_t n, const char *what)
{
    size_t used = strlen(result->notes);

    if (n > 0)
        snprintf(result->notes + used, sizeof result->notes - used, "%s%" PRIu64 " %s",
                 used ? "; " : "", n, what);
}

static bool likes_hlo(const void *data, size_t size)
{
    return hlo_looks_like(data, size);
}

/* A program that is not scheduled becomes what our own passes make of it, where they can; *text
 * holds it then. */
static void fuse_module(struct hlo_module **m, const struct import_request *q, char **text)
{
    struct hlo_module *fused;
    struct err ignored;
    size_t size;

    *text = fusion_text(*m, q->gpu ? FUSION_GPU : FUSION_TPU, &size);
    if (*text == NULL)
        return;
    if (hlo_parse(&fused, q->name, *text, size, &ignored) == 0) {
        hlo_free(*m);
        *m = fused;
        return;
    }
    free(*text); /* the program was wrong before: its own text says where */
    *text = NULL;
}

/* One of the modules of a text as a trace. */
static int read_piece(const struct import_request *q, const struct hlo_piece *piece,
                      const char *place, struct import_result *result, FILE *out, struct err *err)
{
    struct import_options o = {
        .samples = q->samples, .place = place, .gpu = q->gpu, .wide16 = q->wide16
    };
    struct import_totals totals;
    struct hlo_module *m;

    if (hlo_parse_piece(&m, q->name, piece, err) != 0)
        return -1;
    snprintf(result->format, sizeof result->format, "HLO text, %u instructions%s",
             m->n_instructions, m->scheduled ? "" : " without a schedule");
    char *fused;
    fuse_module(&m, q, &fused);
    o.fused = fused != NULL;
    char *text;
    size_t size;
    int rc = import_hlo_text(m, &o, &text, &size, &totals, err);
    hlo_free(m);
    free(fused);
    if (rc == 0 && fwrite(text, 1, size, out) != size)
        rc = err_set(err, ERR_IO, "%.200s: %s", q->name, strerror(errno));
    free(text);
    result->uncovered = totals.unmodelled_instructions;
    add_note(result, totals.guessed_loops, "loops run as often as data say and count as one turn");
    add_note(result, totals.conditionals, "conditionals take the branch with the most work");
    return rc;
}

static int read_hlo(const struct import_request *q, struct import_result *result, FILE *out,
                    struct err *err)
{
    struct hlo_piece *piece;
    char place[200];
    uint32_t n = hlo_pieces(q->data, q->size, &piece), which;
    int rc = import_pick(q, piece, n, &which, err);

    if (rc == 0) {
        import_pick_place(piece, n, which, place, sizeof place);
        rc = read_piece(q, &piece[which], n > 1 ? place : NULL, result, out, err);
    }
    if (rc == 0 && n > 1) {
        size_t used = strlen(result->notes);
        snprintf(result->notes + used, sizeof result->notes - used, "%s%s", used ? "; " : "",
                 place);
    }
    free(piece);
    return rc;
}

static int read_chakra(const struct import_request *q, struct import_result *result, FILE *out,
                       struct err *err)
{
    struct chakra_import x = { .samples = q->samples,
                               .ranks = q->ranks,
                               .allow_unknown = q->allow_unknown };

    if (chakra_import(q->name, q->data, q->size, &x, out, err) != 0)
        return -1;
    snprintf(result->format, sizeof result->format,
             "Chakra execution trace%s%s, %" PRIu64 " nodes%s", *x.version ? " " : "", x.version,
             x.nodes, x.own ? ", which cyclotron wrote" : "");
    result->uncovered = x.uncovered;
    add_note(result, x.skipped, "nodes have no operation (host, metadata, nothing to move)");
    add_note(result, x.measured,
             "operations state neither FLOPs nor bytes and take the time that was "
             "recorded, on any machine");
    add_note(result, x.empty,
             "operations state neither FLOPs nor bytes nor a time and cost nothing");
    add_note(result, x.dangling, "dependencies are on nodes that the file lacks");
    return 0;
}

static int read_scalesim(const struct import_request *q, struct import_result *result, FILE *out,
                         struct err *err)
{
    struct scalesim_notes notes;

    if (scalesim_import(q->name, q->data, q->size, q->samples, out, &notes, err) != 0)
        return -1;
    snprintf(result->format, sizeof result->format, "SCALE-Sim topology");
    add_note(result, notes.sparse, "layers with sparse filters are computed as dense ones");
    add_note(result, notes.titles, "lines without numbers are taken for titles");
    return 0;
}

static double unread_percent(const struct trace_recorded *r)
{
    EXACT_Q(share);
    trace_unread_share(share, r);
    return 100 * mpq_get_d(share);
}

static int read_kineto(const struct import_request *q, struct import_result *result, FILE *out,
                       struct err *err)
{
    struct kineto_import x = { .samples = q->samples };
    char share[128] = "";

    if (kineto_import(q->name, q->data, q->size, &x, out, err) != 0)
        return -1;
    snprintf(result->format, sizeof result->format,
             "a recording of PyTorch%s%.40s, %" PRIu64 " kernels", *x.device ? " on " : "",
             x.device, x.kernels);
    result->uncovered = x.unknown;
    if (x.steps > 1)
        snprintf(share, sizeof share, "; one of %" PRIu64 " steps, told by %s", x.steps, x.found);
    plain_text(result->notes, sizeof result->notes,
               "%.1f %% of the recorded time is not known%s%s%s%s", unread_percent(&x.recorded),
               x.unknown ? " (most of it " : "", x.unknown ? x.worst : "", x.unknown ? ")" : "",
               share);
    add_note(result, x.timed,
             "of them state no shapes and take the time that was recorded, on any machine");
    add_note(
        result, x.lost,
        "launches have no kernel in the file: their work is left out, as long as that of others "
        "on average");
    if (x.ranks > 1)
        add_note(result, x.ranks, "ranks ran it, of which this file is one");
    return 0;
}

/* The first that likes a file reads it: what knows its files best stands first. */
static const struct import_reader readers[] = {
    { "HLO text", likes_hlo, true, read_hlo },
    { "a recording of PyTorch's profiler", kineto_import_likes, false, read_kineto },
    { "a SCALE-Sim topology", scalesim_likes, false, read_scalesim },
    { "a Chakra execution trace", chakra_import_likes, false, read_chakra },
};
#define N_READERS (sizeof readers / sizeof *readers)

const struct import_reader *import_reader_of(const void *data, size_t size)
{
    for (size_t i = 0; i < N_READERS; i++)
        if (readers[i].likes(data, size))
            return &readers[i];
    return NULL;
}

void import_reader_names(char *buf, size_t size)
{
    size_t n = 0;

    *buf = '\0';
    for (size_t i = 0; i < N_READERS && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%s",
                              i == 0               ? ""
                              : i + 1 == N_READERS ? " or "
                                                   : ", ",
                              readers[i].name);
}
