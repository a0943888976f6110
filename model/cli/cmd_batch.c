/* `cyclotron batch`: the largest batch that each machine holds, and the machines that hold a batch.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cmd.h"
#include "cli/options/compare_out.h"
#include "cli/options/machine_patterns.h"
#include "cli/options/run_options.h"
#include "run/job/progress.h"
#include "study/batch.h"

#define FORMATS "text|json"
#define ENDINGS COMPARE_OUT_ENDINGS
#define MOST_BATCH UINT64_C(1000000000)

struct request {
    struct run_options job; /* first: run_options_parse takes a request as one */
    struct cli_list traces;
    uint64_t batch; /* of --batch; 0: the largest that fits */
};

static const struct argp_option options[] = {
    { "batch", 'b', "N", 0, "Say which machines hold a batch of N, instead of the largest batch",
      0 },
    RUN_OPTIONS("A machine, or a pattern: tpu-v3-*; may be repeated (with --batch the smallest of "
                "each generation, each card and each node of CPUs)",
                FORMATS, ENDINGS)
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    if (key == ARGP_KEY_ARG && !strchr(arg, '=')) {
        cli_list_add(&r->traces, arg);
        r->job.trace = arg;
        return 0;
    }
    if (key == 'b')
        return cli_option_count(r->job.name, "batch", arg, MOST_BATCH, &r->batch);
    error_t rc = run_options_parse(key, arg, state);
    if (rc == 0 && key == ARGP_KEY_END)
        rc = cli_format_settle(r->job.name, ENDINGS, r->job.output, &r->job.format);
    return rc;
}

const struct argp cmd_batch_argp = {
    options,
    parse_option,
    "TRACE... [-m MACHINE]... [--batch N]",
    "Say for each machine how large a batch its memory holds, how fast it then runs and what that "
    "costs; or, with --batch, which machines hold a batch, and which of them is the smallest, the "
    "fastest and the cheapest.\v"
    "TRACE is a trace that `cyclotron trace gen` wrote: its batch, samples a step and core or as "
    "its workload counts them, is changed until it just fits.  The batch of other traces and of "
    "compiled programs is fixed: of one, which runs on its own machine without -m, the batch that "
    "fits is told as if memory grew in proportion; name one for each batch, and the largest that "
    "fits is taken, without -m on each machine that one of them is compiled for.\n\n"
    "Examples:\n"
    "  cyclotron batch traces/3dgan.trace.zst -m v100x1 -m tpu-v3-8\n"
    "  cyclotron batch traces/3dgan.trace.zst --batch 512\n"
    "  cyclotron batch traces/programs/gan3d.tpu-v3-8.hlo.zst\n"
    "  cyclotron batch small.trace big.trace -m tpu-v3-1\n",
    NULL,
    NULL,
    NULL
};

/* A machine with what it runs. */
struct row {
    struct batch_trace text;
    char *label, *why;
    struct run_result result;
};

static void free_rows(struct row *row, struct report_verdict *verdict, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (verdict[i].result)
            run_result_free(&row[i].result);
        free(row[i].text.text);
        free(row[i].label);
        free(row[i].why);
    }
    free(row);
    free(verdict);
}

/* The step that a machine runs: of a generated trace that with another batch, of others one of
 * several. */
static int choose_step(const struct request *r, const struct batch_source *source,
                       struct run_request *q, struct row *row, struct report_verdict *v,
                       struct err *err)
{
    size_t best;

    if (!source) {
        if (batch_choose(r->traces.word, r->traces.n, q, &best, err) != 0)
            return -1;
        q->trace = r->traces.word[best];
        if (r->traces.n == 1)
            return 0;
        row->label = memory_format("%s on %s", q->trace, v->machine);
        v->trace = q->trace;
        return 0;
    }
    if ((r->batch ? batch_write(source, r->batch, &row->text, err)
                  : batch_largest(source, q, &row->text, err)) != 0)
        return -1;
    q->text = row->text.text;
    q->text_size = row->text.size;
    v->batch = row->text.batch ? row->text.batch : source->knob.least;
    v->most_batch = !r->batch && row->text.batch == source->knob.most;
    if (!r->batch)
        row->label = memory_format("%s %s=%" PRIu64, v->machine, source->knob.key, v->batch);
    return 0;
}

static int run_all(const struct request *r, const struct batch_source *source, struct row *row,
                   struct report_verdict *verdict, struct err *err)
{
    const struct run_options *j = &r->job;
    struct cli_progress progress;
    int rc = 0;

