/* cli_help.h - the help of a command, for --help and for its manual page (cli_man.h). */
#ifndef CLI_OPTIONS_CLI_HELP_H
#define CLI_OPTIONS_CLI_HELP_H

#include <argp.h>
#include <stdbool.h>

/* The line that explains "(1)" after an option. */
#define CLI_HELP_DEFAULTS "Options: a value in parentheses is the default."

/* True if the help of some option of the command ends in its default. */
bool cli_help_has_defaults(const struct argp *argp);

/* The text after the options, with what the command itself adds to it; to be freed. */
char *cli_help_after(const struct argp *argp);

/* Print the whole help of command `name` on standard output. */
void cli_help_print(const struct argp *argp, char *name);

#endif
