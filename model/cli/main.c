/* The program: which command is called, and what is done before and after any of them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text_guard.h"
#include "base/version.h"
#include "cli/cmd.h"
#include "cli/options/cli_complete.h"
#include "cli/options/cli_man.h"

static const struct cli_command commands[] = {
    { "replay", cmd_replay, "TRACE [-m MACHINE] [--set KEY=VALUE]...",
      "how long a step takes, what it waits for, what an epoch costs", &cmd_replay_argp, NULL,
      NULL },
    { "compare", cmd_compare, "TRACE... [-m MACHINE]...",
      "which machines run a trace, how fast, at what cost", &cmd_compare_argp, NULL, NULL },
    { "batch", cmd_batch, "TRACE... [-m MACHINE]... [--batch N]",
      "the largest batch that fits, the smallest machine for a batch", &cmd_batch_argp, NULL,
      NULL },
    { "diff", cmd_diff, "A.json B.json [--html]", "what changed from one run to another",
      &cmd_diff_argp, NULL, NULL },
    { "profile", cmd_profile, "[PROGRAM] PROFILE [-m MACHINE] [--calibrate mine.ini]",
      "a measured step beside its prediction, and a machine fitted to it", &cmd_profile_argp, NULL,
      NULL },
    { "op", cmd_op, "KIND KEY=VALUE... -m MACHINE [--exact]",
      "one operation: how long it takes, which unit it waits for", &cmd_op_argp, NULL,
      cmd_op_words },
    { "network", cmd_network, "KEY=VALUE... [--saturate]",
      "a torus or mesh under traffic: latency, throughput, hottest link", &cmd_network_argp, NULL,
      cmd_network_words },
    { "sweep", cmd_sweep,
      "TRACE... -m MACHINE --axis NAME=VALUES... | status|report|export|merge DB",
      "one step on many machines: which are worth building", &cmd_sweep_argp, &cmd_sweep_verbs,
      cmd_sweep_words },
    { "scan", cmd_scan, "TRACE... -m MACHINE --trials N [--cores N] [--epochs N]",
      "many trainings side by side on the cores of a slice", &cmd_scan_argp, NULL, NULL },
    { "validate", cmd_validate, "[--only CLASS] [--format json]",
      "published figures beside predictions, and the errors", &cmd_validate_argp, NULL, NULL },
    { "trace", cmd_trace, "gen|shard|remat|import|export|cat|pack|info|check ...",
      "write, transform, import, export, read and check traces", NULL, &cmd_trace_verbs, NULL },
    { "machine", cmd_machine, "list|show|check ...",
      "built-in machines, and machine files of your own", NULL, &cmd_machine_verbs, NULL },
    { "params", cmd_params, "[--markdown]", "every parameter a machine has", &cmd_params_argp, NULL,
      NULL },
};

static const struct cli_group program = {
    commands, sizeof commands / sizeof *commands,
    "cyclotron replays traces of training steps on cycle-level models of TPU slices, GPU\n"
    "boxes and CPUs.",
    "  cyclotron machine list\n"
    "  cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8\n"
    "  cyclotron replay traces/programs/gan3d.tpu-v3-8.hlo.zst\n"
    "  cyclotron op matmul m=4096 n=4096 k=4096 -m tpu-v3-1\n"
    "  cyclotron compare traces/3dgan.trace.zst -m tpu-v2-8 -m tpu-v3-8\n"
};

/* A broken invariant aborts; scripts tell it from bad input by this code. */
static void on_abort(int signal_number)
{
    (void)signal_number;
    _exit(CLI_BUG);
}

/* A file that is opened must not become standard output because that was closed. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) < 0)
            _exit(CLI_BAD_INPUT);
    }
}

/* Messages name files, and what is in them. */
static void guard_messages(void)
{
    static char line[BUFSIZ], guarded[BUFSIZ];
    static struct text_guard guard;

    if (guard.to) /* a test calls main() again */
        return;
    setvbuf(stderr, line, _IOLBF, sizeof line); /* a message comes whole or not at all */
    stderr = text_guard_open(&guard, stderr);
    setvbuf(stderr, guarded, _IOLBF, sizeof guarded);
}

int main(int argc, char **argv)
{
    static char name[] = "cyclotron";
    struct cli_out out;
    struct err err;
    int code;

    open_standard_streams();
    /* with some margins the help of argp never ends */
    unsetenv("ARGP_HELP_FMT");
    memory_supply();
    guard_messages();
    signal(SIGABRT, on_abort);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit is an error of its write, with a message */
    if (argc > 0)
        argv[0] = name; /* messages do not depend on how it was called */
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("cyclotron %s\n", CYCLOTRON_VERSION);
        code = CLI_DONE;
    } else if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
        cli_complete(&program, (const char *const *)argv + 2, (size_t)argc - 2, stdout);
        code = CLI_DONE;
    } else if (argc == 2 && strcmp(argv[1], "--man") == 0) {
        cli_man_list(&program, name, stdout);
        code = CLI_DONE;
    } else if (argc == 3 && strcmp(argv[1], "--man") == 0) {
        code = cli_man(&program, name, argv[2], stdout);
    } else {
        code = cli_dispatch(&program, argc, argv);
    }
    /* help and the version may have met a full disk as well */
    out = (struct cli_out){ .file = stdout };
    if (code == CLI_DONE && cli_out_close(&out, &err) != 0)
        code = cli_error(&err);
    return code;
}
