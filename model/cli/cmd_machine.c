/* `cyclotron machine list|show|check`: machine files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cmd.h"
#include "cli/options/cli.h"
#include "cli/options/cli_format.h"
#include "machine/spec/catalog.h"
#include "machine/spec/sizes.h"
#include "report/machine_report.h"

#define ENDINGS ".ini .txt"

struct request {
    const char *name, *output;
    const char *wanted; /* "MACHINE", what the verb needs; NULL: nothing */
    struct cli_list words, set;
    enum cli_format format;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 's': return cli_set_add(&q->set, q->name, arg) ? 0 : EINVAL;
    case 'o': q->output = arg; return 0;
    case ARGP_KEY_ARG:
        if (q->wanted && q->words.n == 0) {
            cli_list_add(&q->words, arg);
            return 0;
        }
        cli_usage(q->name, "unexpected argument \"%.80s\"", arg);
        return EINVAL;
    case ARGP_KEY_END:
        if (!q->wanted || q->words.n == 1)
            return cli_format_settle(q->name, ENDINGS, q->output, &q->format);
        cli_usage(q->name, "no %s given", q->wanted);
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void request_free(struct request *q)
{
    cli_list_free(&q->words);
    cli_list_free(&q->set);
}

/* --- list ----------------------------------------------------------------------------------- */

static const struct argp_option list_options[] = { CLI_HELP_OPTION, { 0 } };
static const struct argp list_argp = { list_options,
                                       parse_option,
                                       NULL,
                                       "List the built-in machines, one per line.\v"
                                       "Examples:\n"
                                       "  cyclotron machine list\n"
                                       "  cyclotron machine list | grep v3\n",
                                       NULL,
                                       NULL,
                                       NULL };

static void print_sizes(FILE *out)
{
    fputs("\nEvery legal size is a machine, by the number of TensorCores or GPUs in its name:\n",
          out);
    for (size_t i = 0; sizes_generation(i); i++) {
        char *range = catalog_range(i);
        fprintf(out, "%s\n", range);
        free(range);
    }
}

static int list_main(int argc, char **argv)
{
    struct request q = { .name = argv[0] };
    struct cli_out out;
    struct err err;
    const char *box;
    int code, width = 0;

    if (!cli_parse(&list_argp, argc, argv, &q, &code))
        return code;
    if (cli_out_open(&out, NULL, CLI_TEXT, &err) != 0)
        return cli_error(&err);
    for (struct catalog_machine m = { 0 }; catalog_next(&m);) {
        int length = (int)strlen(m.name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; (box = catalog_box(i)); i++)
        width = (int)strlen(box) > width ? (int)strlen(box) : width;
    for (struct catalog_machine m = { 0 }; catalog_next(&m);) {
        char *summary = catalog_summary(m.name);
        fprintf(out.file, "%-*s  %s\n", width, m.name, summary);
        free(summary);
    }
    for (size_t i = 0; (box = catalog_box(i)); i++) {
        char *summary = catalog_summary(box);
        fprintf(out.file, "%-*s  %s\n", width, box, summary);
        free(summary);
    }
    print_sizes(out.file);
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

/* --- show ----------------------------------------------------------------------------------- */

static const struct argp_option show_options[] = {
    { "set", 's', "KEY=VALUE", CLI_REPEATED,
      "Change a parameter first: mxu.count=4; may be repeated", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    CLI_HELP_OPTION,
    { 0 }
};
static const struct argp show_argp = {
    show_options,
    parse_option,
    "MACHINE",
    "Print a machine as an .ini in which every value stands with its source.\v"
    "The output is a machine file: change it and replay on it.\n\n"
    "Examples:\n"
    "  cyclotron machine show tpu-v3-8\n"
    "  cyclotron machine show tpu-v3-8 --set mxu.count=4 -o mine.ini\n"
    "  cyclotron replay traces/3dgan.trace.zst -m mine.ini\n",
    NULL,
    NULL,
    NULL
};

static int show_main(int argc, char **argv)
{
    struct request q = { .name = argv[0], .wanted = "machine" };
    struct machine_spec *spec;
    struct cli_out out;
    struct err err;
    int code;

    if (cli_parse(&show_argp, argc, argv, &q, &code)) {
        if (spec_load(&spec, q.words.word[0], q.set.word, q.set.n, &err) != 0) {
            code = cli_error(&err);
        } else {
            if (cli_out_open(&out, q.output, CLI_INI, &err) != 0) {
                code = cli_error(&err);
            } else {
                report_machine_text(spec, out.file);
                if (cli_out_close(&out, &err) != 0)
                    code = cli_error(&err);
            }
            spec_free(spec);
        }
    }
    request_free(&q);
    return code;
}

/* --- check ---------------------------------------------------------------------------------- */

static const struct argp_option check_options[] = { CLI_HELP_OPTION, { 0 } };
static const struct argp check_argp = {
    check_options,
    parse_option,
    "FILE",
    "Read a machine file and say whether it is valid.\v"
    "Every key must be known and given once; every value needs its unit and its [source] and must "
    "lie in its range.  Bases (`base =` in [machine]) are read and checked too.\n\n"
    "Examples:\n"
    "  cyclotron machine check mine.ini\n",
    NULL,
    NULL,
    NULL
};

static int check_main(int argc, char **argv)
{
    struct request q = { .name = argv[0], .wanted = "file" };
    struct machine_spec *spec;
    struct cli_out out;
    struct err err;
    char *path = NULL;
    int code;

    if (cli_parse(&check_argp, argc, argv, &q, &code)) {
        const char *file = q.words.word[0];
        size_t length = strlen(file);
        bool ini = length > 4 && strcmp(file + length - 4, ".ini") == 0;
        /* a bare word would be taken for the name of a machine that is built in */
        path = memory_format("%s%s", ini || strchr(file, '/') ? "" : "./", file);
        if (spec_load(&spec, path, NULL, 0, &err) != 0) {
            code = cli_error(&err);
        } else {
            spec_free(spec);
            if (cli_out_open(&out, NULL, CLI_TEXT, &err) == 0)
                fprintf(out.file, "%s: ok\n", file);
            if (cli_out_close(&out, &err) != 0)
                code = cli_error(&err);
        }
        free(path);
    }
    request_free(&q);
    return code;
}

static const struct cli_command commands[] = {
    { "list", list_main, "", "list the built-in machines", &list_argp, NULL, NULL },
    { "show", show_main, "MACHINE [--set KEY=VALUE]...",
      "print a machine, every value with its source", &show_argp, NULL, NULL },
    { "check", check_main, "FILE", "check whether a machine file is valid", &check_argp, NULL,
      NULL },
};

const struct cli_group cmd_machine_verbs = {
    commands, sizeof commands / sizeof *commands,
    "Machines are .ini files: a section for each component, a value with its unit and its\nsource "
    "for each key.",
    "  cyclotron machine list\n"
    "  cyclotron machine show tpu-v3-8\n"
    "  cyclotron machine check mine.ini\n"
};

int cmd_machine(int argc, char **argv)
{
    return cli_dispatch(&cmd_machine_verbs, argc, argv);
}