    cli_progress_init(&progress, j->progress);
    for (size_t i = 0; i < j->machines.n && rc == 0; i++) {
        struct progress_part part = { cli_progress, &progress, j->machines.word[i], i,
                                      j->machines.n };
        struct run_request q = run_options_request(j, i, &progress);
        q.progress = progress_part;
        q.progress_self = &part;
        verdict[i].machine = q.machine;
        rc = choose_step(r, source, &q, &row[i], &verdict[i], err);
        verdict[i].label = row[i].label;
        if (rc == 0)
            rc = run_replay(&q, &row[i].result, err);
        if (rc == 0) {
            verdict[i].result = &row[i].result;
            verdict[i].fixed_batch = !source && r->traces.n == 1;
        } else if (err->code == ERR_FIT) {
            verdict[i].error = row[i].why = memory_copy(err->msg);
            rc = 0;
        }
    }
    cli_progress_end(&progress);
    return rc;
}

static int write_answer(const struct request *r, const struct batch_source *source)
{
    const struct run_options *j = &r->job;
    size_t n = j->machines.n;
    struct row *row = memory_zeroed(n, sizeof *row);
    struct report_verdict *verdict = memory_zeroed(n, sizeof *verdict);
    const struct report_comparison all = { verdict, n, NULL };
    char *title =
        r->batch
            ? memory_format("%s with %s=%" PRIu64, j->trace, source->knob.key, r->batch)
            : memory_format("%s%s", j->trace, source ? " with the largest batch that fits" : "");
    struct cli_out out;
    struct err err;
    int code = CLI_DONE;

    if (cli_out_open(&out, j->output, j->format, &err) != 0) {
        code = cli_error(&err);
    } else if (run_all(r, source, row, verdict, &err) != 0) {
        cli_out_abandon(&out);
        code = cli_error(&err);
    } else {
        compare_out_write(r->traces.n > 1 ? "the largest batch that fits" : title, &all, j->format,
                          out.file);
        if (cli_out_close(&out, &err) != 0)
            code = cli_error(&err);
        else
            code = compare_out_status(&all);
    }
    free(title);
    free_rows(row, verdict, n);
    return code;
}

/* One generated trace, or several of any kind. */
static int find_batches(const struct request *r)
{
    struct cli_progress progress;
    struct batch_source source;
    struct err err;

    if (r->traces.n > 1)
        return write_answer(r, NULL);
    cli_progress_init(&progress, false);
    struct run_request q = run_options_request(&r->job, 0, &progress);
    cli_progress_end(&progress);
    if (batch_open(&source, &q, &err) != 0)
        return cli_error(&err);
    bool fixed = source.fixed.code != ERR_NONE;
    int code =
        fixed && r->batch ? cli_error(&source.fixed) : write_answer(r, fixed ? NULL : &source);
    batch_close(&source);
    return code;
}

/* Without -m: the smallest machine of each generation, cards and CPUs for a batch, else those of
 * the programs, each once. */
static int find_machines(struct request *r)
{
    struct cli_list *machines = &r->job.machines;
    int code = CLI_DONE;

    if (machines->n > 0)
        return CLI_DONE;
    if (r->batch) {
        machine_patterns_smallest(machines);
        return CLI_DONE;
    }
    for (size_t i = 0; i < r->traces.n && code == CLI_DONE; i++) {
        code = run_options_own_machine(&r->job, r->traces.word[i], r->traces.n == 1);
        cli_list_drop_repeated(machines);
    }
    return code;
}

int cmd_batch(int argc, char **argv)
{
    struct request r = { .job = { .name = argv[0], .steps = 1, .formats = FORMATS } };
    struct err err;
    int code;

    if (cli_parse(&cmd_batch_argp, argc, argv, &r, &code)) {
        if (r.batch && r.traces.n > 1)
            code = cli_usage(r.job.name, "--batch changes the batch of one generated trace: "
                                         "expected one trace beside it");
        else if (strcmp(r.job.trace, "-") == 0)
            code = cli_usage(r.job.name, "standard input can be read once only: write the trace "
                                         "to a file");
        else if ((code = run_options_prices(&r.job)) == CLI_DONE &&
                 (code = find_machines(&r)) == CLI_DONE) {
            code = machine_patterns_expand(&r.job.machines, &err) == 0 ? find_batches(&r)
                                                                       : cli_error(&err);
        }
    }
    cli_list_free(&r.traces);
    run_options_free(&r.job);
    return code;
}
