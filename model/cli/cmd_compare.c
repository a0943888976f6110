/* `cyclotron compare`: one trace on several machines; which fits, is fastest, is cheapest. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "cli/cmd.h"
#include "cli/run_options.h"
#include "machine/catalog.h"
#include "report/compare_report.h"
#include "run/progress.h"

#define FORMATS "text|json"
#define ENDINGS ".txt .json"

struct request {
    struct run_options job; /* first: run_options_parse takes a request as one */
    bool has_deadline;
    mpq_t deadline; /* seconds */
};

static const struct argp_option options[] = {
    { "deadline", 'd', "TIME", 0,
      "Name the cheapest machine whose epoch takes at most TIME: 1h, 90min", 0 },
    RUN_OPTIONS("A machine to compare, or a pattern: tpu-v3-*; may be repeated", FORMATS, ENDINGS)
};

/* "1h", "90 min", "30 s", "2d" in seconds, more than none; false: it is no such time. */
static bool parse_time(mpq_t q, const char *text)
{
    static const struct {
        const char *unit;
        unsigned long seconds;
    } units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };
    const char *unit = exact_parse(q, text);
    mpq_t factor;

    if (!unit || mpq_sgn(q) <= 0)
        return false;
    unit += strspn(unit, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        mpq_init(factor);
        mpq_set_ui(factor, units[i].seconds, 1);
        mpq_mul(q, q, factor);
        mpq_clear(factor);
        return true;
    }
    return false;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    if (key != 'd') {
        error_t rc = run_options_parse(key, arg, state);
        if (rc == 0 && key == ARGP_KEY_END)
            rc = cli_format_settle(r->job.name, ENDINGS, r->job.output, &r->job.format);
        return rc;
    }
    r->has_deadline = parse_time(r->deadline, arg);
    if (r->has_deadline)
        return 0;
    cli_usage(r->job.name, "--deadline %.40s: expected a time such as 1h, 90min, 30s or 2d", arg);
    return EINVAL;
}

const struct argp cmd_compare_argp = {
    options,
    parse_option,
    "TRACE [-m MACHINE]...",
    "Say for each machine whether the trace fits, how fast it runs and what an epoch costs; name "
    "the "
    "cheapest and the fastest.\v"
    "TRACE is a trace, or a compiled program (.hlo.zst), which runs on slices of its own "
    "generation with as many devices, and on its own machine without -m.\n\n"
    "--set applies to every machine, so it can change only what all of them have.\n\n"
    "Examples:\n"
    "  cyclotron compare traces/3dgan.trace.zst -m 'tpu-v?-8' --deadline 10min\n"
    "  cyclotron compare traces/exatrkx.trace.zst -m tpu-v2-8 -m tpu-v3-8\n"
    "  cyclotron compare traces/3dgan.trace.zst -m tpu-v3-8 -m tpu-v3-32 -f json\n",
    NULL,
    NULL,
    NULL
};

struct comparison {
    struct report_verdict *verdict;
    struct run_result *result;
    char **why; /* of machines that cannot run the trace at all */
    size_t n;
};

static void comparison_free(struct comparison *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->verdict[i].result)
            run_result_free(&c->result[i]);
        free(c->why[i]);
    }
    free(c->verdict);
    free(c->result);
    free(c->why);
}

/* That a machine cannot run a trace is an answer; anything else wrong ends the comparison. */
static int run_all(const struct run_options *j, struct comparison *c, struct err *err)
{
    struct cli_progress progress;
    int rc = 0;

    cli_progress_init(&progress, j->progress);
    for (size_t i = 0; i < j->machines.n && rc == 0; i++) {
        struct progress_part part = { cli_progress, &progress, j->machines.word[i], i,
                                      j->machines.n };
        struct run_request request = run_options_request(j, i, &progress);
        request.progress = progress_part;
        request.progress_self = &part;
        struct report_verdict *v = &c->verdict[i];
        v->machine = j->machines.word[i];
        c->n = i + 1;
        rc = run_replay(&request, &c->result[i], err);
        if (rc == 0) {
            v->result = &c->result[i];
        } else if (err->code == ERR_FIT) {
            c->why[i] = memory_copy(err->msg);
            v->error = c->why[i];
            rc = 0;
        }
    }
    cli_progress_end(&progress);
    return rc;
}

static bool is_among(const struct cli_list *list, const char *word)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->word[i], word) == 0)
            return true;
    return false;
}

/* Replace patterns by the built-in machines they match; names stay as they are.  Each is compared
 * once. */
static int expand_patterns(struct cli_list *machines, struct err *err)
{
    struct cli_list all = { 0 };

    for (size_t i = 0; i < machines->n; i++) {
        const char *pattern = machines->word[i];
        bool any = false;
        if (!strpbrk(pattern, "*?[")) {
            if (is_among(&all, pattern))
                fprintf(stderr, "%.80s is named twice: it is compared once\n", pattern);
            else
                cli_list_add(&all, pattern);
            continue;
        }
        for (struct catalog_machine m = { 0 }; catalog_next(&m);) {
            if (fnmatch(pattern, m.name, 0) != 0)
                continue;
            any = true;
            if (!is_among(&all, m.name))
                cli_list_add(&all, m.name);
        }
        if (!any) {
            cli_list_free(&all);
            return err_set(err, ERR_UNKNOWN,
                           "no machine is called %.80s; `cyclotron machine list` lists them",
                           pattern);
        }
    }
    cli_list_free(machines);
    *machines = all;
    return 0;
}

static int compare_machines(const struct request *r)
{
    const struct run_options *j = &r->job;
    mpq_srcptr deadline = r->has_deadline ? r->deadline : NULL;
    size_t n = j->machines.n;
    struct comparison c = { memory_zeroed(n, sizeof *c.verdict), memory_zeroed(n, sizeof *c.result),
                            memory_zeroed(n, sizeof *c.why), 0 };
    struct cli_out out;
    struct err err;
    int code = CLI_DONE;

    if (cli_out_open(&out, j->output, &err) != 0) {
        code = cli_error(&err);
    } else if (run_all(j, &c, &err) != 0) {
        cli_out_abandon(&out);
        code = cli_error(&err);
    } else {
        const struct report_comparison all = { c.verdict, n, deadline };
        if (j->format == CLI_TEXT)
            report_compare_text(j->trace, &all, out.file);
        else
            report_compare_json(j->trace, &all, out.file);
        if (cli_out_close(&out, &err) != 0)
            code = cli_error(&err);
    }
    comparison_free(&c);
    return code;
}

int cmd_compare(int argc, char **argv)
{
    struct request r = { .job = { .name = argv[0], .steps = 1, .formats = FORMATS } };
    struct run_options *j = &r.job;
    struct err err;
    int code;

    mpq_init(r.deadline);
    if (cli_parse(&cmd_compare_argp, argc, argv, &r, &code)) {
        if (expand_patterns(&j->machines, &err) != 0)
            code = cli_error(&err);
        /* standard input can be read once only */
        else if (strcmp(j->trace, "-") == 0 && j->machines.n > 1)
            code = cli_usage(j->name, "standard input can be replayed on one machine only: "
                                      "write the trace to a file");
        else
            code = compare_machines(&r);
    }
    mpq_clear(r.deadline);
    run_options_free(j);
    return code;
}
