/* `cyclotron profile`: a measured step beside its prediction, and a machine fitted to it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/options/machine_options.h"
#include "cli/options/timeline_options.h"
#include "report/html/profile_page.h"
#include "report/profile_report.h"
#include "report/timeline/profiled_spans.h"

#define ENDINGS ".txt .json .html .pftrace[.zst]"
#define MOST_KERNELS 1000000
#define FEW_KERNELS 20

struct request {
    struct machine_options one;
    const char *program, *profile, *module;
    bool calibrate;
    const char *last;         /* a machine file among the arguments */
    const char *machine_file; /* of --calibrate */
    const char *export;       /* of --export */
    uint64_t kernels;
    struct timeline timeline; /* its page is replaced by ours */
    const char *page;
};

enum { KEY_MODULE = 0x200, KEY_KERNELS, KEY_CALIBRATE, KEY_EXPORT };

/* clang-format off */
static const struct argp_option options[] = {
    { "machine", 'm', "MACHINE", 0, "The machine: a name of `machine list`, or an .ini file (the one that the program was compiled for, or the devices of the profile)", 0 },
    { "set", 's', "KEY=VALUE", CLI_REPEATED, "Change a parameter: mxu.count=4; may be repeated", 0 },
    { "calibrate", KEY_CALIBRATE, "FILE", OPTION_ARG_OPTIONAL, "Fit constants of the machine to half of the kernels, and write a machine file that every command takes: mine.ini, the FILE of this option or of --output", 0 },
    { "export", KEY_EXPORT, "FILE", 0, "Write the prediction as a profile, a CSV file with the columns of XProf's hlo_stats; no PROFILE is needed then", 0 },
    { "module", KEY_MODULE, "NAME", 0, "Which program of the profile: jit_step (the one that most kernels agree with)", 0 },
    { "kernels", KEY_KERNELS, "N", 0, "Show N kernels (20)", 0 },
    { "exact", 'x', 0, 0, "Simulate every cycle, without shortcuts: the same result, slower", 0 },
    { "format", 'f', "text|json", 0, "How to write the result (text)", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    { "html", TIMELINE_HTML, "FILE", 0, "Write a page for a browser to FILE", 1 },
    { "perfetto", TIMELINE_PERFETTO, "FILE", 0, "Write both steps as a trace for ui.perfetto.dev to FILE, .pftrace or .pftrace.zst", 1 },
    CLI_PROGRESS_OPTION, CLI_HELP_OPTION, { 0 }
};
/* clang-format on */

static bool is_machine_file(const char *path)
{
    size_t n = path ? strlen(path) : 0;

    return n > 4 && strcmp(path + n - 4, ".ini") == 0;
}

static error_t take_file(struct request *q, const char *arg)
{
    if (q->calibrate && !q->last && is_machine_file(arg)) {
        q->last = arg; /* "--calibrate -o mine.ini" */
        return 0;
    }
    if (q->profile) {
        cli_usage(q->one.name, "unexpected argument \"%.80s\": expected a program and a profile",
                  arg);
        return EINVAL;
    }
    if (q->program)
        q->profile = arg;
    else
        q->program = arg;
    return 0;
}

/* The machine file to write stands behind --calibrate, or is that of --output. */
static error_t settle_calibration(struct request *q)
{
    const char *name = q->one.name;

    if (!q->machine_file && is_machine_file(q->last)) {
        q->machine_file = q->last;
    } else if (!q->machine_file && is_machine_file(q->one.output)) {
        q->machine_file = q->one.output;
        q->one.output = NULL;
    }
    if (!q->machine_file) {
        cli_usage(name, "--calibrate: expected the name of a machine file: --calibrate=mine.ini");
        return EINVAL;
    }
    if (!is_machine_file(q->machine_file)) {
        cli_usage(name,
                  "--calibrate=%.80s: expected the name of a machine file, which ends in .ini",
                  q->machine_file);
        return EINVAL;
    }
    if (cli_out_same(q->machine_file, q->one.output ? q->one.output : "-")) {
        cli_usage(name, "--calibrate and --output would both write %.80s", q->machine_file);
        return EINVAL;
    }
    return 0;
}

static error_t settle_request(struct request *q)
{
    const char *name = q->one.name;

    if (q->calibrate && settle_calibration(q) != 0)
        return EINVAL;
    if (!q->profile && !q->export) { /* which holds its program */
        q->profile = q->program;
        q->program = NULL;
    }
    if (!q->profile && (!q->program || q->machine_file)) {
        cli_usage(name, "expected a program and a profile of it");
        return EINVAL;
    }
    if (timeline_settle(&q->timeline, name, ENDINGS, &q->one.output, &q->one.format) != 0)
        return EINVAL;
    q->page = q->timeline.html;
    q->timeline.html = NULL;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case KEY_MODULE: q->module = arg; return 0;
    case KEY_KERNELS:
        return cli_option_count(q->one.name, "kernels", arg, MOST_KERNELS, &q->kernels);
    case KEY_CALIBRATE:
        q->calibrate = true;
        q->machine_file = arg;
        return 0;
    case KEY_EXPORT: q->export = arg; return 0;
    case ARGP_KEY_ARG: return take_file(q, arg);
    case ARGP_KEY_END: return settle_request(q);
    default: return timeline_parse_run(&q->timeline, &q->one, key, arg);
    }
}

