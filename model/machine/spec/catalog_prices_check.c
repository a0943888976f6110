/* A list of prices of the user's: sections are machines, keys are prices. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "machine/spec/catalog_prices.h"
#include "machine/spec/embedded.h"
#include "machine/spec/sizes.h"

static bool is_machine(const char *name)
{
    struct sizes_slice slice;
    struct err ignored;

    if (sizes_has_rule(name) || embedded_find(name))
        return strcmp(name, "prices") != 0;
    return sizes_knows(name) && sizes_find(&slice, name, &ignored) == 0;
}

static int refuse_section(const char *path, unsigned line, const char *name, struct err *err)
{
    const char **names = memory_zeroed(machine_n_files, sizeof *names);

    for (size_t i = 0; i < machine_n_files; i++)
        names[i] = machine_files[i].stem;
    const char *near = err_nearest(name, names, (unsigned)machine_n_files);
    err_set(err, ERR_UNKNOWN,
            "%s:%u: [%.60s] is neither a machine nor a generation%s%s%s; `cyclotron machine list` "
            "lists them",
            path, line, name, near ? "; did you mean [" : "", near ? near : "", near ? "]?" : "");
    free(names);
    return -1;
}

/* Read the prices of a section into some machine, which checks its values. */
static int check_section(const char *path, const char *section, struct err *err)
{
    struct sizes_slice slice;
    struct machine_spec *m;
    const char *machine = section;

    if (sizes_has_rule(section) && sizes_after(section, 0, &slice))
        machine = slice.name;
    if (spec_load(&m, machine, NULL, 0, err) != 0)
        return -1;
    struct catalog_loader l = { .m = m, .price_section = section };
    int rc = catalog_read(&l, path, err);
    spec_free(m);
    return rc;
}

static int check_list(FILE *in, const char *path, struct err *err)
{
    char *line = memory_zeroed(1, LINE_ROOM);
    unsigned number = 0;
    bool sections = false;
    int more, rc = 0;

    while (rc == 0 && (more = line_next(in, line, err)) != 0) {
        number++;
        size_t length = strlen(line);
        if (more < 0) {
            rc = err_at(err, "%s:%u", path, number);
        } else if (!sections && strchr(line, '=') && !strchr(";#", *line)) {
            rc = err_set(err, ERR_FORMAT, "%s:%u: a price stands before the first [machine]", path,
                         number);
        } else if (*line == '[' && line[length - 1] == ']') {
            sections = true;
            line[length - 1] = '\0';
            rc = is_machine(line + 1) ? check_section(path, line + 1, err)
                                      : refuse_section(path, number, line + 1, err);
        }
    }
    free(line);
    return rc;
}

int catalog_prices_use(const char *path, struct err *err)
{
    catalog_prices_set("");
    if (!path)
        return 0;
    if (!catalog_is_path(path))
        return err_set(err, ERR_IO, "%s: expected a file of prices that ends in .ini, or a path",
                       path);
    FILE *in = fopen(path, "r"); /* none has a longer path than PATH_MAX */
    if (!in)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    int rc = check_list(in, path, err);
    fclose(in);
    if (rc == 0)
        catalog_prices_set(path);
    return rc;
}
