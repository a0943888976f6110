/* `cyclotron params`: every parameter of a machine, as text or as docs/reference/params.md. */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options/cli.h"
#include "cli/options/cli_format.h"
#include "cost/proxy.h"
#include "machine/spec/catalog.h"

#define ENDINGS ".txt .md"

struct request {
    const char *name, *output;
    enum cli_format format;
};

static const struct argp_option options[] = {
    { "markdown", 'M', 0, 0, "Print as Markdown, for docs/reference/params.md", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    CLI_HELP_OPTION,
    { 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'M': q->format = CLI_MARKDOWN; return 0;
    case 'o': q->output = arg; return 0;
    case ARGP_KEY_ARG: cli_usage(q->name, "unexpected argument \"%.80s\"", arg); return EINVAL;
    case ARGP_KEY_END: return cli_format_settle(q->name, ENDINGS, q->output, &q->format);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_params_argp = {
    options,
    parse_option,
    NULL,
    "List every parameter of the machines: default, range, meaning [source], one a line.\v"
    "Each can stand in a machine file and after --set, those of proxy in a sweep alone.  One whose "
    "default is - must be given.\n\n"
    "Examples:\n"
    "  cyclotron params | grep mxu\n"
    "  cyclotron params --markdown -o docs/reference/params.md\n",
    NULL,
    NULL,
    NULL
};

/* Columns of a line of text, besides the meaning. */
struct words {
    char name[80], def[80], range[160];
};

/* Values in the tables carry a physical unit, and counts ("PE", "cycle") none. */
static const char *missing_unit(const struct param_desc *d, const char *value)
{
    bool bare = value[strspn(value, "0123456789.")] == '\0';

    return bare && d->kind != PARAM_ENUM && strcmp(d->unit, "ratio") != 0 ? d->unit : "";
}

static void set_words(struct words *w, const char *section, const struct param_desc *d)
{
    const char *unit = missing_unit(d, d->def);

    snprintf(w->name, sizeof w->name, "%s.%s", section, d->name);
    snprintf(w->def, sizeof w->def, "%s%s%s", d->def, *unit ? " " : "", unit);
    if (d->kind == PARAM_ENUM) {
        snprintf(w->range, sizeof w->range, "one of %s", d->unit);
    } else if (d->kind == PARAM_TEXT) {
        snprintf(w->range, sizeof w->range, "text");
    } else {
        unit = missing_unit(d, d->max);
        snprintf(w->range, sizeof w->range, "%s to %s%s%s", d->min, d->max, *unit ? " " : "", unit);
    }
}

/* The tables of machines, and that of hypothetical ones. */
static const struct param_table *find_table(size_t i)
{
    return i < spec_n_tables ? spec_tables[i] : &proxy_param_table;
}

/* A line of a list, as a row of the table. */
static void set_line_words(struct words *w, const struct param_table *t)
{
    const struct param_table *columns = t->list->columns;

    snprintf(w->name, sizeof w->name, "%s.%s", t->section, t->list->pattern);
    snprintf(w->def, sizeof w->def, "none");
    w->range[0] = '\0';
    for (size_t i = 0; i < columns->n_rows; i++) {
        size_t used = strlen(w->range);
        snprintf(w->range + used, sizeof w->range - used, "%s%s", i ? ", " : "",
                 columns->rows[i].name);
    }
}

static void widen_column(int *width, const char *text)
{
    int length = (int)strlen(text);

    *width = length > *width ? length : *width;
}

static void print_text(FILE *out)
{
    int name = (int)strlen("parameter"), def = (int)strlen("default"), range = 0;
    struct words w;

    for (size_t i = 0; i <= spec_n_tables; i++) {
        const struct param_table *t = find_table(i);
        for (size_t k = 0; k < t->n_rows; k++) {
            set_words(&w, t->section, &t->rows[k]);
            widen_column(&name, w.name);
            widen_column(&def, w.def);
            widen_column(&range, w.range);
        }
    }
    fprintf(out, "%-*s  %-*s  %-*s  %s\n", name, "parameter", def, "default", range, "range",
            "meaning [source]");
    for (size_t i = 0; i <= spec_n_tables; i++) {
        const struct param_table *t = find_table(i);
        for (size_t k = 0; k < t->n_rows; k++) {
            set_words(&w, t->section, &t->rows[k]);
            fprintf(out, "%-*s  %-*s  %-*s  %s\n", name, w.name, def, w.def, range, w.range,
                    t->rows[k].doc);
        }
        if (t->list) {
            set_line_words(&w, t);
            fprintf(out, "%-*s  %-*s  %-*s  %s\n", name, w.name, def, w.def, range, w.range,
                    t->list->doc);
        }
    }
}

/* Sections that `library =` gives: fitted constants, of which the page has the names alone. */
static void print_library(FILE *out)
{
    bool first = true;

    fputs("\n## Libraries of GPUs\n\nSections of `library =`, fitted constants of kernels "
          "(`docs/model/gpu.md`, *Kernels*); `cyclotron params` lists them:\n",
          out);
    for (size_t i = 0; i < spec_n_tables; i++)
        if (spec_in_library(i)) {
            fprintf(out, "%s`%s`", first ? "" : ", ", find_table(i)->section);
            first = false;
        }
    fputs(".\n", out);
}

static void print_markdown(FILE *out)
{
    fputs("# Parameters\n\nEach line is a parameter of a machine: default, meaning, source. "
          "`cyclotron params` prints their ranges too,\n`machine show` the values of a machine. "
          "`make docs` writes this page.\n",
          out);
    for (size_t i = 0; i < spec_n_tables; i++) {
        if (spec_in_library(i))
            continue;
        fprintf(out, "\n## %s\n\n", find_table(i)->section);
        param_print_md(find_table(i), out);
    }
    print_library(out);
    fputs("\n## proxy\n\nAreas and prices of machines that nobody has built "
          "(`docs/guide/sweeps.md`); `cyclotron params` lists them.\n",
          out);
}

int cmd_params(int argc, char **argv)
{
    struct request q = { .name = argv[0] };
    struct cli_out out;
    struct err err;
    int code;

    if (!cli_parse(&cmd_params_argp, argc, argv, &q, &code))
        return code;
    if (cli_out_open(&out, q.output, q.format, &err) != 0)
        return cli_error(&err);
    if (q.format == CLI_MARKDOWN)
        print_markdown(out.file);
    else
        print_text(out.file);
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}
