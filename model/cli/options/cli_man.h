/* cli_man.h - manual pages, from the tables that --help prints.
 *
 * `cyclotron --man` prints the names of all pages, one a line; `cyclotron --man
 * cyclotron-trace-gen` a page in the man macros of roff, which man, groff and mandoc read. */
#ifndef CLI_OPTIONS_CLI_MAN_H
#define CLI_OPTIONS_CLI_MAN_H

#include <stdio.h>

#include "cli/options/cli.h"

/* Print the names of the pages of a program and all its commands and verbs. */
void cli_man_list(const struct cli_group *program, const char *name, FILE *out);

/* Print the page `page` of the program `name`.  Returns the exit code: a page that does not exist
 * is a usage error. */
int cli_man(const struct cli_group *program, const char *name, const char *page, FILE *out);

#endif