const struct argp cmd_profile_argp = {
    options,
    parse_option,
    "[PROGRAM] PROFILE",
    "Compare a step that a profiler measured with its prediction, kernel by kernel.\v"
    "PROGRAM is a compiled program (.hlo.zst of scripts/compile, HLO text as XLA dumps it) or a "
    "trace.  PROFILE is a folder or a file of the JAX, PyTorch/XLA or TensorFlow profiler "
    "(.xplane.pb), a step that PyTorch's profiler recorded on a GPU (.json.gz), an SQLite export "
    "of "
    "Nsight Systems, an export of XProf (hlo_stats, op_profile, trace viewer), or a CSV file with "
    "lines NAME,MICROSECONDS[,COUNT].  Kernels are paired by name, and where names have changed by "
    "shape and kind.  Without PROGRAM it is the one that the profile holds and that took most "
    "time, or --module NAME of it; a recording of PyTorch is both.\n\n"
    "docs/guide/profiles.md shows how to capture a profile.\n\n"
    "Examples:\n"
    "  cyclotron profile traces/programs/gan3d.tpu-v3-8.hlo.zst \\\n"
    "    --export kernels.csv\n"
    "  cyclotron profile traces/programs/gan3d.tpu-v3-8.hlo.zst kernels.csv\n"
    "  cyclotron profile traces/programs/gan3d.tpu-v3-8.hlo.zst kernels.csv \\\n"
    "    -s mxu.issue=0.9 -o step.html\n"
    "  cyclotron profile traces/programs/gan3d.tpu-v3-8.hlo.zst kernels.csv \\\n"
    "    -s mxu.issue=0.9 --calibrate -o mine.ini\n"
    "  cyclotron profile step.json.gz\n"
    "  cyclotron profile traces/programs/gan3d.tpu-v3-8.hlo.zst kernels.csv \\\n"
    "    --format json -o step.json\n",
    NULL,
    NULL,
    NULL
};

/* Tracks of a run that the page of a profile draws. */
static const char *const pictured[] = { "chip0.core0.*", "GPU0.gpu.*" };

struct answer {
    const struct request *q;
    const struct profiled *p;
    const struct calibration *c; /* NULL: not asked */
    const struct lanes *lanes;   /* of a page */
};

static int write_report(void *self, FILE *out, struct err *err)
{
    const struct answer *a = self;

    (void)err;
    if (a->q->one.format == CLI_JSON)
        report_profile_json(a->p, a->c, out);
    else
        report_profile_text(a->p, a->c, a->q->kernels ? a->q->kernels : FEW_KERNELS, out);
    return 0;
}

