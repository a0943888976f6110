#include "cli/job.h"
#include "cli/timeline.h"
#include "report/report.h"

struct replay {
    struct job job;
    struct timeline timeline;
};

static const struct argp_option options[] = {
    TIMELINE_OPTIONS,
    JOB_OPTIONS("The machine: a name of `machine list`, or an .ini file", "text|json|csv")
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct replay *r = state->input;
    error_t rc = timeline_parse(&r->timeline, r->job.name, key, arg);

    if (rc == ARGP_ERR_UNKNOWN) {
        state->input = &r->job;
        rc = job_parse(key, arg, state);
        state->input = r;
    }
    if (rc == 0 && key == ARGP_KEY_END)
        rc = timeline_settle(&r->timeline, r->job.name, &r->job.output);
    return rc;
}

static const struct argp replay_argp = {
    options,
    parse,
    "TRACE",
    "Replay a training step on a model of a machine and say what it waits for.\v"
    "TRACE is a file written by `cyclotron trace gen`, or - for standard input.  The first lines "
    "of the report hold the verdict: time per step, cost of an epoch, whether it fits.\n\n"
    "Examples:\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --set mxu.count=4\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --format csv -o ops.csv\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --vcd run.vcd --trace 'chip0.core0.*' "
    "--from 1ms --to 2ms\n"
    "  cyclotron trace gen mlpf | cyclotron replay - -m tpu-v2-8 --format json\n",
    NULL,
    NULL,
    NULL
};

/* The run itself; its result is to be freed if all went well. */
static int run(struct replay *r, struct run_result *result, struct err *err)
{
    struct cli_progress progress;
    struct timeline *t = &r->timeline;

    cli_progress_init(&progress);
    struct run_request request = job_request(&r->job, 0, &progress);
    if (timeline_open(t, err) != 0)
        return -1;
    request.observer = t->observer;
    request.n_observers = t->n_observers;
    int rc = run_replay(&request, result, err);
    cli_progress_end(&progress);
    if (timeline_close(t, rc == 0 ? result : NULL, err) != 0 && rc == 0) {
        run_result_free(result);
        rc = -1;
    }
    return rc;
}

static int replay(struct replay *r)
{
    const struct job *j = &r->job;
    struct cli_out out;
    struct run_result result;
    struct err err;

    /* a file that cannot be written is known before the work, not after it */
    if (cli_out_open(&out, j->output, &err) != 0)
        return cli_error(&err);
    if (run(r, &result, &err) != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    switch (j->format) {
    case JOB_TEXT: report_text(&result, out.file); break;
    case JOB_JSON: report_json(&result, out.file); break;
    case JOB_CSV: report_csv(&result, out.file); break;
    }
    run_result_free(&result);
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

int replay_main(int argc, char **argv)
{
    struct replay r = { .job = { .name = argv[0], .steps = 1, .csv = true } };
    int code;

    if (cli_parse(&replay_argp, argc, argv, &r, &code)) {
        if (r.job.machines.n == 1)
            code = replay(&r);
        else
            code =
                cli_usage(r.job.name, "one machine at a time: `cyclotron compare` takes several");
    }
    job_free(&r.job);
    timeline_free(&r.timeline);
    return code;
}
