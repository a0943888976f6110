/* `cyclotron validate`: every published figure beside its prediction, or a folder of profiles. */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options/cli.h"
#include "cli/options/cli_format.h"
#include "report/profile_set_report.h"
#include "report/validate_report.h"
#include "study/validate/validate.h"
#include "traces/gen.h"

#define MAX_JOBS 1024
#define ENDINGS ".txt .json"
#define SET_ENDINGS ".txt .json .csv" /* of a folder of profiles */

struct request {
    const char *name, *output, *only;
    const char *folder, *machine; /* of profiles; NULL: published figures */
    uint64_t jobs;
    struct cli_list set;
    bool all, detail, progress;
    enum cli_format format;
};

enum { KEY_PROFILE = 0x200 };

static const struct argp_option options[] = {
    { "profile", KEY_PROFILE, "FOLDER", 0,
      "Compare the programs of a folder with the profiles of them in it, instead of published "
      "figures",
      0 },
    { "machine", 'm', "MACHINE", 0,
      "With --profile: the machine of all programs (that of pairs.ini, of the program or of the "
      "profile)",
      0 },
    { "only", 'c', "CLASS", 0,
      "Show only classes with CLASS in their name, in upper or lower case: fc, 3dgan, v4, claims, "
      "questions; with --profile: pairs with it in their name",
      0 },
    { "all", 'a', 0, 0,
      "Show every row, not only the misses of long tables; with --profile every kernel, not only "
      "the worst ten",
      0 },
    { "set", 's', "KEY=VALUE", CLI_REPEATED,
      "Change a parameter of every machine: hbm.efficiency=0.9; may be repeated", 0 },
    { "detail", 'd', 0, 0,
      "Show errors of measured kernels by kind and limit, and which rows were fitted on", 0 },
    { "jobs", 'j', "N", 0, "Run N at once (one per processor)", 0 },
    { "format", 'f', "text|json|csv", 0,
      "How to write the result (text); csv with --profile: its kernels", 0 },
    CLI_OUTPUT_OPTION(SET_ENDINGS),
    CLI_PROGRESS_OPTION,
    CLI_HELP_OPTION,
    { 0 }
};

