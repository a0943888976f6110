/* `cyclotron sweep`: run one, or a verb on the databases of some. */
#include "cli/cmd_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cmd.h"
#include "cli/cmd_trace.h"
#include "cli/options/cli_complete.h"
#include "traces/gen.h"

static const struct cli_command verbs[] = {
    { "status", cmd_sweep_status, "DB...", "how far a sweep is, its sources and its plan",
      &cmd_sweep_status_argp, NULL, NULL },
    { "report", cmd_sweep_report, "DB", "the best points, and what each parameter is worth",
      &cmd_sweep_report_argp, NULL, NULL },
    { "export", cmd_sweep_export, "csv|json|plan DB", "the points for other programs",
      &cmd_sweep_export_argp, NULL, NULL },
    { "merge", cmd_sweep_merge, "-o DB DB...", "the results of shards in one database",
      &cmd_sweep_merge_argp, NULL, NULL },
};

const struct cli_group cmd_sweep_verbs = { verbs, sizeof verbs / sizeof *verbs, NULL, NULL };

/* A file, or gen:WORKLOAD and then its parameters. */
void cmd_sweep_words(const char *const *word, size_t n, struct cli_offer *o)
{
    size_t generated = n;

    for (size_t i = 0; i < gen_n_workloads; i++) {
        char *name = memory_format("gen:%s", gen_workloads[i]->name);
        cli_offer_word(o, name, gen_workloads[i]->summary);
        free(name);
    }
    cli_offer_files(o, ".trace .zst");
    while (generated > 0 && strchr(word[generated - 1], '='))
        generated--;
    if (generated > 0 && strncmp(word[generated - 1], "gen:", 4) == 0)
        cmd_trace_offer_params(word[generated - 1] + 4, o);
}

int cmd_sweep(int argc, char **argv)
{
    const struct cli_command *verb = argc > 1 ? cli_find(&cmd_sweep_verbs, argv[1]) : NULL;

    return verb ? cli_dispatch(&cmd_sweep_verbs, argc, argv) : cmd_sweep_run(argc, argv);
}
