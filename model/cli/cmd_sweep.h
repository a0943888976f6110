/* cmd_sweep.h - the verbs of `sweep`, one function each: argv[0] is "cyclotron sweep VERB". */
#ifndef CLI_CMD_SWEEP_H
#define CLI_CMD_SWEEP_H

#include <argp.h>

#include "sweep/report/ask.h"

/* Run a verb; returns the exit code. */
int cmd_sweep_run(int argc, char **argv);
int cmd_sweep_status(int argc, char **argv);
int cmd_sweep_report(int argc, char **argv);
int cmd_sweep_export(int argc, char **argv);
int cmd_sweep_merge(int argc, char **argv);

/* Answer `ask` from the table of a database.  Unless `no_trials`, points are replayed: the baseline
 * by both cuts of kernels where points differ in them, and neighbours of the best point where
 * another is near.  Errors: those of ask_answer(). */
int cmd_sweep_answer(struct ask_answer *a, const struct sweep_table *t, const struct store *s,
                     struct ask *ask, bool no_trials, struct err *err);

/* Their options and help. */
extern const struct argp cmd_sweep_status_argp, cmd_sweep_report_argp, cmd_sweep_export_argp,
    cmd_sweep_merge_argp;

#endif
