/* machine_patterns.h - lists of machines: what patterns of names match, and the smallest ones. */
#ifndef CLI_OPTIONS_MACHINE_PATTERNS_H
#define CLI_OPTIONS_MACHINE_PATTERNS_H

#include "base/err.h"
#include "cli/options/cli.h"

/* Replace patterns by the built-in machines they match; names stay as they are.  Each is listed
 * once; standard error says of a name that is given twice.  Errors: ERR_UNKNOWN a pattern matches
 * none. */
int machine_patterns_expand(struct cli_list *machines, struct err *err);

/* Add the smallest machine of each generation of TPUs and GPUs, and those of no generation:
 * cards, nodes of CPUs. */
void machine_patterns_smallest(struct cli_list *machines);

#endif
