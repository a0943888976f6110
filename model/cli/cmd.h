/* cmd.h - the commands of the program, each in cmd_NAME.c: argv[0] is "cyclotron NAME", the exit
 * code is returned. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

int cmd_replay(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_op(int argc, char **argv);
int cmd_network(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_scan(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_trace(int argc, char **argv);

#endif
