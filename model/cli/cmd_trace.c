/* `cyclotron trace gen|cat|pack|info|check`, and what the verbs of `trace` share. */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "cli/cmd.h"
#include "cli/cmd_trace.h"
#include "cli/options/cli_complete.h"
#include "report/inventory_report.h"
#include "trace/trace.h"
#include "traces/gen.h"

#define HELP_WIDTH 79 /* of argp */

/* --- gen ------------------------------------------------------------------------------------ */

static void print_head(const struct gen_param *p, char *head, size_t size)
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

    print_head(p, head, sizeof head);
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
static char *extend_help(int key, const char *text, void *input)
{
    struct memory_text help;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    memory_text_begin(&help);
    FILE *out = help.out;
    fprintf(out, "%s", text);
    for (size_t i = 0; i < gen_n_workloads; i++) {
        const struct gen_workload *w = gen_workloads[i];
        fprintf(out, "\n%s: %s\n", w->name, w->summary);
        for (size_t k = 0; k < w->n_params; k++) {
            write_param(&w->params[k], out);
        }
    }
    return memory_text_end(&help);
}

static const struct argp_option gen_options[] = { CLI_OUTPUT_OPTION(CMD_TRACE_ENDINGS),
                                                  CLI_HELP_OPTION,
                                                  { 0 } };
static const struct argp gen_argp = {
    gen_options,
    cmd_trace_parse,
    "WORKLOAD [KEY=VALUE]...",
    "Write the trace of one training step of a published model.\v"
    "A FILE that ends in .zst is packed, anything else is text; the same parameters give the same "
    "bytes.\n\n"
    "Examples:\n"
    "  cyclotron trace gen 3dgan -o 3dgan.trace.zst\n"
    "  cyclotron trace gen 3dgan batch=64 | cyclotron replay - -m tpu-v3-8\n\n"
    "Workloads and their parameters, with defaults and ranges:\n",
    NULL,
    extend_help,
    NULL
};

static int generate_text(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    return gen_write(q->words.word[0], (const char *const *)q->words.word + 1, q->words.n - 1, out,
                     err);
}

static int generate_trace(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    return cmd_trace_pack(q, out, generate_text, err);
}

static int gen_main(int argc, char **argv)
{
    return cmd_trace_run(&gen_argp,
                         (struct cmd_trace_request){
                             .wanted = "workload", .many = true, .endings = CMD_TRACE_ENDINGS },
                         argc, argv, generate_trace);
}

void cmd_trace_offer_params(const char *workload, struct cli_offer *o)
{
    for (size_t i = 0; i < gen_n_workloads; i++) {
        const struct gen_workload *w = gen_workloads[i];
        for (size_t k = 0; k < w->n_params && strcmp(w->name, workload) == 0; k++) {
            const struct gen_param *p = &w->params[k];
            char def[24];
            size_t n = 0;
            while (p->choice && p->choice[n])
                n++;
            snprintf(def, sizeof def, "%llu", (unsigned long long)p->def);
            if (p->choice)
                cli_offer_choice(o, p->key, p->choice, n, p->doc);
            else
                cli_offer_key(o, p->key, def, p->doc);
        }
    }
}

static void offer_gen_words(const char *const *word, size_t n, struct cli_offer *o)
{
    if (n > 0)
        cmd_trace_offer_params(word[0], o);
    for (size_t i = 0; n == 0 && i < gen_n_workloads; i++)
        cli_offer_word(o, gen_workloads[i]->name, gen_workloads[i]->summary);
}

/* --- cat ------------------------------------------------------------------------------------ */

static const struct argp_option cat_options[] = {
    CLI_ALLOW_TRACE_OPTION, CLI_OUTPUT_OPTION(CMD_TRACE_ENDINGS), CLI_HELP_OPTION, { 0 }
};
static const struct argp cat_argp = {
    cat_options,
    cmd_trace_parse,
    "TRACE",
    "Print a trace as canonical text: blocks indented, comments dropped.\v"
    "Examples:\n"
    "  cyclotron trace cat 3dgan.trace.zst | less\n",
    NULL,
    NULL,
    NULL
};

