/* `cyclotron trace shard|remat`: commands that make one trace of another. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "cli/cmd_trace.h"
#include "cli/options/cli_complete.h"
#include "passes/passes.h"
#include "study/remat_fit.h"

/* clang-format off */
#define DUMP_OPTION(passes)                                                                        \
    { "dump", CMD_TRACE_DUMP, "PASS", 0, "Write the step as it is after a pass: " passes, 0 }
/* clang-format on */

/* --- shard ---------------------------------------------------------------------------------- */

static const struct argp_option shard_options[] = { DUMP_OPTION("load, shard, pipeline"),
                                                    CLI_ALLOW_TRACE_OPTION,
                                                    CLI_OUTPUT_OPTION(CMD_TRACE_ENDINGS),
                                                    CLI_HELP_OPTION,
                                                    { 0 } };

const struct argp cmd_trace_shard_argp = {
    shard_options,
    cmd_trace_parse,
    "TRACE AXIS=N...",
    "Shard a training step over several cores: write the trace of one of them.\v"
    "Axes, 1 unless given:\n"
    "  data=N   groups of cores, each with a batch of its own (1..65536)\n"
    "  model=N  cores of a group that share the weights: columns of a product,\n"
    "           rows of the next one, and an all-reduce after it (1..65536)\n"
    "  edges=N  cores of a group that share the edges of a graph; they add up\n"
    "           what each node receives (1..65536)\n"
    "  halo=F   with edges: nodes are cut as well; a core needs F times as many\n"
    "           rows of the others' nodes as it has of its own (depends on the cut)\n"
    "  server=sync  a parameter server: it receives the gradients of all cores,\n"
    "           updates the weights and sends them back; excludes the other axes\n"
    "  server=async staleness=S  it serves each core alone; a core continues while\n"
    "           at most S of its updates are outstanding (0..16)\n"
    "  pipeline=P   stages, each of data cores: forward operations are cut in order\n"
    "           so that the largest stage is smallest, the others follow them; the\n"
    "           trace has the programs of all stages (2..65536)\n"
    "  microbatches=M  parts of a batch that pass through the stages in turn\n"
    "  schedule=1f1b|gpipe  one forward, one backward in turn, at most P - s of\n"
    "           them in flight in stage s; or all forwards, then all backwards\n\n"
    "Give model or edges, not both. The slice must have data * model (or edges)\n"
    "cores. Gradients are reduced over the cores that hold different parts of them.\n\n"
    "Examples:\n"
    "  cyclotron trace gen fc cores=4 -o fc.trace\n"
    "  cyclotron trace shard fc.trace data=4 model=2 -o fc-4x2.trace\n"
    "  cyclotron trace shard traces/exatrkx.trace.zst edges=8 -o event8.trace\n"
    "  cyclotron trace shard traces/exatrkx.trace.zst edges=8 halo=0.25 -o h.trace\n"
    "  cyclotron trace shard fc.trace data=2 pipeline=4 microbatches=8 -o p.trace\n"
    "  cyclotron replay event8.trace -m tpu-v3-8\n",
    NULL,
    NULL,
    NULL
};

void cmd_trace_shard_words(const char *const *word, size_t n, struct cli_offer *o)
{
    static const char *const axes[][3] = {
        { "data", NULL, "groups of cores, each with a batch of its own" },
        { "model", NULL, "cores of a group that share the weights" },
        { "edges", NULL, "cores of a group that share the edges of a graph" },
        { "halo", NULL, "with edges: rows of others' nodes that a core needs, times its own" },
        { "server", "sync|async", "a parameter server" },
        { "staleness", NULL, "of server=async: updates that may be outstanding" },
        { "pipeline", NULL, "stages" },
        { "microbatches", NULL, "parts of a batch that pass through the stages in turn" },
        { "schedule", "1f1b|gpipe", "of a pipeline" },
    };

    (void)word;
    if (n == 0)
        cli_offer_files(o, ".trace .zst");
    for (size_t i = 0; n > 0 && i < sizeof axes / sizeof *axes; i++)
        cli_offer_key(o, axes[i][0], axes[i][1], axes[i][2]);
}

static int shard_text(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    struct shard_plan plan;
    struct trace *t;

    if (shard_plan_read(&plan, (const char *const *)q->words.word + 1, q->words.n - 1, err) != 0 ||
        cmd_trace_open(&t, q, err) != 0)
        return -1;
    int rc =
        q->dump ? passes_dump_shard(t, &plan, q->dump, out, err) : shard_write(t, &plan, out, err);
    trace_close(t);
    return rc;
}

static int write_shard(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    return cmd_trace_pack(q, out, shard_text, err);
}

int cmd_trace_shard(int argc, char **argv)
{
    return cmd_trace_run(
        &cmd_trace_shard_argp,
        (struct cmd_trace_request){
            .wanted = "trace", .many = true, .endings = CMD_TRACE_ENDINGS, .dumps = PASSES_SHARD },
        argc, argv, write_shard);
}

