/* run_options.h - the options that `replay` and `compare` share: a trace, machines, how to run
 * them. */
#ifndef CLI_OPTIONS_RUN_OPTIONS_H
#define CLI_OPTIONS_RUN_OPTIONS_H

#include "cli/options/cli_allow.h"
#include "cli/options/cli_format.h"
#include "run/result/result.h"

struct run_options {
    const char *name; /* of the command, for messages */
    const char *trace, *output;
    const char *prices; /* a list of the user's, or NULL */
    char *text;         /* of a trace from standard input that was read for its machine, or NULL */
    size_t text_size;
    char *read; /* the trace as which the only program was read for its machine, or NULL */
    size_t read_size;
    struct cli_list machines, set;
    uint64_t steps, epochs;
    uint64_t jobs; /* threads; 0: one for each processor */
    struct allow allow;
    struct host_loop host;
    bool progress, exact, allow_unknown, retile;
    const char *formats; /* what --format takes: "text|json" */
    enum cli_format format;
};

#define RUN_OPTIONS_RETILE 1100 /* these have no letter: --retile */
#define RUN_OPTIONS_HOST 1101   /* --host */

/* Rows of an argp table, the row of zeros at its end included; `formats` says what --format takes,
 * `endings` how outputs end (cli_format.h). */
/* clang-format off */
#define RUN_OPTIONS(machine_doc, formats, endings)                                                 \
    { "machine", 'm', "MACHINE", CLI_REPEATED, machine_doc, 0 },                                              \
    { "set", 's', "KEY=VALUE", CLI_REPEATED, "Change a parameter: mxu.count=4; may be repeated", 0 },              \
    { "steps", 'n', "N", 0, "Measure N steps, after one step to warm up (1)", 0 },                      \
    { "epochs", 'e', "N", 0, "Say what a run of N epochs takes and costs", 0 },                        \
    { "exact", 'x', 0, 0, "Simulate every cycle, without shortcuts: the same result, slower", 0 },          \
    { "jobs", 'j', "N", 0, "Simulate with N threads where chips differ from each other: the same result (one per processor)", 0 }, \
    { "retile", RUN_OPTIONS_RETILE, 0, 0, "Cut the kernels of a compiled program for the machine, as those of other traces are, instead of as the compiler has", 0 }, \
    CLI_PRICES_OPTION, \
    { "host", RUN_OPTIONS_HOST, "KEY=VALUE", CLI_REPEATED, "Add what a loop on the host costs: item=1, shapes=100, fallback=NAME, input=auto (docs/model/host.md); may be repeated", 0 }, \
    CLI_ALLOW_OPTION, \
    { "allow-unknown", 'u', 0, 0, "Cost operations of unknown kind as memory traffic", 0 },        \
    { "format", 'f', formats, 0, "How to write the result (text)", 0 },                            \
    CLI_OUTPUT_OPTION(endings),                                                                    \
    CLI_PROGRESS_OPTION, CLI_HELP_OPTION, { 0 }
/* clang-format on */

/* argp parser; state->input is a struct run_options. */
error_t run_options_parse(int key, char *arg, struct argp_state *state);

/* Add the machine that a compiled program was compiled for to the machines.  If the trace is
 * `alone` and was compiled for several slices, set their number too.  A program from standard input
 * is kept as `text`, the trace of a program that is `alone` as `read`.  CLI_DONE; CLI_USAGE, and
 * told, if the trace says none; CLI_BAD_INPUT, and told, if it cannot be read. */
int run_options_own_machine(struct run_options *j, const char *trace, bool alone);

/* Take the prices of --prices from now on.  CLI_DONE; CLI_BAD_INPUT, and told, if it is no list of
 * prices. */
int run_options_prices(const struct run_options *j);

/* The run of machine `i`, with its progress shown in `p`. */
struct run_request run_options_request(const struct run_options *j, size_t i,
                                       struct cli_progress *p);

/* Free what parsing has allocated; the options themselves are the caller's. */
void run_options_free(struct run_options *j);

#endif
