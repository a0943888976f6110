/* `cyclotron diff`: two results in JSON side by side. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "cli/cmd.h"
#include "cli/options/cli.h"
#include "cli/options/cli_format.h"
#include "report/html/html_page.h"
#include "report/text/diff_scope.h"
#include "report/text/diff_text.h"

#define ENDINGS ".txt .html"

struct diff {
    const char *name; /* of the command, for messages */
    const char *file[2], *output;
    unsigned n;
    bool ungroup;
    enum cli_format format;
};

enum { DIFF_UNGROUP = 0x200 };

/* clang-format off */
static const struct argp_option options[] = {
    { "ungroup", DIFF_UNGROUP, 0, 0, "Show each of several identical layers by itself", 0 },
    { "html", 'H', 0, 0, "Write one HTML file with both runs side by side", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    CLI_HELP_OPTION, { 0 }
};
/* clang-format on */

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct diff *d = state->input;

    switch (key) {
    case DIFF_UNGROUP: d->ungroup = true; return 0;
    case 'H': d->format = CLI_HTML; return 0;
    case 'o': d->output = arg; return 0;
    case ARGP_KEY_ARG:
        if (d->n == 2) {
            cli_usage(d->name, "unexpected argument \"%.80s\": expected two files", arg);
            return EINVAL;
        }
        d->file[d->n++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (d->n == 2)
            return cli_format_settle(d->name, ENDINGS, d->output, &d->format);
        cli_usage(d->name, "expected two files of `cyclotron replay --format json`");
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_diff_argp = {
    options,
    parse_option,
    "A.json B.json",
    "Say what changed from one run to another: time, causes, operations.\v"
    "Both files are written by `cyclotron replay --format json`.  Operations are paired by name; "
    "those of two compiled programs, whose names another compilation changes, by scope and "
    "kind.\n\n"
    "Examples:\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --format json -o a.json\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --set mxu.count=4 \\\n"
    "      --format json -o b.json\n"
    "  cyclotron diff a.json b.json\n"
    "  cyclotron diff a.json b.json --html -o diff.html\n",
    NULL,
    NULL,
    NULL
};

/* The report in a file, checked for what a comparison reads. */
static json_t *load_report(const char *path, struct err *err)
{
    FILE *file = fopen(path, "rb");
    int first = file ? getc(file) : EOF;
    json_error_t at;

    if (!file || (first == EOF && ferror(file))) { /* a folder opens, but does not read */
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    ungetc(first, file);
    locale_t before = plain_begin();
    json_t *run = json_loadf(file, JSON_REJECT_DUPLICATES, &at);
    plain_end(before);
    fclose(file);
    if (!run) {
        err_set(err, ERR_FORMAT, "%s:%d:%d: %s", path, at.line, at.column, at.text);
        return NULL;
    }
    if (diff_check(run, err) != 0) {
        err_at(err, "%s", path);
        json_decref(run);
        return NULL;
    }
    return run;
}

static char *text_of(const json_t *run)
{
    locale_t before = plain_begin();
    char *text = json_dumps(run, JSON_COMPACT);

    plain_end(before);
    BUG_ON(!text);
    return text;
}

static void write_diff(const struct diff *d, json_t *const run[2], FILE *out)
{
    if (d->format == CLI_TEXT) {
        diff_text(d->file, run, d->ungroup, out);
        return;
    }
    char *a = text_of(run[0]), *b = text_of(run[1]);
    html_diff(d->file, (const char *[]){ a, b }, d->ungroup, out);
    free(a);
    free(b);
}

static int compare_files(const struct diff *d)
{
    json_t *run[2] = { NULL, NULL };
    struct cli_out out;
    struct err err;
    int rc = -1;

    for (unsigned i = 0; i < 2; i++) {
        run[i] = load_report(d->file[i], &err);
        if (!run[i])
            break;
    }
    if (run[0] && run[1])
        diff_scope_names(run);
    if (run[0] && run[1] && cli_out_open(&out, d->output, d->format, &err) == 0) {
        write_diff(d, run, out.file);
        rc = cli_out_close(&out, &err);
    }
    json_decref(run[0]);
    json_decref(run[1]);
    return rc == 0 ? CLI_DONE : cli_error(&err);
}

int cmd_diff(int argc, char **argv)
{
    struct diff d = { .name = argv[0] };
    int code;

    if (cli_parse(&cmd_diff_argp, argc, argv, &d, &code))
        code = compare_files(&d);
    return code;
}