static int print_trace(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct trace *t;

    if (cmd_trace_open(&t, q, err) != 0)
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

static int write_canonical(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    return cmd_trace_pack(q, out, print_trace, err);
}

static int cat_main(int argc, char **argv)
{
    return cmd_trace_run(
        &cat_argp, (struct cmd_trace_request){ .wanted = "trace", .endings = CMD_TRACE_ENDINGS },
        argc, argv, write_canonical);
}

/* --- pack ----------------------------------------------------------------------------------- */

#define PACK_ENDINGS ".trace.zst .zst"

static const struct argp_option pack_options[] = {
    CLI_ALLOW_TRACE_OPTION, CLI_OUTPUT_OPTION(PACK_ENDINGS), CLI_HELP_OPTION, { 0 }
};
static const struct argp pack_argp = {
    pack_options,
    cmd_trace_parse,
    "TRACE",
    "Check a trace and pack its text into zstd frames with checksums.\v"
    "Unpacking gives the very same bytes; `zstdcat` reads the result too.  A file that zstd itself "
    "packed is a TRACE like any other.  What gzip packed comes through `zcat`, with - for "
    "TRACE.\n\n"
    "Examples:\n"
    "  cyclotron trace pack mine.trace -o mine.trace.zst\n",
    NULL,
    NULL,
    NULL
};

static int take_inventory(const struct cmd_trace_request *q, struct inventory *v, struct trace **t,
                          struct err *err)
{
    if (cmd_trace_open(t, q, err) != 0)
        return -1;
    if (inventory_read(v, *t, err) == 0)
        return 0;
    trace_close(*t);
    return -1;
}

/* The text is packed as it stands, once it has been read as a trace from end to end. */
static int unpack_trace(const struct cmd_trace_request *q, FILE *text, struct err *err)
{
    struct inventory v;
    struct trace *t;

    if (take_inventory(q, &v, &t, err) != 0)
        return -1;
    inventory_free(&v);
    int rc = trace_unpack(t, text, err);
    trace_close(t);
    return rc;
}

static int pack_trace(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    FILE *text = cmd_trace_scratch(err);

    if (!text)
        return -1;
    int rc = unpack_trace(q, text, err);
    if (rc == 0)
        rc = cmd_trace_pack_scratch(text, out, err);
    fclose(text);
    return rc;
}

static int pack_main(int argc, char **argv)
{
    return cmd_trace_run(
        &pack_argp,
        (struct cmd_trace_request){ .wanted = "trace", .endings = PACK_ENDINGS, .binary = true },
        argc, argv, pack_trace);
}

/* --- info and check ------------------------------------------------------------------------- */

#define INFO_ENDINGS ".txt .json"

static const struct argp_option info_options[] = { CLI_ALLOW_TRACE_OPTION,
                                                   { "format", 'f', "text|json", 0,
                                                     "How to write the result (text)", 0 },
                                                   CLI_OUTPUT_OPTION(INFO_ENDINGS),
                                                   CLI_HELP_OPTION,
                                                   { 0 } };
static const struct argp info_argp = {
    info_options,
    cmd_trace_parse,
    "TRACE",
    "Print the header of a trace and its totals, overall and by phase.\v"
    "Examples:\n"
    "  cyclotron trace info 3dgan.trace.zst\n"
    "  cyclotron trace info 3dgan.trace.zst --format json\n",
    NULL,
    NULL,
    NULL
};

static int describe_trace(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    struct inventory v;
    struct trace *t;

    if (take_inventory(q, &v, &t, err) != 0)
        return -1;
    if (q->format == CLI_JSON)
        report_inventory_json(&v, t, out);
    else
        report_inventory_text(&v, t, out);
    inventory_free(&v);
    trace_close(t);
    return 0;
}

static int info_main(int argc, char **argv)
{
    return cmd_trace_run(&info_argp,
                         (struct cmd_trace_request){ .wanted = "trace", .endings = INFO_ENDINGS },
                         argc, argv, describe_trace);
}

static const struct argp_option check_options[] = { CLI_ALLOW_TRACE_OPTION,
                                                    CLI_HELP_OPTION,
                                                    { 0 } };
static const struct argp check_argp = { check_options,
                                        cmd_trace_parse,
                                        "TRACE",
                                        "Read a whole trace and say whether it is valid.\v"
                                        "Examples:\n"
                                        "  cyclotron trace check mine.trace\n",
                                        NULL,
                                        NULL,
                                        NULL };

static int check_trace(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    struct inventory v;
    struct trace *t;

    if (take_inventory(q, &v, &t, err) != 0)
        return -1;
    text_shown(q->words.word[0], out);
    fprintf(out, ": ok, %llu operations, checksum %016llx\n", (unsigned long long)v.totals.ops,
            (unsigned long long)v.checksum);
    inventory_free(&v);
    trace_close(t);
    return 0;
}

static int check_main(int argc, char **argv)
{
    return cmd_trace_run(&check_argp,
                         (struct cmd_trace_request){ .wanted = "trace", .format = CLI_TEXT }, argc,
                         argv, check_trace);
}

static const struct cli_command commands[] = {
    { "gen", gen_main, "WORKLOAD [KEY=VALUE]... [-o FILE]", "write the trace of a published model",
      &gen_argp, NULL, offer_gen_words },
    { "shard", cmd_trace_shard, "TRACE AXIS=N... [-o FILE]", "shard a step over several cores",
      &cmd_trace_shard_argp, NULL, cmd_trace_shard_words },
    { "remat", cmd_trace_remat, "TRACE [KEY=VALUE]... [-o FILE]",
      "recompute activations instead of keeping them", &cmd_trace_remat_argp, NULL,
      cmd_trace_remat_words },
    { "import", cmd_trace_import, "FILE [-o FILE]", "make a trace of a file of another tool",
      &cmd_trace_import_argp, NULL, cmd_trace_import_words },
    { "export", cmd_trace_export, "TRACE -o FILE", "write a step as a Chakra execution trace",
      &cmd_trace_export_argp, NULL, NULL },
    { "cat", cat_main, "TRACE [-o FILE]", "print a trace as canonical text", &cat_argp, NULL,
      NULL },
    { "pack", pack_main, "TRACE -o FILE", "pack text into zstd frames with checksums", &pack_argp,
      NULL, NULL },
    { "info", info_main, "TRACE [--format text|json]", "the header of a trace and its totals",
      &info_argp, NULL, NULL },
    { "check", check_main, "TRACE", "check whether a trace is valid", &check_argp, NULL, NULL },
};

const struct cli_group cmd_trace_verbs = {
    commands, sizeof commands / sizeof *commands,
    "A trace is a training step as text, one operation a line, or that text packed by zstd.\n"
    "TRACE may be - for standard input.",
    "  cyclotron trace gen 3dgan -o 3dgan.trace.zst\n"
    "  cyclotron trace info 3dgan.trace.zst\n"
    "  cyclotron trace cat 3dgan.trace.zst | less\n"
    "  cyclotron trace shard traces/exatrkx.trace.zst edges=8 -o event8.trace\n"
    "  cyclotron trace remat traces/exatrkx.trace.zst fit=16GiB -o event.trace\n"
    "  cyclotron trace export traces/3dgan.trace.zst -o 3dgan.0.et\n"
    "  cyclotron trace import 3dgan.0.et -o 3dgan.trace\n"
};

int cmd_trace(int argc, char **argv)
{
    return cli_dispatch(&cmd_trace_verbs, argc, argv);
}
