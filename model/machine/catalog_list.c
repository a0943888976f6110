/* The lists of built-in machines and memory parts.  Embedded files that give slice.cores are
 * machines. */
#include <string.h>

#include "machine/embedded.h"
#include "machine/spec.h"

static bool is_slice(const struct machine_file *f)
{
    return strstr(f->text, "\ncores = ") != NULL;
}

static const struct machine_file *find_slice(size_t i)
{
    for (size_t f = 0; f < machine_n_files; f++)
        if (is_slice(&machine_files[f]) && i-- == 0)
            return &machine_files[f];
    return NULL;
}

size_t catalog_count(void)
{
    size_t n = 0;

    for (size_t f = 0; f < machine_n_files; f++)
        n += is_slice(&machine_files[f]);
    return n;
}

const char *catalog_name(size_t i)
{
    return find_slice(i)->stem;
}

const char *catalog_summary(size_t i)
{
    return find_slice(i)->summary;
}

int spec_no_part(const char *name, struct err *err)
{
    const char *names[64];
    char all[512] = "";
    unsigned n = 0;

    for (size_t i = 0; i < machine_n_files && n < 64; i++) {
        const struct machine_file *f = &machine_files[i];
        if (!strstr(f->text, "\n[dram]\n") || strstr(f->text, "\n[hbm]\n"))
            continue;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", f->stem);
        names[n++] = f->stem;
    }
    const char *near = err_nearest(name, names, n);
    return err_set(err, ERR_UNKNOWN, "unknown part '%s'; %s%s%s", name,
                   near ? "did you mean '" : "there are ", near ? near : all, near ? "'?" : "");
}
