/* `cyclotron validate`: every published figure beside its prediction. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_format.h"
#include "cli/cmd.h"
#include "report/validate_report.h"
#include "study/validate.h"
#include "traces/gen.h"

#define MAX_JOBS 1024
#define ENDINGS ".txt .json"

struct request {
    const char *name, *output, *only;
    uint64_t jobs;
    struct cli_list set;
    bool all, detail, progress;
    enum cli_format format;
};

static const struct argp_option options[] = {
    { "only", 'c', "CLASS", 0,
      "Show only classes with CLASS in their name, in upper or lower case: fc, 3dgan, v4, claims, "
      "questions",
      0 },
    { "all", 'a', 0, 0, "Show every row, not only the misses of long tables", 0 },
    { "set", 's', "KEY=VALUE", 0,
      "Change a parameter of every machine: hbm.efficiency=0.9; may be repeated", 0 },
    { "detail", 'd', 0, 0,
      "Show errors of measured kernels by kind and limit, and which rows were fitted on", 0 },
    { "jobs", 'j', "N", 0, "Run N at once (one per processor)", 0 },
    { "format", 'f', "text|json", 0, "How to write the result (text)", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    CLI_PROGRESS_OPTION,
    CLI_HELP_OPTION,
    { 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'c': q->only = arg; return 0;
    case 'a': q->all = true; return 0;
    case 'd': q->detail = true; return 0;
    case 's': return cli_set_add(&q->set, q->name, arg) ? 0 : EINVAL;
    case CLI_PROGRESS_KEY: q->progress = true; return 0;
    case 'j': return cli_option_count(q->name, "jobs", arg, MAX_JOBS, &q->jobs);
    case 'f': return cli_format_parse(q->name, "text|json", arg, &q->format);
    case 'o': q->output = arg; return 0;
    case ARGP_KEY_ARG: cli_usage(q->name, "unexpected argument \"%.80s\"", arg); return EINVAL;
    case ARGP_KEY_END: return cli_format_settle(q->name, ENDINGS, q->output, &q->format);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_validate_argp = {
    options,
    parse_option,
    NULL,
    "Predict every published figure that the project knows and show the errors.\v"
    "The tables are linked into the program; docs/validation.md says where they come from.  A "
    "figure outside the tolerance of its table is a MISS, and so is a claim of a source that does "
    "not hold here.  Figures that are excluded, or not modelled yet, are listed.  Questions that "
    "sources ask are answered.  The exit code does not depend on the errors.  --set changes a "
    "parameter of every machine, but where a row sets it itself; rows of machines that cannot have "
    "the value fail.\n\n"
    "Examples:\n"
    "  cyclotron validate\n"
    "  cyclotron validate --only 3dgan\n"
    "  cyclotron validate --only ju-2020\n"
    "  cyclotron validate --only 'TPU v6e' --detail\n"
    "  cyclotron validate --only v4 --set mxu.issue=1\n"
    "  cyclotron validate --format json -o validation.json\n",
    NULL,
    NULL,
    NULL
};

static int print_result(const struct request *r, const struct validate_result *v, FILE *out,
                        struct err *err)
{
    struct validate_detail detail = { 0 };

    if (r->detail && validate_detail_make(&detail, v, err) != 0)
        return -1;
    if (r->format == CLI_JSON)
        report_validate_json(v, r->detail ? &detail : NULL, out);
    else if (r->detail)
        report_validate_detail(v, &detail, out);
    else
        report_validate_text(v, r->all, out);
    validate_detail_free(&detail);
    return 0;
}

static int validate_figures(const struct request *r)
{
    struct cli_progress progress;
    struct validate_result result;
    struct cli_out out;
    struct err err;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    cli_progress_init(&progress, r->progress);
    struct validate_request q = { .generate = gen_write,
                                  .only = r->only,
                                  .set = r->set.word,
                                  .n_set = r->set.n,
                                  .jobs = r->jobs          ? (unsigned)r->jobs
                                          : processors > 0 ? (unsigned)processors
                                                           : 1,
                                  .progress = cli_progress_count,
                                  .progress_self = &progress };
    if (cli_out_open(&out, r->output, &err) != 0)
        return cli_error(&err);
    int rc = validate_run(&q, &result, &err);
    cli_progress_end(&progress);
    if (rc != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    rc = print_result(r, &result, out.file, &err);
    validate_result_free(&result);
    if (rc != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

int cmd_validate(int argc, char **argv)
{
    struct request r = { .name = argv[0] };
    int code;

    if (cli_parse(&cmd_validate_argp, argc, argv, &r, &code))
        code = validate_figures(&r);
    cli_list_free(&r.set);
    return code;
}
