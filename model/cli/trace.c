#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "remat/remat.h"
#include "report/inventory.h"
#include "shard/shard.h"
#include "traces/gen.h"

#define HELP_WIDTH 79 /* of argp */

struct request {
    const char *name, *output;
    const char *wanted; /* what the first word is: "trace", "workload" */
    bool many, json;    /* more words may follow the first */
    struct cli_list words;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const formats[] = { "text", "json" };
    struct request *q = state->input;

    switch (key) {
    case 'o': q->output = arg; return 0;
    case 'f':
        q->json = strcmp(arg, "json") == 0;
        if (q->json || strcmp(arg, "text") == 0)
            return 0;
        cli_unknown(q->name, "format", arg, formats, 2);
        return EINVAL;
    case ARGP_KEY_ARG:
        if (q->words.n == 0 || q->many) {
            cli_list_add(&q->words, arg);
            return 0;
        }
        cli_usage(q->name, "\"%.80s\" is one argument too many", arg);
        return EINVAL;
    case ARGP_KEY_END:
        if (q->words.n > 0)
            return 0;
        cli_usage(q->name, "no %s given", q->wanted);
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

#define OUTPUT_OPTION                                                                              \
    {                                                                                              \
        "output", 'o', "FILE", 0, "Write to FILE, whole or not at all (standard output)", 0        \
    }

static bool ends_in_zst(const char *path)
{
    size_t n = path ? strlen(path) : 0;

    return n > 4 && strcmp(path + n - 4, ".zst") == 0;
}

/* Run `write` on the request's output and finish it; an error leaves no file behind. */
static int to_output(const struct request *q,
                     int write(const struct request *, FILE *, struct err *))
{
    struct cli_out out;
    struct err err;

    if (cli_out_open(&out, q->output, &err) != 0)
        return cli_error(&err);
    if (write(q, out.file, &err) != 0) {
        cli_out_fail(&out, &err);
        return cli_error(&err);
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

static int run(const struct argp *argp, struct request q, int argc, char **argv,
               int write(const struct request *, FILE *, struct err *))
{
    int code;

    q.name = argv[0];
    if (cli_parse(argp, argc, argv, &q, &code))
        code = to_output(&q, write);
    cli_list_free(&q.words);
    return code;
}

/* Text that must be complete before it is packed: kept in a file without a name. */
static FILE *scratch(struct err *err)
{
    FILE *f = tmpfile();

    if (!f)
        err_set(err, ERR_IO, "cannot create a temporary file: %s", strerror(errno));
    return f;
}

static int pack_scratch(FILE *text, FILE *out, struct err *err)
{
    if (fflush(text) != 0 || ferror(text))
        return err_set(err, ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    rewind(text);
    return trace_pack(text, out, err);
}

static const struct argp_option output_options[] = { OUTPUT_OPTION, CLI_HELP_OPTION, { 0 } };

/* --- gen ------------------------------------------------------------------------------------ */

static void param_head(const struct gen_param *p, char *head, size_t size)
{
    int n;

    if (!p->choice) {
        snprintf(head, size, "  %s=%llu (%llu..%llu)", p->key, (unsigned long long)p->def,
                 (unsigned long long)p->min, (unsigned long long)p->max);
        return;
    }
    n = snprintf(head, size, "  %s=%s (", p->key, p->choice[p->def]);
    for (size_t i = 0; p->choice[i]; i++)
        n += snprintf(head + n, size - (size_t)n, "%s%s", i ? "|" : "", p->choice[i]);
    snprintf(head + n, size - (size_t)n, ")");
}

/* argp breaks lines anywhere: what is too long for one is broken here. */
static void write_param(const struct gen_param *p, FILE *out)
{
    const char *word = p->doc;
    size_t column;
    char head[128];

    param_head(p, head, sizeof head);
    if (strlen(head) + 2 + strlen(p->doc) < HELP_WIDTH) {
        fprintf(out, "%s  %s\n", head, p->doc);
        return;
    }
    fprintf(out, "%s\n     ", head);
    for (column = 5; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (column + 1 + length >= HELP_WIDTH) {
            fputs("\n     ", out);
            column = 5;
        }
        fprintf(out, " %.*s", (int)length, word);
        column += 1 + length;
        word += length;
    }
    putc('\n', out);
}

/* The workloads and their parameters are known to traces/, not to this text: argp asks for it. */
static char *gen_help(int key, const char *text, void *input)
{
    char *help;
    size_t size;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    FILE *out = open_memstream(&help, &size);
    BUG_ON(!out);
    fprintf(out, "%s", text);
    for (size_t i = 0; i < gen_n_workloads; i++) {
        const struct gen_workload *w = gen_workloads[i];
        fprintf(out, "\n%s: %s\n", w->name, w->summary);
        for (size_t k = 0; k < w->n_params; k++) {
            write_param(&w->params[k], out);
        }
    }
    fclose(out);
    return help;
}

static const struct argp gen_argp = {
    output_options,
    parse,
    "WORKLOAD [KEY=VALUE]...",
    "Write the trace of one training step of a published model.\v"
    "A FILE that ends in .zst is packed, anything else is text; the same parameters give the same "
    "bytes.\n\n"
    "Examples:\n"
    "  cyclotron trace gen 3dgan -o 3dgan.trace.zst\n"
    "  cyclotron trace gen 3dgan batch=64 | cyclotron replay - -m tpu-v3-8\n\n"
    "Workloads and their parameters, with defaults and ranges:\n",
    NULL,
    gen_help,
    NULL
};

/* Write text, packed if the output's name asks for it. */
static int packed(const struct request *q, FILE *out,
                  int write(const struct request *, FILE *, struct err *), struct err *err)
{
    FILE *text = out;

    if (ends_in_zst(q->output) && !(text = scratch(err)))
        return -1;
    int rc = write(q, text, err);
    if (text != out) {
        if (rc == 0)
            rc = pack_scratch(text, out, err);
        fclose(text);
    }
    return rc;
}

static int gen_text(const struct request *q, FILE *out, struct err *err)
{
    return gen_write(q->words.word[0], (const char *const *)q->words.word + 1, q->words.n - 1, out,
                     err);
}

static int gen(const struct request *q, FILE *out, struct err *err)
{
    return packed(q, out, gen_text, err);
}

static int gen_main(int argc, char **argv)
{
    return run(&gen_argp, (struct request){ .wanted = "workload", .many = true }, argc, argv, gen);
}

/* --- shard ---------------------------------------------------------------------------------- */

static const struct argp shard_argp = {
    output_options,
    parse,
    "TRACE AXIS=N...",
    "Cut a training step over several cores: the trace of one of them.\v"
    "Axes, 1 unless given:\n"
    "  data=N   groups of cores, each with a batch of its own (1..65536)\n"
    "  model=N  cores of a group that share the weights: columns of a product,\n"
    "           then rows of the next, and an all-reduce after it (1..65536)\n"
    "  edges=N  cores of a group that share the edges of a graph and add up\n"
    "           what its nodes get (1..65536)\n"
    "  halo=F   with edges: nodes are cut as well; a core needs F times as many\n"
    "           rows of the others' nodes as it has (a figure of the partition)\n"
    "  server=sync  a parameter server instead: the client takes all gradients,\n"
    "           updates, and sends the weights back; with no other axis\n"
    "  server=async staleness=S  it serves each core by itself, which goes on\n"
    "           while at most S of its updates are not back (0..16)\n"
    "  pipeline=P   stages, each of data cores: forward operations are cut in order\n"
    "           so that the largest stage is smallest, the others go with them; the\n"
    "           trace has the programs of all stages (2..65536)\n"
    "  microbatches=M  parts of a batch that follow each other through them\n"
    "  schedule=1f1b|gpipe  one forward, one backward in turn, at most P - s parts\n"
    "           in flight in stage s; or all forwards, then all backwards\n\n"
    "Give model or edges, not both. The slice must have data * model (or edges)\n"
    "cores. Gradients are reduced over the cores that hold different parts of them.\n\n"
    "Examples:\n"
    "  cyclotron trace gen fc cores=4 -o fc.trace\n"
    "  cyclotron trace shard fc.trace data=4 model=2 -o fc-4x2.trace\n"
    "  cyclotron trace shard traces/exatrkx.trace.zst edges=8 -o event8.trace\n"
    "  cyclotron trace shard traces/exatrkx.trace.zst edges=8 halo=0.25 -o h.trace\n"
    "  cyclotron trace shard fc.trace data=2 pipeline=4 microbatches=8 -o p.trace\n"
    "  cyclotron replay event8.trace -m tpu-v3-8\n",
    NULL,
    NULL,
    NULL
};

static int shard_text(const struct request *q, FILE *out, struct err *err)
{
    struct shard_plan plan;

    if (shard_plan_read(&plan, (const char *const *)q->words.word + 1, q->words.n - 1, err) != 0)
        return -1;
    return shard_write(q->words.word[0], &plan, out, err);
}

static int shard(const struct request *q, FILE *out, struct err *err)
{
    return packed(q, out, shard_text, err);
}

static int shard_main(int argc, char **argv)
{
    return run(&shard_argp, (struct request){ .wanted = "trace", .many = true }, argc, argv, shard);
}

/* --- remat ---------------------------------------------------------------------------------- */

static const struct argp remat_argp = {
    output_options,
    parse,
    "TRACE [KEY=VALUE]...",
    "Rematerialise: keep fewer activations for the gradients, and work out the\n"
    "others again before they are needed. FLOPs grow, peak memory falls.\v"
    "Parameters:\n"
    "  segments=phases|N  cut the forward pass by its phases, or in N parts; what\n"
    "           a later segment reads is kept. Else the way with the least peak\n"
    "  keep=none|products  products: keep all that matrix products make, too\n"
    "  fit=SIZE the way with the fewest FLOPs that takes no more of a core\n\n"
    "Examples:\n"
    "  cyclotron trace remat traces/exatrkx.trace.zst -o small.trace\n"
    "  cyclotron trace remat traces/exatrkx.trace.zst fit=16GiB -o event.trace\n"
    "  cyclotron replay event.trace -m tpu-v3-8\n",
    NULL,
    NULL,
    NULL
};

static int remat_text(const struct request *q, FILE *out, struct err *err)
{
    struct remat_plan plan;

    if (remat_plan_read(&plan, (const char *const *)q->words.word + 1, q->words.n - 1, err) != 0)
        return -1;
    return remat_write(q->words.word[0], &plan, out, err);
}

static int remat(const struct request *q, FILE *out, struct err *err)
{
    return packed(q, out, remat_text, err);
}

static int remat_main(int argc, char **argv)
{
    return run(&remat_argp, (struct request){ .wanted = "trace", .many = true }, argc, argv, remat);
}

/* --- cat ------------------------------------------------------------------------------------ */

static const struct argp cat_argp = {
    output_options,
    parse,
    "TRACE",
    "Print a trace as canonical text: blocks indented, comments dropped.\v"
    "Examples:\n"
    "  cyclotron trace cat 3dgan.trace.zst | less\n",
    NULL,
    NULL,
    NULL
};

static int cat(const struct request *q, FILE *out, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct trace *t;

    if (trace_open(&t, q->words.word[0], false, err) != 0)
        return -1;
    int rc = 0;
    while (rc == 0 && item.kind != TRACE_ITEM_END && !ferror(out)) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            trace_print(t, &item, out);
    }
    trace_close(t);
    return rc;
}

static int cat_main(int argc, char **argv)
{
    return run(&cat_argp, (struct request){ .wanted = "trace" }, argc, argv, cat);
}

/* --- pack ----------------------------------------------------------------------------------- */

static const struct argp pack_argp = {
    output_options,
    parse,
    "TRACE",
    "Pack the text of a trace into zstd frames with checksums.\v"
    "Unpacking gives the very same bytes; `zstdcat` reads the result too.\n\n"
    "Examples:\n"
    "  cyclotron trace pack mine.trace -o mine.trace.zst\n",
    NULL,
    NULL,
    NULL
};

static int pack(const struct request *q, FILE *out, struct err *err)
{
    FILE *text = scratch(err);

    if (!text)
        return -1;
    int rc = trace_unpack(q->words.word[0], text, err);
    if (rc == 0)
        rc = pack_scratch(text, out, err);
    fclose(text);
    return rc;
}

static int pack_main(int argc, char **argv)
{
    struct request q = { .name = argv[0], .wanted = "trace" };
    int code;

    if (cli_parse(&pack_argp, argc, argv, &q, &code)) {
        bool standard = !q.output || strcmp(q.output, "-") == 0;
        if (standard && isatty(STDOUT_FILENO))
            code = cli_usage(q.name, "packed bytes do not go to a terminal: give -o FILE");
        else
            code = to_output(&q, pack);
    }
    cli_list_free(&q.words);
    return code;
}

/* --- info and check ------------------------------------------------------------------------- */

static int take_inventory(const char *path, struct inventory *v, struct trace **t, struct err *err)
{
    if (trace_open(t, path, false, err) != 0)
        return -1;
    if (inventory_read(v, *t, err) == 0)
        return 0;
    trace_close(*t);
    return -1;
}

static const struct argp_option info_options[] = { { "format", 'f', "text|json", 0,
                                                     "How to write the result (text)", 0 },
                                                   OUTPUT_OPTION,
                                                   CLI_HELP_OPTION,
                                                   { 0 } };
static const struct argp info_argp = {
    info_options,
    parse,
    "TRACE",
    "Print the header of a trace and what it adds up to, in all and by phase.\v"
    "Examples:\n"
    "  cyclotron trace info 3dgan.trace.zst\n"
    "  cyclotron trace info 3dgan.trace.zst --format json\n",
    NULL,
    NULL,
    NULL
};

static int info(const struct request *q, FILE *out, struct err *err)
{
    struct inventory v;
    struct trace *t;

    if (take_inventory(q->words.word[0], &v, &t, err) != 0)
        return -1;
    if (q->json)
        inventory_json(&v, t, out);
    else
        inventory_text(&v, t, out);
    inventory_free(&v);
    trace_close(t);
    return 0;
}

static int info_main(int argc, char **argv)
{
    return run(&info_argp, (struct request){ .wanted = "trace" }, argc, argv, info);
}

static const struct argp_option check_options[] = { CLI_HELP_OPTION, { 0 } };
static const struct argp check_argp = { check_options,
                                        parse,
                                        "TRACE",
                                        "Read a whole trace and say whether it is in order.\v"
                                        "Examples:\n"
                                        "  cyclotron trace check mine.trace\n",
                                        NULL,
                                        NULL,
                                        NULL };

static int check(const struct request *q, FILE *out, struct err *err)
{
    struct inventory v;
    struct trace *t;

    if (take_inventory(q->words.word[0], &v, &t, err) != 0)
        return -1;
    fprintf(out, "%s: ok, %llu operations, checksum %016llx\n", q->words.word[0],
            (unsigned long long)v.totals.ops, (unsigned long long)v.checksum);
    inventory_free(&v);
    trace_close(t);
    return 0;
}

static int check_main(int argc, char **argv)
{
    return run(&check_argp, (struct request){ .wanted = "trace" }, argc, argv, check);
}

static const struct cli_command commands[] = {
    { "gen", gen_main, "WORKLOAD [KEY=VALUE]... [-o FILE]",
      "write the trace of a published model" },
    { "shard", shard_main, "TRACE AXIS=N... [-o FILE]", "cut a step over several cores" },
    { "remat", remat_main, "TRACE [KEY=VALUE]... [-o FILE]", "work activations out again" },
    { "cat", cat_main, "TRACE [-o FILE]", "print a trace as canonical text" },
    { "pack", pack_main, "TRACE -o FILE", "pack text into zstd frames with checksums" },
    { "info", info_main, "TRACE [--format text|json]", "what a trace holds and adds up to" },
    { "check", check_main, "TRACE", "is this trace in order?" },
};

int trace_main(int argc, char **argv)
{
    return cli_dispatch(commands, sizeof commands / sizeof *commands,
                        "A trace is a training step as text, one operation a line, or that text "
                        "packed by zstd.\nTRACE may be - for standard input.",
                        "  cyclotron trace gen 3dgan -o 3dgan.trace.zst\n"
                        "  cyclotron trace info 3dgan.trace.zst\n"
                        "  cyclotron trace cat 3dgan.trace.zst | less\n",
                        argc, argv);
}
