#include "cli/machine_patterns.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "machine/catalog.h"
#include "machine/sizes.h"

static bool is_among(const struct cli_list *list, const char *word)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->word[i], word) == 0)
            return true;
    return false;
}

int machine_patterns_expand(struct cli_list *machines, struct err *err)
{
    struct cli_list all = { 0 };

    for (size_t i = 0; i < machines->n; i++) {
        const char *pattern = machines->word[i];
        bool any = false;
        if (!strpbrk(pattern, "*?[")) {
            if (is_among(&all, pattern))
                fprintf(stderr, "%.80s is named twice: it is compared once\n", pattern);
            else
                cli_list_add(&all, pattern);
            continue;
        }
        for (struct catalog_machine m = { 0 }; catalog_next(&m);) {
            if (fnmatch(pattern, m.name, 0) != 0)
                continue;
            any = true;
            if (!is_among(&all, m.name))
                cli_list_add(&all, m.name);
        }
        if (!any) {
            cli_list_free(&all);
            return err_set(err, ERR_UNKNOWN,
                           "no machine is called %.80s; `cyclotron machine list` lists them",
                           pattern);
        }
    }
    cli_list_free(machines);
    *machines = all;
    return 0;
}

void machine_patterns_smallest(struct cli_list *machines)
{
    const char *generation;
    struct sizes_slice s;

    for (size_t i = 0; (generation = sizes_generation(i)); i++)
        if (sizes_after(generation, 0, &s))
            cli_list_add(machines, s.name);
}
