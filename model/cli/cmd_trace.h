/* cmd_trace.h - what the commands of `cyclotron trace` share. */
#ifndef CLI_CMD_TRACE_H
#define CLI_CMD_TRACE_H

#include "cli/cli.h"

struct trace_request {
    const char *name, *output;
    const char *wanted; /* what the first word is: "trace", "workload" */
    bool many, json;    /* more words may follow the first */
    struct cli_list words;
};

/* --output and --help. */
extern const struct argp_option trace_options[];
/* Parses into a struct trace_request. */
error_t trace_parse(int key, char *arg, struct argp_state *state);

typedef int trace_write(const struct trace_request *, FILE *, struct err *);
/* Parse the command line and run `write` on what it asks for; returns the exit code. */
int trace_run(const struct argp *argp, struct trace_request q, int argc, char **argv,
              trace_write write);
/* Write text, packed if the output's name asks for it. */
int trace_packed(const struct trace_request *q, FILE *out, trace_write write, struct err *err);

/* trace_cut.c */
int trace_shard_main(int argc, char **argv);
int trace_remat_main(int argc, char **argv);

#endif
