/* `cyclotron compare`: one trace on several machines; which fits, is fastest, is cheapest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "cli/cmd.h"
#include "cli/options/compare_out.h"
#include "cli/options/machine_patterns.h"
#include "cli/options/run_options.h"
#include "run/job/progress.h"

#define FORMATS "text|json"
#define ENDINGS COMPARE_OUT_ENDINGS

struct request {
    struct run_options job; /* first: run_options_parse takes a request as one */
    struct cli_list traces;
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

    if (key == ARGP_KEY_ARG && !strchr(arg, '=')) {
        cli_list_add(&r->traces, arg);
        r->job.trace = arg;
        return 0;
    }
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
    "TRACE... [-m MACHINE]...",
    "Say for each machine whether the trace fits, how fast it runs and what an epoch costs; name "
    "the "
    "cheapest and the fastest.\v"
    "TRACE is a trace, or a compiled program (.hlo.zst), which runs on slices of its own "
    "generation with as many devices, and on its own machine without -m.  Of several TRACEs each "
    "is compared on each machine, or on its own: a program compiled for several.\n\n"
    "--set applies to every machine, so it can change only what all of them have.\n\n"
    "Examples:\n"
    "  cyclotron compare traces/3dgan.trace.zst -m 'tpu-v?-8' --deadline 10min\n"
    "  cyclotron compare traces/exatrkx.trace.zst -m tpu-v2-8 -m tpu-v3-8\n"
    "  cyclotron compare traces/3dgan.trace.zst -m tpu-v3-8 -m tpu-v3-32 -f json\n"
    "  cyclotron compare traces/3dgan.trace.zst -m v100x4 -m tpu-v3-8 -o page.html\n"
    "  cyclotron compare traces/programs/gan3d.tpu-v2-8.hlo.zst \\\n"
    "      traces/programs/gan3d.tpu-v3-8.hlo.zst\n",
    NULL,
    NULL,
    NULL
};

/* One row: a trace on a machine. */
struct pair {
    const char *trace, *machine; /* borrowed */
    char *label;                 /* of several traces, else NULL */
    char *why;                   /* why the machine cannot run the trace at all, or NULL */
    struct run_result result;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Each trace on each machine or, with `own`, on the machine of the same number. */
static struct pair *list_pairs(const struct request *r, bool own, size_t *n)
{
    const struct cli_list *machines = &r->job.machines;
    size_t each = own ? 1 : machines->n;
    struct pair *pair = memory_zeroed(r->traces.n * each, sizeof *pair);

    *n = 0;
    for (size_t t = 0; t < r->traces.n; t++)
        for (size_t m = 0; m < each; m++) {
            struct pair *p = &pair[(*n)++];
            p->trace = r->traces.word[t];
            p->machine = machines->word[own ? t : m];
            if (r->traces.n > 1)
                p->label = memory_format("%s on %s", last_part(p->trace), p->machine);
        }
    return pair;
}

static void free_pairs(struct pair *pair, struct report_verdict *verdict, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (verdict[i].result)
            run_result_free(&pair[i].result);
        free(pair[i].label);
        free(pair[i].why);
    }
    free(pair);
    free(verdict);
}

/* Replay all pairs.  A machine that cannot run a trace is an answer; any other error ends it. */
static int run_all(const struct run_options *j, struct pair *pair, struct report_verdict *verdict,
                   size_t n, struct err *err)
{
    struct cli_progress progress;
    int rc = 0;

    cli_progress_init(&progress, j->progress);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct pair *p = &pair[i];
        struct progress_part part = { cli_progress, &progress, p->machine, i, n };
        struct run_request request = run_options_request(j, 0, &progress);
        request.trace = p->trace;
        request.machine = p->machine;
        request.progress = progress_part;
        request.progress_self = &part;
        verdict[i].machine = p->machine;
        verdict[i].trace = p->label ? p->trace : NULL;
        verdict[i].label = p->label;
        rc = run_replay(&request, &p->result, err);
        if (rc == 0) {
            verdict[i].result = &p->result;
        } else if (err->code == ERR_FIT) {
            verdict[i].error = p->why = memory_copy(err->msg);
            rc = 0;
        }
    }
    cli_progress_end(&progress);
    return rc;
}

static int compare_machines(const struct request *r, bool own)
{
    const struct run_options *j = &r->job;
    char title[32];
    struct cli_out out;
    struct err err;
    size_t n;
    int code = CLI_DONE;
    struct pair *pair = list_pairs(r, own, &n);
    struct report_verdict *verdict = memory_zeroed(n, sizeof *verdict);

    snprintf(title, sizeof title, "%zu traces", r->traces.n);
    const char *trace = r->traces.n > 1 ? title : j->trace;
    if (cli_out_open(&out, j->output, j->format, &err) != 0) {
        code = cli_error(&err);
    } else if (run_all(j, pair, verdict, n, &err) != 0) {
        cli_out_abandon(&out);
        code = cli_error(&err);
    } else {
        const struct report_comparison all = { verdict, n, r->has_deadline ? r->deadline : NULL };
        compare_out_write(trace, &all, j->format, out.file);
        if (cli_out_close(&out, &err) != 0)
            code = cli_error(&err);
        else
            code = compare_out_status(&all);
    }
    free_pairs(pair, verdict, n);
    return code;
}

/* Standard input can be read once only. */
static bool reads_input_again(const struct request *r)
{
    for (size_t i = 0; i < r->traces.n; i++)
        if (strcmp(r->traces.word[i], "-") == 0 && (r->traces.n > 1 || r->job.machines.n > 1))
            return true;
    return false;
}

/* Without -m, each trace runs on its own machine: not CLI_DONE where one has none.  `*own`: there
 * are several such. */
static int find_machines(struct request *r, bool *own)
{
    int code = CLI_DONE;

    *own = r->traces.n > 1 && r->job.machines.n == 0;
    if (r->traces.n == 1 && r->job.machines.n == 0)
        return run_options_own_machine(&r->job, r->traces.word[0], true);
    for (size_t i = 0; *own && i < r->traces.n && code == CLI_DONE; i++)
        code = run_options_own_machine(&r->job, r->traces.word[i], false);
    return code;
}

int cmd_compare(int argc, char **argv)
{
    struct request r = { .job = { .name = argv[0], .steps = 1, .formats = FORMATS } };
    struct run_options *j = &r.job;
    struct err err;
    bool own;
    int code;

    mpq_init(r.deadline);
    if (cli_parse(&cmd_compare_argp, argc, argv, &r, &code)) {
        if (reads_input_again(&r))
            code = cli_usage(j->name, "standard input can be replayed on one machine only: "
                                      "write the trace to a file");
        else if ((code = run_options_prices(j)) != CLI_DONE ||
                 (code = find_machines(&r, &own)) != CLI_DONE)
            ; /* told */
        else if (!own && machine_patterns_expand(&j->machines, &err) != 0)
            code = cli_error(&err);
        else
            code = compare_machines(&r, own);
    }
    mpq_clear(r.deadline);
    cli_list_free(&r.traces);
    run_options_free(j);
    return code;
}
