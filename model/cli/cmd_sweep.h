/* cmd_sweep.h - the verbs of `sweep`, one function each: argv[0] is "cyclotron sweep VERB". */
#ifndef CLI_CMD_SWEEP_H
#define CLI_CMD_SWEEP_H

#include <argp.h>

#include "analysis/sweep_table.h"

/* Run a verb; returns the exit code. */
int cmd_sweep_run(int argc, char **argv);
int cmd_sweep_status(int argc, char **argv);
int cmd_sweep_report(int argc, char **argv);
int cmd_sweep_export(int argc, char **argv);
int cmd_sweep_merge(int argc, char **argv);

/* The distance of our cut of the baseline's kernels from the compiler's, where points differ;
 * NAN: they do not, or nobody knows. */
double cmd_sweep_hands(const struct sweep_table *t, const struct store *s);

/* Their options and help. */
extern const struct argp cmd_sweep_status_argp, cmd_sweep_report_argp, cmd_sweep_export_argp,
    cmd_sweep_merge_argp;

#endif