static int write_machine(const struct answer *a, struct err *err)
{
    struct cli_out out;

    if (cli_out_open(&out, a->q->machine_file, CLI_INI, err) != 0)
        return -1;
    calibration_write(a->c, a->p, out.file);
    return cli_out_close(&out, err);
}

static int write_export(const struct answer *a, struct err *err)
{
    struct cli_out out;

    if (cli_out_open(&out, a->q->export, CLI_JSON, err) != 0)
        return -1;
    report_profile_export(a->p, out.file);
    return cli_out_close(&out, err);
}

static int write_page(const struct answer *a, struct err *err)
{
    struct cli_out out;

    if (cli_out_open(&out, a->q->page, CLI_HTML, err) != 0)
        return -1;
    profile_page(a->p, a->c, a->lanes, out.file);
    return cli_out_close(&out, err);
}

/* Write what was asked for; the report last, since it may go to standard output. */
static int write_answer(struct answer *a)
{
    struct err err;

    if ((a->q->export && write_export(a, &err) != 0) || (a->c && write_machine(a, &err) != 0) ||
        (a->q->page && write_page(a, &err) != 0))
        return cli_error(&err);
    return a->q->profile ? machine_options_write(&a->q->one, write_report, a) : CLI_DONE;
}

static unsigned count_processors(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 0 ? (unsigned)processors : 1;
}

/* Compare, and close the timeline of the predicted step. */
static int compare_steps(struct request *q, struct profiled *p, struct lanes *lanes,
                         struct cli_progress *progress, struct err *err)
{
    struct run_observer observer[sizeof q->timeline.observer / sizeof *q->timeline.observer + 1];
    size_t n;

    if (timeline_open(&q->timeline, err) != 0)
        return -1;
    for (n = 0; n < q->timeline.n_observers; n++)
        observer[n] = q->timeline.observer[n];
    if (lanes)
        observer[n++] = lanes_observer(lanes);
    const struct profiled_request request = { .run = { .trace = q->program,
                                                       .machine = q->one.machine,
                                                       .set = q->one.set.word,
                                                       .n_set = q->one.set.n,
                                                       .exact = q->one.exact,
                                                       .observer = observer,
                                                       .n_observers = n,
                                                       .progress = cli_progress,
                                                       .progress_self = progress },
                                              .profile = q->profile,
                                              .module = q->module };
    int rc = profiled_make(p, &request, err);
    bool ran = rc == 0;
    if (ran && q->timeline.trace && p->profile)
        profiled_spans_add(p, q->timeline.trace);
    struct err late;
    if (timeline_close(&q->timeline, ran, NULL, &late) != 0 && ran) {
        profiled_free(p);
        *err = late;
        rc = -1;
    }
    return rc;
}

static int compare_profile(struct request *q)
{
    struct cli_progress progress;
    struct calibration calibration = { 0 };
    struct lanes *lanes = q->page ? lanes_new(pictured, sizeof pictured / sizeof *pictured) : NULL;
    struct profiled p;
    struct err err;
    struct answer answer = { .q = q, .p = &p, .lanes = lanes };

    cli_progress_init(&progress, q->one.progress);
    int rc = compare_steps(q, &p, lanes, &progress, &err);
    if (rc == 0 && q->machine_file) {
        answer.c = &calibration;
        const struct calibration_request fit = { .jobs = count_processors(),
                                                 .progress = cli_progress_count,
                                                 .progress_self = &progress };
        rc = calibration_make(&calibration, &p, &fit, &err);
        if (rc != 0)
            profiled_free(&p);
    }
    cli_progress_end(&progress);
    int code = rc == 0 ? write_answer(&answer) : cli_error(&err);
    if (rc == 0) {
        calibration_free(&calibration);
        profiled_free(&p);
    }
    lanes_free(lanes);
    return code;
}

int cmd_profile(int argc, char **argv)
{
    struct request q = { .one = { .name = argv[0] } };
    int code;

    if (cli_parse(&cmd_profile_argp, argc, argv, &q, &code))
        code = compare_profile(&q);
    cli_list_free(&q.one.set);
    timeline_free(&q.timeline);
    return code;
}
