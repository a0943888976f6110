/* machine_options.h - the options of commands that run something on one machine. */
#ifndef CLI_OPTIONS_MACHINE_OPTIONS_H
#define CLI_OPTIONS_MACHINE_OPTIONS_H

#include "cli/options/cli.h"
#include "cli/options/cli_format.h"

struct machine_options {
    const char *name, *machine, *output; /* name: of the command */
    struct cli_list set;
    bool exact, progress;
    enum cli_format format;
};

/* -m, -s, -x, -f and -o; ARGP_ERR_UNKNOWN: another key. */
error_t machine_options_parse(struct machine_options *s, int key, char *arg);
/* Call when all options are read: settle the format, one of the endings `can` (cli_format.h).  0,
 * or EINVAL after a usage error. */
error_t machine_options_settle(struct machine_options *s, const char *can);

/* Write the answer of a command.  Errors: its own. */
typedef int machine_options_write_fn(void *self, FILE *out, struct err *err);

/* Open the output, let `write` fill it, close it; after an error nothing is left.  Returns the exit
 * code. */
int machine_options_write(const struct machine_options *s, machine_options_write_fn *write,
                          void *self);

#endif
