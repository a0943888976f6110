#include <stdlib.h>
#include <string.h>

#include "cli/job.h"
#include "report/report.h"

static const struct argp_option options[] = { JOB_OPTIONS(
    "A machine to compare; give one -m for each", "text|json") };

static const struct argp compare_argp = {
    options,
    job_parse,
    "TRACE",
    "Say for each machine whether the trace fits, how fast it runs and what an epoch costs.\v"
    "--set applies to every machine, so compare what all of them have.\n\n"
    "Examples:\n"
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
static int run_all(const struct job *j, struct comparison *c, struct err *err)
{
    struct cli_progress progress;
    int rc = 0;

    cli_progress_init(&progress);
    for (size_t i = 0; i < j->machines.n && rc == 0; i++) {
        struct run_request request = job_request(j, i, &progress);
        struct report_verdict *v = &c->verdict[i];
        v->machine = j->machines.word[i];
        c->n = i + 1;
        rc = run_replay(&request, &c->result[i], err);
        if (rc == 0) {
            v->result = &c->result[i];
        } else if (err->code == ERR_FIT) {
            c->why[i] = strdup(err->msg);
            BUG_ON(!c->why[i]);
            v->error = c->why[i];
            rc = 0;
        }
    }
    cli_progress_end(&progress);
    return rc;
}

static int compare(const struct job *j)
{
    size_t n = j->machines.n;
    struct comparison c = { calloc(n, sizeof *c.verdict), calloc(n, sizeof *c.result),
                            calloc(n, sizeof *c.why), 0 };
    struct cli_out out;
    struct err err;
    int code = CLI_DONE;

    BUG_ON(!c.verdict || !c.result || !c.why);
    if (cli_out_open(&out, j->output, &err) != 0) {
        code = cli_error(&err);
    } else if (run_all(j, &c, &err) != 0) {
        cli_out_abandon(&out);
        code = cli_error(&err);
    } else {
        if (j->format == JOB_TEXT)
            report_compare_text(j->trace, c.verdict, n, out.file);
        else
            report_compare_json(j->trace, c.verdict, n, out.file);
        if (cli_out_close(&out, &err) != 0)
            code = cli_error(&err);
    }
    comparison_free(&c);
    return code;
}

int compare_main(int argc, char **argv)
{
    struct job j = { .name = argv[0], .steps = 1 };
    int code;

    if (cli_parse(&compare_argp, argc, argv, &j, &code)) {
        /* standard input can be read once only */
        if (strcmp(j.trace, "-") == 0 && j.machines.n > 1)
            code = cli_usage(j.name, "standard input can be replayed on one machine only: "
                                     "write the trace to a file");
        else
            code = compare(&j);
    }
    job_free(&j);
    return code;
}
