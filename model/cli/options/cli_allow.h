/* cli_allow.h - --allow NAME=N, the option of commands that read or replay a trace
 * (run/result/allow.h).
 */
#ifndef CLI_OPTIONS_CLI_ALLOW_H
#define CLI_OPTIONS_CLI_ALLOW_H

#include "cli/options/cli.h"
#include "run/result/allow.h"

enum { CLI_ALLOW_KEY = 0x401 };

/* Limits that a command can raise: those of a trace, that of the step that it replays. */
enum cli_allow { CLI_ALLOW_TRACE = 1, CLI_ALLOW_STEP = 2 };

/* Rows of argp tables: for commands that read a trace, and for those that replay it. */
/* clang-format off */
#define CLI_ALLOW_TRACE_OPTION                                                                     \
    { "allow", CLI_ALLOW_KEY, "NAME=N", CLI_REPEATED, "Raise a limit: steps, operations, operands, lines, names or bytes of text of the trace", 0 }
#define CLI_ALLOW_OPTION                                                                           \
    { "allow", CLI_ALLOW_KEY, "NAME=N", CLI_REPEATED, "Raise a limit: steps, operations, operands, lines, names or bytes of text of a trace, grid-steps of a step", 0 }
/* clang-format on */

/* Read the value of --allow of command `name`; `can` has bits of enum cli_allow.  0, or EINVAL
 * after a usage error. */
error_t cli_allow(const char *name, const char *text, int can, struct allow *a);

#endif
