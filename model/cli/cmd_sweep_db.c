/* `cyclotron sweep status|report|export|merge`: what databases hold. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/text_write.h"
#include "base/version.h"
#include "cli/cmd_sweep.h"
#include "cli/options/cli.h"
#include "cli/options/cli_format.h"
#include "sweep/hands.h"
#include "sweep/neighbours.h"
#include "sweep/report/export.h"
#include "sweep/report/sweep_page.h"
#include "sweep/report/sweep_text.h"
#include "sweep/report/sweep_verdict.h"

struct request {
    const char *name, *output, *html;
    struct cli_list words;
    struct ask ask;
    bool no_trials;
};

/* clang-format off */
#define STATUS_ENDINGS ".txt"
#define REPORT_ENDINGS ".txt .html"
static const struct argp_option status_options[] = { CLI_OUTPUT_OPTION(STATUS_ENDINGS), CLI_HELP_OPTION, { 0 } };
static const struct argp_option export_options[] = { CLI_OUTPUT_OPTION(".csv .json .ini"), CLI_HELP_OPTION, { 0 } };
static const struct argp_option merge_options[] = {
    { "output", 'o', "DB", 0, "The database to merge into; it is created if it does not exist", 0 },
    CLI_HELP_OPTION, { 0 }
};
static const struct argp_option report_options[] = {
    { "best", 'b', "COLUMN", 0, "Minimise COLUMN, or maximise it with max:COLUMN (time)", 0 },
    { "where", 'w', "CONDITION", 0, "Use only points where this holds: proxy.die_mm2 < 700", 0 },
    { "pareto", 'P', "COLUMN,COLUMN", 0, "Goals of the Pareto front: columns to minimise, or with max: to maximise (time and cost)", 0 },
    { "break-even", 'B', "NAME", 0, "Find the value of this parameter from which on the points of --of beat those of --against", 1 },
    { "of", 'O', "CONDITION", 0, "With --break-even: the points that are to win", 1 },
    { "against", 'A', "CONDITION", 0, "With --break-even: the points to beat; the best of them counts, by --best", 1 },
    { "times", 'T', "NUMBER", 0, "Multiply the figure of --against by this: 4 for four slices side by side (1)", 1 },
    { "top", 't', "N", 0, "Rows per table (10)", 0 },
    { "no-trials", 'N', 0, 0, "Replay nothing: neither the baseline by both cuts of kernels, nor neighbours of the best point", 0 },
    { "html", 'H', "FILE", 0, "Write also a self-contained HTML page with plots", 0 },
    CLI_OUTPUT_OPTION(REPORT_ENDINGS), CLI_HELP_OPTION, { 0 }
};
/* clang-format on */

