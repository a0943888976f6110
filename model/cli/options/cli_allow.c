#include "cli/options/cli_allow.h"

#include <errno.h>
#include <string.h>

error_t cli_allow(const char *name, const char *text, int can, struct allow *a)
{
    static const char step[] = "grid-steps=";
    bool of_step = strncmp(text, step, strlen(step)) == 0;
    struct err err;

    if (!(can & CLI_ALLOW_TRACE) && !of_step)
        cli_usage(name, "--allow %.60s: expected grid-steps=N", text);
    else if (!(can & CLI_ALLOW_STEP) && of_step)
        cli_usage(name, "--allow %.60s: nothing is replayed", text);
    else if (allow_read(a, text, &err) != 0)
        cli_usage(name, "--allow %s", err.msg);
    else
        return 0;
    return EINVAL;
}
