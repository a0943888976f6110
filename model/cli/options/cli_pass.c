#include "cli/options/cli_pass.h"

#include <errno.h>
#include <string.h>

#include "cli/options/cli.h"

error_t cli_pass(const char *command, const char *arg, enum passes_caller caller, const char *also)
{
    const char *names[PASSES_MAX + 1];
    unsigned n = passes_names(caller, names);

    for (unsigned i = 0; i < n; i++)
        if (strcmp(arg, names[i]) == 0)
            return 0;
    if (also)
        names[n++] = also;
    cli_unknown(command, "pass", arg, names, n);
    return EINVAL;
}