static error_t parse_times(struct request *q, const char *text)
{
    char *end;

    q->ask.times = plain_read(text, &end);
    if (*text && !*end && q->ask.times > 0 && q->ask.times < 1e9)
        return 0;
    cli_usage(q->name, "--times %.40s: expected a number above 0", text);
    return EINVAL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'o': q->output = arg; return 0;
    case 'b': q->ask.best = arg; return 0;
    case 'H': q->html = arg; return 0;
    case 'N': q->no_trials = true; return 0;
    case 'w': q->ask.where = arg; return 0;
    case 'P': q->ask.pareto = arg; return 0;
    case 'B': q->ask.breakeven = arg; return 0;
    case 'O': q->ask.challengers = arg; return 0;
    case 'A': q->ask.rival = arg; return 0;
    case 'T': return parse_times(q, arg);
    case 't': return cli_option_count(q->name, "top", arg, 1000000, &q->ask.top);
    case ARGP_KEY_ARG: cli_list_add(&q->words, arg); return 0;
    case ARGP_KEY_END:
        if (q->words.n > 0)
            return 0;
        cli_usage(q->name, "no database given");
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int refuse_more(const struct request *q, size_t n)
{
    return q->words.n > n ? cli_usage(q->name, "unexpected argument \"%.80s\"", q->words.word[n])
                          : CLI_DONE;
}

/* --- status ---------------------------------------------------------------------------------- */

static void print_source(void *self, const char *kind, const char *name, const char *checksum)
{
    fprintf(self, "%-9s %s  ", kind, checksum);
    text_shown(name, self);
    putc('\n', self);
}

static int print_status(struct store *s, FILE *out, struct err *err)
{
    struct store_shard shard = store_shard(s);
    struct store_count c;
    uint64_t digest;

    if (store_count(s, &c, err) != 0 || store_digest(s, &digest, err) != 0)
        return -1;
    text_shown(store_path(s), out);
    fprintf(out,
            "\npoints    %" PRIu64 " in all, %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
            " open\n",
            c.all, c.done, c.failed, c.all - c.done - c.failed);
    if (shard.of > 1)
        fprintf(out, "shard     %u of %u\n", shard.number, shard.of);
    fprintf(out, "content   0x%016" PRIx64 "\n", digest);
    if (store_sources(s, print_source, out, err) != 0)
        return -1;
    fprintf(out, "\n%s", store_plan(s));
    return 0;
}

const struct argp cmd_sweep_status_argp = {
    status_options,
    parse_option,
    "DB...",
    "Print how far a sweep is, its sources and its plan.\v"
    "content is a checksum of plan, sources, points and results: databases with the same number "
    "hold the same.  The database may be in use.\n\n"
    "Examples:\n"
    "  cyclotron sweep status night.db\n",
    NULL,
    NULL,
    NULL
};

static int write_status(const struct request *q)
{
    struct cli_out out;
    struct store *s;
    struct err err;
    int rc = 0;

    if (cli_out_open(&out, q->output, CLI_TEXT, &err) != 0)
        return cli_error(&err);
    for (size_t i = 0; i < q->words.n && rc == 0; i++) {
        rc = store_read(&s, q->words.word[i], &err);
        if (rc != 0)
            break;
        if (i > 0)
            putc('\n', out.file);
        rc = print_status(s, out.file, &err);
        store_close(s);
    }
    if (rc != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

int cmd_sweep_status(int argc, char **argv)
{
    struct request q = { .name = argv[0] };
    int code;

    if (cli_parse(&cmd_sweep_status_argp, argc, argv, &q, &code)) {
        enum cli_format format = CLI_FORMAT_NONE;
        code = cli_format_settle(q.name, STATUS_ENDINGS, q.output, &format) == 0 ? write_status(&q)
                                                                                 : CLI_USAGE;
    }
    cli_list_free(&q.words);
    return code;
}

/* --- report ---------------------------------------------------------------------------------- */

const struct argp cmd_sweep_report_argp = {
    report_options,
    parse_option,
    "DB",
    "Evaluate a sweep: the best points, the Pareto front of time and cost, the gain from more of "
    "each parameter.\v"
    "Columns are the parameters that vary and the numbers of the result: seconds_per_step, "
    "utilization.mxu, proxy.usd_per_epoch ...; `cyclotron sweep export csv DB` has them all.\n\n"
    "Examples:\n"
    "  cyclotron sweep report night.db\n"
    "  cyclotron sweep report night.db --best proxy.usd_per_epoch \\\n"
    "      --where \"mxu.count <= 4\"\n"
    "  cyclotron sweep report ici.db --best max:samples_per_second \\\n"
    "      --break-even ici.bandwidth --of \"machine == 'tpu-v3-32'\" \\\n"
    "      --against \"machine == 'tpu-v3-8'\" --times 4\n",
    NULL,
    NULL,
    NULL
};

/* The page first: text that is printed promises that it is there. */
static int write_answer(const struct request *q, const struct ask_answer *a, const char *plan,
                        struct err *err)
{
    struct cli_out out;

    if (q->html) {
        if (cli_out_open(&out, q->html, CLI_HTML, err) != 0)
            return -1;
        sweep_page(a, q->words.word[0], plan, out.file);
        if (cli_out_close(&out, err) != 0)
            return -1;
    }
    if (cli_out_open(&out, q->output, CLI_TEXT, err) != 0)
        return -1;
    sweep_text(a, q->words.word[0], out.file);
    return cli_out_close(&out, err);
}

/* The distance of our cut of the baseline's kernels from the compiler's, where points differ; NAN:
 * they do not, or nobody knows. */
static double compare_hands(const struct sweep_table *t, const struct store *s)
{
    size_t row = t->baseline == SWEEP_NO_ROW ? 0 : t->baseline;

    return sweep_verdict_mixed(t) ? hands_compare(store_plan(s), t->id[row]) : NAN;
}

#define NEAR 0.1 /* the next best point is so near that noise may decide */

/* The swing of the step beside the best point; 0 where the next one is far behind. */
static double draw_swing(const struct ask_answer *a, const struct store *s)
{
    if (a->n < 2)
        return 0;
    double best = a->t->row[a->rows[0]][a->best.column].number;
    double next = a->t->row[a->rows[1]][a->best.column].number;

    return fabs(next / best - 1) < NEAR ? neighbours_swing(store_plan(s), a->t->id[a->rows[0]]) : 0;
}

int cmd_sweep_answer(struct ask_answer *a, const struct sweep_table *t, const struct store *s,
                     struct ask *ask, bool no_trials, struct err *err)
{
    ask->hands = no_trials ? NAN : compare_hands(t, s);
    ask->swing = 0;
    int rc = ask_answer(a, t, ask, err);
    if (rc == 0 && !no_trials)
        ask->swing = draw_swing(a, s);
    if (ask->swing > 0) {
        ask_free(a);
        rc = ask_answer(a, t, ask, err);
    }
    return rc;
}

static int report_sweep(struct request *q)
{
    struct ask_answer a;
    struct store *s;
    struct sweep_table t;
    struct err err;

    if (store_read(&s, q->words.word[0], &err) != 0)
        return cli_error(&err);
    int rc = sweep_table_read(&t, s, &err);
    if (rc == 0) {
        rc = cmd_sweep_answer(&a, &t, s, &q->ask, q->no_trials, &err);
        if (rc == 0) {
            rc = write_answer(q, &a, store_plan(s), &err);
            ask_free(&a);
        }
        sweep_table_free(&t);
    }
    store_close(s);
    return rc == 0 ? CLI_DONE : cli_error(&err);
}

/* -o night.html is --html night.html; the text then goes to standard output. */
static int settle_report(struct request *q)
{
    enum cli_format format = CLI_FORMAT_NONE;

    if (cli_format_settle(q->name, REPORT_ENDINGS, q->output, &format) != 0 ||
        cli_format_check(q->name, "--html", ".html", q->html) != 0)
        return CLI_USAGE;
    if (format != CLI_HTML)
        return CLI_DONE;
    if (q->html)
        return cli_usage(q->name, "-o %.80s and --html %.80s are two pages: name one of them",
                         q->output, q->html);
    q->html = q->output;
    q->output = NULL;
    return CLI_DONE;
}

int cmd_sweep_report(int argc, char **argv)
{
    struct request q = { .name = argv[0], .ask = { .top = ASK_TOP, .times = 1, .hands = NAN } };
    int code;

    if (cli_parse(&cmd_sweep_report_argp, argc, argv, &q, &code)) {
        code = refuse_more(&q, 1);
        if (code == CLI_DONE)
            code = settle_report(&q);
        if (code == CLI_DONE && q.html && cli_out_same(q.html, q.output))
            code = cli_usage(q.name, "--html and the report both go to %.80s: name another file",
                             q.output ? q.output : "standard output");
        if (code == CLI_DONE)
            code = report_sweep(&q);
    }
    cli_list_free(&q.words);
    return code;
}

/* --- export ---------------------------------------------------------------------------------- */

const struct argp cmd_sweep_export_argp = {
    export_options,
    parse_option,
    "csv|json|plan DB",
    "Write a sweep for other programs.\v"
    "csv: a line for each point, its parameters and all numbers of its result.  json: a line for "
    "each "
    "point, one object with the whole result.  plan: the plan file that would make the same "
    "sweep.\n\n"
    "Examples:\n"
    "  cyclotron sweep export csv night.db -o night.csv\n"
    "  cyclotron sweep export plan night.db -o again.ini\n",
    NULL,
    NULL,
    NULL
};

static int export_points(const struct request *q)
{
    static const char *const names[] = { "csv", "json", "plan" };
    static const char *const ends[] = { ".csv", ".json", ".ini .txt" };
    static const enum cli_format formats[] = { CLI_CSV, CLI_JSON, CLI_INI };
    const char *format = q->words.word[0];
    struct cli_out out;
    struct store *s;
    struct err err;
    unsigned f = 0;

    while (f < 3 && strcmp(format, names[f]) != 0)
        f++;
    if (f == 3)
        return cli_unknown(q->name, "format", format, names, 3);
    if (q->words.n < 2)
        return cli_usage(q->name, "no database given");
    enum cli_format asked = formats[f];
    if (cli_format_settle(q->name, ends[f], q->output, &asked) != 0)
        return CLI_USAGE;
    if (store_read(&s, q->words.word[1], &err) != 0)
        return cli_error(&err);
    int rc = cli_out_open(&out, q->output, asked, &err);
    if (rc == 0) {
        if (f == 2)
            fputs(store_plan(s), out.file);
        else
            rc = f == 0 ? export_csv(s, out.file, &err) : export_json(s, out.file, &err);
        if (rc != 0)
            cli_out_abandon(&out);
        else
            rc = cli_out_close(&out, &err);
    }
    store_close(s);
    return rc == 0 ? CLI_DONE : cli_error(&err);
}

int cmd_sweep_export(int argc, char **argv)
{
    struct request q = { .name = argv[0] };
    int code;

    if (cli_parse(&cmd_sweep_export_argp, argc, argv, &q, &code)) {
        code = refuse_more(&q, 2);
        if (code == CLI_DONE)
            code = export_points(&q);
    }
    cli_list_free(&q.words);
    return code;
}

/* --- merge ----------------------------------------------------------------------------------- */

const struct argp cmd_sweep_merge_argp = {
    merge_options,
    parse_option,
    "-o DB DB...",
    "Merge the results of shards into one database.\v"
    "All must have the same plan, sources, version and build of the program.  A point that two of "
    "them have must have "
    "the "
    "same result.  Merging again changes nothing.\n\n"
    "Examples:\n"
    "  cyclotron sweep merge -o night.db night.1-of-2.db night.2-of-2.db\n",
    NULL,
    NULL,
    NULL
};

static int merge_shards(const struct request *q)
{
    static const struct store_shard all = { 1, 1 };
    struct store *s = NULL, *first;
    struct store_count c;
    struct cli_out out;
    struct plan p;
    struct err err;

    if (!q->output)
        return cli_usage(q->name, "no -o DB to merge into");
    if (cli_format_check(q->name, "-o", ".db", q->output) != 0)
        return CLI_USAGE;
    for (size_t i = 0; i < q->words.n; i++)
        if (cli_out_same(q->output, q->words.word[i]))
            return cli_usage(q->name, "%.80s cannot be merged into itself", q->output);
    if (store_read(&first, q->words.word[0], &err) != 0)
        return cli_error(&err);
    plan_init(&p);
    int rc = plan_read_text(&p, store_path(first), store_plan(first), &err);
    store_close(first);
    if (rc == 0)
        rc = plan_finish(&p, &err);
    if (rc == 0)
        rc = store_open(&s, q->output, &p, all, CYCLOTRON_VERSION, &err);
    for (size_t i = 0; i < q->words.n && rc == 0; i++)
        rc = store_merge(s, q->words.word[i], &err);
    if (rc == 0)
        rc = store_count(s, &c, &err);
    if (rc == 0)
        rc = cli_out_open(&out, NULL, CLI_TEXT, &err);
    if (rc == 0) {
        text_shown(q->output, out.file);
        fprintf(out.file,
                ": %" PRIu64 " points in all, %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
                " open\n",
                c.all, c.done, c.failed, c.all - c.done - c.failed);
        rc = cli_out_close(&out, &err);
    }
    if (rc == 0 && c.done + c.failed < c.all)
        rc = err_set(&err, ERR_FIT,
                     "%s: %" PRIu64 " points are open: a shard is missing or not at its end",
                     q->output, c.all - c.done - c.failed);
    store_close(s);
    plan_free(&p);
    return rc == 0 ? CLI_DONE : cli_error(&err);
}

int cmd_sweep_merge(int argc, char **argv)
{
    struct request q = { .name = argv[0] };
    int code;

    if (cli_parse(&cmd_sweep_merge_argp, argc, argv, &q, &code))
        code = merge_shards(&q);
    cli_list_free(&q.words);
    return code;
}
