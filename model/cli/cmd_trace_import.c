/* `cyclotron trace import|export`: traces from files of other tools, and files for them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/text_write.h"
#include "cli/cmd_trace.h"
#include "cli/options/cli_complete.h"
#include "import/chakra/chakra_export.h"
#include "import/import_trace.h"
#include "import/open.h"

/* Keys of options without a letter. */
enum {
    KEY_SAMPLES = 0x310,
    KEY_RANKS,
    KEY_RANK,
    KEY_STEP,
    KEY_UNKNOWN,
    KEY_MODULE,
    KEY_JSON,
    KEY_CHAKRA
};

#define MOST_RANKS 2147483647

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct cmd_trace_request *q = state->input;

    switch (key) {
    case KEY_SAMPLES: return cli_option_count(q->name, "samples", arg, INT64_MAX, &q->samples);
    case KEY_RANKS: return cli_option_count(q->name, "ranks", arg, MOST_RANKS, &q->ranks);
    case KEY_STEP: return cli_option_count(q->name, "step", arg, UINT32_MAX, &q->step);
    case KEY_RANK:
        if (cli_count(arg, 0, MOST_RANKS - 1, &q->rank))
            return 0;
        cli_usage(q->name, "--rank %.40s: expected a number from 0 to %d", arg, MOST_RANKS - 1);
        return EINVAL;
    case KEY_UNKNOWN: q->allow_unknown = true; return 0;
    case KEY_MODULE: q->module = arg; return 0;
    case KEY_JSON: q->json = true; return 0;
    case KEY_CHAKRA: return 0;
    default: return cmd_trace_parse(key, arg, state);
    }
}

/* clang-format off */
#define JSON_OPTION { "json", KEY_JSON, 0, 0, "Write the line on standard error as JSON", 0 }
/* clang-format on */

/* --- import ------------------------------------------------------------------------------- */

static const struct argp_option import_options[] = {
    { "samples", KEY_SAMPLES, "N", 0,
      "Samples in a step of one device (what the file says; of a program that says nothing, "
      "unknown)",
      0 },
    { "ranks", KEY_RANKS, "N", 0, "Ranks that a Chakra trace is for (what the file says)", 0 },
    { "module", KEY_MODULE, "NAME|NUMBER", 0,
      "The module to read of a text of HLO that holds several (the first)", 0 },
    { "allow-unknown", KEY_UNKNOWN, 0, 0,
      "Take what no operation of a trace does: as traffic of memory, or not at all", 0 },
    JSON_OPTION,
    CLI_OUTPUT_OPTION(CMD_TRACE_ENDINGS),
    CLI_HELP_OPTION,
    { 0 }
};

const struct argp cmd_trace_import_argp = {
    import_options,
    parse_option,
    "FILE...",
    "Make a trace of a file of another tool, whose first bytes say which it is.\v"
    "FILE is one of\n"
    "  HLO: a program as XLA prints it, plain (.hlo, .txt) or packed (.hlo.zst).\n"
    "    scripts/compile writes such files. Each instruction of the schedule\n"
    "    becomes an operation; of a text with several modules --module chooses one\n"
    "  Chakra: an execution trace (.et) of one rank. Its nodes become operations,\n"
    "    in an order that their dependencies allow; one that `trace export` wrote\n"
    "    comes back as it was\n"
    "  SCALE-Sim: a topology (.csv). Each layer becomes a conv or a matmul\n"
    "  PyTorch: a step that its profiler recorded with record_shapes=True (.json,\n"
    "    .json.gz). What each kernel is follows from its operation, how long it\n"
    "    takes from the machine; the time of the host is the recorded one. Of files\n"
    "    of several ranks the one with most work is the step of all\n"
    "No command needs the trace: replay, compare and others read these files too.\n"
    "One line on standard error says what was read, and how many operations are\n"
    "uncovered: the file tells their FLOPs and bytes, not what they compute.\n"
    "docs/reference/trace-format.md, \"Other formats\", has the rules.\n\n"
    "Examples:\n"
    "  cyclotron trace import step.hlo.zst -o step.trace.zst\n"
    "  cyclotron trace import chakra.0.et --ranks 8 -o chakra.trace.zst\n"
    "  cyclotron trace import alexnet.csv --samples 32 -o alexnet.trace\n"
    "  cyclotron replay alexnet.csv -m tpu-v3-1\n",
    NULL,
    NULL,
    NULL
};

void cmd_trace_import_words(const char *const *word, size_t n, struct cli_offer *o)
{
    (void)word;
    if (n == 0)
        cli_offer_files(o, ".hlo .zst .txt .et .csv .json .gz");
}

static void tell_import_text(const struct import_request *r, const struct import_result *result,
                             const struct trace_totals *s)
{
    gmp_fprintf(stderr,
                "%s: %s: %" PRIu64 " operations, %" PRIu64
                " uncovered; %Zd FLOP, %Zd B read and written, "
                "%Zd B of collectives%s%s\n",
                r->name, result->format, s->ops, result->uncovered, s->flops, s->reads,
                s->reduce_bytes, *result->notes ? "; " : "", result->notes);
}

