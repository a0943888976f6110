/* cmd_sweep.h - the verbs of `sweep`, one function each: argv[0] is "cyclotron sweep VERB". */
#ifndef CLI_CMD_SWEEP_H
#define CLI_CMD_SWEEP_H

int sweep_run_main(int argc, char **argv);
int sweep_status_main(int argc, char **argv);
int sweep_report_main(int argc, char **argv);
int sweep_export_main(int argc, char **argv);
int sweep_merge_main(int argc, char **argv);

#endif
