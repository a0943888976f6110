/* cli_allow.h - --allow NAME=N, the option of commands that read or replay a trace (run/allow.h).
 */
#ifndef CLI_CLI_ALLOW_H
#define CLI_CLI_ALLOW_H

#include "cli/cli.h"
#include "run/allow.h"

enum { CLI_ALLOW_KEY = 0x401 };

/* A command can allow more of what a trace is, or of what a step that it replays takes. */
enum cli_allow { CLI_ALLOW_TRACE = 1, CLI_ALLOW_STEP = 2 };

/* Rows of an argp table: of a command that reads a trace, of one that replays it too. */
/* clang-format off */
#define CLI_ALLOW_TRACE_OPTION                                                                     \
    { "allow", CLI_ALLOW_KEY, "NAME=N", 0, "Let a trace have N steps, operations, operands, lines, names or bytes of text", 0 }
#define CLI_ALLOW_OPTION                                                                           \
    { "allow", CLI_ALLOW_KEY, "NAME=N", 0, "Let a trace be of N steps, operations, operands, lines, names, text, a step of N grid-steps", 0 }
/* clang-format on */

/* Read the value of --allow of command `name`; `can` has bits of enum cli_allow.  0, or EINVAL
 * after a usage error. */
error_t cli_allow(const char *name, const char *text, int can, struct allow *a);

#endif
