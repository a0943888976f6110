/* single.h - the options of commands that run something on one machine. */
#ifndef CLI_SINGLE_H
#define CLI_SINGLE_H

#include "cli/cli.h"

struct single {
    const char *name, *machine, *output; /* name: of the command */
    struct cli_list set;
    bool exact, json;
};

/* -m, -s, -x, -f and -o; ARGP_ERR_UNKNOWN: another key. */
error_t single_parse(struct single *s, int key, char *arg);

/* What a command writes.  Errors: its own. */
typedef int single_write_fn(void *self, FILE *out, struct err *err);

/* Open the output, let `write` fill it, close it; after an error nothing is left.  Returns the exit
 * code. */
int single_write(const struct single *s, single_write_fn *write, void *self);

#endif
