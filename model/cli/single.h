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

#endif
