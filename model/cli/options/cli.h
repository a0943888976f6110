/* cli.h - shared by all commands: usage errors, output files, progress on stderr.
 *
 * A command gets its own arguments (argv[0] is "cyclotron NAME") and returns the exit code.  All
 * printing of errors and all exit codes are decided here: a command of this folder reads options,
 * calls one study or replay, and hands the result to a report.  It computes nothing. */
#ifndef CLI_OPTIONS_CLI_H
#define CLI_OPTIONS_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text_guard.h"
#include "cli/options/cli_format.h"

enum { CLI_DONE = 0, CLI_BAD_INPUT = 1, CLI_USAGE = 2, CLI_BUG = 70 };

struct cli_offer;

/* Offer the words that may follow `n` words of a command, its options left out (cli_complete.h). */
typedef void cli_words_fn(const char *const *word, size_t n, struct cli_offer *offer);

/* A command of the program, or one verb of `machine`, `sweep` or `trace`.  Help, man pages and
 * completion come from this table and from the options in it. */
struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *doc;   /* for help: "TRACE -m MACHINE", one sentence */
    const struct argp *argp;       /* options and help; NULL: it has verbs alone */
    const struct cli_group *verbs; /* NULL: none */
    cli_words_fn *words;           /* NULL: argp->args_doc says which words follow */
};

/* Commands that are listed together; `intro` and `examples` go around the list in help. */
struct cli_group {
    const struct cli_command *command;
    size_t n;
    const char *intro, *examples;
};

/* Run the command argv[1] names.  argv[0] is what to call the program in messages; `help` and
 * --help print the list of commands. */
int cli_dispatch(const struct cli_group *group, int argc, char **argv);

/* The command called `name`, or NULL. */
const struct cli_command *cli_find(const struct cli_group *group, const char *name);

/* A flag of a struct argp_option whose values add up.  Of another option only one value would
 * count, so a second one is a usage error. */
#define CLI_REPEATED 0x1000

#define CLI_MOST_SETS 1000 /* a machine has some 400 parameters */

/* Parse with argp.  An unknown option, a missing, an unwanted or a second value is a usage error of
 * one line that names the nearest option; --help prints the whole help.  Returns false when the
 * command is over, with its exit code in *code.  The parser may call cli_usage and return EINVAL.
 */
bool cli_parse(const struct argp *argp, int argc, char **argv, void *input, int *code);

/* The option that every command has. */
/* clang-format off */
#define CLI_HELP_OPTION { "help", 'h', 0, 0, "Print this help", -1 }
/* clang-format on */

/* Print "NAME: message (NAME --help)" as one line on stderr; returns CLI_USAGE. */
int cli_usage(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A usage error for a `given` word that is none of `names`, with the nearest of them. */
int cli_unknown(const char *name, const char *what, const char *given, const char *const *names,
                unsigned n);

/* Print the message of an error as one line on stderr; returns CLI_BAD_INPUT. */
int cli_error(const struct err *err);

/* Read the value of option --OPTION of command `name`: a count from 1 to `max`.  0, or EINVAL after
 * a usage error. */
error_t cli_option_count(const char *name, const char *option, const char *text, uint64_t max,
                         uint64_t *value);
/* Processes to run: those asked for, or one per processor if 0 are. */
unsigned cli_jobs(uint64_t asked);

/* Read a count: decimal digits, min to max.  Returns whether it is one. */
bool cli_count(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* A list of words from repeated options; free with cli_list_free.  The words are copies. */
struct cli_list {
    const char **word;
    size_t n;
};
void cli_list_add(struct cli_list *list, const char *word);
/* Drop the last word if the list has it before. */
void cli_list_drop_repeated(struct cli_list *list);
void cli_list_free(struct cli_list *list);
/* Add a --set of a machine's parameter; false, and a usage error, if it is none of a machine's, is
 * set already, or is one more than CLI_MOST_SETS. */
bool cli_set_add(struct cli_list *set, const char *name, const char *word);

/* --- output ------------------------------------------------------------------------------- */

/* The output of a command: standard output, or a file that appears whole or not at all. */
struct cli_out {
    FILE *file;
    FILE *guarded; /* the stream behind `file`, which is its guard; NULL: `file` has none */
    struct text_guard guard;
    const char *path; /* NULL: standard output */
    char *target;     /* the file behind `path`, symbolic links followed */
    char *temporary;  /* NULL: written in place (standard output, a device, a pipe) */
    bool unnamed;     /* it has no name before it is complete: an interrupt leaves nothing behind */
};

/* True if one output would overwrite the other.  Standard output is one place as well. */
bool cli_out_same(const char *a, const char *b);

/* `path` NULL or "-" is standard output.  Text for people has a guard (base/text_guard.h), and all
 * that goes to a terminal.  Errors: ERR_IO. */
int cli_out_open(struct cli_out *o, const char *path, enum cli_format format, struct err *err);
/* Finish: flush and check everything, then give the file its name.  Errors: ERR_IO. */
int cli_out_close(struct cli_out *o, struct err *err);
/* Give up after `err`.  The message of a failed write gets the name of the output; it becomes empty
 * if the reader of a pipe went away, which is no error to report. */
void cli_out_fail(struct cli_out *o, struct err *err);
/* Give up and leave no file behind. */
void cli_out_abandon(struct cli_out *o);

/* --- progress ----------------------------------------------------------------------------- */

/* A line on stderr with the share that is done and the time left: written over on a terminal, one
 * every ten seconds and one at the end where --progress asks for it, none at all elsewhere.  `self`
 * is a struct cli_progress. */
struct cli_progress {
    bool on, terminal, shown, told;
    int64_t start_ms, last_ms;
    uint64_t done, all; /* as told last; all = 0: unknown */
    char what[64];
};
/* `asked`: by --progress. */
void cli_progress_init(struct cli_progress *p, bool asked);
void cli_progress(void *self, const char *what, uint64_t done, uint64_t all);
/* cli_progress of what is counted: points, runs. */
void cli_progress_count(void *self, const char *what, uint64_t done, uint64_t all);
void cli_progress_end(struct cli_progress *p); /* wipes the line of a terminal */

/* Keys of --progress, of commands that may take long, and --prices, of those that say costs. */
enum { CLI_PROGRESS_KEY = 0x400, CLI_PRICES_KEY = 0x402 };
/* clang-format off */
#define CLI_PROGRESS_OPTION                                                                        \
    { "progress", CLI_PROGRESS_KEY, 0, 0, "Show progress and the time left also where standard error is no terminal", -1 }
#define CLI_PRICES_OPTION                                                                          \
    { "prices", CLI_PRICES_KEY, "FILE", 0, "Take prices from FILE, in the form of prices.ini: [tpu-v3-8], on_demand = 8 USD/h [source]", 0 }
/* clang-format on */

#endif
