/* `cyclotron scan`: many trainings side by side on one slice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options/cli_allow.h"
#include "cli/options/machine_options.h"
#include "machine/spec/catalog_prices.h"
#include "report/scan_report.h"
#include "study/scan.h"

#define ENDINGS ".txt .json"

struct request {
    struct machine_options one;
    struct cli_list traces;
    uint64_t trials, cores, epochs;
    struct allow allow;
    const char *prices; /* a list of the user's, or NULL */
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 't': return cli_option_count(q->one.name, "trials", arg, 1000000, &q->trials);
    case 'c': return cli_option_count(q->one.name, "cores", arg, 65536, &q->cores);
    case 'e': return cli_option_count(q->one.name, "epochs", arg, 1000000, &q->epochs);
    case CLI_ALLOW_KEY:
        return cli_allow(q->one.name, arg, CLI_ALLOW_TRACE | CLI_ALLOW_STEP, &q->allow);
    case CLI_PRICES_KEY: q->prices = arg; return 0;
    case ARGP_KEY_ARG: cli_list_add(&q->traces, arg); return 0;
    case ARGP_KEY_END:
        if (q->traces.n == 0)
            cli_usage(q->one.name, "no trace given");
        else if (!q->one.machine)
            cli_usage(q->one.name, "no machine given: expected -m MACHINE, such as -m tpu-v3-32");
        else
            return machine_options_settle(&q->one, ENDINGS);
        return EINVAL;
    default: return machine_options_parse(&q->one, key, arg);
    }
}

static const struct argp_option options[] = {
    { "machine", 'm', "MACHINE", 0, "The slice the trials share", 0 },
    { "set", 's', "KEY=VALUE", CLI_REPEATED,
      "Change a parameter: hbm.capacity=\"32 GiB\"; may be repeated", 0 },
    { "trials", 't', "N", 0, "Number of trials, dealt out over the traces in turn (one of each)",
      0 },
    { "cores", 'c', "N", 0,
      "Cores of a trial, or its GPUs or nodes: 1, or whole chips (1; of a compiled program those "
      "it "
      "was compiled for)",
      0 },
    { "epochs", 'e', "N", 0, "Epochs of a trial (1)", 0 },
    CLI_ALLOW_OPTION,
    CLI_PRICES_OPTION,
    { "format", 'f', "text|json", 0, "How to write the result (text)", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    CLI_PROGRESS_OPTION,
    CLI_HELP_OPTION,
    { 0 }
};

const struct argp cmd_scan_argp = {
    options,
    parse_option,
    "TRACE...",
    "Time a hyper-parameter scan: many trainings side by side on the cores of a slice, the GPUs of "
    "a "
    "machine, or nodes.\v"
    "The longest trials start first, each on the cores that become free first. A trial "
    "on one core shares the HBM bandwidth of its chip with trials on the other cores.\n\n"
    "Examples:\n"
    "  cyclotron scan traces/3dgan.trace.zst -m tpu-v3-32 --trials 64 --epochs 10\n"
    "  cyclotron scan small.trace big.trace -m tpu-v3-8 --trials 8 --cores 2\n",
    NULL,
    NULL,
    NULL
};

static int write_scan(void *self, FILE *out, struct err *err)
{
    const struct request *q = self;
    struct cli_progress progress;
    struct scan_result r;
    struct scan_request request = { .trace = q->traces.word,
                                    .n_traces = q->traces.n,
                                    .machine = q->one.machine,
                                    .set = q->one.set.word,
                                    .n_set = q->one.set.n,
                                    .trials = q->trials,
                                    .cores = q->cores,
                                    .epochs = q->epochs,
                                    .allow = q->allow,
                                    .progress = cli_progress,
                                    .progress_self = &progress };

    if (catalog_prices_use(q->prices, err) != 0)
        return -1;
    cli_progress_init(&progress, q->one.progress);
    int rc = scan_run(&request, &r, err);
    cli_progress_end(&progress);
    if (rc != 0)
        return -1;
    if (q->one.format == CLI_JSON)
        report_scan_json(&r, out);
    else
        report_scan_text(&r, out);
    scan_result_free(&r);
    return 0;
}

static bool reads_input(const struct request *q)
{
    for (size_t i = 0; i < q->traces.n; i++)
        if (strcmp(q->traces.word[i], "-") == 0)
            return true;
    return false;
}

int cmd_scan(int argc, char **argv)
{
    struct request q = { .one.name = argv[0], .epochs = 1 };
    int code;

    if (cli_parse(&cmd_scan_argp, argc, argv, &q, &code))
        code = reads_input(&q) ? cli_usage(argv[0], "standard input can be read once only: write "
                                                    "the trace to a file")
                               : machine_options_write(&q.one, write_scan, &q);
    cli_list_free(&q.traces);
    cli_list_free(&q.one.set);
    return code;
}
