/* `cyclotron sweep`: run one, or a verb on the databases of some. */
#include "cli/cmd_sweep.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/cmd.h"

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    { "status", cmd_sweep_status },
    { "report", cmd_sweep_report },
    { "export", cmd_sweep_export },
    { "merge", cmd_sweep_merge },
};

int cmd_sweep(int argc, char **argv)
{
    char name[64];

    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) {
            snprintf(name, sizeof name, "%s %s", argv[0], verbs[i].name);
            argv[1] = name;
            return verbs[i].run(argc - 1, argv + 1);
        }
    }
    return cmd_sweep_run(argc, argv);
}