/* --- remat ---------------------------------------------------------------------------------- */

static const struct argp_option remat_options[] = { DUMP_OPTION("load, remat"),
                                                    CLI_ALLOW_TRACE_OPTION,
                                                    CLI_OUTPUT_OPTION(CMD_TRACE_ENDINGS),
                                                    CLI_HELP_OPTION,
                                                    { 0 } };

const struct argp cmd_trace_remat_argp = {
    remat_options,
    cmd_trace_parse,
    "TRACE [KEY=VALUE]...",
    "Rematerialise: keep fewer activations for the gradients, and recompute\n"
    "the others before they are needed. FLOPs grow, peak memory falls.\v"
    "Parameters:\n"
    "  segments=phases|N  cut the forward pass at its phases, or into N parts;\n"
    "           what a later segment reads is kept (the cut with the lowest peak)\n"
    "  keep=none|products  products: keep the results of matrix products too\n"
    "  fit=SIZE|MACHINE  the cut with the fewest FLOPs whose tensors need at most\n"
    "           SIZE per core, or that fits a machine with all it needs there\n\n"
    "Examples:\n"
    "  cyclotron trace remat traces/exatrkx.trace.zst -o small.trace\n"
    "  cyclotron trace remat traces/exatrkx.trace.zst fit=16GiB -o event.trace\n"
    "  cyclotron replay event.trace -m tpu-v3-8\n",
    NULL,
    NULL,
    NULL
};

void cmd_trace_remat_words(const char *const *word, size_t n, struct cli_offer *o)
{
    (void)word;
    if (n == 0) {
        cli_offer_files(o, ".trace .zst");
        return;
    }
    cli_offer_key(o, "segments", "phases", "where the forward pass is cut");
    cli_offer_key(o, "keep", "none|products", "what is kept besides");
    cli_offer_key(o, "fit", NULL, "the most that tensors of a core may need: 16GiB; or a machine");
}

/* "a100x1" of fit=a100x1, the place of the word in *at; NULL: no machine is named. */
static const char *find_machine(const struct cmd_trace_request *q, size_t *at)
{
    for (*at = 1; *at < q->words.n; ++*at) {
        const char *word = q->words.word[*at];
        if (strncmp(word, "fit=", 4) == 0 && word[4] && !strchr("0123456789.+-", word[4]))
            return word + 4;
    }
    return NULL;
}

/* Cut the step so that it fits a machine, and say how much it takes there. */
static int remat_for(const struct cmd_trace_request *q, struct trace *t, struct remat_plan *plan,
                     const char *machine, FILE *out, struct err *err)
{
    struct run_request run = { .trace = q->words.word[0],
                               .machine = machine,
                               .steps = 1,
                               .allow_unknown = q->allow_unknown,
                               .allow = q->allow };
    struct run_memory m;

    if (plan->cut != REMAT_BEST)
        return err_set(err, ERR_RANGE, "fit and segments: give one of them; fit= chooses segments");
    if (strcmp(run.trace, "-") == 0)
        return err_set(err, ERR_FIT, "fit=%.64s: the trace is read twice: give a file", machine);
    if (remat_fit_write(t, &run, *plan, &m, out, err) != 0)
        return -1;
    fprintf(stderr, "%s: fits %s: ", trace_file(t), machine);
    plain_print(stderr, "%.4g of %.4g GiB, as a replay counts them\n",
                (double)m.peak.total / (1 << 30), (double)m.capacity / (1 << 30));
    return 0;
}

static int remat_text(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    const char **word = memory_zeroed(q->words.n, sizeof *word);
    struct remat_plan plan;
    struct trace *t;
    size_t n = 0, at;
    const char *machine = find_machine(q, &at);

    for (size_t i = 1; i < q->words.n; i++)
        if (!machine || i != at)
            word[n++] = q->words.word[i];
    int rc = remat_plan_read(&plan, word, n, err);
    free(word);
    if (rc != 0 || cmd_trace_open(&t, q, err) != 0)
        return -1;
    rc = q->dump   ? passes_dump_remat(t, &plan, q->dump, out, err)
         : machine ? remat_for(q, t, &plan, machine, out, err)
                   : remat_write(t, &plan, out, err);
    if (rc == 0 && plan.fit && !q->dump)
        fprintf(stderr, "%s: fit counts tensors; fit=MACHINE counts what a machine needs besides\n",
                trace_file(t));
    trace_close(t);
    return rc;
}

static int write_remat(const struct cmd_trace_request *q, FILE *out, struct err *err)
{
    return cmd_trace_pack(q, out, remat_text, err);
}

int cmd_trace_remat(int argc, char **argv)
{
    return cmd_trace_run(
        &cmd_trace_remat_argp,
        (struct cmd_trace_request){
            .wanted = "trace", .many = true, .endings = CMD_TRACE_ENDINGS, .dumps = PASSES_REMAT },
        argc, argv, write_remat);
}
