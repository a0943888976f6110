/* `cyclotron replay`: a trace on one machine, or with --scale on machines of several sizes. */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options/cli_pass.h"
#include "cli/options/run_options.h"
#include "cli/options/timeline_options.h"
#include "report/run_report.h"
#include "report/scaling_report.h"
#include "run/dump.h"
#include "study/scaling.h"
#include "study/trial.h"

struct replay {
    struct run_options job;
    struct timeline timeline;
    uint64_t size[SCALING_MAX_SIZES]; /* of --scale */
    size_t n_sizes;
    const char *dump; /* a pass, after which steps are printed; NULL: replay */
    bool ungroup;     /* show identical layers singly */
    bool no_trials;   /* advise without trying */
    bool trials;      /* try all advice, for any format */
    bool by_slices;   /* those beyond the machine's are slices of it */
};

#define MOST_SIZE 65536

#define FORMATS "text|json|csv|hepscore"
#define ENDINGS ".txt .json .csv .hepscore.json .html .pftrace[.zst] .xplane.pb .vcd[.zst]"
#define SCALE_ENDINGS ".txt .json"
#define DUMP_ENDINGS ".txt .trace"

enum {
    REPLAY_SCALE = 0x200,
    REPLAY_SCALE_BY,
    REPLAY_DUMP,
    REPLAY_UNGROUP,
    REPLAY_NO_TRIALS,
    REPLAY_TRIALS
};

static const struct argp_option options[] = {
    TIMELINE_OPTIONS,
    { "scale", REPLAY_SCALE, "SIZES", 0,
      "Replay on machines of these sizes, such as 8,32,128, and explain the loss of efficiency; a "
      "compiled program has one size: give `compare` one compiled for each",
      2 },
    { "scale-by", REPLAY_SCALE_BY, "mesh|slices", 0,
      "What to use for a size beyond the machine's own: one larger slice, or several slices of it "
      "(mesh)",
      2 },
    { "dump", REPLAY_DUMP, "PASS", 0,
      "Print the steps after a pass instead of replaying them: load, join, narrow, placement, "
      "liveness, footprint",
      2 },
    { "ungroup", REPLAY_UNGROUP, 0, 0, "Show each of several identical layers by itself", 2 },
    { "no-trials", REPLAY_NO_TRIALS, 0, 0,
      "Do not replay what is advised, nor the compiler's cut of kernels beside ours, for text and "
      "pages",
      2 },
    { "trials", REPLAY_TRIALS, 0, 0,
      "Replay each change that is advised of any operation, for JSON and CSV too", 2 },
    RUN_OPTIONS("The machine: a name of `machine list`, or an .ini file", FORMATS, ENDINGS)
};

static error_t parse_sizes(struct replay *r, const char *text)
{
    char word[24];

    for (const char *p = text; r->n_sizes < SCALING_MAX_SIZES; p++) {
        size_t n = strcspn(p, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), p);
        if (!cli_count(word, 1, MOST_SIZE, &r->size[r->n_sizes++])) {
            cli_usage(r->job.name,
                      "--scale %.60s: \"%s\" is no number from 1 to %d; expected sizes such as "
                      "8,32,128",
                      text, word, MOST_SIZE);
            return EINVAL;
        }
        p += n;
        if (*p == '\0')
            return 0;
    }
    cli_usage(r->job.name, "--scale %.60s: more than %d sizes", text, SCALING_MAX_SIZES);
    return EINVAL;
}

