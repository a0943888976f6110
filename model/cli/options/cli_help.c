#include "cli/options/cli_help.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool cli_help_has_defaults(const struct argp *argp)
{
    for (const struct argp_option *o = argp->options; o->name || o->key; o++) {
        size_t n = o->doc ? strlen(o->doc) : 0;
        if (n > 0 && o->doc[n - 1] == ')')
            return true;
    }
    return false;
}

char *cli_help_after(const struct argp *argp)
{
    const char *mark = strchr(argp->doc, '\v');
    char *text = memory_copy(mark ? mark + 1 : ""), *filtered = text;

    if (argp->help_filter)
        filtered = argp->help_filter(ARGP_KEY_HELP_POST_DOC, text, NULL);
    if (filtered != text)
        free(text);
    return filtered;
}

void cli_help_print(const struct argp *argp, char *name)
{
    unsigned flags = ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC;
    const char *mark = strchr(argp->doc, '\v');
    struct argp told = *argp; /* argp has no place of its own for a line after the options */
    char *doc = NULL;

    if (mark && cli_help_has_defaults(argp))
        told.doc = doc = memory_format("%.*s\v" CLI_HELP_DEFAULTS "\n\n%s", (int)(mark - argp->doc),
                                       argp->doc, mark + 1);
    argp_help(&told, stdout, flags, name);
    free(doc);
}