static void tell_import_json(const struct import_request *r, const struct import_result *result,
                             const struct trace_totals *s)
{
    struct json_write w;

    json_write_begin(&w, stderr);
    json_write_object(&w, NULL, JSON_LAYOUT_LINE);
    json_write_string(&w, "file", r->name);
    json_write_string(&w, "format", result->format);
    json_write_integer(&w, "operations", s->ops);
    json_write_integer(&w, "uncovered", result->uncovered);
    json_write_whole(&w, "flops", s->flops);
    json_write_whole(&w, "memory_bytes", s->reads);
    json_write_whole(&w, "collective_bytes", s->reduce_bytes);
    json_write_string(&w, "notes", result->notes);
    json_write_close(&w);
    putc('\n', stderr);
}

static int import_text(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    struct import_request r = { .samples = q->samples,
                                .ranks = q->ranks,
                                .module = q->module,
                                .allow_unknown = q->allow_unknown };
    struct import_result result;
    char ranks[200] = "";
    size_t chosen = 0;
    struct trace_totals totals;
    const char *const *files = (const char *const *)q->words.word;
    char *data;

    if (q->words.n > 1 && import_ranks(files, q->words.n, &chosen, ranks, sizeof ranks, err) != 0)
        return -1;
    const char *path = files[chosen];
    int rc = import_read(&data, &r.size, path, err);

    r.name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    r.data = data;

    trace_totals_init(&totals);
    if (rc == 0)
        rc = import_trace(&r, &result, &totals, out, err);
    if (rc == 0) {
        size_t used = strlen(result.notes);
        snprintf(result.notes + used, sizeof result.notes - used, "%s%s",
                 used && *ranks ? "; " : "", ranks);
        mpz_add(totals.reads, totals.reads, totals.writes); /* memory, in all */
        (q->json ? tell_import_json : tell_import_text)(&r, &result, &totals);
    }
    trace_totals_clear(&totals);
    free(data);
    return rc;
}

static int write_import(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    return cmd_trace_pack(q, out, import_text, err);
}

int cmd_trace_import(int argc, char **argv)
{
    return cmd_trace_run(
        &cmd_trace_import_argp,
        (struct cmd_trace_request){ .wanted = "file", .many = true, .endings = CMD_TRACE_ENDINGS },
        argc, argv, write_import);
}

/* --- export ------------------------------------------------------------------------------- */

#define EXPORT_ENDINGS ".et"

static const struct argp_option export_options[] = {
    { "chakra", KEY_CHAKRA, 0, 0, "Write a Chakra execution trace, the only format so far", 0 },
    { "step", KEY_STEP, "N", 0, "The step to write (the first that is in every round)", 0 },
    { "rank", KEY_RANK, "R", 0, "The rank to write it for (0)", 0 },
    { "ranks", KEY_RANKS, "N", 0, "How many there are, where a step sends to others", 0 },
    JSON_OPTION,
    CLI_ALLOW_TRACE_OPTION,
    CLI_OUTPUT_OPTION(EXPORT_ENDINGS),
    CLI_HELP_OPTION,
    { 0 }
};

const struct argp cmd_trace_export_argp = {
    export_options,
    parse_option,
    "TRACE",
    "Write a step of a trace for other tools: a Chakra execution trace of one rank.\v"
    "A node for each operation, loops written out: its FLOPs (num_ops), its bytes over HBM "
    "(tensor_size), those of collectives (comm_size), and what it waits for.  What Chakra lacks is "
    "in attributes that begin with \"cyclotron.\", so `trace import` gives the step back.  All "
    "ranks run one program: where no step sends to others, the file of rank 0 is that of every "
    "rank.\n\n"
    "Examples:\n"
    "  cyclotron trace export --chakra traces/3dgan.trace.zst -o 3dgan.0.et\n"
    "  cyclotron trace export mine.trace --rank 3 --ranks 8 -o mine.3.et\n",
    NULL,
    NULL,
    NULL
};

static void tell_export(const struct cmd_trace_request *q, const struct chakra_export *x)
{
    struct json_write w;

    if (!q->json) {
        gmp_fprintf(stderr,
                    "%s: %" PRIu64 " nodes of step %" PRIu64 " of %" PRIu64 ": %Zd FLOP, %Zd B of "
                    "communication\n",
                    q->words.word[0], x->nodes, x->step, x->steps, x->ops, x->comm_bytes);
        return;
    }
    json_write_begin(&w, stderr);
    json_write_object(&w, NULL, JSON_LAYOUT_LINE);
    json_write_string(&w, "file", q->words.word[0]);
    json_write_integer(&w, "nodes", x->nodes);
    json_write_integer(&w, "step", x->step);
    json_write_integer(&w, "steps", x->steps);
    json_write_whole(&w, "num_ops", x->ops);
    json_write_whole(&w, "comm_bytes", x->comm_bytes);
    json_write_close(&w);
    putc('\n', stderr);
}

static int write_export(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    struct chakra_export x;
    struct trace *t;

    if (cmd_trace_open(&t, q, err) != 0)
        return -1;
    chakra_export_init(&x);
    x.step = q->step;
    x.rank = q->rank;
    x.ranks = q->ranks;
    int rc = chakra_export(t, &x, out, err);
    if (rc == 0)
        tell_export(q, &x);
    chakra_export_clear(&x);
    trace_close(t);
    return rc;
}

int cmd_trace_export(int argc, char **argv)
{
    return cmd_trace_run(
        &cmd_trace_export_argp,
        (struct cmd_trace_request){ .wanted = "trace", .endings = EXPORT_ENDINGS, .binary = true },
        argc, argv, write_export);
}