/* Refuse what --dump would leave out. */
static error_t check_dump(const struct replay *r)
{
    const struct timeline *t = &r->timeline;

    if (!r->n_sizes && r->job.format == CLI_FORMAT_NONE && !r->job.exact && r->job.steps == 1 &&
        !r->job.epochs && !r->ungroup && !t->vcd && !t->perfetto && !t->html && !t->xplane)
        return 0;
    cli_usage(r->job.name,
              "--dump=%.40s prints a trace instead of a replay: expected no --steps, --epochs, "
              "--exact, --scale, --ungroup, --format or timeline beside it",
              r->dump);
    return EINVAL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct replay *r = state->input;

    if (key == REPLAY_SCALE) {
        r->n_sizes = 0;
        return parse_sizes(r, arg);
    }
    if (key == REPLAY_SCALE_BY) {
        r->by_slices = strcmp(arg, "slices") == 0;
        if (r->by_slices || strcmp(arg, "mesh") == 0)
            return 0;
        cli_usage(r->job.name, "--scale-by %.60s: expected mesh or slices", arg);
        return EINVAL;
    }
    if (key == REPLAY_DUMP) {
        r->dump = arg;
        return cli_pass(r->job.name, arg, PASSES_PREPARE, NULL);
    }
    if (key == REPLAY_NO_TRIALS) {
        r->no_trials = true;
        r->trials = false;
        return 0;
    }
    if (key == REPLAY_TRIALS) {
        r->trials = true;
        r->no_trials = false;
        return 0;
    }
    if (key == REPLAY_UNGROUP) {
        r->ungroup = true;
        return 0;
    }
    error_t rc = timeline_parse(&r->timeline, r->job.name, key, arg);

    if (rc == ARGP_ERR_UNKNOWN) {
        state->input = &r->job;
        rc = run_options_parse(key, arg, state);
        state->input = r;
    }
    if (rc == 0 && key == ARGP_KEY_END && r->dump)
        rc = check_dump(r);
    if (rc == 0 && key == ARGP_KEY_END)
        rc = timeline_settle(&r->timeline, r->job.name,
                             r->dump      ? DUMP_ENDINGS
                             : r->n_sizes ? SCALE_ENDINGS
                                          : ENDINGS,
                             &r->job.output, &r->job.format);
    return rc;
}

const struct argp cmd_replay_argp = {
    options,
    parse_option,
    "TRACE [-m MACHINE]",
    "Replay a training step on a model of a machine and say what it waits for.\v"
    "TRACE is a file written by `cyclotron trace gen` or by hand, a compiled program of "
    "scripts/compile (.hlo.zst), a file that `trace import` reads, or - for standard input.  A "
    "compiled program runs on the machine it was compiled for unless -m names another.  The first "
    "lines of the report hold the verdict: time per step, cost of an epoch, whether it fits.\n\n"
    "Examples:\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --set mxu.count=4\n"
    "  cyclotron replay traces/programs/gan3d.tpu-v3-8.hlo.zst\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --format csv -o ops.csv\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --vcd run.vcd \\\n"
    "      --trace 'chip0.core0.*' --from 1ms --to 2ms\n"
    "  cyclotron trace gen mlpf | cyclotron replay - -m tpu-v2-8 --format json\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --scale 8,32,128,512\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v4-8 --set dcn.slices=4\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-32 --scale 32,64,128 \\\n"
    "      --scale-by slices\n",
    NULL,
    NULL,
    NULL
};

/* The run itself; its result is to be freed if all went well. */
static int run_machine(struct replay *r, struct run_result *result, struct err *err)
{
    struct cli_progress progress;
    struct timeline *t = &r->timeline;

    cli_progress_init(&progress, r->job.progress);
    struct run_request request = run_options_request(&r->job, 0, &progress);
    t->file = r->job.trace;
    t->text = r->job.text;
    t->text_size = r->job.text_size;
    if (timeline_open(t, err) != 0)
        return -1;
    request.ungroup = r->ungroup;
    request.observer = t->observer;
    request.n_observers = t->n_observers;
    int rc = run_replay(&request, result, err);
    if (rc == 0 && (r->trials || (!r->no_trials && r->job.format == CLI_TEXT)))
        trial_run(&request, r->trials || t->html ? TRIAL_ALL : TRIAL_SHOWN, result);
    cli_progress_end(&progress);
    if (timeline_close(t, rc == 0, result, err) != 0 && rc == 0) {
        run_result_free(result);
        rc = -1;
    }
    return rc;
}

