#include "cli/job.h"
#include "report/report.h"

static const struct argp_option options[] = { JOB_OPTIONS(
    "The machine: a name of `machine list`, or an .ini file", "text|json|csv") };

static const struct argp replay_argp = {
    options,
    job_parse,
    "TRACE",
    "Replay a training step on a model of a machine and say what it waits for.\v"
    "TRACE is a file written by `cyclotron trace gen`, or - for standard input.  The first lines "
    "of the report hold the verdict: time per step, cost of an epoch, whether it fits.\n\n"
    "Examples:\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --set mxu.count=4\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 --format csv -o ops.csv\n"
    "  cyclotron trace gen mlpf | cyclotron replay - -m tpu-v2-8 --format json\n",
    NULL,
    NULL,
    NULL
};

static int replay(const struct job *j)
{
    struct cli_progress progress;
    struct cli_out out;
    struct run_result result;
    struct err err;

    cli_progress_init(&progress);
    struct run_request request = job_request(j, 0, &progress);
    /* a file that cannot be written is known before the work, not after it */
    if (cli_out_open(&out, j->output, &err) != 0)
        return cli_error(&err);
    int rc = run_replay(&request, &result, &err);
    cli_progress_end(&progress);
    if (rc != 0) {
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
    struct job j = { .name = argv[0], .steps = 1, .csv = true };
    int code;

    if (cli_parse(&replay_argp, argc, argv, &j, &code)) {
        if (j.machines.n == 1)
            code = replay(&j);
        else
            code = cli_usage(j.name, "one machine at a time: `cyclotron compare` takes several");
    }
    job_free(&j);
    return code;
}