static error_t settle_request(struct request *q)
{
    if (q->machine && !q->folder) {
        cli_usage(q->name, "--machine %.80s goes with --profile: published figures say theirs",
                  q->machine);
        return EINVAL;
    }
    if (q->detail && q->folder) {
        cli_usage(q->name, "--detail is of published figures: --profile shows as much by itself");
        return EINVAL;
    }
    return cli_format_settle(q->name, q->folder ? SET_ENDINGS : ENDINGS, q->output, &q->format);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case KEY_PROFILE: q->folder = arg; return 0;
    case 'm': q->machine = arg; return 0;
    case 'c': q->only = arg; return 0;
    case 'a': q->all = true; return 0;
    case 'd': q->detail = true; return 0;
    case 's': return cli_set_add(&q->set, q->name, arg) ? 0 : EINVAL;
    case CLI_PROGRESS_KEY: q->progress = true; return 0;
    case 'j': return cli_option_count(q->name, "jobs", arg, MAX_JOBS, &q->jobs);
    case 'f': return cli_format_parse(q->name, "text|json|csv", arg, &q->format);
    case 'o': q->output = arg; return 0;
    case ARGP_KEY_ARG: cli_usage(q->name, "unexpected argument \"%.80s\"", arg); return EINVAL;
    case ARGP_KEY_END: return settle_request(q);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_validate_argp = {
    options,
    parse_option,
    NULL,
    "Predict every published figure that the project knows and show the errors.\v"
    "The tables are linked into the program; docs/evidence/method.md says where they come "
    "from.  A "
    "figure outside the tolerance of its table is a MISS, and so is a claim of a source that does "
    "not hold here.  Figures that are excluded, or not modelled yet, are listed.  Questions that "
    "sources ask are answered.  The exit code does not depend on the errors.  --set changes a "
    "parameter of every machine, but where a row sets it itself; rows of machines that cannot have "
    "the value fail.\n\n"
    "--profile FOLDER compares a site's own programs with profiles of them.  NAME.hlo and "
    "NAME.xplane.pb, NAME.hlo_stats.csv, NAME.op_profile.json, NAME.trace.json or NAME.csv in one "
    "folder are a pair, packed with gzip or zstd or not; so are NAME.hlo and "
    "NAME/plugins/profile/DATE, which profilers write.  XPlane files need no program.  "
    "FOLDER/pairs.ini says what names cannot; docs/guide/profiles.md shows it.  The exit code is 1 "
    "if a "
    "pair could not be compared.\n\n"
    "Examples:\n"
    "  cyclotron validate\n"
    "  cyclotron validate --only 3dgan\n"
    "  cyclotron validate --only ju-2020\n"
    "  cyclotron validate --only 'TPU v6e' --detail\n"
    "  cyclotron validate --only v4 --set mxu.issue=1\n"
    "  cyclotron validate --format json -o validation.json\n"
    "  cyclotron validate --profile site\n"
    "  cyclotron validate --profile site -m mine.ini -o site.csv\n",
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

static int validate_figures(const struct request *r, struct cli_progress *progress, FILE *out,
                            struct err *err)
{
    const struct validate_request q = { .generate = gen_write,
                                        .only = r->only,
                                        .set = r->set.word,
                                        .n_set = r->set.n,
                                        .jobs = cli_jobs(r->jobs),
                                        .progress = cli_progress_count,
                                        .progress_self = progress };
    struct validate_result result;
    int rc = validate_run(&q, &result, err);

    cli_progress_end(progress);
    if (rc != 0)
        return -1;
    rc = print_result(r, &result, out, err);
    validate_result_free(&result);
    return rc;
}

static void print_set(const struct request *r, const struct profile_set *s, FILE *out)
{
    size_t rows = r->all ? s->n_ranks : PROFILE_SET_FEW;

    if (r->format == CLI_JSON)
        report_profile_set_json(s, rows, out);
    else if (r->format == CLI_CSV)
        report_profile_set_csv(s, out);
    else
        report_profile_set_text(s, rows, out);
}

/* *failed: pairs that could not be compared. */
static int validate_profiles(const struct request *r, struct cli_progress *progress, FILE *out,
                             size_t *failed, struct err *err)
{
    const struct profile_set_request q = { .folder = r->folder,
                                           .machine = r->machine,
                                           .only = r->only,
                                           .set = r->set.word,
                                           .n_set = r->set.n,
                                           .jobs = cli_jobs(r->jobs),
                                           .progress = cli_progress_count,
                                           .progress_self = progress };
    struct profile_set s;
    int rc = profile_set_run(&s, &q, err);

    cli_progress_end(progress);
    if (rc != 0)
        return -1;
    print_set(r, &s, out);
    *failed = s.n_failed;
    if (s.n_failed > 0)
        err_set(err, ERR_FORMAT, "%.200s: %zu of %zu pairs could not be compared", s.folder,
                s.n_failed, s.n_pairs);
    profile_set_free(&s);
    return 0;
}

static int run_validation(const struct request *r)
{
    struct cli_progress progress;
    struct cli_out out;
    struct err err, late;
    size_t failed = 0;

    cli_progress_init(&progress, r->progress);
    if (cli_out_open(&out, r->output, r->format, &err) != 0)
        return cli_error(&err);
    int rc = r->folder ? validate_profiles(r, &progress, out.file, &failed, &err)
                       : validate_figures(r, &progress, out.file, &err);
    if (rc != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    if (cli_out_close(&out, &late) != 0)
        return cli_error(&late);
    return failed > 0 ? cli_error(&err) : CLI_DONE;
}

int cmd_validate(int argc, char **argv)
{
    struct request r = { .name = argv[0] };
    int code;

    if (cli_parse(&cmd_validate_argp, argc, argv, &r, &code))
        code = run_validation(&r);
    cli_list_free(&r.set);
    return code;
}
