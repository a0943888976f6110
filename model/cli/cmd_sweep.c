/* sweep: run one, or do something with the database of one. */
#include "cli/cmd_sweep.h"

#include <string.h>

#include "cli/cli.h"

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    { "status", sweep_status_main },
    { "report", sweep_report_main },
    { "export", sweep_export_main },
    { "merge", sweep_merge_main },
};

int sweep_main(int argc, char **argv)
{
    char name[64];

    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) {
            snprintf(name, sizeof name, "%s %s", argv[0], verbs[i].name);
            argv[1] = name;
            return verbs[i].run(argc - 1, argv + 1);
        }
    }
    return sweep_run_main(argc, argv);
}
