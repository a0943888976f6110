/* cli_pass.h - the value of --dump: the name of a pass. */
#ifndef CLI_OPTIONS_CLI_PASS_H
#define CLI_OPTIONS_CLI_PASS_H

#include <argp.h>

#include "passes/passes.h"

/* Check that `arg` is a pass of `caller`, or `also` (NULL: nothing else is allowed).  Returns 0, or
 * EINVAL with a message of `command` that names the nearest one. */
error_t cli_pass(const char *command, const char *arg, enum passes_caller caller, const char *also);

#endif