static int dump_trace(const struct replay *r)
{
    struct run_request request = run_options_request(&r->job, 0, NULL);
    struct cli_out out;
    struct err err;

    if (cli_out_open(&out, r->job.output, CLI_TRACE, &err) != 0)
        return cli_error(&err);
    if (dump_steps(&request, r->dump, out.file, &err) != 0) {
        cli_out_fail(&out, &err);
        return cli_error(&err);
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

static int replay_trace(struct replay *r)
{
    const struct run_options *j = &r->job;
    struct cli_out out;
    struct run_result result;
    struct err err;

    /* a file that cannot be written is known before the work, not after it */
    if (cli_out_open(&out, j->output, j->format, &err) != 0)
        return cli_error(&err);
    if (run_machine(r, &result, &err) != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    if (j->format == CLI_JSON)
        report_json(&result, out.file);
    else if (j->format == CLI_HEPSCORE)
        report_hepscore(&result, out.file);
    else if (j->format == CLI_CSV)
        report_csv(&result, out.file);
    else
        report_text(&result, out.file);
    run_result_free(&result);
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

static int replay_sizes(const struct replay *r)
{
    struct scaling_size size[SCALING_MAX_SIZES];
    struct cli_progress progress;
    struct cli_out out;
    struct err err;

    if (cli_out_open(&out, r->job.output, r->job.format, &err) != 0)
        return cli_error(&err);
    cli_progress_init(&progress, r->job.progress);
    struct run_request request = run_options_request(&r->job, 0, &progress);
    int rc = scaling_run(&request, r->size, r->n_sizes, r->by_slices, size, &err);
    cli_progress_end(&progress);
    if (rc != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    if (r->job.format == CLI_JSON)
        report_scaling_json(r->job.trace, size, r->n_sizes, out.file);
    else
        report_scaling_text(r->job.trace, r->job.machines.word[0], size, r->n_sizes, out.file);
    scaling_free(size, r->n_sizes);
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

/* Refuse options that --scale excludes. */
static int cannot_scale(const struct replay *r)
{
    const char *name = r->job.name;

    if (r->timeline.vcd || r->timeline.perfetto || r->timeline.html || r->timeline.xplane)
        return cli_usage(name, "--scale runs several machines and writes no timeline and no page");
    if (r->ungroup)
        return cli_usage(name,
                         "--scale compares machines and shows no layers: expected no --ungroup "
                         "beside it");
    if (strcmp(r->job.trace, "-") == 0)
        return cli_usage(name, "standard input can be replayed on one machine only: write the "
                               "trace to a file");
    return CLI_DONE;
}

int cmd_replay(int argc, char **argv)
{
    struct replay r = { .job = { .name = argv[0], .steps = 1, .formats = FORMATS } };
    int code;

    if (cli_parse(&cmd_replay_argp, argc, argv, &r, &code)) {
        code = run_options_prices(&r.job);
        if (code == CLI_DONE && r.job.machines.n == 0)
            code = run_options_own_machine(&r.job, r.job.trace, true);
        if (code != CLI_DONE)
            ; /* told */
        else if (r.job.machines.n != 1)
            code = cli_usage(r.job.name, "expected one machine: `cyclotron compare` takes several");
        else if (r.by_slices && r.n_sizes == 0)
            code = cli_usage(r.job.name, "--scale-by needs --scale SIZES");
        else if (r.dump)
            code = dump_trace(&r);
        else if (r.n_sizes == 0)
            code = replay_trace(&r);
        else if ((code = cannot_scale(&r)) == CLI_DONE)
            code = replay_sizes(&r);
    }
    run_options_free(&r.job);
    timeline_free(&r.timeline);
    return code;
}
