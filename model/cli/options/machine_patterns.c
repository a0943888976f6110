#include "cli/options/machine_patterns.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "machine/spec/catalog.h"
#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"

static bool is_among(const struct cli_list *list, const char *word)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->word[i], word) == 0)
            return true;
    return false;
}

/* Add `name` if it matches: false if not. */
static bool add_match(struct cli_list *all, const char *pattern, const char *name)
{
    if (fnmatch(pattern, name, 0) != 0)
        return false;
    if (!is_among(all, name))
        cli_list_add(all, name);
    return true;
}

/* Add all machines of the list that match, in its order: false if none does. */
static bool add_matches(struct cli_list *all, const char *pattern)
{
    const char *box;
    bool any = false;

    for (struct catalog_machine m = { 0 }; catalog_next(&m);)
        any |= add_match(all, pattern, m.name);
    for (size_t i = 0; (box = catalog_box(i)); i++)
        any |= add_match(all, pattern, box);
    return any;
}

int machine_patterns_expand(struct cli_list *machines, struct err *err)
{
    struct cli_list all = { 0 };

    for (size_t i = 0; i < machines->n; i++) {
        const char *pattern = machines->word[i];
        if (!strpbrk(pattern, "*?[")) {
            if (is_among(&all, pattern))
                fprintf(stderr, "%.80s is named twice: it is compared once\n", pattern);
            else
                cli_list_add(&all, pattern);
            continue;
        }
        if (!add_matches(&all, pattern)) {
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

/* A card or a node of CPUs, no box of several GPUs. */
static bool runs_one_program(const char *name)
{
    struct machine_spec *m;
    struct err err;

    if (spec_load(&m, name, NULL, 0, &err) != 0)
        return false;
    bool one = spec_cores(m) == 1;
    spec_free(m);
    return one;
}

void machine_patterns_smallest(struct cli_list *machines)
{
    const char *generation, *box;
    struct sizes_slice s;

    for (size_t i = 0; (generation = sizes_generation(i)); i++)
        if (sizes_after(generation, 0, &s))
            cli_list_add(machines, s.name);
    for (size_t i = 0; (box = catalog_box(i)); i++)
        if (!catalog_is_base(box) && runs_one_program(box))
            cli_list_add(machines, box);
}
