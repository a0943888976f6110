/* cmd.h - the commands of the program, each in cmd_NAME.c: argv[0] is "cyclotron NAME", the exit
 * code is returned. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "cli/options/cli.h"

/* Run a command.  What it prints goes to standard output, messages to standard error. */
int cmd_replay(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_op(int argc, char **argv);
int cmd_network(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_scan(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_trace(int argc, char **argv);

/* Their options and help, and their verbs. */
extern const struct argp cmd_replay_argp, cmd_compare_argp, cmd_batch_argp, cmd_validate_argp,
    cmd_diff_argp, cmd_op_argp, cmd_profile_argp, cmd_network_argp, cmd_sweep_argp, cmd_scan_argp,
    cmd_params_argp;
extern const struct cli_group cmd_machine_verbs, cmd_trace_verbs, cmd_sweep_verbs;

/* The words that may follow those of a command. */
cli_words_fn cmd_op_words, cmd_network_words, cmd_sweep_words;

#endif
