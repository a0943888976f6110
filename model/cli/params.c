#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "machine/catalog.h"

struct request {
    const char *name, *output;
    bool markdown;
};

static const struct argp_option options[] = {
    { "markdown", 'M', 0, 0, "As Markdown tables: this is docs/params.md", 0 },
    { "output", 'o', "FILE", 0, "Write to FILE, whole or not at all (standard output)", 0 },
    CLI_HELP_OPTION,
    { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'M': q->markdown = true; return 0;
    case 'o': q->output = arg; return 0;
    case ARGP_KEY_ARG: cli_usage(q->name, "\"%.80s\": no argument expected", arg); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp params_argp = {
    options,
    parse,
    NULL,
    "List every parameter of the machines: unit, default, range, meaning, source.\v"
    "Each can stand in a machine file and after --set.  A default of - must be given.\n\n"
    "Examples:\n"
    "  cyclotron params | grep mxu\n"
    "  cyclotron params --markdown -o docs/params.md\n",
    NULL,
    NULL,
    NULL
};

static void print_text(const struct param_table *t, FILE *out)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct param_desc *d = &t->rows[i];
        fprintf(out, "%s.%s = %s %s\n", t->section, d->name, d->def,
                d->kind == PARAM_ENUM ? "" : d->unit);
        if (d->kind == PARAM_ENUM)
            fprintf(out, "    one of %s\n", d->unit);
        else
            fprintf(out, "    from %s to %s %s\n", d->min, d->max, d->unit);
        fprintf(out, "    %s\n", d->doc);
    }
}

int params_main(int argc, char **argv)
{
    struct request q = { .name = argv[0] };
    struct cli_out out;
    struct err err;
    int code;

    if (!cli_parse(&params_argp, argc, argv, &q, &code))
        return code;
    if (cli_out_open(&out, q.output, &err) != 0)
        return cli_error(&err);
    if (q.markdown)
        fputs("# Parameters\n\nPrinted by `cyclotron params --markdown` from the tables in the "
              "sources; `make docs` writes it anew.\n",
              out.file);
    for (size_t i = 0; i < spec_n_tables; i++) {
        if (q.markdown) {
            fprintf(out.file,
                    "\n## %s\n\n| parameter | unit | default | range | meaning |\n"
                    "|---|---|---|---|---|\n",
                    spec_tables[i]->section);
            param_print_md(spec_tables[i], out.file);
        } else {
            print_text(spec_tables[i], out.file);
        }
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}
