/* cmd_trace.h - shared by the verbs of `cyclotron trace`: their request, its options, their output.
 */
#ifndef CLI_CMD_TRACE_H
#define CLI_CMD_TRACE_H

#include "cli/options/cli_allow.h"
#include "cli/options/cli_format.h"

struct cmd_trace_request {
    const char *name, *output;
    const char *wanted;  /* what the first word is: "trace", "workload" */
    bool many;           /* more words may follow the first */
    const char *endings; /* of what it writes (cli_format.h) */
    enum cli_format format;
    const char *dump; /* a pass after which the step is written; NULL: the last */
    int dumps;        /* enum passes_caller of the passes it may name */
    uint64_t samples, ranks, rank, step; /* import, export; 0: not given */
    const char *module;                  /* import; NULL: not given */
    bool allow_unknown, json;            /* import, export */
    bool binary;                         /* what it writes is not for a terminal */
    struct allow allow;
    struct cli_list words;
};

#define CMD_TRACE_ENDINGS ".trace .trace.zst .txt" /* of a trace */

/* Open the trace that the first word names, with the limits of the request. */
int cmd_trace_open(struct trace **t, const struct cmd_trace_request *q, struct err *err);

#define CMD_TRACE_DUMP 0x300 /* key of --dump */
/* argp parser; state->input is a struct cmd_trace_request. */
error_t cmd_trace_parse(int key, char *arg, struct argp_state *state);

/* Write what a verb makes of its request to the file.  Returns -1 on error. */
typedef int cmd_trace_write_fn(const struct cmd_trace_request *, FILE *, struct err *);
/* Parse the command line and run `write` on what it asks for; returns the exit code. */
int cmd_trace_run(const struct argp *argp, struct cmd_trace_request q, int argc, char **argv,
                  cmd_trace_write_fn write);
/* A file without a name for text that must be complete before it is packed, or NULL; and pack it.
 */
FILE *cmd_trace_scratch(struct err *err);
int cmd_trace_pack_scratch(FILE *text, FILE *out, struct err *err);
/* Write text, packed if the output's name asks for it. */
int cmd_trace_pack(const struct cmd_trace_request *q, FILE *out, cmd_trace_write_fn write,
                   struct err *err);

/* Offer the parameters of a workload of `trace gen`; none if there is no such workload. */
void cmd_trace_offer_params(const char *workload, struct cli_offer *o);

/* cmd_trace_passes.c */
extern const struct argp cmd_trace_shard_argp, cmd_trace_remat_argp;
cli_words_fn cmd_trace_shard_words, cmd_trace_remat_words;
int cmd_trace_shard(int argc, char **argv);
int cmd_trace_remat(int argc, char **argv);

/* cmd_trace_import.c */
extern const struct argp cmd_trace_import_argp, cmd_trace_export_argp;
cli_words_fn cmd_trace_import_words;
int cmd_trace_import(int argc, char **argv);
int cmd_trace_export(int argc, char **argv);

#endif
